"""`model.tag` against the pipeline of Hugging Face transformers, of equal weights."""

import pytest
from helpers.sentences import sentences

from kzoo.text import Tokenizer
from kzoo.text.entities import AGGREGATIONS

pytest.importorskip("torch", reason="transformers runs on torch")
pytest.importorskip("transformers", reason="compares with transformers")
theirs = pytest.importorskip("hugging_face_tagger")

LABELS = ["O", "B-LOC", "I-LOC", "B-PER", "I-PER"]
TEXTS = sentences(500)
STRATEGIES = AGGREGATIONS[1:]


@pytest.fixture(scope="module")
def taggers():
    """kzoo's model and transformers' pipeline, of the same weights."""
    tokenizer = Tokenizer.train(TEXTS, vocabulary_size=500, min_frequency=1)
    pipe = theirs.pipeline(tokenizer, LABELS)
    model = theirs.copied(pipe.model, sequence_length=256)
    return model.attach(tokenizer, LABELS), pipe


@pytest.fixture(scope="module")
def expected(taggers):
    """What the pipeline says of each text, by strategy."""
    return [theirs.answers(taggers[1], text)[2] for text in TEXTS]


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_entities_are_those_of_the_pipeline(taggers, expected, strategy):
    model, _ = taggers
    found = model.tag(TEXTS, strategy)
    wanted = [of_text[strategy] for of_text in expected]
    assert sum(map(len, wanted)) > 2000
    for text, entities, theirs_of_text in zip(TEXTS, found, wanted, strict=True):
        theirs.assert_equal(entities, theirs_of_text)
        for one in entities:
            written = text[one["start"] : one["end"]]
            assert written == written.strip() != ""


def test_the_pipeline_as_one_calls_it(taggers, expected):
    """The helper, which runs the model once for all strategies, changes nothing."""
    _, pipe = taggers
    for text, of_text in zip(TEXTS[10:14], expected[10:14], strict=True):
        for strategy in STRATEGIES:
            assert pipe(text, aggregation_strategy=strategy) == of_text[strategy]


def test_words_that_are_given(taggers):
    model, pipe = taggers
    sentences = [text.split() for text in TEXTS[:100] if text.split()]
    found = {strategy: model.tag(sentences, strategy) for strategy in STRATEGIES}
    for row, words in enumerate(sentences):
        _, _, wanted = theirs.answers(pipe, words, words=True)
        for strategy in STRATEGIES:
            theirs.assert_equal(found[strategy][row], wanted[strategy])
