"""The blocks of a transformer: sub-layers, each in a residual step.

Where the norm stands is a matter of slots, not of code, see `norm_placement`.
"""

import keras

from kzoo.layers.norm_placement import block_placements
from kzoo.layers.parts import config_of, copy_of
from kzoo.layers.residual import ResidualStep, with_layers


@keras.saving.register_keras_serializable(package="kzoo")
class EncoderBlock(keras.layers.Layer):
    """Self-attention and feed-forward, each in a residual step.

    Args:
        attention: `MultiHeadAttention`, not built; the block makes its own copy.
        feed_forward: layer from `(B, T, D)` to `(B, T, D)`, likewise copied.
        norm: Keras layer, the pattern of every norm.
        norm_placement: "pre", "post", "sandwich" or "pre_but_first": as "pre", but
            attention reads the stream as it is, which is normed already.
        dropout: float. Share of each sub-layer's output dropped in training.

    Call arguments:
        hidden: float `(B, T, D)`.
        attention_mask: bool, broadcastable to `(B, N, T, T)`. `True` = may attend.
        bias: float, broadcastable to `(B, N, T, T)`.
        rotary: pair of float `(T, 1, H / 2)`.
        prefix: keys and values before those of `hidden`, as in `MultiHeadAttention`.
        return_weights: bool. Whether to return the attention weights too.
        training: bool. Whether dropout acts.

    Returns:
        Float `(B, T, D)`; with `return_weights` a pair, the second `(B, N, T, T)`.
    """

    def __init__(
        self, attention, feed_forward, norm, norm_placement="pre", dropout=0.0, **kwargs
    ):
        super().__init__(**kwargs)
        self._norm = config_of(norm)
        self.norm_placement = norm_placement
        self.dropout_rate = dropout
        policy = self.dtype_policy
        first, others = block_placements(norm_placement)
        self.attention = copy_of(attention, "attention", policy)
        self.attention_step = ResidualStep(
            norm, first, dropout, name="attention_step", dtype=policy
        )
        self.feed_forward = copy_of(feed_forward, "feed_forward", policy)
        self.feed_forward_step = ResidualStep(
            norm, others, dropout, name="feed_forward_step", dtype=policy
        )

    def build(self, hidden_shape):
        for layer in (
            self.attention,
            self.attention_step,
            self.feed_forward,
            self.feed_forward_step,
        ):
            layer.build(hidden_shape)

    def call(
        self,
        hidden,
        attention_mask=None,
        bias=None,
        rotary=None,
        prefix=None,
        return_weights=False,
        training=None,
    ):
        read = self.attention_step.enter(hidden)
        update = self.attention.call(
            read,
            read,
            attention_mask=attention_mask,
            bias=bias,
            rotary=rotary,
            prefix=prefix,
            return_weights=return_weights,
            training=training,
        )
        update, weights = update if return_weights else (update, None)
        hidden = self.attention_step.call(hidden, update, training=training)
        read = self.feed_forward_step.enter(hidden)
        update = self.feed_forward.call(read, training=training)
        hidden = self.feed_forward_step.call(hidden, update, training=training)
        return (hidden, weights) if return_weights else hidden

    def get_config(self):
        return {
            **super().get_config(),
            "attention": config_of(self.attention),
            "feed_forward": config_of(self.feed_forward),
            "norm": self._norm,
            "norm_placement": self.norm_placement,
            "dropout": self.dropout_rate,
        }

    @classmethod
    def from_config(cls, config):
        return cls(**with_layers(config, "attention", "feed_forward", "norm"))


@keras.saving.register_keras_serializable(package="kzoo")
class DecoderBlock(keras.layers.Layer):
    """Self-attention, cross-attention and feed-forward, each in a residual step.

    Args:
        attention: `MultiHeadAttention`, not built; the block makes two copies, one for
            the tokens so far and one, without a kernel, for the encoder's output.
        feed_forward: layer from `(B, T, D)` to `(B, T, D)`, likewise copied.
        norm: Keras layer, the pattern of every norm.
        norm_placement: as in `EncoderBlock`.
        dropout: float. Share of each sub-layer's output dropped in training.
        cross_attention: bool. `False` leaves the encoder out (a language model).

    Call arguments:
        hidden: float `(B, T, D)`.
        encoded: float `(B, S, D)`, the encoder's output; `None` without
            cross-attention, or where `cross_cache` holds its projections.
        attention_mask: bool, broadcastable to `(B, N, T, T)`; causal, or `causal` is.
        encoded_mask: bool, broadcastable to `(B, N, T, S)`.
        bias: float, broadcastable to `(B, N, T, T)`; on self-attention only.
        rotary: pair of float `(T, 1, H / 2)`; on self-attention only.
        cache, cache_start: of self-attention, as in `MultiHeadAttention`.
        cross_cache: keys and values of the encoder's output.
        prefix: of self-attention, as in `MultiHeadAttention`; without a cache only.
        return_weights: bool. Whether to return the attention weights too.
        training: bool. Whether dropout acts.

    Returns:
        Float `(B, T, D)`; or a tuple that adds, where asked or written, a dict
        `{"self": (B, N, T, T), "cross": (B, N, T, S)}` of weights, then the cache.
    """

    def __init__(
        self,
        attention,
        feed_forward,
        norm,
        norm_placement="pre",
        dropout=0.0,
        cross_attention=True,
        **kwargs,
    ):
        super().__init__(**kwargs)
        self._norm = config_of(norm)
        self.norm_placement = norm_placement
        self.dropout_rate = dropout
        policy = self.dtype_policy
        first, others = block_placements(norm_placement)

        def step(name, placement=others):
            return ResidualStep(norm, placement, dropout, name=name, dtype=policy)

        self.attention = copy_of(attention, "attention", policy)
        self.attention_step = step("attention_step", first)
        self.cross_attention = self.cross_attention_step = None
        if cross_attention:
            self.cross_attention = copy_of(
                attention, "cross_attention", policy, kernel=None
            )
            self.cross_attention_step = step("cross_attention_step")
        self.feed_forward = copy_of(feed_forward, "feed_forward", policy)
        self.feed_forward_step = step("feed_forward_step")

    def build(self, hidden_shape, encoded_shape=None):
        self.attention.build(hidden_shape)
        self.attention_step.build(hidden_shape)
        if self.cross_attention is not None:
            self.cross_attention.build(hidden_shape, encoded_shape or hidden_shape)
            self.cross_attention_step.build(hidden_shape)
        self.feed_forward.build(hidden_shape)
        self.feed_forward_step.build(hidden_shape)

    def call(
        self,
        hidden,
        encoded=None,
        attention_mask=None,
        encoded_mask=None,
        bias=None,
        rotary=None,
        cache=None,
        cache_start=None,
        cross_cache=None,
        return_weights=False,
        training=None,
        causal=False,
        prefix=None,
    ):
        read = self.attention_step.enter(hidden)
        update = self.attention.call(
            read,
            read,
            attention_mask=attention_mask,
            bias=bias,
            rotary=rotary,
            cache=cache,
            cache_start=cache_start,
            causal=causal,
            prefix=prefix,
            return_weights=return_weights,
            training=training,
        )
        update, *more = update if isinstance(update, tuple) else (update,)
        weights = {"self": more[0]} if return_weights else {}
        hidden = self.attention_step.call(hidden, update, training=training)
        if self.cross_attention is not None:
            read = self.cross_attention_step.enter(hidden)
            update = self.cross_attention.call(
                read,
                encoded,
                attention_mask=encoded_mask,
                cache=cross_cache,
                return_weights=return_weights,
                training=training,
            )
            if return_weights:
                update, weights["cross"] = update
            hidden = self.cross_attention_step.call(hidden, update, training=training)
        read = self.feed_forward_step.enter(hidden)
        update = self.feed_forward.call(read, training=training)
        hidden = self.feed_forward_step.call(hidden, update, training=training)
        extras = [weights] if return_weights else []
        extras += [more[-1]] if cache is not None else []
        return (hidden, *extras) if extras else hidden

    def get_config(self):
        return {
            **super().get_config(),
            "attention": config_of(self.attention),
            "feed_forward": config_of(self.feed_forward),
            "norm": self._norm,
            "norm_placement": self.norm_placement,
            "dropout": self.dropout_rate,
            "cross_attention": self.cross_attention is not None,
        }

    @classmethod
    def from_config(cls, config):
        return cls(**with_layers(config, "attention", "feed_forward", "norm"))
