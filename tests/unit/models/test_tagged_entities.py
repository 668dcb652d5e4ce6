"""`model.tag`: entities of texts and of words, with a CRF too, whole at any length."""

import keras
import numpy as np
import pytest
from helpers.toys import once
from kzoo_recipes import KzooError

import kzoo
from kzoo.data.schemes import entities, label_names
from kzoo.text import Tokenizer
from kzoo.text.entities import AGGREGATIONS

TEXTS = ["Anna Berg lives in New-York, U.S.", "", "nobody knows Jo O'Neill", " \n"]
WORDS = [text.split() for text in TEXTS]


def tag(model, texts, *arguments):
    """What `model.tag` finds; a row at a time, so that few shapes are compiled."""
    return model.tag(texts, *arguments, batch_size=1)


def assert_same(actual, expected):
    """Equal but for the rounding of scores."""
    for one, other in zip(actual, expected, strict=True):
        np.testing.assert_allclose(one["score"], other["score"], atol=1e-6)
        assert {**one, "score": 0} == {**other, "score": 0}


def without_words(found):
    """Entities but for what their pieces are put together to."""
    return [[{**one, "word": ""} for one in of_text] for of_text in found]


def tagger(head="linear", scheme="iob2", sequence_length=16, **options):
    kzoo.layers.set_seed(3)
    tokenizer = Tokenizer.train(TEXTS, vocabulary_size=60, min_frequency=1)
    encoder = kzoo.layers.TransformerEncoder(tokenizer.vocabulary_size, 1, 2, 8, 8)
    labels = label_names(["LOC", "PER"], scheme)
    options |= {"head": head, "scheme": scheme, "sequence_length": sequence_length}
    model = kzoo.TokenTagger(encoder, len(labels), **options)
    rng = np.random.default_rng(0)
    kernel = model.get_layer("logits").kernel
    kernel.assign(3 * rng.normal(size=kernel.shape))
    return model.attach(tokenizer, labels)


@pytest.fixture(scope="module", params=["linear", "crf"])
def model(request):
    return tagger(request.param)


def test_words_that_are_given_have_the_tags_of_tag_words(model):
    """The entities are what evaluation would read out of these tags."""
    tagged = model.tag_words(WORDS, batch_size=1)
    for words, tags, found in zip(WORDS, tagged, tag(model, WORDS), strict=True):
        ends = np.cumsum([len(word) + 1 for word in words]) - 1
        expected = [
            (kind, ends[first] - len(words[first]), ends[last - 1])
            for kind, first, last in entities([one["tag"] for one in tags], "iob2")
        ]
        actual = [(one["entity_group"], one["start"], one["end"]) for one in found]
        assert actual == expected
        for one, (_, first, last) in zip(
            found, entities([one["tag"] for one in tags], "iob2"), strict=True
        ):
            scores = [tag["score"] for tag in tags[first:last]]
            np.testing.assert_allclose(one["score"], np.mean(scores), atol=1e-5)
    assert sum(map(len, tag(model, WORDS))) > 1


@pytest.mark.parametrize("head", ["linear", "crf"])
def test_words_that_hold_punctuation_stay_whole(head):
    """Raw text is answered as its words are, in every window."""
    model = tagger(head, split_punctuation=False)
    text = "Anna's New-York, U.S. (Jo O'Neill) "
    words = ["Anna", "'s", "New-York", ",", "U.S.", "(", "Jo", "O'Neill", ")"] * 4
    tags = [one["tag"] for one in model.tag_words([words], batch_size=1)[0]]
    found = tag(model, text * 4)
    names = [(kind, "".join(words[a:b])) for kind, a, b in entities(tags, "iob2")]
    written = [one["word"].replace(" ", "") for one in found]
    kinds = [one["entity_group"] for one in found]
    assert [*zip(kinds, written, strict=True)] == names
    assert any("-" in name or "." in name for name in written)
    split = tagger(head)
    assert tag(split, text * 4) != found
    strategies = ["none", "simple", "first", "average", "max"] * (head == "linear")
    for aggregation in strategies:  # transformers' own, of its own words
        assert tag(model, text, aggregation) == tag(split, text, aggregation)


@pytest.mark.parametrize("aggregation", AGGREGATIONS)
def test_one_text_is_answered_as_among_others(model, aggregation):
    found = tag(model, TEXTS, aggregation)
    assert found[1] == found[3] == []
    for text, entities_of_text in zip(TEXTS, found, strict=True):
        assert_same(model.tag([text, text], aggregation)[1], entities_of_text)
        assert_same(tag(model, text, aggregation), entities_of_text)
        for one in entities_of_text:
            assert text[one["start"] : one["end"]].strip()
    assert tag(model, [], aggregation) == []


@once
def test_aggregations_of_a_crf_only_group():
    model = tagger("crf")
    whole = tag(model, TEXTS, "words")
    assert sum(map(len, whole)) > 1
    for text, found in zip(TEXTS, whole, strict=True):
        for one in found:
            assert one["word"] == text[one["start"] : one["end"]]
    for aggregation in ("simple", "first", "average", "max"):
        found = tag(model, TEXTS, aggregation)
        assert without_words(found) == without_words(whole)
    for grouped, alone in zip(whole, tag(model, TEXTS, "none"), strict=True):
        starts = [one["start"] for one in alone]
        assert {one["start"] for one in grouped} <= set(starts)
        assert starts == sorted(starts)


@once
def test_texts_and_words_may_be_mixed(model):
    mixed = tag(model, [WORDS[0], TEXTS[2], WORDS[2]])
    assert mixed == [
        *tag(model, [WORDS[0]]),
        tag(model, TEXTS[2]),
        *tag(model, [WORDS[2]]),
    ]


@once
def test_windows_are_counted(model):
    longer = " ".join(TEXTS * 4)
    short, long = model.answers(["Jo", longer], batch_size=1)
    assert (short["windows"], list(long)) == (1, ["entities", "windows"])
    assert long["windows"] > 3
    assert max(one["end"] for one in long["entities"]) > 0.8 * len(longer)


@once
@pytest.mark.parametrize("scheme", ["bioes", "io"])
def test_other_schemes(scheme):
    model = tagger(scheme=scheme)
    for words, tags, found in zip(
        WORDS, model.tag_words(WORDS, batch_size=1), tag(model, WORDS), strict=True
    ):
        read = entities([one["tag"] for one in tags], scheme)
        assert [one["entity_group"] for one in found] == [kind for kind, _, _ in read]
        texts = [" ".join(words[first:last]) for _, first, last in read]
        whole = " ".join(words)
        assert [whole[one["start"] : one["end"]] for one in found] == texts


@once
def test_what_is_no_text(model):
    with pytest.raises(TypeError, match=r"Received: texts\[1\]\[1\] of type int"):
        tag(model, ["a", ["b", 3]])
    with pytest.raises(TypeError, match=r"Received: texts\[0\] of type NoneType"):
        tag(model, [None])
    for texts in (None, 5, b"a", {"text": "a"}, {"a"}):
        name = type(texts).__name__
        with pytest.raises(TypeError, match=rf"Received: texts of type {name}$"):
            tag(model, texts)
    with pytest.raises(ValueError, match="Received: aggregation='mean'"):
        tag(model, ["a"], "mean")
    with pytest.raises(ValueError, match="Received: batch_size=0"):
        model.tag(["a"], batch_size=0)
    bare = kzoo.TokenTagger(kzoo.layers.TransformerEncoder(9, 1, 2, 8, 8), 3)
    with pytest.raises(KzooError, match="has no tokenizer and labels"):
        tag(bare, ["a"])


@once
def test_files_of_before_split_punctuation(model):
    config = model.get_config()
    assert config.pop("split_punctuation") is True
    assert kzoo.TokenTagger.from_config(config).split_punctuation is True


def test_a_saved_tagger_finds_the_same(model, tmp_path):
    model.save(tmp_path / "tagger.keras")
    loaded = keras.saving.load_model(tmp_path / "tagger.keras")
    for actual, expected in zip(tag(loaded, TEXTS), tag(model, TEXTS), strict=True):
        assert_same(actual, expected)
