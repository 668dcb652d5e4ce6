"""PyTorch's own way for the inner operations of layers; eager mode fuses none."""

import math

import torch

from kzoo.layers import native


def affine(inputs, kernel, bias, num_input_axes):
    """See `kzoo.layers.native.affine`: product and sum in one kernel."""
    if not isinstance(inputs, torch.Tensor) or bias is None or inputs.is_meta:
        return native.affine(inputs, kernel, bias, num_input_axes)
    kept = inputs.shape[: inputs.ndim - num_input_axes]
    width = math.prod(kernel.shape[:num_input_axes])
    produced = kernel.shape[num_input_axes:]
    outputs = torch.addmm(
        bias.reshape(-1), inputs.reshape(-1, width), kernel.reshape(width, -1)
    )
    return outputs.reshape(*kept, *produced)


def gelu(x):
    """See `kzoo.layers.native.gelu`: one kernel in place of four."""
    if not isinstance(x, torch.Tensor):  # While a functional model is drawn.
        return native.gelu(x)
    return torch.nn.functional.gelu(x)


def fused_attention(queries, keys, values, bias, scale):
    """See `kzoo.layers.native.Operations`; unlike Keras, it copies no operand."""
    repeats = queries.shape[2] // keys.shape[2]
    if repeats > 1:
        keys, values = (x.repeat_interleave(repeats, dim=2) for x in (keys, values))
    queries, keys, values = (x.transpose(1, 2) for x in (queries, keys, values))
    context = torch.nn.functional.scaled_dot_product_attention(
        queries, keys, values, attn_mask=bias, scale=scale
    )
    return context.transpose(1, 2)  # (B, T, N, H)


native.use(affine=affine, gelu=gelu, fused_attention=fused_attention)
