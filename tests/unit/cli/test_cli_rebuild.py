"""`kzoo rebuild`, and LoRA in `kzoo export`: what is asked, said and refused."""

import json
import types

import numpy as np
import pytest

TUNED = """backend = "torch"
task = "text_classifier"
[data]
train = "train.csv"
[model]
pretrained = "hf:org/name"
"""


class Model:
    """Says what it was made of."""

    def __init__(self, *made_of):
        self.made_of = made_of
        self.weights = [np.zeros((2, 3), "float32")]

    def save(self, path):
        path.write_text(repr(self.made_of))


@pytest.fixture
def adapters(fake, tmp_path):
    """kzoo's place taken by one that only says what it was asked."""
    fake.load_adapter = lambda file, base: Model("adapter", file, base)
    fake.from_peft = lambda folder, base: Model("peft", folder, base)
    fake.interop = types.SimpleNamespace(
        merging=types.SimpleNamespace(
            plain=lambda model, name: (Model("merged", *model.made_of), [])
        )
    )
    fake.models = types.SimpleNamespace(
        sizes=types.SimpleNamespace(count_parameters=lambda weights: 6)
    )
    (tmp_path / "adapter.safetensors").touch()
    (tmp_path / "lora").mkdir()
    (tmp_path / "lora" / "adapter_config.json").touch()


def test_it_says_what_it_wrote(kzoo, adapters, tmp_path):
    result = kzoo("rebuild", "adapter.safetensors", "out.keras")
    assert result.exit_code == 0, result.stderr
    assert result.stdout == "out.keras: a Model, 6 parameters\n"
    held = (tmp_path / "out.keras").read_text()
    assert held == "('adapter', 'adapter.safetensors', None)"
    assert sorted(p.name for p in tmp_path.iterdir() if ".keras" in p.name) == [
        "out.keras"
    ]


def test_options(kzoo, adapters, tmp_path):
    (tmp_path / "out.keras").touch()
    more = ("--base", "there", "--merge", "--force", "--json")
    result = kzoo("rebuild", "lora", "out.keras", *more)
    assert json.loads(result.stdout) == {
        "file": "out.keras",
        "class": "Model",
        "parameters": 6,
        "merged": True,
    }
    held = (tmp_path / "out.keras").read_text()
    assert held == "('merged', 'peft', 'lora', 'there')"


def test_a_lora_of_the_hub(kzoo, adapters, tmp_path):
    assert kzoo("rebuild", "hf:org/lora@main", "out.keras").exit_code == 0
    held = (tmp_path / "out.keras").read_text()
    assert held == "('peft', 'hf:org/lora@main', None)"


@pytest.mark.parametrize(
    "arguments, said",
    [
        (("none", "out.keras"), "none: there is no such adapter."),
        (("lora", "out.h5"), "out.h5: a model's file ends in .keras."),
        (("lora", "there.keras"), "there.keras is there already; --force replaces it."),
    ],
)
def test_what_cannot_be_is_said_first(kzoo, adapters, tmp_path, arguments, said):
    (tmp_path / "there.keras").touch()
    result = kzoo("rebuild", *arguments)
    assert result.exit_code == 2
    assert said in result.stderr


def test_a_lora_goes_out_beside_the_base_of_its_run(kzoo, fake, run_folder, tmp_path):
    asked = []

    def export_peft(model, folder, base, force):
        asked.append((model, folder, base, force))
        what = {"architecture": "BertForX", "files": ["a.json"], "notes": ["so"]}
        return {"folder": str(folder), **what}

    fake.load_model, fake.export_peft = (lambda path: "model"), export_peft
    (run_folder / "recipe.toml").write_text(TUNED)
    result = kzoo("export", run_folder, tmp_path / "out", "--format", "peft")
    assert result.exit_code == 0, result.stderr
    assert result.stdout == f"{tmp_path / 'out'}: BertForX, a.json\n"
    told = ("--format", "peft", "--base", "other", "--force")
    assert kzoo("export", run_folder, tmp_path / "out", *told).exit_code == 0
    assert asked == [
        ("model", tmp_path / "out", "hf:org/name", False),
        ("model", tmp_path / "out", "other", True),
    ]


def test_a_base_is_asked_for_where_nobody_names_it(kzoo, fake, run_folder, tmp_path):
    (run_folder / "recipe.toml").unlink()
    result = kzoo("export", run_folder, tmp_path / "out", "--format", "peft")
    assert result.exit_code == 2
    assert "names its base: name it with --base" in result.stderr
    result = kzoo("export", run_folder, tmp_path / "out", "--base", "bert")
    assert result.exit_code == 2
    assert "--base is one of peft's; hugging-face has none" in result.stderr
