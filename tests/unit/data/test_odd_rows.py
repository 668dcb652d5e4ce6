"""Rows and lengths that once ended in a crash or took all memory."""

import numpy as np
import pytest
from kzoo_recipes import KzooError

from kzoo.data import LabelSet, read
from kzoo.data.batches import length_buckets


def test_half_a_character_in_a_label_is_refused_with_its_line(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text('{"text": "a", "label": "b"}\n{"text": "a", "label": "\\ud800"}\n')
    with pytest.raises(KzooError, match=r'rows.jsonl, line 2: the label in "label" is'):
        read(path)


@pytest.mark.parametrize(
    "row, column",
    [
        ('"text": "\\ud800 good", "label": "b"', 'the text in "text"'),
        ('"text": "a", "label": "b", "n": ["\\udfff"]', 'what stands in "n"'),
        ('"text": "a", "label": "b", "\\udfff": 1', 'what stands in " "'),
    ],
    ids=["text", "kept", "name"],
)
def test_half_a_character_in_a_text_is_refused_with_its_line(tmp_path, row, column):
    path = tmp_path / "rows.jsonl"
    path.write_text(f"{{{row}}}\n")
    with pytest.raises(KzooError) as caught:
        read(path, keep=("all",))
    assert str(caught.value) == (
        f"{path}, line 1: {column} is not Unicode text: it holds half a character."
    )


def test_labels_may_be_very_long_numbers(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text(f"text,label\na,{'9' * 5000}\nb,1\n")
    assert len(LabelSet.from_rows(read(path))) == 2


def test_buckets_of_very_long_texts_cost_little():
    lengths = np.random.default_rng(7).integers(1, 400_000, 50)
    buckets = length_buckets(400_000, lengths)
    assert len(buckets) <= 8
    assert buckets[-1] >= lengths.max()
