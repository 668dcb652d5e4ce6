"""Entities from pieces against the pipeline of Hugging Face transformers."""

import pytest
from helpers.sentences import sentences
from helpers.toys import once

from kzoo.text import Tokenizer
from kzoo.text.entities import AGGREGATIONS, Grouping

pytest.importorskip("torch", reason="transformers runs on torch")
pytest.importorskip("transformers", reason="compares with transformers")
hugging_face = pytest.importorskip("hugging_face_tagger")

LABELS = ["O", "B-LOC", "I-LOC", "B-PER", "I-PER", "MISC"]
KINDS = [("wordpiece", True), ("wordpiece", False), ("byte_bpe", False)]
KINDS += [("unigram", True), ("word", True)]


@once
@pytest.mark.parametrize("kind, lowercase", KINDS)
def test_groups_like_the_pipeline(kind, lowercase):
    texts = sentences(60, seed=3)
    tokenizer = Tokenizer.train(texts, kind, 400, lowercase, min_frequency=1)
    pipe = hugging_face.pipeline(tokenizer, LABELS)
    groupings = {name: Grouping(LABELS, tokenizer, name) for name in AGGREGATIONS[1:]}
    found = 0
    for text in texts:
        pieces, probabilities, expected = hugging_face.answers(pipe, text)
        for aggregation, grouping in groupings.items():
            actual = grouping(pieces, probabilities)
            wanted = [_trimmed(one, text) for one in expected[aggregation]]
            hugging_face.assert_equal(actual, wanted)
            found += len(actual)
    assert found > 300


def _trimmed(entity, text):
    """transformers' answer without white space that byte pieces are made of."""
    written = text[entity["start"] : entity["end"]]
    if not written.strip():
        return entity
    start = entity["start"] + len(written) - len(written.lstrip())
    return {**entity, "start": start, "end": start + len(written.strip())}
