"""Labels for a text with its picture: from rows of paths, texts and labels."""

import dataclasses

import numpy as np
from kzoo_recipes import KzooError, arguments_of

from kzoo import layers
from kzoo.data.batches import inference_batches, length_buckets
from kzoo.data.labels import LabelSet
from kzoo.data.pictured import load_pictured_splits
from kzoo.images import ImageSettings, note_of_several
from kzoo.models import ImageTextClassifier
from kzoo.tasks.parts import SHAPES, dtype_policy, stack_arguments
from kzoo.tasks.pictures import KEPT, PicturedBatches, gather, pixels_for
from kzoo.tasks.text_classifier import (
    Encoded,
    Prepared,
    TextClassification,
    row_notes,
)
from kzoo.text import make_tokenizer


@dataclasses.dataclass(frozen=True)
class EncodedPictures(Encoded):
    """One split as numbers; further attributes as of `Encoded`.

    Attributes:
        images: list of uint8 `(size, size, 3)`, or of `PictureFile`, read when asked.
        digests: uint8 `(rows, 16)`, of each picture in the size of the model.
    """

    images: list = dataclasses.field(default_factory=list)
    digests: np.ndarray | None = None

    def numbers(self):
        """All that a run depends on: arrays, lists of arrays and `None`."""
        return *super().numbers(), self.digests


@dataclasses.dataclass(frozen=True)
class PreparedPictures(Prepared):
    """All that a model and its training need; further attributes as of `Prepared`.

    Attributes:
        images: `ImageSettings`.
    """

    images: ImageSettings | None = None


class ImageTextClassification(TextClassification):
    """Labels for a text with its picture. See `kzoo.tasks` for a task's methods."""

    def prepare(self, recipe):
        """Read the recipe's rows and every picture once, make a tokenizer, encode.

        Raises:
            KzooError: if a file, a column, a label or a picture is not what it must be.
        """
        splits = load_pictured_splits(recipe.data)
        labels = LabelSet.from_rows(splits["train"])
        for rows in splits.values():
            labels.ids(rows)  # Before pictures are read, which takes its time.
        weights, said = self._class_weights(recipe, splits["train"], labels)
        tokenizer = make_tokenizer(recipe.tokenizer, splits["train"].texts)
        images = settings_of(recipe.images)
        length = recipe.data.sequence_length
        prepared = self.encode(splits, tokenizer, labels, length, images)
        notes = [*_split_notes(splits), *row_notes(splits), *said, *prepared.notes]
        return dataclasses.replace(prepared, notes=notes, class_weights=weights)

    def encode(self, splits, tokenizer, labels, sequence_length, images, room=KEPT):
        """Rows by split as `PreparedPictures`, with tokenizer and labels that exist.

        Args:
            splits: dict of `PicturedRows`.
            tokenizer: `kzoo.text.Tokenizer`.
            labels: `LabelSet`.
            sequence_length: int.
            images: `ImageSettings`.
            room: int. Bytes of pictures that are kept in memory.

        Raises:
            KzooError: if a picture cannot be read, or a label is not known.
        """
        plain = super().encode(splits, tokenizer, labels, sequence_length)
        encoded, notes = {}, list(plain.notes)
        for split, rows in splits.items():
            found, digests, moving, room = gather(rows, images, room)
            one = plain.splits[split]
            encoded[split] = EncodedPictures(
                one.token_ids, one.labels, one.weights, found, digests
            )
            notes += _picture_notes(split, found, moving)
        return PreparedPictures(
            tokenizer, labels, encoded, sequence_length, notes, images=images
        )

    def build(self, recipe, prepared):
        """The model of the recipe, weights drawn from its seed."""
        layers.set_seed(recipe.seed)
        settings = recipe.model
        labels = prepared.labels.names
        with dtype_policy(recipe.training.precision):
            encoder = layers.ImageTextEncoder(
                prepared.tokenizer.vocabulary_size,
                **stack_arguments(settings.encoder, prepared.sequence_length),
                image_size=prepared.images.size,
                patch_size=settings.patch_size,
                name="encoder",
            )
            model = ImageTextClassifier(
                encoder,
                len(labels),
                images=prepared.images,
                pooling=settings.pooling,
                head_dim=settings.head_dim,
                activation=settings.activation,
                dropout=settings.dropout,
                sequence_length=prepared.sequence_length,
                name="image_text_classifier",
            )
        return model.attach(prepared.tokenizer, labels)

    def batches(self, recipe, prepared):
        """The batches of training, in the order of the recipe's seed."""
        train = prepared.splits["train"]
        lengths = [len(ids) for ids in train.token_ids]
        fitted = length_buckets(prepared.sequence_length, lengths, most=SHAPES)
        return PicturedBatches(
            train.images,
            prepared.images,
            train.token_ids,
            train.labels,
            recipe.training.batch_size,
            recipe.data.buckets or fitted,
            prepared.tokenizer.pad_id,
            recipe.seed,
            example_weights=self.example_weights(prepared),
            accumulation=recipe.training.accumulation,
        )

    def completed(self, prepared, split, rows, inputs):
        """Inputs of some rows of a split with their pictures.

        Args:
            prepared: `PreparedPictures`.
            split: str.
            rows: int `(examples,)`.
            inputs: dict of `token_ids` and `padding_mask`.
        """
        images = [prepared.splits[split].images[row] for row in rows]
        pixels = pixels_for(images, prepared.images, len(inputs["token_ids"]))
        return {"pixels": pixels, **inputs}

    def logits(self, predict, prepared, split, batch_size):
        """What a model says about every row of a split; see `TextClassification`."""
        data = prepared.splits[split]
        logits = np.zeros((len(data), len(prepared.labels)), "float32")
        for rows, inputs in inference_batches(
            data.token_ids,
            batch_size,
            length_buckets(prepared.sequence_length),
            prepared.tokenizer.pad_id,
        ):
            inputs = self.completed(prepared, split, rows, inputs)
            logits[rows] = predict(inputs)[: len(rows)]
        return logits

    def predict(self, model, texts):
        """A label with probabilities for each text; see `kzoo.tasks`."""
        raise KzooError("a text alone is no question; give each text its picture.")


def settings_of(table):
    """The `ImageSettings` that a recipe's `[images]` describes."""
    return ImageSettings(**arguments_of(table))


def _split_notes(splits):
    """Say which splits have no file of their own, and how large they became."""
    made = [split for split, rows in splits.items() if rows.hashed]
    if not made:
        return []
    sizes = ", ".join(f"{split} {len(rows):,}" for split, rows in splits.items())
    return [f"{' and '.join(made)} split off train by a hash of the picture: {sizes}"]


def _picture_notes(split, images, moving):
    """What a person should know of the pictures of a split."""
    notes = []
    if moving:
        notes.append(f"{split}: {note_of_several(moving)}")
    again = sum(not isinstance(image, np.ndarray) for image in images)
    if again:
        notes.append(
            f"{split}: {again:,} of {len(images):,} pictures are read again whenever "
            "they are needed, since memory is kept for others"
        )
    return notes
