"""The tagger: what it takes, one tag for every word, and what it refuses."""

import itertools
import json
import zipfile

import keras
import numpy as np
import pytest
from helpers.layers import array
from helpers.rounding import assert_alike
from kzoo_recipes import KzooError

import kzoo
from kzoo.data.schemes import allowed, label_names
from kzoo.layers import TransformerEncoder
from kzoo.layers.paths import CLOSED
from kzoo.models.checking import check_archive
from kzoo.models.tagging import logits_of, word_tags
from kzoo.models.token_tagger import HEADS
from kzoo.text.alignment import align
from kzoo.text.windows import cut

WORDS = [
    "Ada",
    "met",
    "Bob",
    "Smith",
    "in",
    "New",
    "York",
    "and",
    "left",
    "for",
    "Paris",
    "on",
    "Monday",
]
LABELS = label_names(["place", "person"], "iob2")


def tagger(head="linear", labels=LABELS, **arguments):
    kzoo.set_seed(7)
    tokenizer = kzoo.Tokenizer.train([" ".join(WORDS)] * 2, "wordpiece", 60)
    encoder = TransformerEncoder(tokenizer.vocabulary_size, 1, 2, 8, 16)
    arguments = {"sequence_length": 8, **arguments}
    model = kzoo.TokenTagger(encoder, len(labels), head=head, **arguments)
    for weight in model.weights:  # Answers that differ from word to word.
        if weight.path.startswith("logits"):
            weight.assign(np.random.default_rng(7).normal(0, 2, weight.shape))
    return model.attach(tokenizer, labels)


@pytest.fixture(scope="module", params=HEADS)
def model(request):
    return tagger(request.param)


def test_every_word_has_one_tag_and_a_probability(model):
    sentences = [
        WORDS,
        [],
        ["\u200b", "Ada", "\x00", "\U0001f600" * 3, ""],
        ["new york", "x" * 500],
        WORDS * 20,
    ]
    tagged = model.tag_words(sentences, batch_size=4)
    assert [len(words) for words in tagged] == [len(words) for words in sentences]
    for word in (word for words in tagged for word in words):
        assert word.keys() == {"tag", "score"}
        assert word["tag"] in LABELS and 0 < word["score"] <= 1
    assert len({word["tag"] for word in tagged[-1]}) > 1
    assert tagged[1] == [] and model.tag_words([]) == []


def test_answers_do_not_depend_on_the_rest(model):
    many = [WORDS, WORDS[:3], WORDS[:1], *[[word] for word in WORDS], WORDS[::-1]]
    together = model.tag_words(many, batch_size=4)
    for sentence, tagged in zip(many[:3], together, strict=False):
        [alone] = model.tag_words([sentence], batch_size=4)
        assert [w["tag"] for w in alone] == [w["tag"] for w in tagged]
        for one, other in zip(alone, tagged, strict=True):
            assert one["score"] == pytest.approx(other["score"], abs=1e-6)


def test_a_crf_gives_no_tag_that_its_scheme_closes():
    """The words ask for `I` everywhere; it must begin with `B`."""
    model = tagger("crf")
    bias = next(w for w in model.weights if w.path == "logits/bias")
    bias.assign([0, 0, 9, 0, 0])
    tags = [word["tag"] for word in model.tag_words([WORDS])[0]]
    assert tags == ["B-person"] + ["I-person"] * (len(WORDS) - 1)
    bias.assign([9, 0, 9.5, 0, 0])
    start, follow, end = allowed(LABELS, "iob2")
    ids = [LABELS.index(word["tag"]) for word in model.tag_words([WORDS * 4])[0]]
    assert start[ids[0]] and end[ids[-1]]
    assert all(follow[a, b] for a, b in itertools.pairwise(ids))


@pytest.mark.parametrize("scheme", ["iob2", "iob1", "bioes", "bilou", "io"])
def test_what_a_crf_closes_follows_from_its_scheme(scheme):
    labels = label_names("abc", scheme)
    encoder = TransformerEncoder(20, 1, 2, 8, 16)
    model = kzoo.TokenTagger(encoder, len(labels), head="crf", scheme=scheme)
    inputs = {
        "token_ids": np.ones((2, 3), "int32"),
        "padding_mask": np.ones((2, 3), bool),
    }
    transitions = array(model(inputs)["transitions"])
    start, follow, end = allowed(labels, scheme)
    assert transitions.shape == (2, len(labels) + 2, len(labels))
    for row in transitions:
        np.testing.assert_array_equal(row[0] > CLOSED, start)
        np.testing.assert_array_equal(row[1:-1] > CLOSED, follow)
        np.testing.assert_array_equal(row[-1] > CLOSED, end)
        assert row.min() == CLOSED or scheme == "io"


def test_plain_tags_close_nothing():
    model = tagger("crf", ["ADJ", "NOUN", "VERB", "X"], scheme="plain")
    assert len(model.tag_words([WORDS])[0]) == len(WORDS)
    transitions = model.emissions(align(model.tokenizer, ["Ada"])).transitions
    assert transitions.shape == (6, 4) and transitions.min() > CLOSED


def test_pieces_of_windows_come_back_as_one_text(model):
    """Against each window by itself, whose own pieces are taken from it."""
    [text] = align(model.tokenizer, [" ".join(WORDS * 2)])
    found = model.emissions([text], batch_size=4)
    assert found.windows[0] > 3 and found[0].shape == (len(text), len(LABELS))
    for window in cut(text, model.tokenizer, model.sequence_length, model.overlap):
        ids = window.token_ids[None]
        alone = logits_of(
            model.predict_on_batch({"token_ids": ids, "padding_mask": ids >= 0})
        )[0]
        inner = alone[window.before :][: len(window.own)]
        np.testing.assert_allclose(
            found[0][window.start : window.end][window.own],
            inner[window.own],
            rtol=1e-4,
            atol=1e-5,
        )


def test_a_word_is_answered_by_its_first_piece():
    model = tagger()
    texts = align(model.tokenizer, ["unheard words of many pieces", ""])
    found = model.emissions(texts)
    labels, probabilities = word_tags(found, texts)[0]
    logits = found[0][texts[0].first].astype("float64")
    np.testing.assert_array_equal(labels, logits.argmax(axis=1))
    expected = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(probabilities, expected, rtol=1e-12)
    assert len(texts[0]) > len(texts[0].first) == 5
    assert [part.shape for part in word_tags(found, texts)[1]] == [(0,), (0, 5)]


@pytest.mark.parametrize(
    "arguments, sentence",
    [
        ({"num_classes": 1}, "Received: num_classes=1"),
        ({"head": "softmax"}, "Received: head='softmax'"),
        ({"scheme": "bio2"}, "Received: scheme='bio2'"),
        ({"label_pieces": "last"}, "Received: label_pieces='last'"),
        ({"dropout": 1.0}, "Received: rate=1.0"),
        ({"sequence_length": 0}, "Received: sequence_length=0"),
        ({"split_punctuation": "no"}, "Received: split_punctuation='no'"),
        ({"window_overlap": 128}, "Received: window_overlap=128"),
        ({"window_overlap": -1}, "Received: window_overlap=-1"),
        ({"head": "crf", "label_pieces": "all"}, "Received: label_pieces='all'"),
        ({"head": "crf", "num_classes": 4}, "Received: num_classes=4"),
        ({"head": "crf", "num_classes": 4097}, "Received: num_classes=4097"),
        (
            {"head": "crf", "num_classes": 1 << 24, "scheme": "plain"},
            "at most 4,096 classes",
        ),
    ],
)
def test_bad_arguments_are_named(arguments, sentence):
    encoder = TransformerEncoder(20, 1, 2, 8, 16)
    with pytest.raises(ValueError, match=sentence):
        kzoo.TokenTagger(encoder, **{"num_classes": 5, **arguments})


def test_an_argument_that_there_is_not_is_refused():
    with pytest.raises(TypeError, match=r"no argument 'sheme'\. Received: sheme='io'"):
        kzoo.TokenTagger(TransformerEncoder(20, 1, 2, 8, 16), 5, sheme="io")
    with pytest.raises(TypeError, match=r"no argument 'poolin'\. Received: poolin=1"):
        kzoo.TextClassifier(TransformerEncoder(20, 1, 2, 8, 16), 5, poolin=1)


def test_windows_longer_than_learned_positions_are_refused():
    encoder = TransformerEncoder(20, 1, 2, 8, 16, position="learned")
    with pytest.raises(ValueError, match="positions for 512 tokens"):
        kzoo.TokenTagger(encoder, 5, sequence_length=513)


@pytest.mark.parametrize(
    "labels",
    [
        ["O", "B-a", "B-b", "I-a", "I-b"],
        ["B-a", "I-a", "O", "B-b", "I-b"],
        ["O", "I-a", "B-a", "I-b", "B-b"],
        ["a", "b", "c", "d", "e"],
    ],
)
def test_a_crf_refuses_labels_in_another_order(labels):
    model = tagger()
    model = model.attach(model.tokenizer, labels)
    assert {w["tag"] for w in model.tag_words([WORDS])[0]} <= set(labels)
    crf = tagger("crf")
    with pytest.raises(ValueError, match=r"then B- and I- of one type.*label \d is"):
        crf.attach(crf.tokenizer, labels)
    crf.attach(crf.tokenizer, ["O", "B-z", "I-z", "B-a", "I-a"])  # types in any order


@pytest.mark.parametrize(
    "sentences, sentence",
    [
        (["a b"], r"Received: sentences\[0\] of type str"),
        ([["a"], None], r"Received: sentences\[1\] of type NoneType"),
        ([{"a": 1}], r"Received: sentences\[0\] of type dict"),
        ("a b", r"lists of str\. Received: sentences of type str"),
        (None, "Received: sentences of type NoneType"),
        (5, "Received: sentences of type int"),
        ([["a"], ["b", 3]], r"Received: sentences\[1\]\[1\] of type int"),
    ],
)
def test_what_are_no_words_is_refused_by_its_place(model, sentences, sentence):
    with pytest.raises(TypeError, match=sentence):
        model.tag_words(sentences)


def test_sizes_of_batches_are_checked(model):
    with pytest.raises(ValueError, match="Received: batch_size=0"):
        model.tag_words([WORDS], batch_size=0)
    with pytest.raises(TypeError, match=r"Received: 2\.0"):
        model.tag_words([WORDS], batch_size=2.0)


def test_without_a_tokenizer_it_says_what_to_do():
    bare = kzoo.TokenTagger(TransformerEncoder(20, 1, 2, 8, 16), 3, name="bare")
    with pytest.raises(KzooError, match="'bare' has no tokenizer and labels"):
        bare.tag_words([["x"]])


def test_a_crf_whose_labels_were_moved_is_not_opened(tmp_path):
    path, moved = tmp_path / "model.keras", tmp_path / "moved.keras"
    tagger("crf").save(path)
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(moved, "w") as new:
        for name in old.namelist():
            content = old.read(name)
            if name == "assets/labels.json":
                content = json.dumps(LABELS[::-1]).encode()
            new.writestr(name, content)
    with pytest.raises(KzooError) as caught:
        check_archive(moved)
    assert str(caught.value) == (
        f'{moved}: assets/labels.json: with a CRF, labels must be "O" and then B- and '
        'I- of one type after the other, but label 1 is "I-place".'
    )
    with pytest.raises(KzooError, match=r"assets/labels\.json: with a CRF"):
        kzoo.load_model(moved)


@pytest.mark.parametrize(
    "change, words",
    [
        (
            {"sequence_length": 2},
            "config.sequence_length is 2, but 2 special tokens and one of a text need "
            "3.",
        ),
        (
            {"window_overlap": 6},
            "config.window_overlap is 6, which leaves no room for a new piece in "
            "windows of 8 tokens; it may be 5 at most.",
        ),
        (
            {"foo": 1},
            "config.json describes no model: a model of kzoo has no argument 'foo'. "
            "Received: foo=1.",
        ),
        (
            {"split_punctuation": "no"},
            "config.json describes no model: `split_punctuation` must be one of True, "
            "False. Received: split_punctuation='no'.",
        ),
        (
            {"sequence_length": None},
            "config.json describes no model: `sequence_length` must be an int of at "
            "least 1. Received: sequence_length=None.",
        ),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else None,
)
def test_a_file_whose_model_could_not_answer_is_not_opened(tmp_path, change, words):
    path, changed = tmp_path / "model.keras", tmp_path / "changed.keras"
    tagger().save(path)
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(changed, "w") as new:
        for name in old.namelist():
            content = old.read(name)
            if name == "config.json":
                config = json.loads(content)
                config["config"].update(change)
                content = json.dumps(config).encode()
            new.writestr(name, content)
    with pytest.raises(KzooError) as caught:
        kzoo.load_model(changed)
    told = str(caught.value).removeprefix(f"{changed}: ")
    assert told.removeprefix("config.json: ") == words


@pytest.mark.parametrize(
    "arguments, sentence",
    [
        ({"sequence_length": 2}, "`sequence_length` must be at least 3: 2 special"),
        ({"window_overlap": 6}, "`window_overlap` must be from 0 to 5"),
    ],
)
def test_a_tokenizer_must_leave_room_in_a_window(arguments, sentence):
    with pytest.raises(ValueError, match=sentence):
        tagger(**arguments)
    assert tagger(window_overlap=5).tag_words([WORDS])


def test_a_saved_model_knows_what_its_words_were(tmp_path):
    tagger(split_punctuation=False).save(tmp_path / "model.keras")
    assert kzoo.load_model(tmp_path / "model.keras").split_punctuation is False


def test_a_saved_model_answers_as_before(model, tmp_path):
    path = tmp_path / "model.keras"
    model.save(path)
    facts = check_archive(path)
    assert facts["class"] == "TokenTagger" and facts["labels"] == LABELS
    loaded = kzoo.load_model(path)
    assert_alike(loaded.tag_words([WORDS]), model.tag_words([WORDS]))
    assert json.dumps(loaded.get_config()) == json.dumps(model.get_config())
    plainly = keras.saving.load_model(path)  # without kzoo's own checks
    assert plainly.tag_words([WORDS]) == model.tag_words([WORDS])
