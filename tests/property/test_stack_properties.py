"""What must hold for whole stacks: causality, padding, order, company."""

import numpy as np
import pytest
from helpers.layers import array, fill
from keras import ops

from kzoo import layers
from kzoo.training.steppers.gradients import gradients

B, T, S, D, V = 3, 6, 5, 8, 13
rng = np.random.default_rng(4)
IDS = rng.integers(1, V, (B, T)).astype("int32")
ENCODED = rng.normal(size=(B, S, D)).astype("float32")
PADDING = np.arange(T) < np.array([[6], [4], [1]])
POSITIONS = ("none", "sinusoidal", "learned", "rotary", "alibi", "relative")


def stack(kind, position, **options):
    layer = kind(V, 2, 4, D, 12, position=position, **options)
    layer.build((B, T))
    return fill(layer, 6, scale=0.5)


def encoder(position="sinusoidal", **options):
    return stack(layers.TransformerEncoder, position, **options)


def decoder(position="sinusoidal", **options):
    return stack(layers.TransformerDecoder, position, **options)


def close(actual, expected):
    np.testing.assert_allclose(array(actual), array(expected), rtol=1e-5, atol=5e-6)


@pytest.mark.parametrize("position", POSITIONS)
@pytest.mark.parametrize("cross", [True, False], ids=["cross", "alone"])
def test_nothing_comes_from_the_future(position, cross):
    layer = decoder(position, cross_attention=cross)
    encoded = ENCODED if cross else None
    before = array(layer(IDS, encoded=encoded))
    for at in (1, 3, T - 1):
        changed = IDS.copy()
        changed[:, at] = changed[:, at] % (V - 1) + 1
        after = array(layer(changed, encoded=encoded))
        close(after[:, :at], before[:, :at])
        assert (np.abs(after[:, at:] - before[:, at:]).max((0, 2)) > 1e-3).all()


@pytest.mark.parametrize("position", POSITIONS)
def test_an_encoder_looks_both_ways(position):
    layer = encoder(position)
    before = array(layer(IDS))
    for at in (0, T - 1):
        changed = IDS.copy()
        changed[:, at] = changed[:, at] % (V - 1) + 1
        difference = np.abs(array(layer(changed)) - before).max(-1)
        assert (difference > 1e-4).all()


@pytest.mark.parametrize("kind", [encoder, decoder])
@pytest.mark.parametrize("position", POSITIONS)
def test_padding_does_not_matter(kind, position):
    """Neither what stands there nor how much of it there is."""
    layer = kind(position)
    encoded = {"encoded": ENCODED} if kind is decoder else {}
    before = array(layer(IDS, padding_mask=PADDING, **encoded))[PADDING]
    other = np.where(PADDING, IDS, IDS % (V - 1) + 1)
    assert (other != IDS).any()
    close(array(layer(other, padding_mask=PADDING, **encoded))[PADDING], before)
    longer = np.pad(IDS, ((0, 0), (0, 3)))
    mask = np.pad(PADDING, ((0, 0), (0, 3)))
    close(array(layer(longer, padding_mask=mask, **encoded))[mask], before)


def test_padding_of_the_encoder_does_not_matter():
    layer = decoder()
    mask = np.arange(S) < np.array([[5], [3], [1]])
    before = layer(IDS, encoded=ENCODED, encoded_padding_mask=mask)
    other = np.where(mask[..., None], ENCODED, 100.0)
    close(layer(IDS, encoded=other, encoded_padding_mask=mask), before)


def test_without_positions_order_does_not_matter():
    order = np.array([3, 0, 5, 1, 4, 2])
    layer = encoder("none")
    close(layer(IDS[:, order]), array(layer(IDS))[:, order])


@pytest.mark.parametrize("position", POSITIONS[1:])
def test_with_positions_order_matters(position):
    order = np.array([3, 0, 5, 1, 4, 2])
    layer = encoder(position)
    difference = array(layer(IDS[:, order])) - array(layer(IDS))[:, order]
    assert np.abs(difference).max() > 1e-3


@pytest.mark.parametrize("kind", [encoder, decoder])
@pytest.mark.parametrize("placement", ["pre", "post", "sandwich"])
def test_rows_do_not_see_each_other(kind, placement):
    layer = kind("relative", norm_placement=placement)

    def call(rows):
        encoded = {"encoded": ENCODED[rows]} if kind is decoder else {}
        return layer(IDS[rows], padding_mask=PADDING[rows], **encoded)

    together = array(call([0, 1, 2]))
    for row in range(B):
        close(call([row]), together[[row]])
    close(call([2, 0, 1]), together[[2, 0, 1]])


@pytest.mark.parametrize("training", [False, True])
@pytest.mark.parametrize("kind", [encoder, decoder])
def test_a_row_of_padding_alone_stays_finite(kind, training):
    layer = kind("alibi")
    mask = PADDING.copy()
    mask[1] = False
    arguments = {"padding_mask": mask, "training": training}
    if kind is decoder:
        arguments |= {"encoded": ENCODED, "encoded_padding_mask": mask[:, :S]}
    assert np.isfinite(array(layer(IDS, **arguments))).all()
    found = gradients(layer, lambda: ops.mean(ops.square(layer(IDS, **arguments))))
    assert all(np.isfinite(value).all() for value in found.values())


ASKED = ("return_hidden_states", "return_attention_weights")


@pytest.mark.parametrize("asked", [ASKED[:1], ASKED[1:], ASKED], ids=str)
@pytest.mark.parametrize("kind", [encoder, decoder])
def test_asking_changes_nothing(kind, asked):
    layer = kind("rotary")
    arguments = {"padding_mask": PADDING}
    if kind is decoder:
        arguments["encoded"] = ENCODED
    plain = layer(IDS, **arguments)
    output, extras = layer(IDS, **arguments, **dict.fromkeys(asked, True))
    close(output, plain)
    assert set(extras) == {name.removeprefix("return_") for name in asked}


def test_asking_while_training_changes_nothing():
    layer = encoder("rotary", dropout=0.5)
    states = [(variable, array(variable)) for variable in layer.non_trainable_variables]
    plain = layer(IDS, padding_mask=PADDING, training=True)
    for variable, value in states:
        variable.assign(value)
    output, _ = layer(
        IDS, padding_mask=PADDING, training=True, return_attention_weights=True
    )
    close(output, plain)


def test_layers_of_one_stack_drop_other_elements():
    layer = encoder(dropout=0.5)
    states = [array(weight) for weight in layer.weights if weight.name == "state"]
    keys = {int(key) for key, _ in states}
    assert len(keys) == len(states) == 1 + 2 * 3  # embedding; three in each block


def test_token_dropout_zeroes_whole_tokens():
    layer = layers.TokenEmbedding(V, D, token_dropout=0.4, num_segments=2)
    layer.build((None, None))
    fill(layer)
    ids = rng.integers(0, V, (50, 20))
    added = rng.normal(size=(20, D)).astype("float32")
    plain = array(layer(ids, position_embedding=added))
    rest = array(layer.segments)[0] + added
    dropped = array(layer(ids, position_embedding=added, training=True))
    gone = np.isclose(dropped, rest, atol=1e-6).all(-1)
    assert 0.33 < gone.mean() < 0.47  # 0.4 within 4.5 deviations of 1,000 draws
    np.testing.assert_array_equal(dropped[~gone], plain[~gone])  # kept, not scaled
