"""kzoo works where it is installed, from a wheel and editable, not only in its tree."""

import dataclasses
import json
import shutil
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest
from helpers.processes import run, succeeds
from kzoo_recipes import names

ROOT = Path(__file__).resolve().parents[2]
IN_THE_WHEEL = [
    *(f"kzoo_recipes/{name}.toml" for name in names()),
    *(f"kzoo/data/bundled/reviews/{split}.csv" for split in ("train", "dev", "test")),
    *(f"kzoo/data/bundled/local_news/{split}.conll" for split in ("train", "dev")),
    *(f"kzoo/data/bundled/short_reports/{split}.jsonl" for split in ("train", "test")),
    *(f"kzoo_zoo/text_classifier{ending}" for ending in (".keras", ".md")),
    *(f"kzoo_zoo/token_tagger{ending}" for ending in (".keras", ".md")),
    *(f"kzoo_zoo/summarizer{ending}" for ending in (".keras", ".md")),
]


@dataclasses.dataclass(frozen=True)
class Installed:
    """Where kzoo's programs are, and the folder its modules must come from."""

    kzoo: Path
    python: Path
    home: Path


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """A copy of the repository: building leaves files in the tree it builds."""
    copy = tmp_path_factory.mktemp("tree") / "kzoo"
    left_out = shutil.ignore_patterns(
        *(".git", "__pycache__", "*.egg-info", "build", "dist", ".*_cache", ".venv"),
        *("tests", "benchmarks"),
    )
    shutil.copytree(ROOT, copy, ignore=left_out)
    return copy


@pytest.fixture(scope="module")
def wheel(tree, tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    command = "python -m pip wheel --no-deps --no-build-isolation --quiet --wheel-dir"
    succeeds(*command.split(), folder, tree, cwd=folder)
    [built] = folder.glob("kzoo-*.whl")
    return built


@pytest.fixture(scope="module", params=["wheel", "editable"])
def installed(request, tree, tmp_path_factory):
    """An environment into which kzoo was installed.

    It borrows what kzoo needs from the environment of the tests, but not kzoo itself:
    Python follows no `.pth` file in a borrowed folder.
    """
    folder = tmp_path_factory.mktemp(request.param)
    venv.create(folder, symlinks=True)
    base = {"base": str(folder), "platbase": str(folder)}
    packages = Path(sysconfig.get_path("purelib", "venv", vars=base))
    (packages / "borrowed.pth").write_text(sysconfig.get_path("purelib"), "utf-8")
    scripts = Path(sysconfig.get_path("scripts", "venv", vars=base))
    if request.param == "wheel":
        home, what = packages, [request.getfixturevalue("wheel")]
    else:
        home, what = tree, ["--no-build-isolation", "--editable", tree]
    options = "install --no-deps --ignore-installed --no-index --quiet"
    pip = ["python", "-m", "pip", "--python", scripts / "python"]
    succeeds(*pip, *options.split(), *what, cwd=folder)
    return Installed(scripts / "kzoo", scripts / "python", home)


def test_wheel_holds_what_kzoo_needs_and_nothing_else(wheel):
    files = zipfile.ZipFile(wheel).namelist()
    assert not set(IN_THE_WHEEL) - set(files)
    tops = {name.split("/")[0] for name in files}
    own = {"kzoo", "kzoo_cli", "kzoo_recipes", "kzoo_zoo"}
    assert {top for top in tops if not top.endswith(".dist-info")} == own
    assert any(name.endswith("licenses/LICENSE") for name in files)


def test_wheel_holds_every_module(wheel):
    files = set(zipfile.ZipFile(wheel).namelist())
    for package, folder in (("kzoo", "kzoo"), ("kzoo_cli", "cli")):
        for source in (ROOT / folder).rglob("*.py"):
            assert f"{package}/{source.relative_to(ROOT / folder).as_posix()}" in files


def test_commands_answer(installed, tmp_path):
    listed = json.loads(succeeds(installed.kzoo, "ls", "--json", cwd=tmp_path))
    assert [recipe["name"] for recipe in listed] == names()
    shown = succeeds(installed.kzoo, "show", "text_classifier", cwd=tmp_path)
    assert shown == (ROOT / "recipes" / "text_classifier.toml").read_text("utf-8")
    assert succeeds(installed.kzoo, "--version", cwd=tmp_path).startswith("kzoo ")


def test_modules_are_those_installed(installed, tmp_path):
    code = """
import kzoo, kzoo_cli, kzoo_recipes, kzoo_zoo
for module in (kzoo, kzoo_cli, kzoo_recipes, kzoo_zoo):
    print(module.__file__)
"""
    printed = succeeds(installed.python, "-c", code, cwd=tmp_path, backend="jax")
    files = printed.split()
    assert len(files) == 4
    assert all(Path(file).is_relative_to(installed.home) for file in files)


def test_zoo_answers(installed, tmp_path):
    command = [installed.kzoo, "predict", "zoo:text_classifier", "--json"]
    printed = succeeds(*command, "I would go again.", cwd=tmp_path, backend="jax")
    assert json.loads(printed)["label"] in ("positive", "negative")


def test_cli_folder_is_no_package_of_its_own(tmp_path):
    """Imported as `cli` from the checkout, it would be a second copy."""
    done = run("python", "-c", "import cli", cwd=ROOT)
    assert done.returncode != 0
    assert "kzoo_cli" in done.stderr
