"""Entities from pieces: what transformers' rules know nothing of."""

import re
from types import SimpleNamespace

import numpy as np
import pytest

from kzoo.text import Tokenizer, align
from kzoo.text.entities import AGGREGATIONS, Grouping

TEXT = "Anna Berg met Jo in New York"


@pytest.fixture(scope="module")
def tokenizer():
    return Tokenizer.train([TEXT], "word", lowercase=False, min_frequency=1)


def words_of(text, tokenizer):
    """A text whose words are its pieces."""
    spans = np.array([one.span() for one in re.finditer(r"\S+", text)]).reshape(-1, 2)
    ids = [tokenizer.token_to_id(text[start:end]) for start, end in spans]
    return SimpleNamespace(
        text=text,
        token_ids=np.array(ids, "int32"),
        raw_offsets=spans,
        word_of=np.arange(len(ids)),
        first=np.arange(len(ids)),
        spans=spans,
    )


def surely(tags, labels):
    """Probabilities `(T, C)` of 0.75 for these tags."""
    chosen = np.array([labels.index(tag) for tag in tags], "int64")
    probabilities = np.full((len(tags), len(labels)), 0.25 / (len(labels) - 1))
    probabilities[np.arange(len(tags)), chosen] = 0.75
    return probabilities.astype("float32"), chosen


def found(tags, scheme, tokenizer, aggregation="simple"):
    labels = sorted({*tags} | {"O"})
    grouping = Grouping(labels, tokenizer, aggregation, scheme)
    probabilities, chosen = surely(tags, labels)
    aligned = words_of(TEXT, tokenizer)
    scores = probabilities[np.arange(len(tags)), chosen]
    answers = grouping(aligned, probabilities)
    assert grouping.decided(aligned, chosen, scores) == answers
    return answers


@pytest.mark.parametrize(
    "scheme, tags",
    [
        ("iob2", "B-PER B-PER O B-PER O B-LOC I-LOC"),
        ("bioes", "S-PER S-PER O S-PER O B-LOC E-LOC"),
        ("bioes", "E-PER I-PER O B-PER O I-LOC I-LOC"),  # as conlleval would read it
        ("bilou", "U-PER U-PER O L-PER O B-LOC L-LOC"),
        ("iob1", "I-PER B-PER O I-PER O I-LOC I-LOC"),
    ],
)
@pytest.mark.parametrize("aggregation", sorted({*AGGREGATIONS} - {"none"}))
def test_schemes(scheme, tags, aggregation, tokenizer):
    answers = found(tags.split(), scheme, tokenizer, aggregation)
    assert [(one["entity_group"], one["word"]) for one in answers] == [
        ("PER", "Anna"),
        ("PER", "Berg"),
        ("PER", "Jo"),
        ("LOC", "New York"),
    ]
    assert [TEXT[one["start"] : one["end"]] for one in answers] == [
        one["word"] for one in answers
    ]
    assert {one["score"] for one in answers} == {0.75}


def test_plain_tags_have_no_prefix(tokenizer):
    tags = ["B-X", "B-X", "I-X", "-LRB-", "IN", "NNP", "NNP"]
    answers = found(tags, "plain", tokenizer)
    assert [(one["entity_group"], one["word"]) for one in answers] == [
        ("B-X", "Anna Berg"),
        ("I-X", "met"),
        ("-LRB-", "Jo"),
        ("IN", "in"),
        ("NNP", "New York"),
    ]


@pytest.mark.parametrize("aggregation", sorted({*AGGREGATIONS} - {"none"}))
def test_a_type_may_be_called_as_what_is_outside(aggregation, tokenizer):
    """Beside a word outside, too, from which it must be told."""
    tags = ["B-O", "I-O", "O", "I-O", "O", "O", "B-LOC"]
    assert [
        (one["entity_group"], one["start"], one["end"])
        for one in found(tags, "iob2", tokenizer, aggregation)
    ] == [("O", 0, 9), ("O", 14, 16), ("LOC", 24, 28)]


@pytest.mark.parametrize("aggregation", AGGREGATIONS)
def test_a_plain_tag_may_be_called_so(aggregation, tokenizer):
    """As that of ARK's tweets: common nouns are `N`, pronouns `O`."""
    tags = ["N", "O", "V", "O", "P", "N", "V"]
    answers = found(tags, "plain", tokenizer, aggregation)
    name = "entity" if aggregation == "none" else "entity_group"
    assert [one[name] for one in answers] == tags


def test_a_word_is_written_as_in_the_text():
    """Not as the pieces that stand for it; transformers' strategies keep to those."""
    text = "in  New\n York, É.U. now"
    tokenizer = Tokenizer.train([text], "wordpiece", 60, min_frequency=1)
    spans = [(0, 2), (4, 7), (9, 14), (15, 19), (20, 23)]
    [aligned] = align(tokenizer, [text], [spans])
    labels, classes = ["O", "B-X", "I-X"], np.array([0, 1, 2, 1, 0])
    decided = [
        Grouping(labels, tokenizer, aggregation).decided(aligned, classes, np.ones(5))
        for aggregation in ("words", "simple")
    ]
    assert [[one["word"] for one in answers] for answers in decided] == [
        ["New\n York,", "É.U."],
        ["new york,", "e. u."],
    ]


def test_plain_words_stay_alone(tokenizer):
    tags = ["NNP", "NNP", "VBD", "NNP", "IN", "NNP", "NNP"]
    answers = found(tags, "plain", tokenizer, "words")
    assert [(one["entity_group"], one["word"]) for one in answers] == [
        *zip(tags, TEXT.split(), strict=True)
    ]


def test_without_aggregation_each_piece_answers(tokenizer):
    answers = found(
        ["B-PER", "I-PER", "O", "O", "O", "O", "I-LOC"], "iob2", tokenizer, "none"
    )
    assert [tuple(one.values()) for one in answers] == [
        ("B-PER", 0.75, 1, "Anna", 0, 4),
        ("I-PER", 0.75, 2, "Berg", 5, 9),
        ("I-LOC", 0.75, 7, "York", 24, 28),
    ]
    assert list(answers[0]) == ["entity", "score", "index", "word", "start", "end"]


def test_words_of_several_pieces_that_are_decided(tmp_path):
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "new", "york", "##er"]
    tmp_path.joinpath("vocab.txt").write_text("\n".join(pieces))
    tokenizer = Tokenizer.load(tmp_path / "vocab.txt")
    aligned = SimpleNamespace(
        text="New Yorker",
        token_ids=np.array([4, 5, 6]),
        raw_offsets=np.array([[0, 3], [4, 8], [8, 10]]),
        word_of=np.array([0, 1, 1]),
        first=np.array([0, 1]),
        spans=np.array([[0, 3], [4, 10]]),
    )
    labels, classes, scores = (
        ["O", "B-LOC", "I-LOC"],
        np.array([1, 2]),
        np.array([0.5, 1.0]),
    )
    [one] = Grouping(labels, tokenizer).decided(aligned, classes, scores)
    assert one == {
        "entity_group": "LOC",
        "score": 0.75,
        "word": "new yorker",
        "start": 0,
        "end": 10,
    }
    two = Grouping(labels, tokenizer, "none").decided(aligned, classes, scores)
    assert [(one["word"], one["index"] - 1, one["start"]) for one in two] == [
        ("new", 0, 0),
        ("yorker", 1, 4),
    ]


@pytest.mark.parametrize("aggregation", AGGREGATIONS)
def test_a_text_without_pieces(aggregation, tokenizer):
    grouping = Grouping(["O", "B-X"], tokenizer, aggregation)
    aligned = words_of(" ", tokenizer)
    assert grouping(aligned, np.zeros((0, 2), "float32")) == []
    assert grouping.decided(aligned, np.zeros(0, "int64"), np.zeros(0)) == []


@pytest.mark.parametrize("kind", ["wordpiece", "byte_bpe", "unigram", "word"])
def test_a_lone_surrogate_has_a_word(kind):
    """UTF-8 has none, so `tokenizers` could not join them: it is U+FFFD there."""
    tokenizer = Tokenizer.train([TEXT], kind, 300, min_frequency=1)
    [aligned] = align(tokenizer, ["Jo \ud800"], [[(0, 2), (3, 4)]])
    grouping = Grouping(["B-X", "I-X"], tokenizer)
    [one] = grouping.decided(aligned, np.array([0, 1]), np.ones(2))
    assert (one["start"], one["end"]) == (0, 4)
    assert one["word"].endswith("\ufffd")


def test_unknown_aggregation(tokenizer):
    with pytest.raises(ValueError, match="Received: aggregation='mean'"):
        Grouping(["O"], tokenizer, "mean")
