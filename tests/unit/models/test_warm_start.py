"""Decoders that begin with the weights of an encoder."""

import numpy as np
import pytest
from keras import ops

import kzoo
from kzoo.interop.names.engine import weights_of
from kzoo.layers import TransformerEncoder
from kzoo.models.warm_start import decoder_like, warm_start

V, D = 20, 8


def summarizer(num_layers=None, share=True, **arguments):
    kzoo.set_seed(1)
    settings = {"embedding": {"num_segments": 2, "norm": "layer_norm"}, **arguments}
    encoder = TransformerEncoder(V, 4, 2, D, 12, name="encoder", **settings)
    decoder = decoder_like(encoder, num_layers, name="decoder")
    model = kzoo.Seq2Seq(
        encoder, decoder, 1, 2, share_embeddings=share, source_length=9, target_length=9
    )
    for number, weight in enumerate(model.weights):
        if weight.name != "state":
            rng = np.random.default_rng(number)
            weight.assign(rng.normal(size=weight.shape).astype("float32"))
    return model, {k: np.array(v) for k, v in weights_of(model).items()}


def changed(model, before):
    """The paths of weights that are others now."""
    now = weights_of(model)
    return {p for p in now if not np.array_equal(np.array(now[p]), before[p])}


@pytest.mark.parametrize("share", [True, False])
def test_the_decoder_is_the_encoder_but_for_attention_to_it(share):
    model, before = summarizer(share=share, position="learned", norm_placement="post")
    assert warm_start(model) == [0, 1, 2, 3]
    decoder = {p for p in before if p.startswith("decoder/")}
    cross = {p for p in decoder if "/cross_attention" in p}
    assert changed(model, before) == decoder - cross
    now = weights_of(model)
    for path in decoder - cross:
        source = before[path.replace("decoder/", "encoder/", 1)]
        np.testing.assert_array_equal(now[path], source, err_msg=path)


def test_a_warm_decoder_reads_a_text_as_a_causal_encoder_would():
    """Cross-attention aside, which is switched off here by zeros."""
    model, _ = summarizer(position="learned")
    warm_start(model)
    for block in model.decoder.blocks:
        for name in ("kernel", "bias"):
            weight = getattr(block.cross_attention.output_dense, name)
            weight.assign(np.zeros(weight.shape, "float32"))
    ids = np.array([[3, 4, 5]], "int32")
    encoded = model.encoder(ids)
    first = model.decoder(ids[:, :1], encoded)
    alone = model.encoder(ids[:, :1])
    first, alone = map(ops.convert_to_numpy, (first, alone))
    np.testing.assert_allclose(first, alone, atol=1e-5)


def test_attention_to_the_encoder_may_begin_as_its_own():
    model, before = summarizer()
    warm_start(model, cross_attention=True)
    now = weights_of(model)
    for number in range(4):
        for name in ("query/kernel", "output/bias"):
            path = f"block_{number}/{{}}/{name}"
            np.testing.assert_array_equal(
                now["decoder/" + path.format("cross_attention")],
                before["encoder/" + path.format("attention")],
            )


@pytest.mark.parametrize(
    "num_layers, taken", [(1, [2]), (2, [1, 3]), (3, [0, 2, 3]), (4, [0, 1, 2, 3])]
)
def test_fewer_blocks_are_spread_over_the_encoders(num_layers, taken):
    model, before = summarizer(num_layers)
    assert warm_start(model) == taken
    now = weights_of(model)
    path = "block_{}/feed_forward/input/kernel"
    for own, number in enumerate(taken):
        np.testing.assert_array_equal(
            now["decoder/" + path.format(own)], before["encoder/" + path.format(number)]
        )


@pytest.mark.parametrize("position", ["relative", "neighbours"])
def test_distances_of_a_decoder_are_its_own(position):
    model, before = summarizer(position=position)
    assert not model.decoder.position.bidirectional
    warm_start(model)
    assert not any("position" in path for path in changed(model, before))


def test_an_encoder_that_shares_its_blocks_has_no_such_decoder():
    encoder = TransformerEncoder(20, 4, 2, 8, 16, share_blocks=2)
    with pytest.raises(ValueError, match=r"share no blocks. .*share_blocks=2$"):
        decoder_like(encoder)


def test_more_blocks_than_the_encoder_has_are_refused():
    model, _ = summarizer(5)
    with pytest.raises(ValueError, match="Received: 5 and 4 blocks"):
        warm_start(model)
