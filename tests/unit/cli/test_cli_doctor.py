"""doctor on probes that only pretend: what it shows, and what counts as a problem."""

import json
import re
import sys

import pytest
from kzoo_cli import diagnosis, probing, surroundings, versions
from kzoo_cli.probing import Broken

FACTS = {
    **{"version": "1.0", "device": "cpu", "devices": ["cpu"]},
    "threads": {"within an operation": 1, "between operations": 0},
}


def answer(group, name, expected=True):
    meaning = "that is bad."
    answered = {"expected": expected, "found": "seen", "meaning": meaning}
    return {"group": group, "name": name, **answered}


@pytest.fixture
def probe(monkeypatch, tmp_path):
    """`probe.lines` is what every backend says, `probe.error` how it ends."""

    class Probe:
        error = None

        def __init__(self):
            self.lines = [
                {"facts": FACTS},
                {"asking": "it trains"},
                answer("promises", "it trains"),
                {"asking": "a trap"},
                answer("traps", "a trap"),
                {"precision": "mixed_bfloat16", "error": None},
                {"precision": "mixed_float16", "error": "Overflow: too much"},
                {"facts": {"initial_weights": [0.1, 0.2]}},
            ]

        def run(self, name, backend, device, seconds):
            assert (name, device) == ("doctor", "auto")
            printed = "".join(json.dumps(line) + "\n" for line in self.lines)
            if self.error:
                raise Broken(self.error, printed)
            return printed

    probe = Probe()
    monkeypatch.setattr(diagnosis, "run_probe", probe.run)
    monkeypatch.setattr(
        diagnosis, "find_spec", lambda name: name != "tensorflow" or None
    )
    monkeypatch.setattr(surroundings, "shadow", lambda folder: None)
    monkeypatch.setattr(versions, "installed_version", versions.TESTED.get)
    for name in surroundings.VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("KERAS_HOME", str(tmp_path / "keras"))
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
    return probe


def test_a_healthy_machine(kzoo, probe, tmp_path):
    result = kzoo("doctor")
    assert result.exit_code == 0, result.output
    top, tested, jax, tensorflow, torch, end = result.stdout.split("\n\n")
    lines = dict(re.split("  +", line) for line in top.splitlines())
    assert lines["import keras"] == "runs on tensorflow, by Keras' own default"
    assert lines["KERAS_HOME"] == str(tmp_path / "keras")
    assert lines["Keras folder"] == f"{tmp_path / 'keras'} (not there yet)"
    assert "keras         3.15.1  tested" in tested
    assert tensorflow == "tensorflow\nnot installed"
    assert jax.removeprefix("jax") == torch.removeprefix("torch")
    assert jax == (
        "jax\n"
        "computes on     cpu of cpu\n"
        "threads         1 within an operation, its own choice between operations\n"
        "mixed_bfloat16  works\n"
        "mixed_float16   no: Overflow: too much\n"
        "it trains       ok: seen\n"
        "a trap          as known: seen"
    )
    assert end.endswith("Nothing stops training.\n")
    assert "Problem" not in end
    assert result.stderr == "jax: looking at it\ntorch: looking at it\n"


def test_json(kzoo, probe):
    found = json.loads(kzoo("doctor", "--json").stdout)
    assert found["problems"] == []
    assert not found["backends"]["tensorflow"]["installed"]
    assert found["backends"]["jax"]["promises"]["it trains"]["expected"]
    assert found["backends"]["jax"]["precisions"]["mixed_bfloat16"] is None
    assert found["processors"]["usable"] >= 1


def test_a_broken_promise_is_a_problem(kzoo, probe):
    probe.lines.append(answer("promises", "it saves", expected=False))
    result = kzoo("doctor", "--backends", "jax")
    assert result.exit_code == 1
    assert "it saves        BROKEN: seen" in result.stdout
    assert "Problem: jax: it saves? seen; so that is bad.\n" in result.stdout
    assert "Nothing stops training." not in result.stdout


def test_a_trap_that_changed_is_a_warning(kzoo, probe):
    probe.lines.append(answer("traps", "another", expected=False))
    result = kzoo("doctor", "--backends", "jax")
    assert result.exit_code == 0
    assert "Warning: jax: another is not what it was (seen); that is bad.\n" in (
        result.stdout
    )


def test_a_check_that_ends_the_process(kzoo, probe):
    del probe.lines[4:]
    probe.error = "it was killed by signal 11."
    result = kzoo("doctor", "--backends", "torch")
    assert result.exit_code == 1
    assert "Problem: torch is installed but does not work: a trap: it was killed" in (
        result.stdout
    )
    assert "it trains      ok: seen" in result.stdout


@pytest.mark.parametrize(
    "body, sentence, printed",
    [
        (
            "print('{}', flush=True); time.sleep(60)",
            "it was stopped after 2 s.",
            "{}\n",
        ),
        ("os.kill(os.getpid(), 9)", "it was killed by signal 9.", ""),
        ("sys.exit('Error: no luck')", "no luck", ""),
    ],
)
def test_how_a_probe_ends(monkeypatch, tmp_path, body, sentence, printed):
    program = tmp_path / "python"
    program.write_text(f"#!{sys.executable}\nimport os, sys, time\n{body}\n")
    program.chmod(0o755)
    monkeypatch.setattr(probing.sys, "executable", str(program))
    with pytest.raises(Broken) as error:
        probing.run_probe("doctor", "jax", "auto", seconds=2)
    assert (str(error.value), error.value.printed) == (sentence, printed)


def test_an_absent_backend_is_a_problem_if_it_was_named(kzoo, probe):
    result = kzoo("doctor", "--backends", "tensorflow")
    assert result.exit_code == 1
    assert (
        'Problem: tensorflow is not installed; `pip install "kzoo[tensorflow]"` '
        "brings it.\n"
    ) in result.stdout


def test_no_backend_at_all(kzoo, probe, monkeypatch):
    monkeypatch.setattr(diagnosis, "find_spec", lambda name: None)
    result = kzoo("doctor")
    assert result.exit_code == 1
    assert "Problem: no backend is installed; `pip install" in result.stdout


@pytest.mark.parametrize(
    "text, sentence",
    [
        ('{"floatx": "float16"}', 'sets floatx to "float16"'),
        ("{", "cannot be read"),
    ],
)
def test_a_keras_json_that_changes_numbers(kzoo, probe, tmp_path, text, sentence):
    tmp_path.joinpath("keras").mkdir()
    tmp_path.joinpath("keras", "keras.json").write_text(text)
    result = kzoo("doctor", "--backends", "jax")
    assert result.exit_code == 1
    assert sentence in result.stdout


def test_a_backend_that_kzoo_does_not_run_on(kzoo, probe, monkeypatch):
    monkeypatch.setenv("KERAS_BACKEND", "openvino")
    result = kzoo("doctor", "--backends", "jax")
    assert result.exit_code == 1
    assert (
        'Problem: KERAS_BACKEND is "openvino", which kzoo does not run on: set it to '
        "tensorflow, torch or jax.\n"
    ) in result.stdout


def test_other_programs_without_their_backend(kzoo, probe):
    result = kzoo("doctor")
    assert (
        "Warning: a program of your own that imports keras would run on tensorflow, "
        "by Keras' own default, and tensorflow is not installed: set KERAS_BACKEND "
        "there.\n"
    ) in result.stdout


def test_other_versions_and_too_many_threads_are_warnings(kzoo, probe, monkeypatch):
    monkeypatch.setattr(
        versions, "installed_version", {**versions.TESTED, "torch": "2.9.1"}.get
    )
    monkeypatch.setattr(
        surroundings, "processors", lambda: {"machine": 64, "usable": 2}
    )
    probe.lines[0] = {"facts": {**FACTS, "threads": {"within an operation": 64}}}
    result = kzoo("doctor", "--backends", "torch")
    assert result.exit_code == 0
    assert "torch 2.9.1 is installed; kzoo is tested with 2.13.0." in result.stdout
    assert "set OMP_NUM_THREADS=2." in result.stdout


def test_initial_weights_that_differ(kzoo, probe, monkeypatch):
    def run(name, backend, device, seconds):
        drawn = [0.1 if backend == "jax" else 0.2]
        return json.dumps({"facts": {**FACTS, "initial_weights": drawn}})

    monkeypatch.setattr(diagnosis, "run_probe", run)
    result = kzoo("doctor")
    assert result.exit_code == 1
    assert "Problem: initial weights differ between jax and torch." in result.stdout


def test_a_build_of_the_tested_version_is_tested(monkeypatch):
    monkeypatch.setattr(versions, "installed_version", lambda _: "2.13.0+cpu")
    assert versions.versions()["torch"]["same"]
    assert not versions.versions()["jax"]["same"]


def test_a_folder_that_hides_kzoo(monkeypatch, tmp_path):
    """As from the folder above a checkout, where an editable install comes second."""
    alone = tmp_path / "python"  # A Python that knows no installed packages.
    alone.write_text(f'#!/bin/sh\nexec {sys.executable} -S "$@"\n')
    alone.chmod(0o755)
    monkeypatch.setattr(surroundings.sys, "executable", str(alone))
    assert surroundings.shadow(tmp_path) is None
    tmp_path.joinpath("kzoo").mkdir()
    assert surroundings.shadow(tmp_path) == str(tmp_path / "kzoo")
    tmp_path.joinpath("kzoo", "__init__.py").touch()
    assert surroundings.shadow(tmp_path) is None


def test_a_hidden_kzoo_is_a_problem(kzoo, probe, monkeypatch):
    monkeypatch.setattr(surroundings, "shadow", lambda folder: "/there/kzoo")
    result = kzoo("doctor", "--backends", "jax")
    assert result.exit_code == 1
    assert "takes /there/kzoo for kzoo: start it in another folder." in result.stdout
