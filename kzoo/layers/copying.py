"""The copy mechanism: a decoder writes the next token, or takes it from the source.

Names, numbers and rare words of a summary stand in its document. A small model that can
point at them need not learn to spell them.
"""

import keras
import numpy as np
from keras import ops

from kzoo.layers.projection import Projection

CLOSED = -1e9  # of a place that is not there: finite, and its exponential is zero
ALWAYS = 1e4  # the gate where there is nothing to copy


@keras.saving.register_keras_serializable(package="kzoo")
class CopyMechanism(keras.layers.Layer):
    """Says of each step which place of the source it would copy, and whether it does.

    The probability of a token w is `p · P(w) + (1 - p) · (sum of a over the places of
    the source where w stands)`, as in See et al.: P is the decoder's softmax, a is an
    attention over the source and `p = sigmoid(gate)`, read from the decoder's vector
    and from the mean of the encoder's under a. Scores of a are products, as everywhere
    in a transformer, where the paper has a layer of tanh; and the paper's third term of
    the gate, the token before, is in the decoder's vector here. Source and target share
    the vocabulary of pieces, so nothing in the source is unknown to the target.

    Args:
        encoded_dim: int. Width of the encoder's output.

    Call arguments:
        hidden: float `(B, T, D)`, what the decoder made.
        encoded: float `(B, S, encoded_dim)`.
        encoded_padding_mask: bool `(B, S)`. `True` marks a token, `False` padding.
            Where a row has none, nothing is copied.

    Returns:
        dict of float32 tensors: "places" `(B, T, S)`, the logarithm of a, `CLOSED` at
        padding; "gate" `(B, T)`, the logit of p.

    Reference:
        - [See et al., 2017](https://arxiv.org/abs/1704.04368), section 2.2
        - [Luong et al., 2015](https://arxiv.org/abs/1508.04025), scores as products
    """

    def __init__(self, encoded_dim, **kwargs):
        super().__init__(**kwargs)
        self.encoded_dim = encoded_dim
        policy = self.dtype_policy
        self.query_dense = Projection(encoded_dim, name="query", dtype=policy)
        self.state_gate = Projection(1, name="state_gate", dtype=policy)
        self.context_gate = Projection(
            1, use_bias=False, name="context_gate", dtype=policy
        )

    def build(self, hidden_shape, encoded_shape):
        self.query_dense.build(hidden_shape)
        self.state_gate.build(hidden_shape)
        self.context_gate.build(encoded_shape)

    def votes(self, encoded):
        """What each place of the source says of the gate: float32 `(B, S)`.

        The gate reads one number of the mean vector, so that number is averaged.
        """
        return ops.cast(self.context_gate.call(encoded)[..., 0], "float32")

    def call(self, hidden, encoded, encoded_padding_mask):
        return self.point(hidden, encoded, encoded_padding_mask, self.votes(encoded))

    def point(self, hidden, encoded, encoded_padding_mask, votes):
        """As `call`, with the `votes` of the encoder's output computed before."""
        queries = self.query_dense.call(hidden) * self.encoded_dim**-0.5
        scores = ops.matmul(queries, ops.transpose(encoded, (0, 2, 1)))  # (B, T, S)
        mask = ops.cast(encoded_padding_mask, "bool")[:, None, :]  # (B, 1, S)
        scores = ops.where(mask, ops.cast(scores, "float32"), CLOSED)
        places = ops.where(mask, ops.log_softmax(scores, axis=-1), CLOSED)
        gate = ops.cast(self.state_gate.call(hidden)[..., 0], "float32")  # (B, T)
        gate = gate + ops.sum(ops.exp(places) * votes[:, None, :], axis=-1)
        gate = ops.where(ops.any(mask, axis=-1), gate, ALWAYS)
        return {"places": places, "gate": gate}

    def compute_output_spec(self, hidden, encoded, encoded_padding_mask):
        batch, length = hidden.shape[:2]
        return {
            "places": keras.KerasTensor((batch, length, encoded.shape[1]), "float32"),
            "gate": keras.KerasTensor((batch, length), "float32"),
        }

    def get_config(self):
        return {**super().get_config(), "encoded_dim": self.encoded_dim}


def copy_loss(labels, outputs, weights, label_smoothing=0.0):
    """Minus the logarithm of the probability of the labels, summed with `weights`.

    It needs the probability of one token per step only, so that nothing is spread over
    the vocabulary.

    Args:
        labels: int `(B, T)`.
        outputs: dict of "logits", float `(B, T, V)`, the decoder's; "places" and
            "gate", as `CopyMechanism` gives them; "source", int `(B, S)`, the tokens
            at those places.
        weights: float `(B, T)`. Sum to one over all that is one update.
        label_smoothing: float. Share of the target spread evenly over all V tokens, for
            the decoder's own distribution: what is copied is not smoothed.

    Returns:
        Float32 scalar.
    """
    logits, gate = ops.cast(outputs["logits"], "float32"), outputs["gate"]
    labels = ops.cast(labels, "int32")[..., None]  # (B, T, 1)
    chosen = ops.squeeze(ops.take_along_axis(logits, labels, axis=-1), -1)  # (B, T)
    norm = ops.logsumexp(logits, axis=-1)
    here = labels == ops.cast(outputs["source"], "int32")[:, None, :]  # (B, T, S)
    copied = ops.logsumexp(ops.where(here, outputs["places"], CLOSED), axis=-1)
    surprise = -log_of_sum(
        ops.log_sigmoid(gate) + chosen - norm, ops.log_sigmoid(-gate) + copied
    )
    if label_smoothing:
        even = norm - ops.mean(logits, axis=-1)
        surprise = (1.0 - label_smoothing) * surprise + label_smoothing * even
    return ops.sum(weights * surprise)


def log_of_sum(one, other):
    """`log(exp(one) + exp(other))`; its gradient has no kink where both are equal."""
    highest = ops.stop_gradient(ops.maximum(one, other))
    return highest + ops.log(ops.exp(one - highest) + ops.exp(other - highest))


def repeats(token_ids):
    """Where the tokens of a source stand again.

    Args:
        token_ids: int `(B, S)`.

    Returns:
        dict: "same", float32 `(B, S, S)`, 1 where two places hold one token; "first",
        int32 `(B, S)`, the first place of each place's token.
    """
    same = ops.cast(token_ids[:, :, None] == token_ids[:, None, :], "float32")
    return {"same": same, "first": ops.cast(ops.argmax(same, axis=-1), "int32")}


def mixture(logits, places, gate, token_ids, same, first):
    """The logarithm of the probability of every token, written or copied.

    Only tokens of the source get anything by copying, so that one number per place is
    added up and put into its token's; nothing of V is exponentiated.

    Args:
        logits: float32 `(B, T, V)`, the decoder's.
        places: float32 `(B, T, S)`. As `CopyMechanism` gives them.
        gate: float32 `(B, T)`. Likewise.
        token_ids: int `(B, S)`, the source.
        same, first: as `repeats` gives them.

    Returns:
        Float32 `(B, T, V)`.
    """
    batch, length, size = ops.shape(places)
    logits = ops.cast(logits, "float32")
    written = logits - ops.logsumexp(logits, axis=-1, keepdims=True)
    written = written + ops.log_sigmoid(gate)[..., None]  # (B, T, V)
    shares = ops.matmul(ops.exp(places), same)  # (B, T, S): of a place's token
    # From one place per token: those that are put twice must be equal to the bit.
    first = ops.broadcast_to(first[:, None, :], (batch, length, size))
    shares = ops.take_along_axis(shares, first, axis=-1)
    least = float(np.finfo("float32").tiny)
    copied = ops.where(shares > least, ops.log(ops.maximum(shares, least)), CLOSED)
    copied = copied + ops.log_sigmoid(-gate)[..., None]
    ids = ops.cast(token_ids, "int32")[:, None, :]
    ids = ops.broadcast_to(ids, (batch, length, size))  # (B, T, S)
    both = log_of_sum(ops.take_along_axis(written, ids, axis=-1), copied)
    return put_along_last_axis(written, ids, both)


def put_along_last_axis(x, ids, values):
    """`x` with `values` at `ids` of its last axis, the inverse of taking them.

    Args:
        x: float `(B, T, V)`.
        ids: int32 `(B, T, S)`. Where one stands twice, its values must be equal.
        values: float `(B, T, S)`.

    Returns:
        Float `(B, T, V)`.
    """
    batch, length, size = ops.shape(ids)
    rows = batch * length
    flat = ops.reshape(x, (rows, x.shape[-1]))
    row = ops.broadcast_to(ops.arange(rows, dtype="int32")[:, None], (rows, size))
    where = ops.stack([row, ops.reshape(ids, (rows, size))], axis=-1)
    flat = ops.scatter_update(
        flat, ops.reshape(where, (-1, 2)), ops.reshape(values, (-1,))
    )
    return ops.reshape(flat, (batch, length, x.shape[-1]))
