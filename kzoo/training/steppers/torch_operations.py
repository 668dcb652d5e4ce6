"""PyTorch's own way for the inner operations of layers; eager mode fuses none."""

import math

import keras
import torch

from kzoo.layers import masks, native
from kzoo.training.steppers.torch_packing import lay_out, multiply

FEW, SOME = 8, 32  # rows
BLOCK = 128  # rows of a table
PARTS, LEAST = 8, 32  # parts of a batch at the most, and tokens that they differ by


def affine(inputs, kernel, bias, num_input_axes):
    """See `kzoo.layers.native.affine`: two kernels at the most.

    On a CPU the product alone and the sum in its place are quicker than `addmm`, which
    first spreads the bias over the outputs; on a GPU `addmm` adds it on the way.
    """
    if not isinstance(inputs, torch.Tensor) or inputs.is_meta:
        return native.affine(inputs, kernel, bias, num_input_axes)
    kept = inputs.shape[: inputs.ndim - num_input_axes]
    width = math.prod(kernel.shape[:num_input_axes])
    produced = kernel.shape[num_input_axes:]
    inputs = inputs.reshape(-1, width)
    bias = None if bias is None else bias.reshape(-1)
    outputs = multiply(inputs, kernel, bias)
    if outputs is not None:
        return outputs.reshape(*kept, *produced)
    kernel = kernel.reshape(width, -1)
    if bias is None:
        outputs = torch.mm(inputs, kernel)
    elif inputs.device.type == "cpu" and inputs.dtype == torch.float32:
        outputs = torch.mm(inputs, kernel).add_(bias)
    else:
        outputs = torch.addmm(bias, inputs, kernel)
    return outputs.reshape(*kept, *produced)


def gelu(x):
    """See `kzoo.layers.native.gelu`: one kernel in place of four."""
    if not isinstance(x, torch.Tensor):  # While a functional model is drawn.
        return native.gelu(x)
    if not torch.is_grad_enabled():
        return torch.ops.aten.gelu_(x)  # What it takes is still in the cache.
    return torch.nn.functional.gelu(x)


def value_of(variable, dtype):
    """See `kzoo.layers.native.value_of`: nothing to do where the dtype is right."""
    value = variable.value
    return value if value.dtype == dtype else native.value_of(variable, dtype)


def normalise(layer, x):
    """See `kzoo.layers.native.normalise`: one call in place of Keras' checks.

    Only where texts are written, token by token, do these take longer than the norm.
    """
    if not torch.is_inference_mode_enabled() or x.dtype != torch.float32:
        return layer.call(x)
    size, last = x.shape[-1:], ([-1], [x.ndim - 1], -1)  # Built, Keras' axes are lists.
    if type(layer) is keras.layers.RMSNormalization and layer.axis in last:
        return torch.rms_norm(x, size, layer.scale.value, layer.epsilon)
    if type(layer) is keras.layers.LayerNormalization and not layer.rms_scaling:
        weights = [layer.gamma, layer.beta]
        weights = [None if w is None else w.value for w in weights]
        if layer.axis in last:
            return torch.nn.functional.layer_norm(x, size, *weights, layer.epsilon)
    return layer.call(x)


def encode(encoder, token_ids, padding_mask):
    """See `kzoo.layers.native.encode`: on a CPU rows of like lengths are read together.

    Less of what is computed is padding then; a GPU would rather have one large batch.
    """
    batch, size = token_ids.shape
    if not torch.is_inference_mode_enabled() or token_ids.device.type != "cpu":
        return native.encode(encoder, token_ids, padding_mask)
    lengths = (padding_mask * torch.arange(1, size + 1)).amax(dim=1).clamp_(min=1)
    parts = (lengths - 1) // max(LEAST, -(-size // PARTS))
    encoded = None
    for part in parts.unique():
        rows = (parts == part).nonzero().flatten()
        own = rows, slice(int(lengths[rows].max()))
        some = native.encode(encoder, token_ids[own], padding_mask[own])
        if some.shape[:2] == token_ids.shape:
            return some
        if encoded is None:
            encoded = some.new_zeros((batch, size, some.shape[-1]))
        encoded[own] = some
    return encoded


def score(hidden, table):
    """See `kzoo.layers.native.score`: for few rows, by blocks that stay in the cache.

    One product would copy the whole table first, to lay it out for many rows. For some
    rows more, as of beams, the table goes first: then it is the rows that are laid out.
    """
    rows = math.prod(hidden.shape[:-1])
    scores = multiply(hidden.reshape(rows, -1), table, None, transposed=False)
    if scores is not None:
        return scores.reshape(*hidden.shape[:-1], len(table))
    blocks = len(table) // BLOCK
    some = rows <= SOME and blocks > 1 and torch.is_inference_mode_enabled()
    if not some or table.device.type != "cpu":
        return native.score(hidden, table)
    whole, flat = blocks * BLOCK, hidden.reshape(rows, -1)
    if rows > FEW:
        scores = torch.mm(table, flat.T).T.contiguous()
        return scores.reshape(*hidden.shape[:-1], len(table))
    parts = table[:whole].reshape(blocks, BLOCK, -1).transpose(1, 2)
    scores = torch.matmul(flat, parts).transpose(0, 1)  # (rows, blocks, BLOCK)
    scores = scores.reshape(*hidden.shape[:-1], whole)
    if whole == len(table):
        return scores
    rest = native.score(hidden, table[whole:])
    return torch.cat([scores, rest], dim=-1)


def zero_where_blind(x, sees):
    """See `kzoo.layers.native.zero_where_blind`: nothing to do where all sees is 1.

    Looking costs nothing on a CPU; a GPU would have to be waited for.
    """
    is_here = isinstance(sees, torch.Tensor) and sees.device.type == "cpu"
    if is_here and not torch.compiler.is_compiling() and bool(sees.all()):
        return x
    return native.zero_where_blind(x, sees)


def fused_attention(queries, keys, values, bias, scale, causal=False):
    """See `kzoo.layers.native.Operations`; unlike Keras, it copies no operand."""
    repeats = queries.shape[2] // keys.shape[2]
    if repeats > 1:
        keys, values = (x.repeat_interleave(repeats, dim=2) for x in (keys, values))
    queries, keys, values = (x.transpose(1, 2) for x in (queries, keys, values))
    context = torch.nn.functional.scaled_dot_product_attention(
        queries, keys, values, attn_mask=bias, scale=scale, is_causal=causal
    )
    return context.transpose(1, 2)  # (B, T, N, H)


def native_attention(queries, keys, values, padding_mask, causal, scale):
    """See `kzoo.layers.native.Operations`: flash attention on CPUs and GPUs.

    With causality, PyTorch takes no mask beside it but one of T × S. So padding becomes
    one more number of each head: a constant of the queries times what closes a key.
    """
    width = values.shape[-1]
    if causal and padding_mask is not None:
        closed = -torch.finfo(queries.dtype).max / 4
        real = torch.as_tensor(padding_mask, device=keys.device).bool()
        real = real[:, :, None, None].expand(*keys.shape[:3], 1)
        keys = torch.cat([keys, torch.where(real, 0.0, closed).to(keys.dtype)], dim=-1)
        queries = torch.nn.functional.pad(queries, (0, 1), value=1.0)
        values = torch.nn.functional.pad(values, (0, 1))
        padding_mask = None
    bias = None
    if padding_mask is not None:
        bias = masks.fold_mask(masks.padding_mask(padding_mask), None, queries.dtype)
    context = fused_attention(queries, keys, values, bias, scale, causal)
    return context[..., :width]


def fused_cached_attention(queries, keys, values, bias, scale):
    """See `kzoo.layers.native.Operations`: queries that share keys are rows."""
    batch, length, num_heads, head_dim = queries.shape
    heads, size = keys.shape[1:3]
    queries = queries.transpose(1, 2)  # (B, N, T, H)
    if heads < num_heads:
        rows = num_heads // heads * length
        queries = queries.reshape(batch, heads, rows, head_dim)
        if bias is not None and bias.shape[1:3] != (1, 1):
            bias = bias.expand(batch, num_heads, length, size)
            bias = bias.reshape(batch, heads, rows, size)
    context = torch.nn.functional.scaled_dot_product_attention(
        queries, keys, values, attn_mask=bias, scale=scale
    )
    context = context.reshape(batch, num_heads, length, head_dim)
    return context.transpose(1, 2)  # (B, T, N, H)


def write(cache, new, start):
    """See `kzoo.layers.native.write`: in place, unless someone may look back."""
    if not torch.is_inference_mode_enabled():
        return native.write(cache, new, start)
    start = int(start)
    cache[:, :, start : start + new.shape[2]] = new
    return cache


native.use(
    affine=affine,
    gelu=gelu,
    value_of=value_of,
    normalise=normalise,
    encode=encode,
    lay_out=lay_out,
    score=score,
    zero_where_blind=zero_where_blind,
    fused_attention=fused_attention,
    fused_cached_attention=fused_cached_attention,
    native_attention=native_attention,
    write=write,
)
