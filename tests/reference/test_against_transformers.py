"""Positions and a BERT encoder against Hugging Face transformers."""

import keras
import numpy as np
import pytest
from helpers import torch_weights
from helpers.layers import array, assert_close

from kzoo import layers
from kzoo.layers.positions import rotate
from kzoo.layers.relative_positions import alibi_slopes, relative_buckets

torch = pytest.importorskip("torch", reason="transformers runs on torch")
pytest.importorskip("transformers", reason="compares with transformers")


@pytest.mark.parametrize("bidirectional", [True, False])
@pytest.mark.parametrize("buckets, longest", [(32, 128), (64, 256), (16, 128)])
def test_t5_buckets(bidirectional, buckets, longest):
    from transformers.models.t5.modeling_t5 import T5Attention

    offsets = np.arange(-600, 601, dtype="int32")
    expected = T5Attention._relative_position_bucket(
        torch.tensor(offsets).long(), bidirectional, buckets, longest
    )
    actual = array(relative_buckets(offsets, buckets, longest, bidirectional))
    np.testing.assert_array_equal(actual, expected.numpy())


@pytest.mark.parametrize("heads", [1, 2, 4, 6, 8, 12, 16])
def test_bloom_alibi(heads):
    """BLOOM adds slope · key; after the softmax that is kzoo's −slope · distance."""
    from transformers.models.bloom.modeling_bloom import build_alibi_tensor

    mask = torch.ones(1, 9, dtype=torch.long)
    bloom = build_alibi_tensor(mask, heads, torch.float32).reshape(heads, 9).numpy()
    np.testing.assert_allclose(alibi_slopes(heads), bloom[:, 1], rtol=1e-6)
    where = np.arange(9, dtype="int32")
    bias = array(layers.AlibiPositions(heads).bias(where, where))[0]
    for query in range(9):
        ours = bias[:, query, : query + 1]
        theirs = bloom[:, : query + 1] - bloom[:, query : query + 1]
        np.testing.assert_allclose(ours, theirs, rtol=1e-6)


@pytest.mark.parametrize("base", [10000.0, 500000.0])
def test_llama_rotary(base):
    from transformers import LlamaConfig
    from transformers.models.llama import modeling_llama as llama

    config = LlamaConfig(
        hidden_size=48,
        num_attention_heads=3,
        rope_parameters={"rope_type": "default", "rope_theta": base},
    )
    x = np.random.default_rng(0).normal(size=(2, 40, 3, 16)).astype("float32")
    heads = torch.tensor(x)
    cosines, sines = llama.LlamaRotaryEmbedding(config)(heads, torch.arange(40)[None])
    expected, _ = llama.apply_rotary_pos_emb(heads, heads, cosines, sines, 2)
    scheme = layers.RotaryPositions(16, base=base)
    actual = rotate(x, scheme.rotary(np.arange(40, dtype="int32")))
    # transformers' angles are rounded float32: 40 radians are good to 4e-6.
    assert_close(actual, expected.numpy(), atol=1e-5)


V, D, N, INNER, LONGEST, DEPTH = 31, 16, 4, 24, 12, 2


def test_bert():
    from transformers import BertConfig, BertModel

    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=V,
        hidden_size=D,
        num_hidden_layers=DEPTH,
        num_attention_heads=N,
        intermediate_size=INNER,
        max_position_embeddings=LONGEST,
        hidden_act="gelu",
        layer_norm_eps=1e-12,
        initializer_range=0.3,
    )
    module = BertModel(config, add_pooling_layer=False).eval()
    with torch.no_grad():
        for weight in module.parameters():
            weight.add_(0.1 * torch.randn(weight.shape))
    norm = keras.layers.LayerNormalization(epsilon=1e-12)
    stack = layers.TransformerEncoder(
        V,
        DEPTH,
        N,
        D,
        INNER,
        position=layers.LearnedPositions(D, LONGEST),
        norm=norm,
        norm_placement="post",
        embedding={"num_segments": 2, "norm": norm},
    )
    rng = np.random.default_rng(0)
    ids = rng.integers(0, V, (3, 9)).astype("int32")
    segments = rng.integers(0, 2, (3, 9)).astype("int32")
    padding = np.arange(9) < np.array([[9], [5], [2]])
    stack.build((3, 9))
    state = torch_weights.state_of(module)
    torch_weights.assign(stack, torch_weights.bert(state, DEPTH, N))
    with torch.no_grad():
        expected = module(
            torch.tensor(ids).long(),
            attention_mask=torch.tensor(padding).long(),
            token_type_ids=torch.tensor(segments).long(),
            output_hidden_states=True,
        )
    output, extras = stack(ids, padding, segments, return_hidden_states=True)
    states = [*extras["hidden_states"], output]
    wanted = [*expected.hidden_states, expected.last_hidden_state]
    for ours, theirs in zip(states, wanted, strict=True):
        ours = array(ours)[padding]  # what stands on padding is nobody's concern
        np.testing.assert_allclose(ours, theirs.numpy()[padding], 1e-5, 1e-5)
