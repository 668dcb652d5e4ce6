"""`kzoo doctor` on this machine, and on a broken backend."""

import json

import pytest
from kzoo_cli.installed import installed

from tests.helpers.processes import AS_USERS, run


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """Everything about every backend that is installed here."""
    folder = tmp_path_factory.mktemp("doctor")
    folder.joinpath("keras.json").write_text('{"backend": "torch"}')
    variables = {"KERAS_HOME": str(folder), **AS_USERS}
    done = run("kzoo", "doctor", "--json", cwd=folder, **variables)
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("backend", installed())
def test_this_machine_trains_on(found, backend):
    facts = found["backends"][backend]
    assert facts["error"] is None
    assert facts["version"][0].isdigit()
    assert facts["device"] and facts["devices"]
    assert facts["precisions"]["mixed_bfloat16"] is None
    assert len(facts["promises"]) >= 6 and len(facts["traps"]) >= 10
    for group in ("promises", "traps"):
        for name, answer in facts[group].items():
            assert answer["expected"], (name, answer["found"])


def test_nothing_stops_training(found):
    assert found["problems"] == []


def test_first_weights_are_the_same_on_every_backend(found):
    facts = found["backends"].values()
    drawn = [tuple(f["initial_weights"]) for f in facts if f["installed"]]
    assert len(set(drawn)) == 1


def test_it_knows_who_chooses_the_backend(found):
    assert found["keras"]["backend"] == "torch"
    assert found["keras"]["backend_from"].endswith("keras.json")
    assert found["folders"]["Keras"]["writable"]


def test_a_backend_that_does_not_import(tmp_path):
    """It is one line with the error, and the rest goes on."""
    tmp_path.joinpath("torch").mkdir()
    broken = 'raise ImportError("libtorch_cpu.so: cannot open shared object file")\n'
    tmp_path.joinpath("torch", "__init__.py").write_text(broken)
    command = ["kzoo", "doctor", "--backends", "torch"]
    done = run(*command, cwd=tmp_path, PYTHONPATH=str(tmp_path))
    assert done.returncode == 1
    sentence = (
        "Problem: torch is installed but does not work: the run failed with "
        "ImportError: libtorch_cpu.so: cannot open shared object file"
    )
    assert sentence in done.stdout
    assert "Traceback" not in done.stdout + done.stderr
