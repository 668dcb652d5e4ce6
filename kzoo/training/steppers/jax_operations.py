"""JAX's own way for the inner operations of layers, where it has one."""

import jax
import jax.numpy as jnp

from kzoo.layers import native


def native_attention(queries, keys, values, padding_mask, causal, scale):
    """See `kzoo.layers.native.Operations`.

    The flash attention of cuDNN is for 16-bit numbers on NVIDIA's GPUs; elsewhere XLA
    makes all scores.
    """
    mask = None
    if padding_mask is not None:
        mask = jnp.asarray(padding_mask, bool)[:, None, None, :]
    sixteen = queries.dtype in (jnp.bfloat16, jnp.float16)
    flash = sixteen and jax.default_backend() == "gpu"
    return jax.nn.dot_product_attention(
        *(queries, keys, values),
        mask=mask,
        is_causal=causal,
        scale=scale,
        implementation="cudnn" if flash else "xla",
    )


native.use(native_attention=native_attention)
