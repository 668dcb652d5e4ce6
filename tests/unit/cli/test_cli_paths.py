"""Paths that can lead nowhere, and streams that were closed: a sentence, and 2."""

import errno
import os
import subprocess
import sys

import pytest

LONG = "x" * 300
ZOO = "zoo:text_classifier"


@pytest.mark.parametrize(
    "arguments",
    [
        ["validate", LONG],
        ["validate", f"{LONG}.toml"],
        ["cp", LONG],
        ["cp", "sst2", LONG],
        ["evaluate", LONG],
        ["evaluate", ZOO, "--data", LONG],
        ["evaluate", ZOO, "--html", LONG],
        ["predict", LONG, "a"],
        ["predict", ZOO, "--input", LONG],
        ["predict", ZOO, "a", "--output", f"{LONG}.csv"],
        ["predict", ZOO, "a", "--output", f"{LONG[:250]}.csv"],
        ["resume", LONG],
    ],
    ids=lambda arguments: " ".join(arguments)[:30],
)
def test_a_name_that_is_too_long(kzoo, fake, arguments):
    result = kzoo(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("Error: ")
    assert "xxxxx" in result.stderr
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize(
    "arguments, sentence",
    [
        (
            ["evaluate", "~nobody-here/x"],
            "~nobody-here/x: there is no such user's home folder.",
        ),
        (
            ["predict", "~nobody-here/x", "a"],
            "~nobody-here/x: there is no such user's home folder.",
        ),
        (["resume", "/"], "/ is no run; name the folder of one."),
    ],
)
def test_a_path_that_cannot_be(kzoo, fake, arguments, sentence):
    result = kzoo(*arguments)
    assert (result.exit_code, result.stderr) == (2, f"Error: {sentence}\n")


def test_the_working_directory_is_gone(kzoo, tmp_path, monkeypatch):
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    result = kzoo("resume", "x")
    os.chdir(tmp_path)
    assert (result.exit_code, result.stderr) == (
        2,
        "Error: the working directory was removed; change to one that is there.\n",
    )


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")
def test_a_device_that_is_full(kzoo, fake):
    options = ["--output", "/dev/full", "--as", "csv", "--force"]
    result = kzoo("predict", ZOO, "a", *options)
    assert (result.exit_code, result.stderr) == (
        2,
        "Error: /dev/full cannot be written: No space left on device.\n",
    )


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")
@pytest.mark.parametrize("command", [["ls"], ["--help"], ["schema"]])
def test_a_stdout_that_is_full(command):
    with open("/dev/full", "w") as full:
        result = subprocess.run(
            [sys.executable, "-m", "kzoo_cli", *command],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
        )
    assert (result.returncode, result.stderr) == (
        2,
        "Error: what the command prints cannot be written: No space left on device.\n",
    )


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")
def test_a_stderr_that_is_full_does_not_change_the_exit_code():
    with open("/dev/full", "w") as full:
        result = subprocess.run([sys.executable, "-m", "kzoo_cli", "x"], stderr=full)
    assert result.returncode == 2


def test_a_disk_that_is_full(kzoo, fake, tmp_path, monkeypatch):
    def full(number):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("kzoo_cli.files.os.fsync", full)
    result = kzoo("predict", ZOO, "a", "--output", "a.csv")
    assert (result.exit_code, result.stderr) == (
        2,
        "Error: a.csv cannot be written: No space left on device.\n",
    )
    assert list(tmp_path.iterdir()) == []


def run(code, closed):
    """Run `code` without the stream of the number `closed`."""
    return subprocess.run(
        [sys.executable, "-c", code],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE if closed != 1 else None,
        stderr=subprocess.PIPE if closed != 2 else None,
        preexec_fn=lambda: os.close(closed),
        timeout=300,
    )


def test_stdout_is_closed():
    code = f"from kzoo_cli.main import main; main(['predict', '{ZOO}', 'a'])"
    result = run(code, closed=1)
    assert (result.returncode, result.stderr) == (
        2,
        b"Error: stdout is closed; name a file for the answers with --output.\n",
    )


def test_stderr_is_closed():
    code = """
import os, sys
from kzoo_cli.backend import _quiet
from kzoo_cli.output import exit_code_of
from kzoo_cli.streaming import Progress
def command():
    with _quiet(), Progress():
        print("said", file=sys.stderr)
        return 7 if os.readlink("/proc/self/fd/2") != "/dev/null" else 3
print(sys.stderr, exit_code_of(command))
"""
    result = run(code, closed=2)
    assert (result.returncode, result.stdout) == (0, b"None 7\n")


@pytest.mark.parametrize("command", ["ls", "show", "validate"])
def test_what_nobody_reads_is_not_said(command):
    arguments = [command, *(["sst2"] if command != "ls" else [])]
    code = f"from kzoo_cli.main import main; main({arguments})"
    result = run(code, closed=1)
    assert (result.returncode, result.stderr) == (0, b"")
