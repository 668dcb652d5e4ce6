"""`kzoo predict` as a stream: flat memory, answers as they come, an early leaver."""

import json
import shlex
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from helpers.processes import run, succeeds

ROOT = Path(__file__).resolve().parents[2]
BACKEND = next(name for name in ("jax", "torch", "tensorflow") if find_spec(name))
KZOO = Path(sys.executable).with_name("kzoo")
COMMAND = [KZOO, "predict", "zoo:text_classifier", "--backend", BACKEND, "--json"]


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="there is no /proc")
def test_memory_does_not_grow_with_the_rows(tmp_path):
    script = ROOT / "benchmarks" / "predict.py"
    arguments = ["--rows", "20000", "--backend", BACKEND]
    found = json.loads(succeeds("python", script, *arguments, cwd=tmp_path))
    assert (found["rows_in"], found["rows_out"]) == (20_000, 20_000)
    assert found["in_order"]
    assert found["growth"] <= 0.10, found


@pytest.mark.skipif(sys.platform == "win32", reason="pipes cannot be asked there")
def test_lines_are_answered_as_they_come(tmp_path):
    pipe = subprocess.PIPE
    with subprocess.Popen(
        COMMAND, stdin=pipe, stdout=pipe, stderr=pipe, cwd=tmp_path
    ) as process:
        for text in (["good"], ["bad", "worse", ""], ["fine"]):
            process.stdin.write("".join(f"{one}\n" for one in text).encode())
            process.stdin.flush()  # And stays open: the answers must not wait for it.
            answers = [json.loads(process.stdout.readline()) for _ in text]
            assert [answer["text"] for answer in answers] == text
        process.stdin.close()
        assert process.stdout.read() == b""
        assert process.stderr.read() == b"1 of 5 texts is blank.\n"
    assert process.returncode == 0


@pytest.mark.skipif(sys.platform == "win32", reason="there is no head")
def test_a_reader_that_leaves_is_no_error(tmp_path):
    tmp_path.joinpath("rows.txt").write_text("a fine film\n" * 10_000)
    predict = shlex.join(map(str, [*COMMAND, "--input", "rows.txt"]))
    script = f"{predict} | head -n 1; echo ${{PIPESTATUS[0]}}"
    done = run("bash", "-c", script, cwd=tmp_path)
    answer, code = done.stdout.splitlines()
    assert json.loads(answer)["line"] == 1
    assert (code, done.stderr) == ("141", "")
