"""A signal while modules are imported ends the program, whatever they swallow."""

import os
import signal
import subprocess
import sys

import pytest

# A module that takes for ever to import, and that no exception ends.
SLOW = """
import time
print("importing", flush=True)
for _ in range(1000):
    try:
        time.sleep(0.05)
    except BaseException:
        pass
"""


@pytest.mark.parametrize(
    "number, word", [(signal.SIGINT, "interrupted"), (signal.SIGTERM, "terminated")]
)
@pytest.mark.parametrize(
    "module, command",
    [("click", ["ls"]), ("keras", ["train", "text_classifier", "--backend", "jax"])],
)
def test_signal_during_imports(tmp_path, module, command, number, word):
    tmp_path.joinpath(f"{module}.py").write_text(SLOW)
    started = subprocess.Popen(
        [sys.executable, "-m", "kzoo_cli", *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path), "KERAS_BACKEND": "jax"},
    )
    with started:
        assert started.stdout.readline() == "importing\n"
        started.send_signal(number)
        _, errors = started.communicate(timeout=300)
    assert (started.returncode, errors) == (128 + number, f"Error: {word}.\n")
    assert not tmp_path.joinpath("saved_models").exists()


def test_the_first_moment_imports_no_library():
    code = (
        "import sys; from kzoo_cli.main import main; "
        "print({'click', 'kzoo_recipes', 'msgspec'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("set()\n", "")
