"""What README.md says works: every command, every snippet, in the order it is told.

Commands run with a small budget of training, in a folder that the README's reader could
have. What needs the network, `pip`, is compared with `pyproject.toml`.
"""

import re
import shlex
import tomllib
from importlib.util import find_spec
from pathlib import Path

import pytest
from helpers.processes import (
    BACKENDS,
    QUICK_KERAS,
    each_backend,
    run,
    succeeds,
)
from kzoo_recipes import load, names

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "README.md").read_text("utf-8")
SMALL = [
    "training.steps=4",
    "training.evaluate_every=4",
    "data.sequence_length=16",
    "tokenizer.vocabulary_size=400",
    "model.encoder.num_layers=1",
]


def blocks(language):
    """Every fenced block of a language, in order."""
    return re.findall(rf"^```{language}\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE)


def commands():
    """Every line of shell, in order."""
    lines = "".join(blocks("sh")).replace("\\\n", " ").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def kzoo_commands():
    """Every `kzoo` command, in order, as the backend before it and its words."""
    for line in commands():
        for part in line.split("&&"):
            words = shlex.split(part)
            setting = re.fullmatch(r"KERAS_BACKEND=(\w+)", words[0])
            if setting:
                words.pop(0)
            if words[0] == "kzoo":
                yield setting and setting[1], words


def own_rows(columns, separator):
    """A file of rows of the kind that a reader would have."""
    rows = [f"Order {n} arrived early{separator}praise" for n in range(100)]
    rows += [f"Where is order {n} by now?{separator}question" for n in range(100)]
    return "\n".join([separator.join(columns), *rows]) + "\n"


def own_backend(words):
    """PyTorch, which compiles nothing; JAX for runs that the README calls so."""
    named = [word.removeprefix("name=") for word in words if word.startswith("name=")]
    run = named[0] if named else Path(words[2]).stem if len(words) > 2 else ""
    trains = words[1] == "train"
    of_jax = f"saved_models/{run}/jax" in TEXT if trains else "/jax" in " ".join(words)
    return "jax" if of_jax else "torch"


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder where the README's `kzoo` commands were run, with little training."""
    for backend in BACKENDS:
        if find_spec(backend) is None:
            pytest.skip(f"{backend} is not installed, and the README uses all three")
    folder = tmp_path_factory.mktemp("readme")
    for name in ("mine.csv", "mine_later.csv"):
        (folder / name).write_text(own_rows(("text", "label"), ","), "utf-8")
    (folder / "tickets.tsv").write_text(own_rows(("body", "kind"), "\t"), "utf-8")
    for backend, words in kzoo_commands():
        backend = backend or own_backend(words)
        if words[1] == "train":
            words = [*words, *(f"--set={override}" for override in SMALL)]
        printed = succeeds(*words, cwd=folder, backend=backend)
        assert printed.strip(), f"{shlex.join(words)} printed nothing"
    return folder


def test_commands_leave_the_runs_that_the_readme_names(place):
    runs = {str(m.parent.relative_to(place)) for m in place.rglob("model.keras")}
    named = set(re.findall(r"saved_models/\w+/\w+", TEXT))
    assert named and named <= runs


RUN_ALL = """
import sys
for number, code in enumerate(sys.argv[1:], 1):
    exec(compile(code, f"snippet {number} of README.md", "exec"), {})
"""


@each_backend()
def test_snippets_run(place, backend):
    """All in one process: each would spend its time on importing Keras."""
    snippets = [with_little_training(code) for code in blocks("python")]
    code = QUICK_KERAS + RUN_ALL
    succeeds("python", "-c", code, *snippets, cwd=place, backend=backend)


def with_little_training(code):
    long = '"training.epochs=3"'
    assert (long in code) == ("kzoo.train(" in code)
    return code.replace(long, ", ".join(f'"{override}"' for override in SMALL))


@pytest.mark.parametrize("session", blocks("console"))
def test_session_looks_as_shown(session, tmp_path):
    command, _, shown = session.removeprefix("$ ").partition("\n")
    done = run(*shlex.split(command), cwd=tmp_path)
    assert done.stdout + done.stderr == shown


def test_install_lines_name_extras_that_exist():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    lines = [line for line in commands() if line.startswith("python -m pip install")]
    for line in lines:
        constraints, extras = re.search(r'-c (\S+) -e "\.\[(.+)\]" ', line).groups()
        assert (ROOT / constraints).is_file()
        assert set(extras.split(",")) <= set(project["optional-dependencies"])


def test_first_run_and_tests_are_one_line_each():
    assert [line.split(" && ")[1:] for line in commands() if "&&" in line] == [
        ["kzoo train text_classifier"],
        ["python -m tests"],
    ]


def test_table_of_recipes_says_what_the_recipes_promise():
    readme = (ROOT / "README.md").read_text("utf-8")
    names_of = {"accuracy": "", "micro_f1": " micro F1", "f1": " F1"}
    names_of |= {f"rouge{kind}": f" ROUGE-{kind}" for kind in "12L"}
    some = "|".join(names_of.values())
    promise = rf"not measured|[\d.]+(?:{some})(?:, [\d.]+(?:{some}))*"
    rows = re.findall(rf"^\| `(\w+)` \|.*\| ({promise}) \|$", readme, re.MULTILINE)
    promises = {
        name: ", ".join(
            f"{bound.at_least:.2f}{names_of[metric]}"
            for metric, bound in load(name).expect.items()
        )
        or "not measured"
        for name in names()
    }
    assert dict(rows) == promises


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"])
def test_files_are_there(page):
    text = (ROOT / page).read_text("utf-8")
    files = re.findall(r"\b(?:kzoo|cli|recipes|tests|benchmarks)/[\w/]*[\w.]*\w", text)
    own = (name for name in files if "NAME" not in name)  # stands for the reader's own
    missing = [name for name in own if not (ROOT / name).exists()]
    assert not missing
