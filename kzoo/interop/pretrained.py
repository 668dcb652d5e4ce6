"""An encoder that was trained before: its arguments, its weights and its tokenizer."""

import hashlib
import json
from dataclasses import dataclass

import numpy as np
from keras import ops
from kzoo_recipes import KzooError

from kzoo.interop import encoders
from kzoo.interop.merging import plain
from kzoo.interop.names.engine import weights_of
from kzoo.interop.origins import (
    CHECKPOINT,
    ENCODER,
    HEAD,
    KEPT,
    MODEL,
    TOKENIZER,
    Origin,
    origin_of,
    tokenizer_of,
)
from kzoo.interop.source import Source, in_folder, with_dropouts
from kzoo.layers import TransformerEncoder
from kzoo.layers.seeding import drawn_from
from kzoo.models import load_model
from kzoo.models.sizes import count_parameters
from kzoo.safety import parse
from kzoo.text import Tokenizer

OF_A_LAYER = ("name", "trainable", "dtype")  # arguments that are the user's


@dataclass(frozen=True)
class PretrainedEncoder:
    """What is known of a pretrained encoder before its weights are read.

    Attributes:
        origin: `Origin`.
        arguments: dict of arguments of `TransformerEncoder`, as JSON has them.
        tokenizer: `kzoo.text.Tokenizer`.
        head: dict of arguments of a head, or of a decoder, that goes on learning, or
            `None`.
        task: str or `None`. The task of the model that the encoder is for.
    """

    origin: Origin
    arguments: dict
    tokenizer: Tokenizer
    head: dict | None = None
    task: str | None = None

    @property
    def max_sequence_length(self):
        """Longest input in tokens, or `None` where any length goes."""
        return TransformerEncoder(**self.arguments).max_sequence_length

    @property
    def writes(self):
        """Whether there is a decoder that goes on learning, too."""
        return "decoder" in (self.head or ())

    @property
    def has_weights(self):
        """Whether there are weights to read; a run keeps what they are for, only."""
        return self.origin.kind != KEPT

    def made(self, dropouts):
        """Make the encoder.

        Args:
            dropouts: dict, see `kzoo.interop.source.with_dropouts`.

        Returns:
            `TransformerEncoder`, built, with the weights; zeros where there are none.
            And a list of str, sentences on what it is and what was not read.

        Raises:
            KzooError: if the weights are not those of such an encoder.
        """
        return MAKE[self.origin.kind](self, dropouts)

    def keep(self, folder):
        """Write what a run needs to be resumed where the origin is gone.

        Its checkpoints hold the weights.

        Args:
            folder: `Path`, to be made.
        """
        folder.mkdir(exist_ok=True)
        (folder / ENCODER).write_text(json.dumps(self.arguments, indent=1), "utf-8")
        if self.head is not None:
            (folder / HEAD).write_text(json.dumps(self.head, indent=1), "utf-8")
        (folder / TOKENIZER).write_text(self.tokenizer.to_json(), "utf-8")


def open_pretrained(name, offline=False, whole=False, task=None):
    """Look at what `pretrained` names, without its weights.

    Args:
        name: str, as `kzoo.interop.origins.origin_of` takes it.
        offline: bool. Whether to fetch nothing from the hub.
        whole: bool. Whether it may be an encoder-decoder of Hugging Face.
        task: str or `None`. The task of the model that the encoder is for.

    Returns:
        `PretrainedEncoder`.

    Raises:
        KzooError: if there is no such origin, or it has no encoder or tokenizer that
            kzoo knows.
    """
    origin = origin_of(name, offline)
    if origin.kind == CHECKPOINT:
        arguments = _of_checkpoint(origin, whole, task)
    else:
        arguments = DESCRIBE[origin.kind](origin)
    return PretrainedEncoder(origin, arguments, tokenizer_of(origin), task=task)


def fingerprint_of(built, but=()):
    """SHA-256 of the weights of a built encoder or model, whatever their file, in hex.

    Of each weight its path, below an encoder, and its float32 values count.

    Args:
        built: `TransformerEncoder` or model.
        but: tuple of str. Weights whose paths begin with one of them do not count.
    """
    digest = hashlib.sha256()
    for path, weight in sorted(weights_of(built).items()):
        if path.startswith(tuple(but)):
            continue
        digest.update(f"{path} {tuple(weight.shape)}\n".encode())
        values = np.asarray(ops.convert_to_numpy(weight), "<f4", order="C")
        digest.update(values.data)
    return digest.hexdigest()


def _of_checkpoint(origin, whole, task):
    source = Source.of(origin.path)
    if source.family.classifier is None and whole:
        with in_folder(source.folder):
            row = source.family.stack(source.config)["encoder"]
            return arguments_of(TransformerEncoder(**row))
    arguments = source.stack(task)
    if "encoder" in arguments:
        raise KzooError(
            f"{origin.name}: this is a whole encoder-decoder "
            f"({source.config.get('model_type')}), and this task takes an encoder, "
            "such as a BERT; those of the tasks summarizer and span_corruption begin "
            "with one that is whole."
        )
    return arguments_of(TransformerEncoder(**arguments))


def _of_model(origin):
    return arguments_of(plain_model(origin).encoder)


def plain_model(origin):
    """The model of kzoo at an `Origin`, without what it was adapted by.

    Raises:
        KzooError: if it cannot be read, or cannot be without.
    """
    return plain(load_model(origin.path), origin.name)[0]


def _of_kept(origin):
    return read_kept(origin, ENCODER)


def read_kept(origin, name):
    """What a run keeps of its origin in a file of JSON.

    Raises:
        KzooError: if there is no such file, or it is broken.
    """
    file = origin.path / name
    try:
        return parse(file.read_bytes(), str(file))
    except OSError as error:
        raise KzooError(f"{file}: cannot be read: {error.strerror}.") from None


DESCRIBE = {MODEL: _of_model, KEPT: _of_kept}


def arguments_of(stack):
    """The arguments that make a stack, without those of any Keras layer."""
    config = stack.get_config()
    return {
        key: _plain(value) for key, value in config.items() if key not in OF_A_LAYER
    }


def _plain(value):
    """`value` in dicts and lists of Python's; Keras' own cannot be pickled."""
    if isinstance(value, dict):
        return {key: _plain(inner) for key, inner in value.items()}
    return [_plain(inner) for inner in value] if isinstance(value, list) else value


def _from_checkpoint(pretrained, dropouts):
    source = Source.of(pretrained.origin.path, dropouts)
    encoder = encoders.encoder(source, pretrained.task).encoder
    said = described_as(pretrained, source.family.name, encoder)
    return encoder, [said, *source.said()]


def _from_model(pretrained, dropouts):
    theirs = weights_of(plain_model(pretrained.origin).encoder)
    encoder = _built(
        pretrained, dropouts, lambda path, _: ops.convert_to_numpy(theirs[path])
    )
    return encoder, [described_as(pretrained, "of kzoo", encoder)]


def _from_kept(pretrained, dropouts):
    return _built(pretrained, dropouts, lambda path, shape: None), []


MAKE = {CHECKPOINT: _from_checkpoint, MODEL: _from_model, KEPT: _from_kept}


def _built(pretrained, dropouts, values):
    """The encoder of the arguments, its weights by path and shape from a function."""
    arguments = with_dropouts(pretrained.arguments, dropouts)
    with drawn_from(values):
        encoder = TransformerEncoder(**arguments, name="encoder")
        encoder.build((None, None))
    for path, weight in weights_of(encoder).items():
        value = values(path, tuple(weight.shape))  # Of norms and biases, too.
        if value is not None:
            weight.assign(value)
    return encoder


def described_as(pretrained, kind, encoder):
    """What an encoder is, for the person who runs it."""
    return (
        f"encoder: {pretrained.origin.name} ({kind}), "
        f"{encoder.get_config()['num_layers']} layers, "
        f"{count_parameters(encoder.weights):,} parameters"
    )
