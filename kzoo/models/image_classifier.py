"""Image classification: one label for a whole image."""

import keras
import numpy as np

from kzoo.data.labels import softmax
from kzoo.images import ImageSettings
from kzoo.layers import Dropout, Projection
from kzoo.models.inputs import check_batch_size
from kzoo.models.pictures import image_inputs, prepared, settings_of
from kzoo.models.text_model import TextModel, known_to_keras


@keras.saving.register_keras_serializable(package="kzoo")
class ImageClassifier(TextModel):
    """Projects the class token of a vision transformer to class logits.

    Args:
        encoder: `kzoo.layers.ImageEncoder`.
        num_classes: int. C, width of the logits; at least 2.
        dropout: float. Share of the class token's vector dropped in training.
        images: dict of arguments of `kzoo.images.ImageSettings`: how pictures are made
            ready; `None` means CLIP's way, at the size of the encoder.

    Inputs: `{"pixels": float (B, size, size, channels)}`.
    Output: float32 logits `(B, C)`, whatever the compute dtype.

    Raises:
        ValueError: if an argument is out of range or does not fit the encoder.

    Reference:
        - [Dosovitskiy et al., 2021](https://arxiv.org/abs/2010.11929)
    """

    reads_text = False

    def __init__(self, encoder, num_classes, dropout=0.0, images=None, **kwargs):
        if num_classes < 2:
            raise ValueError(
                "A classifier needs at least 2 classes. "
                f"Received: num_classes={num_classes}"
            )
        settings = settings_of(images, encoder)
        inputs = image_inputs(encoder)
        whole = encoder(inputs["pixels"])[:, 0]  # (B, D)
        whole = Dropout(dropout, name="head_dropout", dtype=encoder.dtype_policy)(whole)
        logits = Projection(num_classes, dtype="float32", name="logits")(whole)
        super().__init__(inputs=inputs, outputs=logits, **known_to_keras(kwargs))
        self.encoder = encoder  # After super().__init__(): torch modules insist.
        self.num_classes = num_classes
        self.dropout_rate = dropout
        self.images = settings.get_config()

    def classify(self, images, batch_size=64):
        """Label images.

        Args:
            images: as `DualEncoder.encode_image` takes them.
            batch_size: int. How many images are seen at once.

        Returns:
            list of dict, one per image: "label", str, and "probabilities", dict from
            each label to its probability.

        Raises:
            KzooError: if the model has no labels, or a file cannot be read.
            TypeError: if an image is none, or `batch_size` not an int.
        """
        self.require_text()
        check_batch_size(batch_size)
        images = prepared(images, ImageSettings(**self.images))
        answers = []
        for start in range(0, len(images), batch_size):
            pixels = np.stack([image() for image in images[start : start + batch_size]])
            logits = self.predict_on_batch({"pixels": pixels}).astype("float64")
            answers += [
                {
                    "label": self.labels[int(np.argmax(row))],
                    "probabilities": dict(zip(self.labels, row.tolist(), strict=True)),
                }
                for row in softmax(logits)
            ]
        return answers

    def attach(self, labels):
        """Give the model the names of its classes.

        Args:
            labels: list of str, one per class, in the order of the logits.

        Returns:
            The model.

        Raises:
            ValueError: if they do not fit the model.
        """
        self.labels = self._checked_labels(labels)
        return self

    def get_config(self):
        # Our constructor's arguments, not the graph that Functional would list.
        return {
            "name": self.name,
            "encoder": keras.saving.serialize_keras_object(self.encoder),
            "num_classes": self.num_classes,
            "dropout": self.dropout_rate,
            "images": self.images,
        }

    @classmethod
    def from_config(cls, config, custom_objects=None):
        encoder = keras.saving.deserialize_keras_object(
            config["encoder"], custom_objects=custom_objects
        )
        return cls(**{**config, "encoder": encoder})
