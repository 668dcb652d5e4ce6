"""What stands between an encoder and the logits."""

from kzoo.layers import Projection
from kzoo.layers.feed_forward import activation_function
from kzoo.layers.normalization import norm_part
from kzoo.layers.parts import copy_of


def inner_layer(vectors, width, activation, norm, use_bias, policy):
    """Run symbolic vectors through a layer of its own in the model's graph.

    Args:
        vectors: symbolic float `(B, D)` or `(B, T, D)`.
        width: int. Of the layer.
        activation: a key of `kzoo.layers.feed_forward.ACTIVATIONS`.
        norm: `None`, a key of `kzoo.layers.NORMS`, or a layer; behind the activation.
        use_bias: bool. Whether the layer adds a bias.
        policy: dtype policy.

    Returns:
        Symbolic float `(B, width)` or `(B, T, width)`. Weights are "head" and, of the
        norm, "head_norm".
    """
    layer = Projection(width, use_bias=use_bias, name="head", dtype=policy)
    inner = activation_function(activation)(layer(vectors))
    if norm is None:
        return inner
    return copy_of(norm_part(norm), "head_norm", policy)(inner)
