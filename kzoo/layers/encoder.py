"""The encoder stack: every token sees every other."""

import keras
from keras import ops

from kzoo.layers import masks
from kzoo.layers.blocks import EncoderBlock
from kzoo.layers.stack import TransformerStack


@keras.saving.register_keras_serializable(package="kzoo")
class TransformerEncoder(TransformerStack):
    """Turns token ids into one vector per token, each informed by all the others.

    The stack computes mask, bias and rotary tables once and hands them to its blocks.

    Args:
        vocabulary_size: int. V, number of token ids.
        num_layers: int. Number of blocks.
        num_heads: int. N, attention heads per block.
        hidden_dim: int. D, the width of the vectors.
        intermediate_dim: int. The width inside the feed-forward.
        dropout: float. Share dropped in training: of the embeddings, of each
            sub-layer's output and of the attention weights.
        position: "none", "sinusoidal", "learned", "rotary", "alibi", "relative" or
            "neighbours" (relative, each head beginning at one neighbour); or a layer
            with the interface of `kzoo.layers.PositionScheme`.
        feed_forward: "relu", "gelu", "gelu_tanh", "silu", "reglu", "geglu",
            "geglu_tanh" or "swiglu"; or a layer, the pattern for every block.
        norm: "layer_norm" or "rms_norm"; or a layer, the pattern for every norm.
        norm_placement: "pre", "post", "sandwich" or "pre_but_first": as "pre", but the
            attention of the first block reads the embeddings as they are, for
            embeddings that have a norm of their own.
        attention: dict of further arguments of `MultiHeadAttention`, or `None`.
        embedding: dict of further arguments of `TokenEmbedding`, or `None`.
        share_blocks: int. How many layers in a row are one block, with one set of
            weights; must divide `num_layers`. 1 shares none.

    Call arguments:
        token_ids: int `(B, T)`, each in [0, V).
        padding_mask: bool `(B, T)`. `True` marks a token, `False` padding. `None`
            means that there is no padding.
        segment_ids: int `(B, T)`, or `None` for all 0.
        return_hidden_states: bool. Whether to return what each layer made.
        return_attention_weights: bool. Whether to return who looked at whom.
        training: bool. Whether dropout acts.

    Returns:
        Float `(B, T, D)` in the compute dtype. If anything more is asked, a pair: the
        same tensor and a dict with "hidden_states" (list of `num_layers + 1` tensors
        `(B, T, D)`, the embeddings first, before the final norm) and
        "attention_weights" (list of `num_layers` tensors `(B, N, T, T)`; adapted by a
        prompt, its P vectors are seen before the T tokens, and look first; by a prefix,
        its P keys are seen before them) as asked.

    Raises:
        ValueError: if an argument names no part, or the heads do not divide.

    Reference:
        - [Vaswani et al., 2017](https://arxiv.org/abs/1706.03762)
        - [Devlin et al., 2019](https://arxiv.org/abs/1810.04805)
        - [Lan et al., 2020](https://arxiv.org/abs/1909.11942), shared blocks
    """

    def __init__(self, *args, share_blocks=1, **kwargs):
        self.share_blocks = share_blocks
        super().__init__(*args, **kwargs)

    def _block(self, attention, feed_forward, norm, norm_placement, dropout, **kwargs):
        return EncoderBlock(
            attention, feed_forward, norm, norm_placement, dropout, **kwargs
        )

    def call(
        self,
        token_ids,
        padding_mask=None,
        segment_ids=None,
        return_hidden_states=False,
        return_attention_weights=False,
        training=None,
    ):
        positions = self._positions(ops.shape(token_ids)[1])  # (T,)
        added = self.position and self.position.embedding(positions)  # (T, E) or None
        mask = None
        if padding_mask is not None:
            if self.prompt is not None:
                padding_mask = self.prompt.before(padding_mask)
            mask = masks.padding_mask(padding_mask)  # (B, 1, 1, T)
        hidden = self.embedding.call(
            token_ids, segment_ids, position_embedding=added, training=training
        )  # (B, T, D)
        if self.prompt is not None:  # Its places are those before the first.
            hidden = self.prompt.call(hidden)  # (B, P + T, D)
            positions = self.prompt.places(positions)  # (P + T,)
        answer = self._run(
            hidden,
            return_hidden_states,
            return_attention_weights,
            by_layer=self._by_layer(positions, mask, training),
            training=training,
        )
        return answer if self.prompt is None else self.prompt.after(answer)

    def _by_layer(self, positions, mask, training):
        """Return mask, bias and rotary tables for each layer, made once per scheme.

        Where attention has a kernel, the bias is a function of places: no tensor of all
        pairs of tokens is made.
        """
        if self.position is None:
            return [{"attention_mask": mask}] * self.num_layers
        if self.has_kernel:
            tensors = {
                "attention_mask": mask,
                "bias": self._bias_of_places(training),
                "rotary": self.position.rotary(positions),
            }
            return [tensors] * self.num_layers
        made, by_layer = {}, []
        for index in range(self.num_layers):
            scheme = self.position.of_layer(index)
            if id(scheme) not in made:
                seen = scheme.mask(positions, positions)  # (1, 1, T, T) or None
                made[id(scheme)] = {
                    "attention_mask": masks.conjunction(mask, seen),
                    "bias": scheme.bias(positions, positions, training=training),
                    "rotary": scheme.rotary(positions),
                }
            by_layer.append(made[id(scheme)])
        return by_layer

    def compute_output_spec(self, token_ids, *args, **kwargs):
        if kwargs.get("return_hidden_states") or kwargs.get("return_attention_weights"):
            return super().compute_output_spec(token_ids, *args, **kwargs)
        shape = (*token_ids.shape, self.hidden_dim)
        return keras.KerasTensor(shape, dtype=self.compute_dtype)

    def get_config(self):
        return {**super().get_config(), "share_blocks": self.share_blocks}
