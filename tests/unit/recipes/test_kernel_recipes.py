"""Kernels of attention in recipes: what their keys must agree with."""

import pytest
from kzoo_recipes import KzooError, arguments_of, load
from recipe_files import changed

WRONG = {
    "a window of more than a text": (
        '{ kernel = "window" }',
        "window must be at most `sequence_length` and is 256 where left out: no text "
        "has more tokens. Received: sequence_length=64",
    ),
    "more global tokens than a text has": (
        '{ kernel = "longformer", window = 64, num_global = 65 }',
        "num_global must be at most `sequence_length`: no text has more tokens. "
        "Received: num_global=65, sequence_length=64",
    ),
    "a window without a kernel": (
        "{ window = 8 }",
        'window is of use only with `kernel = "window" or "longformer"`. '
        "Received: window=8",
    ),
    "an option of another kernel": (
        '{ kernel = "window", window = 8, num_global = 2 }',
        'num_global is of use only with `kernel = "longformer"`. '
        'Received: num_global=2, kernel="window"',
    ),
}


def recipe(folder, attention):
    text = changed("num_heads = 4", f"num_heads = 4\nattention = {attention}")
    path = folder / "long.toml"
    path.write_text(text, "utf-8")
    return path


@pytest.mark.parametrize("name", WRONG)
def test_keys_that_do_not_agree(name, tmp_path):
    attention, sentence = WRONG[name]
    path = recipe(tmp_path, attention)
    with pytest.raises(KzooError) as caught:
        load(path)
    assert str(caught.value) == f"{path}: [model.encoder.attention] {sentence}"


def test_options_stand_beside_the_kernel_and_go_to_it(tmp_path):
    path = recipe(tmp_path, '{ kernel = "longformer", window = 8, dropout = 0.2 }')
    attention = arguments_of(load(path).model.encoder)["attention"]
    kernel = {"kind": "longformer", "window": 8}
    assert attention == {"kernel": kernel, "dropout": 0.2, "use_bias": True}
