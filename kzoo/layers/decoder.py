"""The decoder stack: every token sees those before it and the encoder's output."""

import keras
from keras import ops

from kzoo.layers import masks
from kzoo.layers.blocks import DecoderBlock
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
        (B, N, T, S)}`) as asked. `embedding.logits` scores the vocabulary from it.

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
        positions = self._positions(token_ids)  # (T,)
        added, bias, rotary = self._position_tensors(positions, positions)
        mask = masks.causal_mask(positions, positions)  # (1, 1, T, T)
        if padding_mask is not None:
            mask = masks.conjunction(mask, masks.padding_mask(padding_mask))
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
            encoded_mask=encoded_mask,
            bias=bias,
            rotary=rotary,
            training=training,
        )

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
