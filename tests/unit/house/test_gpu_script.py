"""`benchmarks/gpu.sh` where there is no GPU: what it says, and what it would run."""

import os
import shlex
import subprocess
import sys

import pytest
from click.testing import CliRunner
from kzoo_cli.group import group
from sources import ROOT


def script(*arguments, path):
    """Run it where nothing but the system's own programs is found."""
    environment = {**os.environ, "PYTHON": sys.executable, "PATH": path}
    return subprocess.run(
        ["bash", ROOT / "benchmarks" / "gpu.sh", *arguments],
        env=environment,
        capture_output=True,
        text=True,
    )


@pytest.fixture
def without_gpu(tmp_path):
    """A PATH whose `nvidia-smi` finds no GPU."""
    program = tmp_path / "nvidia-smi"
    program.write_text("#!/bin/sh\necho No devices were found\nexit 6\n")
    program.chmod(0o755)
    return f"{tmp_path}:/usr/bin:/bin"


def test_without_a_gpu_it_says_so_and_writes_nothing(without_gpu, tmp_path):
    done = script(str(tmp_path / "results"), path=without_gpu)
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr == (
        "Error: there is no GPU here: nvidia-smi is missing or finds none.\n"
    )
    assert not (tmp_path / "results").exists()


def test_a_dry_run_shows_commands_that_exist(without_gpu, tmp_path):
    done = script(
        "--dry", "--wheels", "wheels", str(tmp_path / "out"), path=without_gpu
    )
    assert done.returncode == 0
    assert not (tmp_path / "out").exists()
    commands = [shlex.split(line) for line in done.stdout.splitlines()]
    kzoo = [c[c.index("kzoo_cli") + 1 :] for c in commands if "kzoo_cli" in c]
    assert [command[0] for command in kzoo] == ["doctor", "parity"]
    for command in kzoo:  # Unknown options are errors even before --help.
        result = CliRunner().invoke(group, [*command, "--help"])
        assert result.exit_code == 0, result.output
    [speed] = [c for c in commands if "benchmarks/bert_mini.py" in c]
    known = subprocess.run([*speed, "--help"], cwd=ROOT, capture_output=True)
    assert known.returncode == 0
    installs = [command for command in commands if "--no-index" in command]
    assert installs[-1][-3:] == ["jax[cuda12]", "tensorflow[and-cuda]", "torch"]


def test_an_unknown_option_is_refused(without_gpu):
    done = script("--dri", path=without_gpu)
    assert done.returncode == 2
    assert done.stderr.startswith("Error: there is no option --dri;")


def test_kzoo_runs_as_a_module(tmp_path):
    command = [sys.executable, "-P", "-m", "kzoo_cli", "--version"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0
    assert done.stdout.startswith("kzoo ")
