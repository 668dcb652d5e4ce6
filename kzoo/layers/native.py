"""Inner operations that a backend may have a faster way for, and the portable one.

What is here is right everywhere. `use` puts a backend's own way in its place, one that
gives the same numbers up to rounding; kzoo does so when it starts (see
`kzoo.training.backend`), so that no layer needs to know what it runs on.
"""

import contextlib
import dataclasses
import math
from collections.abc import Callable

from keras import ops


def affine(inputs, kernel, bias, num_input_axes):
    """Contract the last axes of `inputs` with the first of `kernel`; add `bias`.

    Args:
        inputs: float `(…, *input_dims)`.
        kernel: float `(*input_dims, *output_dims)`.
        bias: float `(*output_dims)` or `None`.
        num_input_axes: int. Number of `input_dims`.

    Returns:
        Float `(…, *output_dims)`.
    """
    # Letters, not an ellipsis: TensorFlow's gradient of an ellipsis forms the product
    # before it sums, 26 times the work of a small step.
    kept = "abcdefgh"[: len(inputs.shape) - num_input_axes]
    contracted = "xyz"[:num_input_axes]
    produced = "uvw"[: len(kernel.shape) - num_input_axes]
    equation = f"{kept}{contracted},{contracted}{produced}->{kept}{produced}"
    outputs = ops.einsum(equation, inputs, kernel)
    return outputs if bias is None else outputs + bias


def gelu(x):
    """Return the exact GELU of `x`, by the error function.

    Where no gradient is recorded, a backend may write it over `x`: give it a tensor
    that nobody else reads.

    Reference:
        - [Hendrycks & Gimpel, 2016](https://arxiv.org/abs/1606.08415)
    """
    # JAX' own goes through the complement of the error function, 2.5 times slower.
    return 0.5 * x * (1.0 + ops.erf(x * math.sqrt(0.5)))


def value_of(variable, dtype):
    """Return the value of a Keras variable in `dtype`."""
    return ops.cast(variable, dtype)


def normalise(layer, x):
    """Return what a Keras layer makes of `x`; norms have quicker ways where a backend
    asks for every kernel by itself."""
    return layer.call(x)


def encode(encoder, token_ids, padding_mask):
    """Let an encoder read sources.

    Args:
        encoder: `kzoo.layers.TransformerEncoder`.
        token_ids: int `(B, S)`.
        padding_mask: bool `(B, S)`. `True` marks a token.

    Returns:
        Float `(B, S, D)`. At padding it may be anything.
    """
    return encoder(token_ids, padding_mask, training=False)


def lay_out(rows, times):
    """Open a run of products by weights that stay as they are now.

    Args:
        rows: int. How many vectors a product takes.
        times: int. How often a weight is read, at the most.

    Returns:
        A context manager, to be entered at each step of the run. Inside it a backend
        may lay a weight out for the products to come when it is first read; what is
        laid out goes with the context manager. No gradients are recorded inside.
    """
    return contextlib.nullcontext()


def score(hidden, table):
    """Score every row of a table.

    Args:
        hidden: float `(B, T, D)`.
        table: float `(V, D)`.

    Returns:
        Float `(B, T, V)`.
    """
    return ops.matmul(hidden, ops.transpose(table))


def zero_where_blind(x, sees):
    """Set `x` to zero where `sees` is zero.

    Args:
        x: float.
        sees: float of 0 and 1, broadcastable to `x`, in its dtype.

    Returns:
        Float, as `x`.
    """
    return x * sees


def write(cache, new, start):
    """Put new keys or values into a cache.

    Where no gradient is recorded, a backend may write into `cache` itself.

    Args:
        cache: float `(B, K, S, H)`.
        new: float `(B, K, T, H)`.
        start: int or int scalar tensor. The place of the first of the T.

    Returns:
        Float `(B, K, S, H)`.
    """
    return ops.slice_update(cache, (0, 0, start, 0), ops.cast(new, cache.dtype))


@dataclasses.dataclass
class Operations:
    """What layers call.

    Attributes:
        affine: see `affine`.
        gelu: see `gelu`.
        value_of: see `value_of`.
        normalise: see `normalise`.
        encode: see `encode`.
        lay_out: see `lay_out`.
        score: see `score`.
        zero_where_blind: see `zero_where_blind`.
        fused_attention: `None`, or a function that is faster than
            `kzoo.layers.kernels.dense.explicit` and shows no weights: it takes the
            arguments of that one but `drop` and returns the context alone.
        fused_cached_attention: likewise for `kzoo.layers.kernels.cached.explicit`.
        native_attention: `None`, or a function that attends as dense attention does,
            without a T × S tensor where the device has a kernel for that. It takes
            queries `(B, T, N, H)`, keys and values `(B, S, K, H)`, a padding mask
            `(B, S)` or `None`, whether it is causal, and the scale, and returns the
            context `(B, T, N, H)`, anything finite where a query sees nothing.
        write: see `write`.
    """

    affine: Callable = affine
    gelu: Callable = gelu
    value_of: Callable = value_of
    normalise: Callable = normalise
    encode: Callable = encode
    lay_out: Callable = lay_out
    score: Callable = score
    zero_where_blind: Callable = zero_where_blind
    fused_attention: Callable | None = None
    fused_cached_attention: Callable | None = None
    native_attention: Callable | None = None
    write: Callable = write


operations = Operations()


def use(**replacements):
    """Replace operations by name with a backend's own.

    Args:
        **replacements: fields of `Operations`.
    """
    for name, replacement in replacements.items():
        if name not in Operations.__dataclass_fields__:
            raise ValueError(f"There is no such operation. Received: name={name!r}")
        setattr(operations, name, replacement)
