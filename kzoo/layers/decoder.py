"""The decoder stack: every token sees those before it and the encoder's output."""

import keras
from keras import ops

from kzoo.layers import masks
from kzoo.layers.blocks import DecoderBlock
from kzoo.layers.native import operations
from kzoo.layers.stack import TransformerStack


@keras.saving.register_keras_serializable(package="kzoo")
class TransformerDecoder(TransformerStack):
    """Turns the tokens so far into one vector per token, from which to guess the next.

    Arguments are those of `TransformerEncoder`, and:

    Args:
        cross_attention: bool. Whether blocks look at an encoder's output. `False`
            makes a language model.

    Call arguments:
        token_ids: int `(B, T)`, each in [0, V).
        encoded: float `(B, S, D)`, the encoder's output.
        padding_mask: bool `(B, T)`. `True` marks a token, `False` padding.
        encoded_padding_mask: bool `(B, S)`, likewise.
        return_hidden_states: bool. Whether to return what each layer made.
        return_attention_weights: bool. Whether to return who looked at whom.
        training: bool. Whether dropout acts.

    Returns:
        Float `(B, T, D)` in the compute dtype. If anything more is asked, a pair: the
        same tensor and a dict with "hidden_states" (as in `TransformerEncoder`) and
        "attention_weights" (list of dicts `{"self": (B, N, T, T), "cross":
        (B, N, T, S)}`; adapted by a prefix, its P keys stand before the T tokens of
        "self") as asked. `embedding.logits` scores the vocabulary from it.

    Raises:
        ValueError: if the encoder's output is missing, or given to a stack without
            cross-attention.

    Reference:
        - [Vaswani et al., 2017](https://arxiv.org/abs/1706.03762)
    """

    bidirectional = False

    def __init__(self, *args, cross_attention=True, **kwargs):
        self.cross_attention = cross_attention
        super().__init__(*args, **kwargs)

    def _block(self, attention, feed_forward, norm, norm_placement, dropout, **kwargs):
        return DecoderBlock(
            attention,
            feed_forward,
            norm,
            norm_placement,
            dropout,
            cross_attention=self.cross_attention,
            **kwargs,
        )

    def build(self, token_ids_shape, encoded_shape=None):
        # Cross-attention may read an encoder of another width.
        self._build(token_ids_shape, *([encoded_shape] if encoded_shape else []))

    def call(
        self,
        token_ids,
        encoded=None,
        padding_mask=None,
        encoded_padding_mask=None,
        return_hidden_states=False,
        return_attention_weights=False,
        training=None,
    ):
        self._check_encoded(encoded)
        positions = self._positions(ops.shape(token_ids)[1])  # (T,)
        mask = None if padding_mask is None else masks.padding_mask(padding_mask)
        if self.has_kernel:  # It makes what it needs of mask and bias by itself.
            added, _, rotary = self._position_tensors(positions)
            bias = self._bias_of_places(training)
        else:
            added, bias, rotary = self._position_tensors(positions, positions)
            causal = masks.causal_mask(positions, positions)  # (1, 1, T, T)
            mask = masks.conjunction(causal, mask)
        encoded_mask = None
        if encoded_padding_mask is not None:
            encoded_mask = masks.padding_mask(encoded_padding_mask)  # (B, 1, 1, S)
        hidden = self.embedding.call(
            token_ids, position_embedding=added, training=training
        )  # (B, T, D)
        return self._run(
            hidden,
            return_hidden_states,
            return_attention_weights,
            encoded=encoded,
            attention_mask=mask,
            causal=self.has_kernel,
            encoded_mask=encoded_mask,
            bias=bias,
            rotary=rotary,
            training=training,
        )

    def start(self, encoded=None, encoded_padding_mask=None, length=64):
        """Compute once what every step of generation reads.

        Args:
            encoded: float `(B, S, D)`, the encoder's output; `None` without
                cross-attention.
            encoded_padding_mask: bool `(B, S)`, or `None`.
            length: int. T, the most steps that will be made.

        Returns:
            dict of tensors, the memory: "cross", list with the keys and values of each
            block, `(B, K, S, H)`, once per source however many beams read it, and
            "encoded_mask", a `masks.Folded`, both `None` without cross-attention;
            "positions", what the scheme adds to embeddings, to scores, and rotates, for
            all T places.

        Raises:
            ValueError: as a call, and if the embedding needs pairs of tokens.
        """
        self._check_encoded(encoded)
        if self.embedding.bigram_buckets:
            raise ValueError(
                "One token at a time has no pairs, so a decoder that generates has no "
                f"bigrams. Received: bigram_buckets={self.embedding.bigram_buckets}"
            )
        positions = self._positions(length)
        cross = encoded_mask = None
        if encoded is not None:
            cross = [block.cross_attention.project(encoded) for block in self.blocks]
            mask = encoded_padding_mask
            mask = None if mask is None else masks.padding_mask(mask)  # (B, 1, 1, S)
            encoded_mask = masks.fold(mask, None, self.compute_dtype)
        return {
            "cross": cross,
            "encoded_mask": encoded_mask,
            "positions": self._position_tensors(positions, positions),
        }

    def empty_cache(self, batch, beams, length):
        """Return the cache of self-attention before the first step.

        Returns:
            list with a dict of keys and values for each block, `(B, K, T * beams, H)`;
            a prefix stands in it first, once for all beams.
        """
        size = length * beams
        caches = [block.attention.empty_cache(batch, size) for block in self.blocks]
        return caches if self.prefix is None else self.prefix.before(caches)

    def step(
        self, token_ids, time, cache, memory, ancestry, return_attention_weights=False
    ):
        """Read one more token of every beam.

        Beams are rows of one query: they share the keys and values of their source, and
        a cache that is never reordered, of which `ancestry` shows each its own past.

        Args:
            token_ids: int `(B, K)`, the newest token of every beam.
            time: int or int scalar tensor. The tokens' place, from 0. A Python int lets
                attention leave out the places to come.
            cache: as `empty_cache` or the step before returned it. A backend may write
                into it.
            memory: as `start` returned it.
            ancestry: int `(B, K, T)`. The beam that made each earlier step of a beam's
                past, its own number at `time`, and -1 from there on.
            return_attention_weights: bool. Whether to return who looked at whom.

        Returns:
            Float `(B, K, D)`, as the call returns for the last place of each beam's
            past, and the new cache; if asked, then also a list with a dict of
            attention weights per block, "self" `(B, N, K, T * K)`, after those of a
            prefix, and "cross" `(B, N, K, S)`.
        """
        beams = token_ids.shape[1]
        added, bias, rotary = self._place(memory["positions"], time)
        hidden = self.embedding.call(token_ids, position_embedding=added)  # (B, K, D)
        mask = self._past(ancestry, beams, bias, time)
        ahead = 0
        if self.prefix is not None:
            ahead = self.prefix.length
            mask = masks.after_all(mask, ahead)
        new_cache, weights = [], []
        for index, block in enumerate(self.blocks):
            hidden, *more = block.call(
                hidden,
                attention_mask=mask,
                encoded_mask=memory["encoded_mask"],
                rotary=rotary,
                cache=cache[index],
                cache_start=ahead + time * beams,
                cross_cache=memory["cross"] and memory["cross"][index],
                return_weights=return_attention_weights,
            )
            new_cache.append(more[-1])
            weights += more[:-1]
        if self.final_norm is not None:
            hidden = operations.normalise(self.final_norm, hidden)
        if return_attention_weights:
            return hidden, new_cache, weights
        return hidden, new_cache

    def _place(self, positions, time):
        """Return the rows of the position tensors for one place."""
        added, bias, rotary = positions
        if added is not None:
            added = _row(added, time, 0)  # (1, D)
        if bias is not None:
            bias = _row(bias, time, 2)  # (1, N, 1, T)
        if rotary is not None:
            rotary = tuple(_row(table, time, 0) for table in rotary)  # (1, 1, H / 2)
        return added, bias, rotary

    def _past(self, ancestry, beams, bias, time):
        """Return who sees whom in the cache at a step, as `masks.Folded`."""
        size = None
        if isinstance(time, int):  # No one needs to look at what is still empty.
            size = (time + 1) * beams
            ancestry = ancestry[:, :, : time + 1]
            bias = None if bias is None else bias[..., : time + 1]
        if bias is not None and beams > 1:
            bias = ops.repeat(bias, beams, axis=-1)  # (1, N, 1, T * K)
        mask = None
        if size is None or beams > 1:
            mask = masks.ancestry_mask(ancestry, beams)  # (B, 1, K, T * K)
        if self.has_kernel:
            near = self._near(time, ops.shape(ancestry)[2], beams)
            mask = masks.conjunction(mask, near)
        folded = masks.fold_mask(mask, bias, self.compute_dtype)
        return masks.Folded(folded, None, size)  # Every beam sees itself.

    def _near(self, time, length, beams):
        """Return which places of the cache the kernel sees, `(1, 1, 1, T * K)`."""
        kernel = self.blocks[0].attention.kernel
        here = ops.reshape(ops.cast(time, "int32"), (1,))
        near = kernel.sees(here, ops.arange(length, dtype="int32"))  # (1, 1, 1, T)
        if near is not None and beams > 1:
            near = ops.repeat(near, beams, axis=-1)
        return near

    def _check_encoded(self, encoded):
        if self.cross_attention == (encoded is not None):
            return
        if self.cross_attention:
            raise ValueError(
                "A decoder with cross-attention needs the encoder's output. "
                "Received: encoded=None"
            )
        raise ValueError(
            "A decoder without cross-attention takes no encoder output. Received: "
            f"encoded of shape {tuple(ops.shape(encoded))}"
        )

    def compute_output_spec(self, token_ids, *args, **kwargs):
        if kwargs.get("return_hidden_states") or kwargs.get("return_attention_weights"):
            return super().compute_output_spec(token_ids, *args, **kwargs)
        shape = (*token_ids.shape, self.hidden_dim)
        return keras.KerasTensor(shape, dtype=self.compute_dtype)

    def get_config(self):
        return {**super().get_config(), "cross_attention": self.cross_attention}


def _row(table, time, axis):
    """Return one place of an axis, which stays, of size 1.

    Looked up, not sliced: for XLA the borders of slices are constants, and each step
    would be a program of its own.
    """
    if isinstance(time, int):
        return table[(slice(None),) * axis + (slice(time, time + 1),)]
    return ops.take(table, ops.reshape(time, (1,)), axis=axis)
