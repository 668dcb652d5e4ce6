"""`kzoo export`: what it hands on, what it says, and what it refuses."""

import json

import pytest
from helpers.processes import run


@pytest.fixture
def exported(fake, run_folder):
    """kzoo's place taken by one that only says what it was asked."""
    asked = []

    def export_hugging_face(model, folder, family, force):
        asked.append((model, folder, family, force))
        return {
            "folder": str(folder),
            "family": "bert",
            "architecture": "BertForSequenceClassification",
            "files": ["config.json", "model.safetensors"],
            "notes": ["something is otherwise"],
        }

    fake.load_model = lambda path: ("model", path)
    fake.export_hugging_face = export_hugging_face
    return asked


def test_it_says_what_it_wrote(kzoo, exported, run_folder, tmp_path):
    result = kzoo("export", run_folder, tmp_path / "out", "--format", "hugging-face")
    assert result.exit_code == 0, result.stderr
    assert exported == [(("model", run_folder), tmp_path / "out", None, False)]
    said = " ".join(result.stdout.split())  # In lines, where the folder's name is long.
    assert said == (
        f"{tmp_path / 'out'}: BertForSequenceClassification, config.json, "
        "model.safetensors"
    )
    assert result.stderr == "Note: something is otherwise.\n"


def test_json(kzoo, exported, run_folder, tmp_path):
    more = ("--family", "bert", "--force", "--json")
    result = kzoo("export", run_folder, tmp_path / "out", *more)
    assert json.loads(result.stdout)["family"] == "bert"
    assert exported[0][2:] == ("bert", True)


def test_a_folder_that_is_there_is_refused_first(kzoo, exported, run_folder, tmp_path):
    result = kzoo("export", "no such model", run_folder)
    assert result.exit_code == 2
    assert (
        result.stderr == f"Error: {run_folder} is there already; --force replaces it.\n"
    )
    assert not exported


def test_a_format_that_there_is_not(kzoo, run_folder, tmp_path):
    result = kzoo("export", run_folder, tmp_path / "out", "--format", "onnx")
    assert result.exit_code == 2
    assert "'onnx' is not one of 'hugging-face', 'keras-hub'" in result.stderr


def test_a_preset_of_keras_hub(kzoo, fake, exported, run_folder, tmp_path):
    def export_keras_hub(model, folder, force):
        exported.append((model, folder, force))
        what = {"architecture": "BertBackbone", "files": ["config.json"], "notes": []}
        return {"folder": str(folder), **what}

    fake.export_keras_hub = export_keras_hub
    preset = ("--format", "keras-hub")
    result = kzoo("export", run_folder, tmp_path / "out", *preset)
    assert result.stdout == f"{tmp_path / 'out'}: BertBackbone, config.json\n"
    assert exported == [(("model", run_folder), tmp_path / "out", False)]
    result = kzoo("export", run_folder, tmp_path / "new", *preset, "--family", "bert")
    assert result.exit_code == 2
    assert "--family is one of hugging-face's" in result.stderr


def test_a_model_that_no_class_of_transformers_equals(tmp_path):
    """The real kzoo: the classifier of the zoo has positions of its own kind."""
    command = ("kzoo", "export", "zoo:text_classifier", "out")
    result = run(*command, cwd=tmp_path, backend="jax")
    assert result.returncode == 2
    assert "transformers has no class that gives this model's answers" in result.stderr
    assert "Traceback" not in result.stderr
    assert not (tmp_path / "out").exists()
