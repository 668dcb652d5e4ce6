"""Texts and images in one space: a tower for each, as in CLIP."""

import keras
import numpy as np
from keras import ops

from kzoo.data.batches import inference_batches, length_buckets
from kzoo.data.labels import softmax
from kzoo.images import ImageSettings
from kzoo.layers import Projection, Similarity, contrastive_loss
from kzoo.models.inputs import check_batch_size, only_str
from kzoo.models.pictures import image_inputs, prepared, settings_of
from kzoo.models.text_model import TextModel, known_to_keras, text_inputs


@keras.saving.register_keras_serializable(package="kzoo")
class DualEncoder(TextModel):
    """Says how well each text fits each image, by two towers that never see each other.

    Each tower gives one vector: of an image that of its class token, of a text that of
    its last token. Linear maps bring both into one space, where the cosine of their
    angle, times a learned factor, is the score. It is trained on pairs, by
    `model.compile(optimizer)` and `model.fit(inputs)`: in each batch, every image is to
    find its own text and every text its own image, and there are no other targets.

    Args:
        text_encoder: `kzoo.layers.TransformerDecoder` without cross-attention, or a
            `TransformerEncoder`. Maps token ids to `(B, T, D)`.
        image_encoder: `kzoo.layers.ImageEncoder`. Its width may be another one.
        projection_dim: int. E, the width of the common space.
        end_id: int or None. The token whose vector is the text's, where it stands
            first. `None` takes the highest id of each text, as the first CLIPs did.
        sequence_length: int. Longest text in tokens, special tokens counted; longer
            ones are cut and `encode_text` says so.
        images: dict of arguments of `kzoo.images.ImageSettings`: how pictures are made
            ready; `None` means CLIP's way, at the size of the encoder.

    Inputs: `{"pixels": float (I, size, size, C), "token_ids": int (T, length),
    "padding_mask": bool (T, length)}`; in training as many images as texts, a pair a
    row.
    Output: float32 `(I, T)`, the logits of each image over the texts.

    Raises:
        ValueError: if an argument is out of range or does not fit the encoders.

    Reference:
        - [Radford et al., 2021](https://arxiv.org/abs/2103.00020)
    """

    has_labels = False

    def __init__(
        self,
        text_encoder,
        image_encoder,
        projection_dim,
        end_id=None,
        sequence_length=77,
        images=None,
        **kwargs,
    ):
        text_encoder.check_room(sequence_length, "sequence_length", "text encoder")
        if projection_dim < 1:
            raise ValueError(
                f"`projection_dim` must be at least 1. Received: {projection_dim=}"
            )
        vocabulary = text_encoder.vocabulary_size
        if end_id is not None and not 0 <= end_id < vocabulary:
            raise ValueError(
                f"`end_id` must be one of the {vocabulary} ids of the text encoder, or "
                f"None. Received: end_id={end_id}"
            )
        settings = settings_of(images, image_encoder)
        texts = text_inputs(text_encoder, sequence_length)
        pixels = image_inputs(image_encoder)

        def projected(vectors, name, encoder):
            policy = encoder.dtype_policy
            layer = Projection(projection_dim, use_bias=False, name=name, dtype=policy)
            return layer(vectors)  # (B, E)

        hidden = text_encoder(
            texts["token_ids"], padding_mask=texts["padding_mask"]
        )  # (T, length, D)
        text_vectors = projected(
            _at_the_end(hidden, texts["token_ids"], end_id),
            "text_projection",
            text_encoder,
        )
        image_vectors = projected(
            image_encoder(pixels["pixels"])[:, 0], "image_projection", image_encoder
        )
        similarity = Similarity(name="similarity")
        super().__init__(
            inputs={**pixels, **texts},
            outputs=similarity(image_vectors, text_vectors),
            **known_to_keras(kwargs),
        )
        towers = (
            keras.Model(texts, text_vectors, name="text_tower"),
            keras.Model(pixels, image_vectors, name="image_tower"),
        )
        self._towers = lambda: towers  # Keras would save what is a child twice.
        self.text_encoder = text_encoder  # After super().__init__(): torch insists.
        self.image_encoder = image_encoder
        self.projection_dim = projection_dim
        self.end_id = end_id
        self.sequence_length = sequence_length
        self.images = settings.get_config()

    @property
    def encoder(self):
        """The tower that reads texts, whose tokenizer the model has."""
        return self.text_encoder

    @property
    def scale(self):
        """The learned factor on cosines, a float."""
        return self.get_layer("similarity").scale

    def compute_loss(
        self, x=None, y=None, y_pred=None, sample_weight=None, training=True
    ):
        """The contrastive loss of a batch of pairs."""
        if y is not None or sample_weight is not None:
            raise ValueError(
                "The pairs of a batch are its targets: give `fit` and `evaluate` the "
                "inputs alone. Received: y or sample_weight"
            )
        return contrastive_loss(y_pred)

    def attach(self, tokenizer):
        """Give the model its tokenizer.

        Args:
            tokenizer: `kzoo.text.Tokenizer`. Its ids must fit the text encoder.

        Returns:
            The model.

        Raises:
            ValueError: if the tokenizer does not fit the model.
        """
        self._attach_tokenizer(tokenizer)
        return self

    def encode_text(self, texts, batch_size=64):
        """The vectors of texts.

        Args:
            texts: list of str, or one str.
            batch_size: int. How many texts are read at once.

        Returns:
            dict: "vectors", float32 `(T, E)`, each of length 1; and "truncated", list
            of bool, whether a text was longer than `sequence_length` tokens and its end
            was not read.

        Raises:
            KzooError: if the model has no tokenizer.
            TypeError: if a text is not a str, or `batch_size` not an int.
        """
        self.require_text()
        check_batch_size(batch_size)
        texts = only_str([texts] if isinstance(texts, str) else texts, "texts", "str")
        encoded = self.tokenizer.encode(texts, self.sequence_length, offsets=False)
        vectors = np.empty((len(texts), self.projection_dim), "float32")
        tower, _ = self._towers()
        for rows, inputs in inference_batches(
            encoded.token_ids,
            _at_once(len(texts), batch_size),
            length_buckets(self.sequence_length),
            self.tokenizer.pad_id,
        ):
            inputs = {name: inputs[name] for name in ("token_ids", "padding_mask")}
            vectors[rows] = tower.predict_on_batch(inputs)[: len(rows)]
        truncated = [bool(one) for one in encoded.truncated]
        return {"vectors": _unit(vectors), "truncated": truncated}

    def encode_image(self, images, batch_size=64):
        """The vectors of images.

        Args:
            images: list of files, uint8 arrays `(height, width, 3)` or pictures of
                Pillow, or one of these; or a float array `(I, size, size, C)` that is
                prepared already.
            batch_size: int. How many images are read at once.

        Returns:
            Float32 `(I, E)`, each of length 1.

        Raises:
            KzooError: if a file cannot be read.
            TypeError: if an image is none, or `batch_size` not an int.
        """
        check_batch_size(batch_size)
        images = prepared(images, ImageSettings(**self.images))
        vectors = np.empty((len(images), self.projection_dim), "float32")
        _, tower = self._towers()
        for start in range(0, len(images), batch_size):
            pixels = np.stack([image() for image in images[start : start + batch_size]])
            vectors[start : start + batch_size] = tower.predict_on_batch(
                {"pixels": pixels}
            )
        return _unit(vectors)

    def similarity(self, images, texts, batch_size=64):
        """The cosine of each image and each text, float32 `(I, T)`, from -1 to 1."""
        of_texts = self.encode_text(texts, batch_size)["vectors"]
        return self.encode_image(images, batch_size) @ of_texts.T

    def classify(self, images, texts, batch_size=64):
        """Say which of some texts fits each image best, without training.

        Args:
            images: as `encode_image` takes them.
            texts: list of different str, such as "a photo of a cat": what there is to
                choose from.
            batch_size: int.

        Returns:
            list of dict, one per image: "label", the text that fits best, and
            "probabilities", dict from each text to its probability among them.

        Raises:
            ValueError: if a text is there twice, or there is none.
        """
        texts = only_str(texts, "texts", "str")
        if not texts or len(set(texts)) < len(texts):
            raise ValueError(
                "`texts` must be different, and at least one, to choose from. "
                f"Received: texts={texts}"
            )
        logits = self.scale * self.similarity(images, texts, batch_size).astype(float)
        return [
            {
                "label": texts[int(np.argmax(row))],
                "probabilities": dict(zip(texts, row.tolist(), strict=True)),
            }
            for row in softmax(logits)  # (I, T)
        ]

    def get_config(self):
        # Our constructor's arguments, not the graph that Functional would list.
        return {
            "name": self.name,
            "text_encoder": keras.saving.serialize_keras_object(self.text_encoder),
            "image_encoder": keras.saving.serialize_keras_object(self.image_encoder),
            "projection_dim": self.projection_dim,
            "end_id": self.end_id,
            "sequence_length": self.sequence_length,
            "images": self.images,
        }

    @classmethod
    def from_config(cls, config, custom_objects=None):
        stacks = {
            name: keras.saving.deserialize_keras_object(
                config[name], custom_objects=custom_objects
            )
            for name in ("text_encoder", "image_encoder")
        }
        return cls(**{**config, **stacks})


def _at_the_end(hidden, token_ids, end_id):
    """The vector `(B, D)` of each text's first end, or of its highest id."""
    ids = ops.cast(token_ids, "int32")
    if end_id is not None:
        ids = ops.cast(ops.equal(ids, end_id), "int32")
    places = ops.argmax(ids, axis=1)[:, None, None]  # The first of equals.
    return ops.take_along_axis(hidden, ops.cast(places, "int32"), axis=1)[:, 0]


def _at_once(rows, batch_size):
    """A short list does not pay for a full batch, nor for a shape of its own."""
    return min(batch_size, 1 << (max(rows, 1) - 1).bit_length())


def _unit(vectors):
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
