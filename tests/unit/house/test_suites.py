"""`python -m tests` and `.ci/run` leave no test out."""

import subprocess
import sys
from importlib.util import find_spec

import pytest
from sources import ROOT

from tests.__main__ import (
    NO_TESTS,
    ONCE,
    QUICK_XLA,
    compilation_cache,
    main,
    plan,
    quick_compilation,
    suites,
    workers,
)


def test_every_test_file_is_in_one_suite():
    folders = [ROOT / "tests" / suite for suite in suites()]
    for file in (ROOT / "tests").rglob("test_*.py"):
        assert sum(folder in file.parents for folder in folders) == 1, file


def test_every_suite_runs_once_or_per_backend():
    runs = {name: folders for name, _, folders in plan(["jax", "torch"], True)}
    assert runs["on jax"] == runs["on torch"]
    assert sorted([*runs["once"], *runs["on jax"]]) == suites()
    assert set(ONCE) <= set(suites())


def test_file_names_are_different():
    """pytest imports test files by their bare names."""
    names = [file.name for file in (ROOT / "tests").rglob("test_*.py")]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("codes, expected", [((0, 0), 0), ((0, 1), 1), ((5, 0), 0)])
def test_exit_code(codes, expected, monkeypatch, capsys):
    left = iter(codes)
    monkeypatch.setattr("tests.__main__.run_pytest", lambda *_: (next(left), "= 1 ="))
    assert main(["--backend", "jax", "--backend", "torch"]) == expected
    assert capsys.readouterr().out.count("on ") == 2


def test_nothing_selected_is_no_success(monkeypatch):
    monkeypatch.setattr("tests.__main__.run_pytest", lambda *_: (NO_TESTS, ""))
    assert main(["--backend", "jax"]) == NO_TESTS


def test_backends_share_what_jax_compiles_unless_told_otherwise(monkeypatch):
    monkeypatch.delenv("JAX_COMPILATION_CACHE_DIR", raising=False)
    assert compilation_cache("here")["JAX_COMPILATION_CACHE_DIR"] == "here"
    monkeypatch.setenv("JAX_COMPILATION_CACHE_DIR", "mine")
    assert compilation_cache("here") == {}


def test_xla_compiles_quickly_unless_told_otherwise(monkeypatch):
    monkeypatch.setenv("XLA_FLAGS", "--xla_dump_to=there")
    assert quick_compilation() == {"XLA_FLAGS": f"--xla_dump_to=there {QUICK_XLA}"}
    monkeypatch.setenv("XLA_FLAGS", "--xla_backend_optimization_level=3")
    assert quick_compilation() == {"XLA_FLAGS": "--xla_backend_optimization_level=3"}
    monkeypatch.delenv("XLA_FLAGS")
    assert quick_compilation() == {"XLA_FLAGS": QUICK_XLA}


def test_ci_finds_its_command_in_the_readme():
    script = (ROOT / ".ci" / "run").read_text("utf-8")
    pattern = script.split("grep -E '")[1].split("'")[0]
    found = subprocess.run(
        ["grep", "-cE", pattern, ROOT / "README.md"], capture_output=True, text=True
    )
    assert found.stdout.strip() == "1"


def test_starts_as_a_module():
    done = subprocess.run(
        [sys.executable, "-m", "tests", "--help"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0
    assert "--backend" in done.stdout


@pytest.mark.parametrize("option", ["-n4", "-s", "--pdb", "-pno:xdist"])
def test_parallel_only_if_nothing_speaks_against_it(option):
    assert workers(["-x"])
    assert not workers(["-x", option])


@pytest.mark.skipif(find_spec("xdist") is None, reason="there is no pytest-xdist")
def test_what_shares_fixtures_runs_in_one_process(tmp_path):
    """Two workers, and each group of tests, many, in one of them."""
    folder = tmp_path / "tests"
    for own in ("conftest.py", "helpers/groups.py"):
        file = folder / own
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text((ROOT / "tests" / own).read_text("utf-8"), "utf-8")
    names = ("parity/test_numbers", "parity/test_resumed", "unit/test_c", "unit/test_d")
    for name in names:
        file = folder / f"{name}.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(
            "import os, pathlib, pytest\n"
            '@pytest.mark.parametrize("n", range(5))\n'
            f"def test_one(n{', probes' if 'parity' in name else ''}):\n"
            '    seen = pathlib.Path(__file__).with_suffix(".seen")\n'
            '    with seen.open("a") as file:\n'
            '        file.write(os.environ["PYTEST_XDIST_WORKER"] + "\\n")\n'
        )
    folder.joinpath("parity/conftest.py").write_text(
        "import pytest\n@pytest.fixture\ndef probes():\n    return None\n"
    )
    options = ["-n", "2", *workers([])[2:], "-p", "no:cacheprovider", "-q"]
    options += ["-o", "pythonpath=tests"]
    command = [sys.executable, "-m", "pytest", *options, "tests"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    a, b, c, d = (file.read_text().split() for file in sorted(folder.glob("*/*.seen")))
    assert [*map(len, (a, b, c, d))] == [5, 5, 5, 5]
    assert len({*a, *b}) == len({*c}) == len({*d}) == 1
    assert len({*a, *b, *c, *d}) == 2
