"""Text classification: one label for a whole text, or any number of them."""

import keras
import numpy as np

from kzoo.data.batches import inference_batches, length_buckets
from kzoo.data.labels import sigmoid, softmax
from kzoo.layers import Dropout, Pooling, Projection
from kzoo.layers.parts import config_of
from kzoo.models.heads import inner_layer
from kzoo.models.inputs import check_batch_size, only_str
from kzoo.models.text_model import TextModel, known_to_keras, text_inputs


@keras.saving.register_keras_serializable(package="kzoo")
class TextClassifier(TextModel):
    """Pools an encoder and projects to class logits through a two-layer head.

    Args:
        encoder: `kzoo.layers.TransformerEncoder`. Maps the inputs to `(B, T, D)`.
        num_classes: int. C, width of the logits; at least 2, or 1 with `multi_label`.
        pooling: "mean", "first" or "max", see `kzoo.layers.Pooling`.
        head_dim: int or None. Width of the head's first layer; `None` means D.
        activation: activation between the head's layers, a key of
            `kzoo.layers.feed_forward.ACTIVATIONS`.
        dropout: float. Share of the head's activations dropped in training.
        pooled_dropout: float. Share of the pooled vector dropped before the head.
        sequence_length: int. Longest text in tokens, special tokens counted;
            `classify` cuts longer ones and says so.
        multi_label: bool. Whether a text has any number of labels, also none: then
            each logit is a question of its own, yes above 0.
        thresholds: list of C floats from 0 to 1, or one for all. With `multi_label`,
            the probability from which a label is given; `None` means 0.5.
        head_norm: `None`, a key of `kzoo.layers.NORMS`, or a layer. Applied behind the
            head's activation.
        head_bias: bool. Whether the head's first layer adds a bias.

    Inputs: `{"token_ids": int (B, T), "padding_mask": bool (B, T)}`.
    Output: float32 logits `(B, C)`, whatever the compute dtype.

    Raises:
        ValueError: if an argument is out of range or the encoder takes only shorter
            texts than `sequence_length`.
    """

    def __init__(
        self,
        encoder,
        num_classes,
        pooling="mean",
        head_dim=None,
        activation="tanh",
        dropout=0.1,
        pooled_dropout=0.0,
        sequence_length=128,
        multi_label=False,
        thresholds=None,
        head_norm=None,
        head_bias=True,
        **kwargs,
    ):
        if num_classes < (1 if multi_label else 2):
            raise ValueError(
                "A classifier needs at least 2 classes, or 1 with `multi_label`. "
                f"Received: num_classes={num_classes}"
            )
        thresholds = _checked(thresholds, num_classes, multi_label)
        inputs = text_inputs(encoder, sequence_length)
        policy = encoder.dtype_policy
        hidden = encoder(inputs["token_ids"], inputs["padding_mask"])  # (B, T, D)
        pooled = Pooling(pooling, name="pooling", dtype=policy)(
            hidden, inputs["padding_mask"]
        )
        drop = Dropout(pooled_dropout, name="pooled_dropout", dtype=policy)
        inner = inner_layer(
            drop(pooled),
            head_dim or encoder.hidden_dim,
            activation,
            head_norm,
            head_bias,
            policy,
        )  # (B, head_dim)
        inner = Dropout(dropout, name="head_dropout", dtype=policy)(inner)
        logits = Projection(num_classes, dtype="float32", name="logits")(inner)
        super().__init__(
            inputs=inputs,
            outputs=logits,
            **known_to_keras(kwargs),
        )
        self.encoder = encoder  # After super().__init__(): torch modules insist.
        self.num_classes = num_classes
        self.pooling = pooling
        self.head_dim = head_dim
        self.activation = activation
        self.dropout_rate = dropout
        self.pooled_dropout_rate = pooled_dropout
        self.sequence_length = sequence_length
        self.multi_label = multi_label
        self.thresholds = thresholds
        self.head_norm = config_of(head_norm)
        self.head_bias = head_bias

    def set_thresholds(self, thresholds):
        """Say from which probability on each label is given; saved with the model.

        Args:
            thresholds: list of C floats from 0 to 1, or one for all.

        Raises:
            ValueError: if they do not fit, or the model gives one label to each text.
        """
        self.thresholds = _checked(thresholds, self.num_classes, self.multi_label)

    def classify(self, texts, batch_size=64):
        """Label texts.

        Args:
            texts: list of str, or one str. Any text gets an answer, an empty one too.
            batch_size: int. How many texts are classified at once.

        Returns:
            A list with one dict per text, in order: "label", str, or with
            `multi_label` "labels", list of str, in the order of the model's labels
            and empty if no probability reaches its threshold; "probabilities",
            dict from each label to its probability; "truncated", bool, whether the
            text was longer than `sequence_length` tokens and its end was not read.
            For one str, that dict alone.

        Raises:
            KzooError: if the model has no tokenizer and labels.
            TypeError: if a text is not a str, or `batch_size` not an int.
            ValueError: if `batch_size` is below 1.
        """
        self.require_text()
        check_batch_size(batch_size)
        if isinstance(texts, str):
            return self.classify([texts], batch_size)[0]
        texts = only_str(texts, "texts", "str")
        if not texts:
            return []
        encoded = self.tokenizer.encode(texts, self.sequence_length, offsets=False)
        logits = np.empty((len(texts), self.num_classes), "float64")
        # A short list does not pay for a full batch, nor for a shape of its own.
        rows_at_once = min(batch_size, 1 << (len(texts) - 1).bit_length())
        for rows, inputs in inference_batches(
            encoded.token_ids,
            rows_at_once,
            length_buckets(self.sequence_length),
            self.tokenizer.pad_id,
        ):
            logits[rows] = self.predict_on_batch(inputs)[: len(rows)]
        probabilities = self._probabilities(logits)
        return [
            {
                **self._chosen(row),
                "probabilities": dict(zip(self.labels, row.tolist(), strict=True)),
                "truncated": bool(truncated),
            }
            for row, truncated in zip(probabilities, encoded.truncated, strict=True)
        ]

    def _probabilities(self, logits):
        """Float64 `(rows, C)`: of each label on its own, or adding up to 1."""
        return sigmoid(logits) if self.multi_label else softmax(logits)

    def _chosen(self, row):
        """The label, or the labels, that probabilities `(C,)` speak for."""
        if not self.multi_label:
            return {"label": self.labels[int(np.argmax(row))]}
        given = np.flatnonzero(row >= self.thresholds)
        return {"labels": [self.labels[place] for place in given]}

    def get_config(self):
        # Our constructor's arguments, not the graph that Functional would list.
        return {
            "name": self.name,
            "encoder": keras.saving.serialize_keras_object(self.encoder),
            "num_classes": self.num_classes,
            "pooling": self.pooling,
            "head_dim": self.head_dim,
            "activation": self.activation,
            "dropout": self.dropout_rate,
            "pooled_dropout": self.pooled_dropout_rate,
            "sequence_length": self.sequence_length,
            "multi_label": self.multi_label,
            "thresholds": self.thresholds and list(self.thresholds),
            "head_norm": self.head_norm,
            "head_bias": self.head_bias,
        }

    @classmethod
    def from_config(cls, config, custom_objects=None):
        encoder = keras.saving.deserialize_keras_object(
            config["encoder"], custom_objects=custom_objects
        )
        return cls(**{**config, "encoder": encoder})


def _checked(thresholds, num_classes, multi_label):
    """The thresholds as a tuple of C floats; `None` for one label a text."""
    if not multi_label:
        if thresholds is None:
            return None
        raise ValueError(
            "`thresholds` are of use only with `multi_label=True`. "
            f"Received: thresholds={thresholds}"
        )
    values = np.asarray(0.5 if thresholds is None else thresholds, "float64")
    fits = values.shape in ((), (num_classes,))
    if not fits or not ((values >= 0) & (values <= 1)).all():
        raise ValueError(
            f"`thresholds` must be {num_classes} numbers from 0 to 1, or one for all. "
            f"Received: thresholds={thresholds}"
        )
    return tuple(np.broadcast_to(values, num_classes).tolist())
