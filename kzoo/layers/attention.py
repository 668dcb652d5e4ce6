"""Multi-head attention: the only place in kzoo where tokens look at each other."""

import keras
from keras import ops

from kzoo.layers import masks
from kzoo.layers.content_bias import ContentBias
from kzoo.layers.dropout import Drop, Dropout
from kzoo.layers.kernels import cached, dense
from kzoo.layers.kernels.kernel import Heads
from kzoo.layers.kernels.named import kernel_part
from kzoo.layers.native import operations
from kzoo.layers.parts import config_of, copy_of
from kzoo.layers.positions import rotate
from kzoo.layers.prefix import for_all
from kzoo.layers.projection import Projection

CACHED = ("key", "value")


@keras.saving.register_keras_serializable(package="kzoo")
class MultiHeadAttention(keras.layers.Layer):
    """Scaled dot-product attention over `num_heads` heads.

    The layer knows no position scheme and no kind of mask. Whoever owns the stack
    computes them once and passes tensors. Shapes: B batch, T query length,
    S key length, N heads, K key/value heads, H head size, D hidden size.

    Two paths give the same numbers: the backend's fused kernel, and explicit scores
    where the weights are asked for or dropped.

    Args:
        hidden_dim: int. D, the width of the output.
        num_heads: int. N. Must divide `hidden_dim` unless `head_dim` is given.
        num_key_value_heads: int or None. K, which must divide N; each key/value head
            serves N / K query heads. `None` means N (ordinary attention), 1 is
            multi-query attention.
        head_dim: int or None. H. `None` means D / N.
        dropout: float. Share of the attention weights dropped in training.
        use_bias: bool. Whether the four projections add a bias. That of the keys is
            not trained: unless keys are rotated, it moves all scores of a query alike,
            which softmax undoes, so its gradient is nothing but rounding, and Adam
            would walk along it. It is there for checkpoints that bring one.
        train_key_bias: bool. Whether that of the keys is trained all the same: where
            keys are rotated, or positions look at them, it tells keys apart.
        scale: float or None. Factor on the scores. `None` means 1 / sqrt(H).
        kernel: how scores become context: `None`, where every query scores every key;
            the name of a kernel, such as "window"; a dict of its name at "kind" and
            its options, `{"kind": "window", "window": 64}`; or a layer of
            `kzoo.layers.kernels`. A cache is always read densely: who owns the stack
            masks what the kernel would not see.

    Call arguments:
        query: float `(B, T, D)`.
        value: float `(B, S, D)`. Keys and values are both projected from it. May be
            `None` only if `cache` holds all keys and values.
        attention_mask: bool, broadcastable to `(B, N, T, S)`. `True` lets the
            query see the key. `None` lets every query see every key. Or a
            `masks.Folded`, which holds the bias too. With a kernel a mask of the keys
            alone, `(B, 1, 1, S)`.
        bias: float, broadcastable to `(B, N, T, S)`. Added to the scaled scores. Or
            a `kzoo.layers.content_bias.ContentBias`, which makes it of the queries and
            keys of the layer; without a cache only. With a kernel a function, as
            `kernels.kernel.Heads` has it.
        rotary: pair of float `(T, 1, H / 2)` tables for the positions of the queries,
            which are also those of the keys made from `value`.
        cache: dict `{"key", "value"}` of float `(B, K, S, H)` as `project` makes it.
            Without `value` it is read only (cross-attention). With `value`, the new
            keys and values are written into it from `cache_start` on, and the queries
            attend to all of it, as far as `attention_mask` allows. A backend may write
            in place where no gradient is recorded.
        cache_start: int or int scalar tensor. Where the new keys are written.
        prefix: pair of float `(P, K, H)`: keys and values that stand before all others,
            are seen by every query and have no bias; mask and bias are of the S others.
            Without a cache or a kernel only.
        causal: bool. Whether a query sees its own place and those before it only, where
            that is not in the mask; without a cache only.
        return_weights: bool. Asking never changes the output.
        training: bool. Whether dropout acts.

    Returns:
        Float `(B, T, D)` in the compute dtype. If `return_weights`, or if a cache was
        written, a tuple: the output, then float `(B, N, T, S)` weights if asked, with a
        prefix `(B, N, T, P + S)` (after dropout; of a kernel before it), then the new
        cache if one was written. A query that may see nothing gets a zero context and
        weight 0 on every key.

    Raises:
        ValueError: if the heads do not divide, or the call's arguments do not fit.

    Reference:
        - [Vaswani et al., 2017](https://arxiv.org/abs/1706.03762)
        - [Ainslie et al., 2023](https://arxiv.org/abs/2305.13245), grouped heads
    """

    def __init__(
        self,
        hidden_dim,
        num_heads,
        num_key_value_heads=None,
        head_dim=None,
        dropout=0.0,
        use_bias=True,
        scale=None,
        train_key_bias=False,
        kernel=None,
        **kwargs,
    ):
        super().__init__(**kwargs)
        if head_dim is None and hidden_dim % num_heads:
            raise ValueError(
                "`num_heads` must divide `hidden_dim` unless `head_dim` is given. "
                f"Received: num_heads={num_heads}, hidden_dim={hidden_dim}"
            )
        if num_heads % (num_key_value_heads or num_heads):
            raise ValueError(
                "`num_key_value_heads` must divide `num_heads`. Received: "
                f"num_key_value_heads={num_key_value_heads}, num_heads={num_heads}"
            )
        self.hidden_dim = hidden_dim
        self.num_heads = num_heads
        self.num_key_value_heads = num_key_value_heads or num_heads
        self.head_dim = head_dim or hidden_dim // num_heads
        self.use_bias = use_bias
        self.train_key_bias = train_key_bias
        self.scale = self.head_dim**-0.5 if scale is None else scale
        self.query_dense = self._heads_dense(self.num_heads, "query")
        self.key_dense = self._heads_dense(
            self.num_key_value_heads, "key", train_bias=train_key_bias
        )
        self.value_dense = self._heads_dense(self.num_key_value_heads, "value")
        self.dropout = Dropout(dropout, name="dropout", dtype=self.dtype_policy)
        self.output_dense = Projection(
            hidden_dim,
            num_input_axes=2,
            use_bias=use_bias,
            dtype=self.dtype_policy,
            name="output",
        )
        self.kernel = kernel_part(kernel)
        if self.kernel is not None:
            if dropout and not self.kernel.drops:
                raise ValueError(
                    "This kernel makes no weights that could be dropped; set the "
                    f"`dropout` of attention to 0. Received: dropout={dropout}, "
                    f"kernel={type(self.kernel).__name__}"
                )
            self.kernel = copy_of(self.kernel, "kernel", self.dtype_policy)

    def _heads_dense(self, heads, name, **options):
        return Projection(
            (heads, self.head_dim),
            use_bias=self.use_bias,
            dtype=self.dtype_policy,
            name=name,
            **options,
        )

    def build(self, query_shape, value_shape=None):
        batch, length, _ = query_shape
        value_shape = value_shape or query_shape
        self.query_dense.build(query_shape)
        self.key_dense.build(value_shape)
        self.value_dense.build(value_shape)
        self.dropout.build((batch, self.num_heads, length, value_shape[1]))
        self.output_dense.build((batch, length, self.num_heads, self.head_dim))
        if self.kernel is not None:
            self.kernel.build(query_shape, (self.num_heads, self.head_dim))

    def project(self, value, rotary=None):
        """Return the cache of `value`: keys and values, each `(B, K, S, H)`.

        Heads stand before places, as matrix products want them: a cache is read at
        every step.
        """
        return {
            name: ops.transpose(x, (0, 2, 1, 3))
            for name, x in zip(CACHED, self._keys_values(value, rotary), strict=True)
        }

    def empty_cache(self, batch, size):
        """Return a cache of zeros with `size` places, each `(B, K, S, H)`."""
        shape = (batch, self.num_key_value_heads, size, self.head_dim)
        return {name: ops.zeros(shape, dtype=self.compute_dtype) for name in CACHED}

    def _keys_values(self, value, rotary, training=None):
        """Return keys and values, each `(B, S, K, H)`."""
        keys = self.key_dense.call(value, training)
        if rotary is not None:
            keys = rotate(keys, rotary)
        return keys, self.value_dense.call(value, training)

    def call(
        self,
        query,
        value=None,
        attention_mask=None,
        bias=None,
        rotary=None,
        cache=None,
        cache_start=None,
        causal=False,
        prefix=None,
        return_weights=False,
        training=None,
    ):
        if value is None and cache is None:
            raise ValueError("Attention needs `value` or `cache`. Received: neither")
        if cache is not None and (value is None) != (cache_start is None):
            raise ValueError(
                "A cache is written when both `value` and `cache_start` are given, "
                f"read only when neither is. Received: cache_start={cache_start}, "
                f"value {'given' if value is not None else 'None'}"
            )
        if prefix is not None and (cache is not None or self.kernel is not None):
            raise ValueError(
                "A prefix takes neither a cache, of which it is a part, nor a kernel. "
                f"Received: prefix, kernel={type(self.kernel).__name__}"
            )
        queries = self.query_dense.call(query, training)  # (B, T, N, H)
        if rotary is not None:
            queries = rotate(queries, rotary)
        if cache is None:
            keys, values = self._keys_values(value, rotary, training)  # (B, S, K, H)
            if self.kernel is not None:
                padding_mask = masks.of_keys(attention_mask)
                drop = self._drop(training)
                heads = Heads(
                    *(queries, keys, values, self.scale, padding_mask, causal),
                    *(bias, drop, query, rotary),
                )
                return self._by_kernel(heads, return_weights, training)
            kernels = dense.explicit, operations.fused_attention
            if isinstance(bias, ContentBias):
                bias = bias.scores(
                    queries * self.scale,
                    keys * self.scale,
                    self.query_dense.call,
                    self.key_dense.call,
                )  # (B, N, T, S)
            if causal:
                earlier = masks.before(ops.shape(queries)[1], ops.shape(keys)[1])
                attention_mask = masks.conjunction(attention_mask, earlier)
        folded = masks.fold(attention_mask, bias, self.compute_dtype)
        if prefix is not None:
            keys, values = (
                ops.concatenate([for_all(own, x), x], axis=1)
                for own, x in zip(prefix, (keys, values), strict=True)
            )  # (B, P + S, K, H)
            folded = masks.after_all(folded, prefix[0].shape[0])
        if cache is not None:
            if value is not None:
                new = self.project(value, rotary)
                cache = {
                    n: operations.write(cache[n], new[n], cache_start) for n in new
                }
            keys, values = (cache[n][:, :, : folded.size] for n in CACHED)
            kernels = cached.explicit, operations.fused_cached_attention
        context, weights = dense.attend(
            (queries, keys, values),
            folded,
            self.scale,
            self._drop(training),
            return_weights,
            kernels,
        )
        outputs = [self.output_dense.call(context, training)]  # (B, T, D)
        if return_weights:
            outputs.append(weights)
        if cache is not None and value is not None:
            outputs.append(cache)
        return outputs[0] if len(outputs) == 1 else tuple(outputs)

    def _by_kernel(self, heads, return_weights, training):
        """Return what `call` does of the heads, by the kernel."""
        if heads.bias is not None and not callable(heads.bias):
            raise ValueError(
                "With a kernel, attention takes a bias as a function of places only. "
                f"Received: bias of {type(heads.bias).__name__}"
            )
        context = self.kernel.attend(heads)  # (B, T, N, H)
        output = self.output_dense.call(context, training)  # (B, T, D)
        return (output, self.kernel.dense_weights(heads)) if return_weights else output

    def _drop(self, training):
        """Return what drops weights, or `None` where none are dropped."""
        return Drop(self.dropout) if training and self.dropout.rate > 0 else None

    def compute_output_spec(self, query, *args, return_weights=False, **kwargs):
        # Cached and weight-returning calls belong to stacks that run eagerly or
        # inside a compiled function; symbolic calls ask for the output alone.
        if return_weights or kwargs.get("cache") is not None:
            return super().compute_output_spec(
                query, *args, return_weights=return_weights, **kwargs
            )
        shape = (*query.shape[:-1], self.hidden_dim)
        return keras.KerasTensor(shape, dtype=self.compute_dtype)

    def get_config(self):
        return {
            **super().get_config(),
            "hidden_dim": self.hidden_dim,
            "num_heads": self.num_heads,
            "num_key_value_heads": self.num_key_value_heads,
            "head_dim": self.head_dim,
            "dropout": self.dropout.rate,
            "use_bias": self.use_bias,
            "scale": self.scale,
            "train_key_bias": self.train_key_bias,
            "kernel": config_of(self.kernel),
        }
