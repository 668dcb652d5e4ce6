"""How `kzoo` ends: exit codes, one sentence, and nothing else."""

import os
import re
import signal
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import click
import pytest
from kzoo_cli.group import COMMANDS
from kzoo_recipes import KzooError

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize(
    "arguments, sentence",
    [
        (["trian"], 'there is no command "trian"; did you mean "train"? `kzoo --help`'),
        (
            ["zzz"],
            f'there is no command "zzz"; there are {", ".join(COMMANDS)}. '
            "`kzoo --help`",
        ),
        (["train"], "Missing argument 'RECIPE'. `kzoo train --help`"),
        (
            ["train", "sst2", "--backend", "tensorflo"],
            "Invalid value for '--backend' (env var: 'KERAS_BACKEND'): 'tensorflo' is "
            "not one of 'tensorflow', 'torch', 'jax'. `kzoo train --help`",
        ),
        (["ls", "x"], "Got unexpected extra argument (x). `kzoo ls --help`"),
    ],
)
def test_usage_error(kzoo, arguments, sentence):
    result = kzoo(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == f"Error: {sentence} says more.\n"


def test_backend_of_the_environment_is_checked(kzoo, monkeypatch):
    monkeypatch.setenv("KERAS_BACKEND", "numpy")
    result = kzoo("train", "text_classifier")
    assert result.exit_code == 2
    assert "'numpy' is not one of 'tensorflow', 'torch', 'jax'" in result.stderr


def test_no_arguments_is_help(kzoo):
    assert kzoo().exit_code == 0
    assert kzoo().output == kzoo("--help").output


def test_help_names_every_command(kzoo):
    output = kzoo("-h").output
    for command in COMMANDS:
        line = re.search(rf"^  {command} +([A-Z].*)$", output, re.M)
        assert line and line[1].endswith(".") and "..." not in line[1]


def test_version(kzoo):
    assert kzoo("--version").output == f"kzoo {version('kzoo')}\n"


@pytest.mark.parametrize(
    "error, code, sentence",
    [
        (KzooError("a.csv: row 3 has no label."), 2, "a.csv: row 3 has no label."),
        (click.FileError("a.csv", "gone"), 2, "gone"),
        (
            ZeroDivisionError("division by zero"),
            1,
            "the run failed with ZeroDivisionError: division by zero "
            "(KZOO_TRACEBACK=1 shows where).",
        ),
        (
            ValueError("first line.\nsecond line"),
            1,
            "the run failed with ValueError: first line "
            "(KZOO_TRACEBACK=1 shows where).",
        ),
        (
            RuntimeError(),
            1,
            "the run failed with RuntimeError (KZOO_TRACEBACK=1 shows where).",
        ),
        (
            EOFError("truncated"),
            1,
            "the run failed with EOFError: truncated (KZOO_TRACEBACK=1 shows where).",
        ),
        (KeyboardInterrupt(), 130, "interrupted."),
    ],
)
def test_error_inside_a_run(kzoo, fake, monkeypatch, error, code, sentence):
    def fails(recipe, **arguments):
        raise error

    monkeypatch.setattr(fake, "train", fails)
    result = kzoo("train", "text_classifier")
    assert (result.exit_code, result.stdout) == (code, "")
    assert result.stderr.strip() == f"Error: {sentence}"


def test_traceback_on_request(kzoo, fake, monkeypatch):
    def fails(recipe, **arguments):
        raise RuntimeError("deep inside")

    monkeypatch.setattr(fake, "train", fails)
    monkeypatch.setenv("KZOO_TRACEBACK", "1")
    result = kzoo("train", "text_classifier")
    assert result.exit_code == 1
    assert "Traceback (most recent call last)" in result.stderr
    assert result.stderr.splitlines()[-1].startswith("Error: the run failed with")


def test_exit_code_of_the_loop_is_kept(kzoo, fake, monkeypatch):
    def stopped(recipe, **arguments):
        raise SystemExit(128 + signal.SIGTERM)  # After saving.

    monkeypatch.setattr(fake, "train", stopped)
    assert kzoo("train", "text_classifier").exit_code == 143


def in_process(code, *arguments, **kwargs):
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        capture_output=True,
        text=True,
        timeout=300,
        **kwargs,
    )


LOOK = """
import sys
from kzoo_cli.main import main
try:
    main(sys.argv[1:])
finally:
    heavy = {"keras", "numpy", "tensorflow", "torch", "jax", "kzoo", "tokenizers"}
    print(sorted(heavy & set(sys.modules)), file=sys.stderr)
"""


@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        ["--version"],
        ["train", "--help"],
        ["predict", "--help"],
        ["ls"],
        ["show", "text_classifier"],
        ["cp", "text_classifier"],
        ["validate", "text_classifier", "sst2"],
        ["schema"],
    ],
    ids=" ".join,
)
def test_nothing_heavy_is_imported(arguments, tmp_path):
    result = in_process(LOOK, *arguments, cwd=tmp_path)
    assert (result.returncode, result.stderr) == (0, "[]\n")
    assert result.stdout


def test_the_reader_of_stdout_may_leave(tmp_path):
    reads, writes = os.pipe()
    os.close(reads)
    code = "from kzoo_cli.main import main; main(['show', 'sst2'])"
    result = subprocess.run(
        [sys.executable, "-c", code],
        stdout=writes,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
    )
    os.close(writes)
    assert (result.returncode, result.stderr) == (141, b"")


def test_the_command_line_has_one_name():
    result = in_process("import cli", cwd=ROOT)
    assert result.returncode == 1
    assert result.stderr.splitlines()[-1] == (
        "ImportError: Import the command line as `kzoo_cli`, the name it is installed "
        "under; Received: cli"
    )
