"""`kzoo verify`, and what the other commands say of a hostile file."""

import json

import pytest
from helpers.archives import members, packed, with_weights
from helpers.processes import run
from kzoo_recipes import KzooError

GOOD = {
    "class": "TextClassifier",
    "parameters": 730690,
    "labels": ["negative", "positive"],
    "tokens": 2632,
    "bytes": 3041000,
}


@pytest.fixture
def checked(fake, run_folder):
    """kzoo's place taken: a run is good, everything else is not."""

    def check_model_file(path):
        if path == run_folder:
            return GOOD
        raise KzooError(f"{path}: its checksum is wrong.")

    fake.check_model_file = fake.load_model = check_model_file
    return run_folder


def test_a_good_model(kzoo, checked):
    result = kzoo("verify", checked)
    assert result.exit_code == 0
    assert result.stdout == (
        f"{checked} is a TextClassifier: 730,690 parameters, 2 labels, 2,632 tokens, "
        "3,041,000 bytes\n"
    )


def test_one_bad_model_among_good_ones(kzoo, checked, tmp_path):
    bad = tmp_path / "bad.keras"
    bad.touch()
    result = kzoo("verify", bad, checked)
    assert result.exit_code == 2
    assert result.stderr == f"Error: {bad}: its checksum is wrong.\n"
    assert result.stdout.startswith(f"{checked} is a TextClassifier")


def test_json(kzoo, checked, tmp_path):
    result = kzoo("verify", checked, tmp_path / "none.keras", "--json")
    good, missing = json.loads(result.stdout)
    assert result.exit_code == 2
    assert good == {"model": str(checked), "good": True, "error": None, **GOOD}
    assert missing["good"] is False
    assert "there is no such run or model" in missing["error"]


def test_weights_under_other_names_are_no_good_model(tmp_path):
    """Their number and shapes are right; only loading looks for each by its name."""
    parts = with_weights(
        members(), lambda file: file.move("layers/projection", "layers/projektion")
    )
    packed(parts, tmp_path / "renamed.keras")
    done = run("kzoo", "verify", "renamed.keras", cwd=tmp_path, backend="jax")
    assert done.returncode == 2
    assert done.stdout == ""
    assert "does not load as a Keras model" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("command", ["verify", "evaluate", "predict"])
def test_a_hostile_file_is_one_sentence_and_exit_code_2(command, tmp_path):
    packed({**members(), "../evil": b""}, tmp_path / "bad.keras")
    words = [command, "bad.keras", *(["text"] if command == "predict" else [])]
    done = run("kzoo", *words, cwd=tmp_path, backend="jax")
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr == (
        "Error: bad.keras: the member '../evil' would leave the archive's folder.\n"
    )
