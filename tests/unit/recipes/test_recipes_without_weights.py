"""Recipes whose attention makes no weights: what is refused, and what may be said."""

import pytest
from kzoo_recipes import KzooError, load
from recipe_files import changed

MISTAKES = {
    "dropout": (
        'attention = { kernel = "linear", dropout = 0.1 }',
        '[model.encoder.attention] dropout must be 0 with `kernel = "linear"`, which '
        'makes no weights to drop. Received: dropout=0.1, kernel="linear"',
    ),
    "positions": (
        'position = "alibi"\nattention = { kernel = "performer" }',
        '[model.encoder] position cannot be "alibi" with `kernel = "performer"`, which '
        "makes no scores for positions to add to. "
        'Received: position="alibi", kernel="performer"',
    ),
    "options": (
        'attention = { kernel = "linear", num_features = 8 }',
        "[model.encoder.attention] num_features is of use only with "
        '`kernel = "performer"`. Received: num_features=8, kernel="linear"',
    ),
    "more keys than tokens": (
        'attention = { kernel = "top_k", k = 100 }',
        "[model.encoder.attention] k must be at most `sequence_length`: no text has "
        "more tokens. Received: k=100, sequence_length=64",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistake(mistake, tmp_path):
    lines, sentence = MISTAKES[mistake]
    file = tmp_path / "my.toml"
    file.write_text(changed("num_heads = 4", f"num_heads = 4\n{lines}"))
    with pytest.raises(KzooError) as caught:
        load(str(file))
    assert str(caught.value).partition(": ")[2] == sentence


@pytest.mark.parametrize(
    "lines", ['kernel = "linear"', 'kernel = "native", dropout = 0.0'], ids=str
)
def test_one_line_is_enough(lines, tmp_path):
    file = tmp_path / "my.toml"
    file.write_text(
        changed("num_heads = 4", f"num_heads = 4\nattention = {{ {lines} }}")
    )
    assert load(str(file)).model.encoder.attention.kernel in lines
