"""Tokens and patches in one sequence: what enters the blocks, and who is seen."""

import keras
import numpy as np
import pytest
from keras import ops

from kzoo.layers import ImageTextEncoder, TransformerEncoder, set_seed

T, P, D = 5, 4, 16


@pytest.fixture(scope="module")
def encoder():
    set_seed(3)
    encoder = ImageTextEncoder(
        30, 2, 2, D, 32, image_size=8, patch_size=4, position="learned", name="encoder"
    )
    encoder(*tensors())
    rng = np.random.default_rng(1)
    for weight in encoder.weights:
        if "state" not in weight.path:
            weight.assign(rng.normal(0, 0.3, weight.shape))
    return encoder


def tensors(seed=7):
    rng = np.random.default_rng(seed)
    pixels = rng.normal(size=(3, 8, 8, 3)).astype("float32")
    ids = rng.integers(0, 30, (3, T)).astype("int32")
    mask = np.arange(T) < np.array([[5], [3], [1]])
    return pixels, ids, mask


def weights(encoder):
    return {
        w.path.removeprefix("encoder/"): ops.convert_to_numpy(w).astype("float64")
        for w in encoder.weights
    }


def test_what_enters_the_blocks(encoder):
    """Against float64 NumPy: patches cut by loops, both kinds of vectors added."""
    pixels, ids, mask = tensors()
    _, extras = encoder(pixels, ids, mask, return_hidden_states=True)
    w = weights(encoder)
    text = w["embedding/embeddings"][ids] + w["position/embeddings"][:T]
    text = text + w["types"][0]
    patches = np.zeros((3, P, D))
    for row in range(3):
        for place in range(P):
            top, left = 4 * (place // 2), 4 * (place % 2)
            patch = pixels[row, top : top + 4, left : left + 4].ravel()
            patches[row, place] = patch @ w["patches/projection/kernel"]
    patches += w["patches/projection/bias"] + w["places"] + w["types"][1]
    np.testing.assert_allclose(
        ops.convert_to_numpy(extras["hidden_states"][0]),
        np.concatenate([text, patches], axis=1),
        rtol=1e-5,
        atol=1e-5,
    )


def test_the_blocks_are_those_of_a_text_encoder(encoder):
    """One that reads the same vectors, looked up by ids of their own, says the same."""
    pixels, ids, mask = tensors()
    hidden, extras = encoder(pixels, ids, mask, return_hidden_states=True)
    stream = ops.convert_to_numpy(extras["hidden_states"][0])
    other = TransformerEncoder(
        3 * (T + P), 2, 2, D, 32, position="none", name="encoder"
    )
    own = np.arange(3 * (T + P)).reshape(3, T + P)
    both = np.concatenate([mask, np.ones((3, P), bool)], axis=1)
    other(own, both)
    known = {w.path: w for w in encoder.weights}
    for weight in other.weights:
        if weight.path.endswith("embedding/embeddings"):
            weight.assign(stream.reshape(-1, D))
        elif weight.path in known:
            weight.assign(known[weight.path])
    np.testing.assert_allclose(
        ops.convert_to_numpy(other(own, both)),
        ops.convert_to_numpy(hidden),
        rtol=1e-5,
        atol=1e-5,
    )


def test_padding_is_seen_by_nobody(encoder):
    pixels, ids, mask = tensors()
    before = ops.convert_to_numpy(encoder(pixels, ids, mask))
    changed = np.where(mask, ids, 29 - ids).astype("int32")
    after = ops.convert_to_numpy(encoder(pixels, changed, mask))
    seen = np.concatenate([mask, np.ones((3, P), bool)], axis=1)
    np.testing.assert_allclose(after[seen], before[seen], atol=1e-6)
    other = ops.convert_to_numpy(encoder(pixels[::-1].copy(), ids, mask))
    assert (np.abs(other - before)[0, :T].max(axis=1) > 1e-3).all()  # Pictures are.


def test_weights_of_attention_are_of_all_places(encoder):
    _, extras = encoder(*tensors(), return_attention_weights=True)
    assert [w.shape for w in extras["attention_weights"]] == [(3, 2, T + P, T + P)] * 2


@pytest.mark.parametrize(
    "options, said",
    [
        ({"patch_size": 3}, "must divide `image_size`. Received: image_size=8, patch"),
        ({"position": "rotary"}, "Received: position=RotaryPositions"),
        ({"attention": {"kernel": "window"}}, "Kernels go by the distance"),
        ({"embedding": {"embedding_dim": 4}}, "Received: embedding_dim=4, hidden_dim"),
    ],
)
def test_arguments_that_are_refused(options, said):
    sizes = {"image_size": 8, "patch_size": 4, **options}
    with pytest.raises(ValueError, match=said.replace(".", r"\.")):
        ImageTextEncoder(30, 1, 2, D, 32, **sizes)


def test_it_is_not_adapted():
    with pytest.raises(ValueError, match="Received: adaptation="):
        ImageTextEncoder(30, 1, 2, D, 32, image_size=8, patch_size=4).adapt({"rank": 2})


def test_it_comes_back_from_its_config(encoder):
    config = keras.saving.serialize_keras_object(encoder)
    again = keras.saving.deserialize_keras_object(config)
    assert again.get_config() == encoder.get_config()
