"""Stacks against `torch.nn.TransformerEncoder` and `TransformerDecoder`."""

import numpy as np
import pytest
from helpers import torch_weights
from helpers.layers import array, assert_close

from kzoo import layers

torch = pytest.importorskip("torch", reason="compares with torch.nn")

B, T, S, D, N, V, INNER = 3, 6, 5, 16, 4, 17, 24
rng = np.random.default_rng(1)
IDS = rng.integers(0, V, (B, T)).astype("int32")
PADDING = np.arange(T) < np.array([[6], [4], [2]])
ENCODED = rng.normal(size=(B, S, D)).astype("float32")
ENCODED_PADDING = np.arange(S) < np.array([[5], [3], [1]])
CASES = [
    pytest.param(placement, activation, id=f"{placement}-{activation}")
    for placement in ("pre", "post")
    for activation in ("relu", "gelu")
]


def randomised(module, seed):
    """Give `module` random weights, norms and biases too; return them as NumPy."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, weight in module.named_parameters():
            weight.copy_(torch.randn(weight.shape, generator=generator) * 0.3)
            if "norm" in name and name.endswith("weight"):
                weight.add_(1.0)
    state = module.state_dict()
    return {name: torch_weights.numpy_of(value) for name, value in state.items()}


def options(placement, activation):
    """Dropout is 0, so the module may train: evaluation would take a fast path."""
    return {
        "d_model": D,
        "nhead": N,
        "dim_feedforward": INNER,
        "dropout": 0.0,
        "activation": activation,
        "norm_first": placement == "pre",
        "batch_first": True,
        "device": "cpu",
    }


def final_norm(placement):
    return torch.nn.LayerNorm(D, device="cpu") if placement == "pre" else None


def kzoo_stack(kind, placement, activation):
    stack = kind(
        V,
        2,
        N,
        D,
        INNER,
        dropout=0.0,
        position="none",
        feed_forward=activation,
        norm_placement=placement,
    )
    stack.build((B, T))
    return stack


def copy(stack, state, placement, cross):
    found = {"embedding/embeddings": TABLE}
    for index in range(2):
        found |= torch_weights.block(
            state, f"layers.{index}.", f"block_{index}", N, placement, cross
        )
    if placement == "pre":
        found |= torch_weights.norm(state, "norm.", "final_norm")
    torch_weights.assign(stack, found)


TABLE = rng.normal(size=(V, D)).astype("float32")
TOKENS = torch.tensor(TABLE[IDS])


@pytest.mark.parametrize("masked", [False, True], ids=["whole", "padded"])
@pytest.mark.parametrize("placement, activation", CASES)
def test_encoder(placement, activation, masked):
    module = torch.nn.TransformerEncoder(
        torch.nn.TransformerEncoderLayer(**options(placement, activation)),
        num_layers=2,
        norm=final_norm(placement),
        enable_nested_tensor=False,
    )
    state = randomised(module, 0)
    padding = torch.tensor(~PADDING) if masked else None
    expected = torch_weights.numpy_of(module(TOKENS, src_key_padding_mask=padding))
    stack = kzoo_stack(layers.TransformerEncoder, placement, activation)
    copy(stack, state, placement, cross=False)
    actual = array(stack(IDS, padding_mask=PADDING if masked else None))
    np.testing.assert_allclose(actual, expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("masked", [False, True], ids=["whole", "padded"])
@pytest.mark.parametrize("placement, activation", CASES)
def test_decoder(placement, activation, masked):
    module = torch.nn.TransformerDecoder(
        torch.nn.TransformerDecoderLayer(**options(placement, activation)),
        num_layers=2,
        norm=final_norm(placement),
    )
    state = randomised(module, 1)
    causal = torch.triu(torch.ones(T, T, dtype=torch.bool), diagonal=1)
    expected = module(
        TOKENS,
        torch.tensor(ENCODED),
        tgt_mask=causal,
        tgt_key_padding_mask=torch.tensor(~PADDING) if masked else None,
        memory_key_padding_mask=torch.tensor(~ENCODED_PADDING) if masked else None,
    )
    stack = kzoo_stack(layers.TransformerDecoder, placement, activation)
    copy(stack, state, placement, cross=True)
    actual = array(
        stack(
            IDS,
            encoded=ENCODED,
            padding_mask=PADDING if masked else None,
            encoded_padding_mask=ENCODED_PADDING if masked else None,
        )
    )
    expected = torch_weights.numpy_of(expected)
    np.testing.assert_allclose(actual, expected, rtol=1e-5, atol=1e-5)


def test_attention_weights():
    module = torch.nn.MultiheadAttention(D, N, batch_first=True, device="cpu")
    state = randomised(module, 2)
    layer = layers.MultiHeadAttention(D, N)
    layer.build((B, T, D), (B, S, D))
    found = torch_weights.multihead_attention(state, "", "", N)
    torch_weights.assign(layer, {path[1:]: value for path, value in found.items()})
    encoded = torch.tensor(ENCODED)
    expected = module(
        TOKENS,
        encoded,
        encoded,
        key_padding_mask=torch.tensor(~ENCODED_PADDING),
        average_attn_weights=False,
    )
    actual = layer(
        TABLE[IDS],
        ENCODED,
        attention_mask=ENCODED_PADDING[:, None, None, :],
        return_weights=True,
    )
    for one, other in zip(actual, expected, strict=True):
        assert_close(one, torch_weights.numpy_of(other), atol=3e-6)
