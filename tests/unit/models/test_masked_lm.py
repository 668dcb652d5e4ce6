"""The masked language model: what it scores, what it fills in, what it refuses."""

import keras
import numpy as np
import pytest
from helpers.layers import array
from helpers.rounding import assert_alike
from kzoo_recipes import KzooError

import kzoo
from kzoo.layers import TransformerEncoder

TEXTS = ["the cat sat on the mat", "a dog ran over unbelievable hills"]


@pytest.fixture(scope="module")
def model():
    kzoo.set_seed(7)
    tokenizer = kzoo.Tokenizer.train(TEXTS * 2, "wordpiece", 60)
    encoder = TransformerEncoder(tokenizer.vocabulary_size, 1, 2, 8, 16)
    return kzoo.MaskedLM(encoder, sequence_length=16).attach(tokenizer)


def logits_at(model, places):
    """Logits of one batch of two rows at some places, the second row padded."""
    ids = np.arange(5, 5 + 2 * 9, dtype="int32").reshape(2, 9) % 30
    mask = np.arange(9) < np.array([[9], [6]])
    inputs = {"token_ids": ids, "padding_mask": mask, "places": np.int32(places)}
    return array(model(inputs, training=False))


def test_what_is_asked_for_is_what_all_would_be(model):
    everywhere = logits_at(model, [range(9)] * 2)
    places = np.array([[2, 3, 7], [0, 5, 0]])
    some = logits_at(model, places)
    assert some.dtype == np.float32 and some.shape == (2, 3, everywhere.shape[-1])
    expected = np.take_along_axis(everywhere, places[..., None], axis=1)
    np.testing.assert_allclose(some, expected, rtol=1e-5, atol=1e-6)


def test_scores_are_of_the_tokens_own_vectors(model):
    table = model.encoder.embedding.table
    before, kept = logits_at(model, [[1], [1]]), array(table)
    changed = kept.copy()
    changed[40] = range(8)  # A token that no row reads.
    try:
        table.assign(changed)
        after = logits_at(model, [[1], [1]])
    finally:
        table.assign(kept)
    others = np.arange(len(kept)) != 40
    np.testing.assert_array_equal(before[..., others], after[..., others])
    assert (before[..., 40] != after[..., 40]).all()


def test_a_mask_has_as_many_candidates_as_asked_for(model):
    text = "The [MASK] sat on the [MASK]"
    first, second = model.fill(text, top_k=3)
    assert text[first["start"] : first["end"]] == "[MASK]"
    assert (second["start"], second["end"]) == (22, 28)
    for mask in (first, second):
        chances = [one["probability"] for one in mask["candidates"]]
        assert len(chances) == 3 and chances == sorted(chances, reverse=True)
        for one in mask["candidates"]:
            assert model.tokenizer.id_to_token(one["id"]) in (one["token"], "[UNK]")
    best = first["candidates"][0]
    if not best["token"].startswith("##"):
        assert best["text"] == f"The {best['token']} sat on the [MASK]"
    everything = model.fill(text, top_k=10_000)[0]["candidates"]
    assert len(everything) == model.encoder.vocabulary_size
    assert sum(one["probability"] for one in everything) == pytest.approx(1)


def test_probabilities_are_the_softmax_of_the_logits(model):
    [mask] = model.fill("the [MASK] sat", top_k=4)
    ids = model.tokenizer.encode(["the [MASK] sat"], offsets=False).token_ids[0]
    place = int(np.flatnonzero(ids == model.tokenizer.mask_id)[0])
    inputs = {
        "token_ids": ids[None],
        "padding_mask": np.ones((1, len(ids)), bool),
        "places": np.array([[place]], "int32"),
    }
    logits = array(model(inputs, training=False))[0, 0].astype("float64")
    chances = np.exp(logits) / np.exp(logits).sum()
    for one in mask["candidates"]:
        assert one["probability"] == pytest.approx(chances[one["id"]], abs=1e-6)
    best = np.argsort(-logits, kind="stable")[:4].tolist()
    assert [one["id"] for one in mask["candidates"]] == best


@pytest.mark.parametrize(
    "text, masks",
    [("", 0), (" \n", 0), ("x", 0), ("[MASK]", 1), ("[MASK]" * 5, 5), ("\ud800", 0)],
    ids=["empty", "white", "none", "alone", "five", "surrogate"],
)
def test_any_text_has_its_masks(model, text, masks):
    assert len(model.fill(text)) == masks


def test_long_texts_are_read_whole_in_windows(model):
    text = "the cat [MASK] on " * 40
    [answer] = model.answers([text], top_k=1)
    assert len(answer["masks"]) == 40 and answer["windows"] > 10
    for mask in answer["masks"]:
        assert text[mask["start"] : mask["end"]] == "[MASK]"
    starts = [mask["start"] for mask in answer["masks"]]
    assert starts == sorted(set(starts))


def test_answers_do_not_depend_on_the_rest(model):
    texts = ["the [MASK] sat", "", "[MASK] dog [MASK]", "word " * 40 + "[MASK]"] * 5
    together = model.fill(texts, top_k=2, batch_size=4)
    for text, masks in list(zip(texts, together, strict=True))[:4]:
        alone = model.fill(text, top_k=2)
        assert [[c["id"] for c in m["candidates"]] for m in alone] == [
            [c["id"] for c in m["candidates"]] for m in masks
        ]


@pytest.mark.parametrize("kind", ["byte_bpe", "unigram"])
def test_pieces_go_where_they_would_have_stood(kind):
    size = 300 if kind == "byte_bpe" else 60
    tokenizer = kzoo.Tokenizer.train(TEXTS * 2, kind, size, min_frequency=1)
    encoder = TransformerEncoder(tokenizer.vocabulary_size, 1, 2, 8, 16)
    model = kzoo.MaskedLM(encoder, sequence_length=16).attach(tokenizer)
    [mask] = model.fill("on [MASK] hills", top_k=1000)
    gap = {"byte_bpe": "Ġ", "unigram": "▁"}[kind]
    for one in mask["candidates"]:
        piece = tokenizer.id_to_token(one["id"])
        if piece.strip(gap).isascii() and piece.strip(gap).isalpha():
            between = " " if piece.startswith(gap) else ""
            assert one["text"] == f"on{between}{piece.strip(gap)} hills"


def test_saved_and_loaded_it_answers_alike(model, tmp_path):
    masking = {"share": 0.2, "whole_words": True}
    norm = keras.layers.LayerNormalization(epsilon=1e-3, name="norm")
    kzoo.set_seed(3)
    size = model.tokenizer.vocabulary_size
    encoder = TransformerEncoder(size, 1, 2, 8, 16, name="encoder")
    other = kzoo.MaskedLM(
        encoder,
        head_dim=12,
        activation="relu",
        norm=norm,
        use_bias=False,
        projection={"tied": False, "use_bias": False},
        sequence_length=12,
        masking=masking,
    ).attach(model.tokenizer)
    other.save(tmp_path / "model.keras")
    assert kzoo.check_model_file(tmp_path / "model.keras")["class"] == "MaskedLM"
    loaded = kzoo.load_model(tmp_path / "model.keras")
    for name, value in other.get_config().items():
        assert name == "encoder" or loaded.get_config()[name] == value, name
    assert_alike(loaded.fill("the [MASK] sat"), other.fill("the [MASK] sat"))
    names = {w.path for w in other.trainable_weights if "encoder/" not in w.path}
    assert names == {
        *("head/kernel", "head_norm/gamma", "head_norm/beta", "logits/embeddings")
    }


def test_a_head_can_be_without_a_norm(model):
    encoder = TransformerEncoder(20, 1, 2, 8, 16, name="encoder")
    bare = kzoo.MaskedLM(encoder, norm=None)
    names = [w.path for w in bare.weights if "encoder/" not in w.path]
    assert sorted(names) == ["head/bias", "head/kernel", "logits/bias"]


def test_without_a_tokenizer_it_says_what_to_do():
    bare = kzoo.MaskedLM(TransformerEncoder(20, 1, 2, 8, 16), name="bare")
    with pytest.raises(KzooError, match=r"'bare' has no tokenizer.*attach\(tokenizer"):
        bare.fill("x")


@pytest.mark.parametrize(
    "arguments, said",
    [
        ({"masking": {"share": 2}}, "Received: share=2"),
        ({"projection": "tied"}, "dict or None. Received: projection='tied'"),
        ({"activation": "gelo"}, "Received: activation='gelo'"),
    ],
    ids=["masking", "projection", "activation"],
)
def test_arguments_out_of_range_are_refused(arguments, said):
    with pytest.raises(ValueError, match=said):
        kzoo.MaskedLM(TransformerEncoder(20, 1, 2, 8, 16), **arguments)


def test_a_tokenizer_must_hide_tokens_and_fit(model):
    small = kzoo.MaskedLM(TransformerEncoder(6, 1, 2, 8, 16))
    with pytest.raises(ValueError, match="knows more tokens"):
        small.attach(model.tokenizer)
    short = kzoo.MaskedLM(TransformerEncoder(60, 1, 2, 8, 16), sequence_length=2)
    with pytest.raises(ValueError, match=r"must be at least 3.*sequence_length=2"):
        short.attach(model.tokenizer)
    other = kzoo.Tokenizer.from_json(
        model.tokenizer.to_json().replace("[MASK]", "[HIDE]")
    )
    with pytest.raises(ValueError, match="no token that hides another"):
        kzoo.MaskedLM(TransformerEncoder(60, 1, 2, 8, 16)).attach(other)


def test_numbers_asked_for_are_counts(model):
    with pytest.raises(ValueError, match="`top_k` must be at least 1"):
        model.fill("x", top_k=0)
    with pytest.raises(TypeError, match="`top_k` must be an int"):
        model.fill("x", top_k="5")
    with pytest.raises(TypeError, match=r"texts\[0\] of type int"):
        model.fill([3])
