"""What every model over text carries: its tokenizer and, if it names things, labels."""

import json
from pathlib import Path

import keras
from kzoo_recipes import KzooError

from kzoo.text import Tokenizer


class TextModel(keras.Model):
    """A functional Keras model that keeps tokenizer and labels in its `.keras` file.

    A model that writes text has no labels (`has_labels`), one that only sees has no
    tokenizer (`reads_text`).

    They travel as assets of the archive, so that
    `import kzoo; keras.saving.load_model(path)` gives a model that reads text.

    Attributes:
        tokenizer: `kzoo.text.Tokenizer`, or `None` before `attach`.
        labels: list of str, or `None` before `attach`.
    """

    has_labels = True
    reads_text = True
    tokenizer = None
    labels = None

    def attach(self, tokenizer, labels):
        """Give the model its tokenizer and the names of its classes.

        Args:
            tokenizer: `kzoo.text.Tokenizer`. Its ids must fit the encoder.
            labels: list of str, one per class, in the order of the logits.

        Returns:
            The model.

        Raises:
            ValueError: if tokenizer or labels do not fit the model.
        """
        labels = self._checked_labels(labels)
        self._attach_tokenizer(tokenizer)
        self.labels = labels
        return self

    def _checked_labels(self, labels):
        labels = [str(label) for label in labels]
        if len(labels) != self.num_classes or len(set(labels)) != len(labels):
            raise ValueError(
                f"The model needs {self.num_classes} different labels. "
                f"Received: labels={labels}"
            )
        return labels

    def _attach_tokenizer(self, tokenizer):
        if tokenizer.vocabulary_size > self.encoder.vocabulary_size:
            raise ValueError(
                "The tokenizer knows more tokens than the encoder has vectors for. "
                f"Received: tokenizer.vocabulary_size={tokenizer.vocabulary_size}, "
                f"encoder.vocabulary_size={self.encoder.vocabulary_size}"
            )
        self.tokenizer = tokenizer

    def require_text(self):
        """Raise a `KzooError` unless tokenizer and labels are attached."""
        if not self.reads_text:
            if self.labels is None:
                raise KzooError(
                    f"Model {self.name!r} has no labels, so it cannot name its "
                    "answers: attach them with `model.attach(labels)`, or load a "
                    "`.keras` file that kzoo saved."
                )
            return
        if self.tokenizer is None or (self.has_labels and self.labels is None):
            what, how = "tokenizer", "it with `model.attach(tokenizer)`"
            if self.has_labels:
                what = "tokenizer and labels"
                how = "them with `model.attach(tokenizer, labels)`"
            raise KzooError(
                f"Model {self.name!r} has no {what}, so it cannot read text: attach "
                f"{how}, or load a `.keras` file that kzoo saved."
            )

    def save_assets(self, dir_path):
        if (self.tokenizer if self.reads_text else self.labels) is None:
            return
        folder = Path(dir_path)
        if self.reads_text:
            folder.joinpath("tokenizer.json").write_text(
                self.tokenizer.to_json(), encoding="utf-8"
            )
        if self.has_labels:
            folder.joinpath("labels.json").write_text(
                json.dumps(self.labels, ensure_ascii=False), encoding="utf-8"
            )

    def load_assets(self, dir_path):
        folder, parts = Path(dir_path), []
        first = "tokenizer.json" if self.reads_text else "labels.json"
        if not folder.joinpath(first).exists():
            return
        if self.reads_text:
            tokenizer = folder.joinpath("tokenizer.json").read_text(encoding="utf-8")
            parts.append(Tokenizer.from_json(tokenizer))
        if self.has_labels:
            labels = folder.joinpath("labels.json").read_text(encoding="utf-8")
            parts.append(json.loads(labels))
        self.attach(*parts)


def text_inputs(encoder, sequence_length):
    """The symbolic inputs of a model that reads texts through `encoder`.

    Returns:
        dict of `token_ids`, int32 `(B, T)`, and `padding_mask`, bool `(B, T)`.

    Raises:
        ValueError: if the encoder takes only shorter texts than `sequence_length`.
    """
    encoder.check_room(sequence_length, "sequence_length", called="encoder")
    return {
        "token_ids": keras.Input((None,), dtype="int32", name="token_ids"),
        "padding_mask": keras.Input((None,), dtype="bool", name="padding_mask"),
    }


def known_to_keras(arguments):
    """Keras' own arguments of a model; it would swallow any other without a word.

    Raises:
        TypeError: if there is another.
    """
    for name, value in arguments.items():
        if name not in ("name", "trainable"):
            raise TypeError(
                f"a model of kzoo has no argument {name!r}. Received: {name}={value!r}"
            )
    return arguments
