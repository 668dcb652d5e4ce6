"""One label for a text with its picture."""

import keras
import numpy as np

from kzoo.data.batches import inference_batches, length_buckets
from kzoo.data.labels import softmax
from kzoo.images import ImageSettings
from kzoo.layers import Dropout, Pooling, Projection
from kzoo.models.heads import inner_layer
from kzoo.models.inputs import check_batch_size, only_str
from kzoo.models.pictures import prepared
from kzoo.models.text_model import TextModel, known_to_keras, text_inputs


@keras.saving.register_keras_serializable(package="kzoo")
class ImageTextClassifier(TextModel):
    """Reads tokens and patches in one sequence, pools them and projects to logits.

    Args:
        encoder: `kzoo.layers.ImageTextEncoder`. Maps the inputs to `(B, T + P, D)`.
        num_classes: int. C, width of the logits; at least 2.
        images: `kzoo.images.ImageSettings`, or a dict of its arguments; its size must
            be the encoder's. `None` means the defaults, in that size.
        pooling: "mean" or "max", of tokens and patches; or "first", the first token.
        head_dim: int or None. Width of the head's first layer; `None` means D.
        activation: activation between the head's layers, a key of
            `kzoo.layers.feed_forward.ACTIVATIONS`.
        dropout: float. Share of the head's activations dropped in training.
        sequence_length: int. Longest text in tokens, special tokens counted;
            `classify` cuts longer ones and says so.

    Inputs: `{"pixels": float (B, size, size, 3), "token_ids": int (B, T),
    "padding_mask": bool (B, T)}`.
    Output: float32 logits `(B, C)`, whatever the compute dtype.

    Raises:
        ValueError: if an argument is out of range, or the encoder takes other pictures
            or only shorter texts.
    """

    reads_pairs = True  # of a picture and a text
    multi_label = False
    thresholds = None

    def __init__(
        self,
        encoder,
        num_classes,
        images=None,
        pooling="mean",
        head_dim=None,
        activation="tanh",
        dropout=0.1,
        sequence_length=128,
        **kwargs,
    ):
        if num_classes < 2:
            raise ValueError(
                "A classifier needs at least 2 classes. "
                f"Received: num_classes={num_classes}"
            )
        size = encoder.image_size
        if not isinstance(images, ImageSettings):
            images = ImageSettings(**{"size": size, **(images or {})})
        if images.size != size:
            raise ValueError(
                f"The encoder takes pictures of {size} × {size} pixels. "
                f"Received: images.size={images.size}"
            )
        policy = encoder.dtype_policy
        pixels = keras.Input((size, size, 3), dtype="float32", name="pixels")
        inputs = {"pixels": pixels, **text_inputs(encoder, sequence_length)}
        mask = inputs["padding_mask"]
        hidden = encoder(pixels, inputs["token_ids"], mask)  # (B, T + P, D)
        pooled = Pooling(pooling, name="pooling", dtype=policy)(
            hidden, encoder.with_patches(mask)
        )
        inner = inner_layer(
            pooled, head_dim or encoder.hidden_dim, activation, None, True, policy
        )  # (B, head_dim)
        inner = Dropout(dropout, name="head_dropout", dtype=policy)(inner)
        logits = Projection(num_classes, dtype="float32", name="logits")(inner)
        super().__init__(inputs=inputs, outputs=logits, **known_to_keras(kwargs))
        self.encoder = encoder  # After super().__init__(): torch modules insist.
        self.num_classes = num_classes
        self.images = images
        self.pooling = pooling
        self.head_dim = head_dim
        self.activation = activation
        self.dropout_rate = dropout
        self.sequence_length = sequence_length

    def classify(self, images, texts, batch_size=64):
        """Label texts with their pictures.

        Args:
            images: list of pictures, one for each text: the str or path of a file, a
                uint8 array `(height, width, 3)`, or a `PIL.Image.Image`; or one. Or a
                float array `(texts, size, size, 3)` that is prepared already.
            texts: list of str, or one str.
            batch_size: int. How many are classified, and in memory, at once.

        Returns:
            A list with one dict per text, in order: "label", str; "probabilities", dict
            from each label to its probability; "truncated", bool, whether the text was
            longer than `sequence_length` tokens and its end was not read. For one str,
            that dict alone.

        Raises:
            KzooError: if the model has no tokenizer and labels, or a picture cannot be
                read.
            TypeError: if a text is not a str, or a picture none.
            ValueError: if there are not as many pictures as texts, or `batch_size` is
                below 1.
        """
        self.require_text()
        check_batch_size(batch_size)
        if isinstance(texts, str):
            return self.classify(images, [texts], batch_size)[0]
        texts = only_str(texts, "texts", "str")
        images = prepared(images, self.images)
        if len(images) != len(texts):
            raise ValueError(
                "Each text needs a picture of its own. "
                f"Received: {len(images)} images, {len(texts)} texts"
            )
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
            size = self.images.size
            pixels = np.zeros((rows_at_once, size, size, 3), "float32")
            for place, row in enumerate(rows):
                pixels[place] = images[row]()
            inputs = {"pixels": pixels, **inputs}
            logits[rows] = self.predict_on_batch(inputs)[: len(rows)]
        return [
            {
                "label": self.labels[int(np.argmax(row))],
                "probabilities": dict(zip(self.labels, row.tolist(), strict=True)),
                "truncated": bool(truncated),
            }
            for row, truncated in zip(softmax(logits), encoded.truncated, strict=True)
        ]

    def get_config(self):
        # Our constructor's arguments, not the graph that Functional would list.
        return {
            "name": self.name,
            "encoder": keras.saving.serialize_keras_object(self.encoder),
            "num_classes": self.num_classes,
            "images": self.images.get_config(),
            "pooling": self.pooling,
            "head_dim": self.head_dim,
            "activation": self.activation,
            "dropout": self.dropout_rate,
            "sequence_length": self.sequence_length,
        }

    @classmethod
    def from_config(cls, config, custom_objects=None):
        encoder = keras.saving.deserialize_keras_object(
            config["encoder"], custom_objects=custom_objects
        )
        return cls(**{**config, "encoder": encoder})
