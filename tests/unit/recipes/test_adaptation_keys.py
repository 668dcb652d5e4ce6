"""What a recipe may say in `[adaptation]`, and what it is told otherwise."""

import pytest
from kzoo_recipes import RecipeError, adaptation_arguments, load

LORA = "adaptation.method=lora"


@pytest.mark.parametrize(
    "recipe, overrides, said",
    [
        (
            "sst2",
            [LORA],
            "adaptation trains a small part beside a pretrained model; name one in "
            "[model] pretrained.",
        ),
        (
            "sst2_minilm",
            [LORA, "adaptation.lora.rank=0"],
            "[adaptation.lora] rank must be a whole number of at least 1. Received: "
            "rank=0",
        ),
        (
            "sst2_minilm",
            [LORA, "adaptation.lora.targets=[]"],
            "[adaptation.lora] targets must name a projection, or be left out.",
        ),
        (
            "sst2_minilm",
            ["adaptation.method=ia3"],
            '[adaptation] method must be one of "adapters", "bitfit", "lora", ',
        ),
        (
            "sst2_minilm",
            [LORA, "adaptation.rank=3"],
            "`rank` belongs to [adaptation.lo",
        ),
        (
            "sst2_minilm",
            [LORA, "adaptation.prompt.length=5"],
            '[adaptation] prompt is of use only with method = "prompt".',
        ),
        (
            "sst2_minilm",
            ["adaptation.method=prompt", "adaptation.prompt.length=0"],
            "[adaptation.prompt] length must be a whole number of at least 1",
        ),
        (
            "sst2_minilm",
            ["adaptation.method=prefix", "adaptation.prefix.projection=2"],
            "[adaptation.prefix] projection must be true or false",
        ),
    ],
)
def test_what_is_wrong_is_said(recipe, overrides, said):
    with pytest.raises(RecipeError) as raised:
        load(recipe, overrides)
    assert said in str(raised.value)


@pytest.mark.parametrize("recipe", ["sst2_minilm", "wnut17_minilm", "scitldr_minilm"])
def test_one_line_is_enough(recipe):
    found = load(recipe, [LORA])
    assert adaptation_arguments(found.adaptation) == {"method": "lora"}
    own = load(recipe, [LORA, "adaptation.lora.rank=3"])
    assert adaptation_arguments(own.adaptation) == {
        "method": "lora",
        "rank": 3,
        "alpha": 16.0,
        "dropout": 0.0,
    }


def test_the_table_of_a_method_is_its_arguments():
    own = ["adaptation.method=adapters", "adaptation.adapters.placement=pfeiffer"]
    found = load("sst2_minilm", own).adaptation
    assert adaptation_arguments(found) == {
        "method": "adapters",
        "dim": 32,
        "placement": "pfeiffer",
        "activation": "gelu",
    }
    found = load("sst2_minilm", ["adaptation.method=bitfit"]).adaptation
    assert adaptation_arguments(found) == {"method": "bitfit"}
