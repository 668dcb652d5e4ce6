"""The sequence-to-sequence model: its parts, its file and its loss."""

import keras
import numpy as np
import pytest
from kzoo_recipes import KzooError

import kzoo
from kzoo.layers import TransformerDecoder, TransformerEncoder
from kzoo.layers.copying import copy_loss
from kzoo.models.checking import check_archive
from kzoo.models.sizes import count_parameters
from kzoo.text import Tokenizer

TEXTS = ["one two three four five", "six seven eight nine ten", "one six two"]
ROWS, SOURCE, TARGET = 4, 7, 5


@pytest.fixture(scope="module")
def tokenizer():
    return Tokenizer.train(TEXTS, "word", 30, min_frequency=1)


def stacks(tokenizer, encoder=None, decoder=None):
    size = (tokenizer.vocabulary_size, 1, 2, 8, 16)
    return (
        TransformerEncoder(*size, name="encoder", **(encoder or {})),
        TransformerDecoder(*size, name="decoder", **(decoder or {})),
    )


def made(tokenizer, encoder=None, decoder=None, **arguments):
    arguments = {"start_id": tokenizer.start_id, "end_id": tokenizer.end_id} | arguments
    return kzoo.Seq2Seq(*stacks(tokenizer, encoder, decoder), **arguments)


def batch(tokenizer):
    rng = np.random.default_rng(0)
    size = tokenizer.vocabulary_size
    inputs = {
        "encoder_token_ids": rng.integers(5, size, (ROWS, SOURCE), "int32"),
        "encoder_padding_mask": np.arange(SOURCE) < np.array([[7], [4], [1], [0]]),
        "decoder_token_ids": rng.integers(5, size, (ROWS, TARGET), "int32"),
        "decoder_padding_mask": np.arange(TARGET) < np.array([[5], [3], [1], [2]]),
    }
    return inputs, rng.integers(5, size, (ROWS, TARGET), "int32")


def array(x):
    return np.asarray(keras.ops.convert_to_numpy(x))


def logits(outputs):
    return array(outputs["logits"] if isinstance(outputs, dict) else outputs)


def tables(model):
    """Paths of the weights that have a row per token."""
    size = model.decoder.vocabulary_size
    return [w.path for w in model.weights if w.ndim == 2 and w.shape[0] == size]


KINDS = [
    ({}, ["encoder/embedding/embeddings"]),
    ({"copy": True}, ["encoder/embedding/embeddings"]),
    (
        {"share_embeddings": False},
        ["encoder/embedding/embeddings", "decoder/embedding/embeddings"],
    ),
    (
        {"projection": {"tied": False, "use_bias": True}},
        ["encoder/embedding/embeddings", "logits/embeddings"],
    ),
]


@pytest.mark.parametrize(
    "arguments, expected", KINDS, ids=["shared", "copying", "separate", "untied"]
)
def test_a_saved_model_is_the_same_model(tmp_path, tokenizer, arguments, expected):
    model = made(tokenizer, truncate="both", **arguments).attach(tokenizer)
    assert tables(model) == expected
    inputs, _ = batch(tokenizer)
    model.save(tmp_path / "model.keras")
    facts = check_archive(tmp_path / "model.keras")
    assert facts["class"] == "Seq2Seq" and facts["labels"] is None
    assert facts["parameters"] == count_parameters(model.weights)
    loaded = kzoo.load_model(tmp_path / "model.keras")
    np.testing.assert_array_equal(logits(loaded(inputs)), logits(model(inputs)))
    assert loaded.tokenizer.to_json() == tokenizer.to_json()
    assert loaded.get_config() == model.get_config()
    assert tables(loaded) == expected


def test_encoder_and_decoder_share_vectors_but_no_norm(tokenizer):
    kzoo.set_seed(0)
    normed = {"embedding": {"norm": "layer_norm"}, "position": "none"}
    model = made(tokenizer, normed, normed)
    assert model.encoder.embedding.table is model.decoder.embedding.table
    assert model.encoder.embedding.norm is not model.decoder.embedding.norm
    inputs, _ = batch(tokenizer)
    before = logits(model(inputs))
    model.encoder.embedding.table.assign(2 * model.encoder.embedding.table)
    after = logits(model(inputs))  # What stands after a norm is as it was.
    np.testing.assert_allclose(after[3], 2 * before[3], rtol=1e-2, atol=1e-2)


def test_the_factor_scales_logits(tokenizer):
    kzoo.set_seed(0)
    plain, inputs = made(tokenizer), batch(tokenizer)[0]
    scaled = made(tokenizer, projection={"scale": 0.5})
    np.testing.assert_allclose(
        logits(scaled(inputs)), logits(plain(inputs)) / 2, rtol=1e-6
    )


def test_a_target_is_told_from_what_came_before_it(tokenizer):
    """Changing a token of the decoder's changes no logits before it."""
    model, (inputs, _) = made(tokenizer), batch(tokenizer)
    changed = inputs["decoder_token_ids"].copy()
    changed[:, 2] = (changed[:, 2] + 1) % tokenizer.vocabulary_size
    one, other = (
        logits(model({**inputs, "decoder_token_ids": ids}))
        for ids in (inputs["decoder_token_ids"], changed)
    )
    np.testing.assert_array_equal(one[:, :2], other[:, :2])
    assert np.abs(one[0, 2:] - other[0, 2:]).min() > 0


@pytest.mark.parametrize("copy", [False, True])
def test_fit_and_evaluate_report_the_mean_over_target_tokens(tokenizer, copy):
    model, (inputs, labels) = made(tokenizer, copy=copy), batch(tokenizer)
    model.compile(keras.optimizers.Adam(1e-2))
    mask = inputs["decoder_padding_mask"]
    source = model.read(
        inputs["encoder_token_ids"],
        keras.ops.convert_to_tensor(inputs["encoder_padding_mask"]),
    )
    hidden = model.decoder(
        inputs["decoder_token_ids"],
        source["encoded"],
        inputs["decoder_padding_mask"],
        inputs["encoder_padding_mask"],
    )
    scores = array(model.scores(hidden, source)).astype("float64")
    scores -= np.log(np.exp(scores).sum(-1, keepdims=True))
    chosen = np.take_along_axis(scores, labels[..., None], -1)[..., 0]
    expected = -chosen[mask].mean()
    loss = model.evaluate(inputs, labels, verbose=0)
    assert loss == pytest.approx(expected, abs=1e-5)
    if not copy:  # Each call compiles a program of its own.
        weights = np.where(mask, 1.0, 0.0)
        weights[0] = 0
        loss = model.evaluate(inputs, labels, sample_weight=weights, verbose=0)
        assert loss == pytest.approx(-chosen[1:][mask[1:]].mean(), abs=1e-5)
        return
    history = model.fit(inputs, labels, epochs=5, verbose=0).history["loss"]
    assert history[-1] < history[0]


def test_copied_probabilities_are_a_distribution(tokenizer):
    """And a source that holds nothing is not copied from."""
    model, (inputs, labels) = made(tokenizer, copy=True), batch(tokenizer)
    source = model.read(
        inputs["encoder_token_ids"],
        keras.ops.convert_to_tensor(inputs["encoder_padding_mask"]),
    )
    outputs = model(inputs)
    hidden = model.decoder(
        inputs["decoder_token_ids"],
        source["encoded"],
        inputs["decoder_padding_mask"],
        inputs["encoder_padding_mask"],
    )
    scores = array(model.scores(hidden, source))
    np.testing.assert_allclose(np.exp(scores).sum(-1), 1.0, atol=1e-5)
    own = logits(outputs)[3]
    own = own - np.log(np.exp(own).sum(-1, keepdims=True))
    np.testing.assert_allclose(scores[3], own, atol=1e-5)
    weights = np.full(labels.shape, 1 / labels.size, "float32")
    chosen = np.take_along_axis(scores, labels[..., None], -1)
    loss = copy_loss(labels, outputs, keras.ops.convert_to_tensor(weights))
    assert float(array(loss)) == pytest.approx(-chosen.mean(), abs=1e-5)


@pytest.mark.parametrize(
    "arguments, message",
    [
        ({"source_length": 0}, "`source_length` must be an int of at least 1."),
        ({"target_length": True}, "`target_length` must be an int"),
        ({"start_id": -1}, "`start_id` must be a token id in"),
        ({"end_id": 10**6}, "Received: end_id=1000000"),
        ({"truncate": "middle"}, "`truncate` must be one of 'head', 'tail', 'both'."),
        ({"encoder": {"position": "learned"}, "source_length": 513}, "The encoder has"),
        ({"decoder": {"position": "learned"}, "target_length": 513}, "The decoder has"),
        (
            {"generation": {"num_beams": 4}},
            "No setting of generation has this name; did you mean `beams`. Received: "
            "num_beams=4$",
        ),
        ({"generation": {"beams": 0}}, "Received: beams=0"),
        ({"decoder": {"cross_attention": False}}, "decoder.cross_attention=False"),
        ({"decoder": {"embedding": {"bigram_buckets": 7}}}, "cannot see pairs of them"),
    ],
)
def test_what_does_not_fit_is_refused(tokenizer, arguments, message):
    with pytest.raises(ValueError, match=message):
        made(tokenizer, **arguments)


def test_stacks_that_cannot_share_are_refused(tokenizer):
    encoder, decoder = stacks(tokenizer)
    wide = TransformerEncoder(tokenizer.vocabulary_size, 1, 2, 12, 16)
    with pytest.raises(
        ValueError, match="that share token vectors have one `embedding_dim`"
    ):
        kzoo.Seq2Seq(wide, decoder, 2, 3)
    with pytest.raises(ValueError, match="must have one vocabulary"):
        kzoo.Seq2Seq(TransformerEncoder(9, 1, 2, 8, 16), decoder, 2, 3)
    kzoo.Seq2Seq(encoder, decoder, 2, 3)
    with pytest.raises(ValueError, match="Received: decoder/embedding"):
        kzoo.Seq2Seq(encoder, decoder, 2, 3)
    with pytest.raises(ValueError, match="is told by `tie` whose vectors score"):
        kzoo.layers.OutputProjection(9)(np.zeros((1, 1, 8), "float32"))


def test_a_tokenizer_must_fit(tokenizer):
    encoder, decoder = (
        kind(100, 1, 2, 8, 16) for kind in (TransformerEncoder, TransformerDecoder)
    )
    model = kzoo.Seq2Seq(encoder, decoder, 2, 99, source_length=2)
    with pytest.raises(ValueError, match="has no token of the model's `end_id`"):
        model.attach(tokenizer)
    model.end_id = 3
    with pytest.raises(ValueError, match="`source_length` must be at least 3"):
        model.attach(tokenizer)
    with pytest.raises(KzooError, match=r"attach it with `model.attach\(tokenizer\)`"):
        model.require_text()


def test_compile_takes_no_loss(tokenizer):
    with pytest.raises(ValueError, match="Received: loss='mse'"):
        made(tokenizer).compile(loss="mse")
