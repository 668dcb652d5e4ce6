"""T5 and BART of keras-hub as a `Seq2Seq`, and back, against keras-hub."""

import keras
import numpy as np
import pytest
from keras import ops
from kzoo_recipes import KzooError

import kzoo

hub_models = pytest.importorskip("helpers.hub_models", reason="compares with keras-hub")
keras_hub = hub_models.keras_hub

RNG = np.random.default_rng(0)
READ = np.arange(8) < np.array([[8], [3], [5]])
WRITTEN = np.arange(5) < np.array([[5], [5], [2]])
INPUTS = {
    "encoder_token_ids": RNG.integers(1, 30, READ.shape).astype("int32"),
    "encoder_padding_mask": READ,
    "decoder_token_ids": RNG.integers(1, 30, WRITTEN.shape).astype("int32"),
    "decoder_padding_mask": WRITTEN,
}
SIZES = {key: hub_models.SIZES[key] for key in list(hub_models.SIZES)[:5]}
CASES = {
    "bart": ("Bart", {"max_sequence_length": 10}),
    "t5": ("T5", {"use_gated_activation": False}),
    "t5-1.1": ("T5", {"activation": "gelu", "tie_embedding_weights": False}),
    "t5-odd": (
        "T5",
        {
            "activation": keras.saving.get_registered_object(
                "keras_hub>gelu_approximate"
            ),
            "key_value_dim": 5,
            "layer_norm_epsilon": 1e-3,
        },
    ),
}


def made(name):
    kind, more = CASES[name]
    backbone = getattr(keras_hub.models, f"{kind}Backbone")(**{**SIZES, **more})
    return kind, hub_models.stirred(backbone)


def asked(backbone):
    inputs = {key: value.astype("int32") for key, value in INPUTS.items()}
    found = backbone(inputs)
    return [
        ops.convert_to_numpy(found[f"{side}_sequence_output"])
        for side in ("encoder", "decoder")
    ]


@pytest.mark.parametrize("name", CASES)
def test_there_and_back(name):
    kind, theirs = made(name)
    notes = []
    model = kzoo.from_keras_hub(theirs, note=notes.append, target_length=10)
    assert isinstance(model, kzoo.Seq2Seq)
    assert notes == [
        "keras-hub's BartBackbone: new, and to be trained: `logits/bias`."
    ] * (kind == "Bart")
    language = getattr(keras_hub.models, f"{kind}Seq2SeqLM")(theirs)
    expected = ops.convert_to_numpy(
        language({key: value.astype("int32") for key, value in INPUTS.items()})
    )
    logits = ops.convert_to_numpy(model(INPUTS))
    np.testing.assert_allclose(logits[WRITTEN], expected[WRITTEN], rtol=0, atol=1e-4)
    notes.clear()
    again = kzoo.to_keras_hub(model, note=notes.append)
    assert type(again) is type(theirs) and notes == []
    masks = (READ, WRITTEN)
    for mask, one, other in zip(masks, asked(theirs), asked(again), strict=True):
        np.testing.assert_allclose(one[mask], other[mask], rtol=0, atol=1e-5)


def test_what_keras_hub_does_not_have_is_refused():
    _, theirs = made("t5")
    with pytest.raises(KzooError, match="kzoo makes no encoder of a T5Backbone, but"):
        kzoo.from_keras_hub(theirs, "encoder")
    stacks = [
        kind(30, 1, 2, 8, 12, position="sinusoidal", name=name)
        for kind, name in (
            (kzoo.layers.TransformerEncoder, "encoder"),
            (kzoo.layers.TransformerDecoder, "decoder"),
        )
    ]
    model = kzoo.Seq2Seq(*stacks, 2, 3)
    with pytest.raises(KzooError, match="has no backbone that computes what"):
        kzoo.to_keras_hub(model)
