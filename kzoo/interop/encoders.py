"""Encoders of checkpoints: by themselves, or in a classifier or tagger."""

from collections.abc import Iterable
from typing import NamedTuple

from kzoo_recipes import KzooError

from kzoo.data.detection import detect
from kzoo.interop.source import in_folder
from kzoo.layers import TransformerEncoder
from kzoo.models.masked_lm import MaskedLM
from kzoo.models.text_classifier import TextClassifier
from kzoo.models.token_tagger import TokenTagger
from kzoo.text import Tokenizer

# What makes a head: arguments of a classifier, and of a tagger; and its weights.
OWN_HEAD = ("pooling", "activation", "head_dim", "head_norm", "head_bias")
OWN_INNER = ("inner_activation", "inner_norm", "inner_bias")
HEAD = ("head/*", "head_norm/*", "logits/*")


class Pretrained(NamedTuple):
    """An encoder with its weights, and the tokenizer that it was trained with.

    Attributes:
        encoder: `kzoo.layers.TransformerEncoder`, built.
        tokenizer: `kzoo.text.Tokenizer`.
    """

    encoder: TransformerEncoder
    tokenizer: Tokenizer


def encoder(source):
    """The encoder alone."""
    reading = source.reading("encoder")
    made = _encoder(source, reading)
    source.notes += reading.into(made)
    return Pretrained(made, source.tokenizer)


def text_classifier(source, labels=None, **arguments):
    """A `TextClassifier` with the checkpoint's head, or with a new one.

    Args:
        source: `Source`.
        labels: list of str, or `None` for those of the checkpoint.
        **arguments: of `TextClassifier`.
    """
    config = source.config
    _require(source, source.family.classifier, "text_classifier")
    labels, fresh = _labels(source, "text_classifier", labels)
    own = source.family.classifier(config)
    kind = config.get("problem_type")
    if not fresh and kind == "multi_label_classification":
        own["multi_label"] = True
    elif not fresh and (kind == "regression" or len(labels) == 1):
        raise KzooError(
            f"{source.folder}/config.json: this model gives a number and not a class; "
            "kzoo's classifiers have classes."
        )
    given = {**own, **arguments}
    anew = ("logits/*",) if fresh else ()
    # Weights of a head are of use only to a head that is made like theirs.
    if any(given.get(key) != own.get(key) for key in OWN_HEAD):
        anew = HEAD
    reading = source.reading("text_classifier", HEAD, anew)
    return _model(TextClassifier, source, reading, labels, given)


def token_tagger(source, labels=None, **arguments):
    """A `TokenTagger`, likewise; its scheme is that of the labels unless told."""
    _require(source, source.family.tagger, "token_tagger")
    labels, fresh = _labels(source, "token_tagger", labels)
    own = source.family.tagger(source.config)
    given = {"scheme": scheme_of(labels), **own, **arguments}
    anew = ("logits/*",) if fresh else ()
    for key in OWN_INNER:
        if given.get(key) != own.get(key):
            raise KzooError(
                f"{key}: a tagger of a checkpoint has the checkpoint's own inner "
                'layer; leave it out, or take the encoder with task="encoder" for a '
                "tagger of your own."
            )
    if given.get("head") == "crf":
        raise KzooError(
            'head: a CRF cannot be made of a checkpoint\'s labels; take "linear", or '
            'the checkpoint\'s encoder with task="encoder" for a tagger of your own.'
        )
    reading = source.reading("token_tagger", HEAD, anew)
    return _model(TokenTagger, source, reading, labels, given)


def masked_lm(source, **arguments):
    """A `MaskedLM` with the checkpoint's head; new where it has none."""
    _require(source, source.family.masked_lm, "masked_lm")
    if source.tokenizer.mask_id is None:
        raise KzooError(
            f"{source.folder}: the tokenizer has no token that hides another, such as "
            "[MASK], so this is no masked language model."
        )
    given = {**source.family.masked_lm(source.config), **arguments}
    reading = source.reading("masked_lm", ("head/*", "head_norm/*", "logits/*"))
    made = _encoder(source, reading)
    model = MaskedLM(made, **{"sequence_length": _longest(source, made), **given})
    source.notes += reading.into(model)
    return model.attach(source.tokenizer)


def scheme_of(labels):
    """The scheme that tags are of, by their prefixes alone: IOB1 is read as IOB2."""
    try:
        found = detect([[label] for label in labels])
    except ValueError:
        return "plain"
    return "iob2" if found == "iob1" else found


def _encoder(source, reading):
    return source.made(TransformerEncoder, source.stack(), "encoder", reading)


def _model(kind, source, reading, labels, arguments):
    made = _encoder(source, reading)
    arguments = {"sequence_length": _longest(source, made), **arguments}
    model = kind(made, len(labels), **arguments)
    source.notes += reading.into(model)
    # Only checkpoints of other libraries may come without a tokenizer.
    return model.attach(source.tokenizer, labels) if source.tokenizer else model


def _longest(source, encoder):
    return min(source.longest, encoder.max_sequence_length or source.longest)


def _require(source, has_head, task):
    if has_head is None:
        raise KzooError(
            f"{source.folder}: kzoo makes no {task} of the family "
            f"{source.family.name!r}."
        )


def _labels(source, task, told):
    """The labels of a model, and whether its logits begin anew."""
    shape = source.has(task, "logits/bias")  # (C,), however kernels lie
    own = None if shape is None else _own_labels(source, shape[0])
    if told is None:
        if own is None:
            raise KzooError(
                f"{source.folder}: the checkpoint has no head of a {task}, so name the "
                "labels of a new one: labels=[…]."
            )
        return own, False
    if isinstance(told, str) or not isinstance(told, Iterable):
        raise ValueError(
            f"labels must be a list of names, one for each label. Received: "
            f"labels={told!r}"
        )
    told = [str(label) for label in told]
    return told, told != own


def _own_labels(source, number):
    """The labels that config.json names, by number; or those it would."""
    names = source.config.get("id2label")
    if not names:
        return [f"LABEL_{place}" for place in range(number)]
    with in_folder(source.folder):
        if not isinstance(names, dict) or set(names) != {*map(str, range(number))}:
            raise KzooError(
                f"config.json: id2label must name the {number} classes of the "
                f"checkpoint's head, by the numbers 0 to {number - 1}."
            )
        labels = [names[str(place)] for place in range(number)]
        if not all(isinstance(label, str) for label in labels):
            raise KzooError("config.json: id2label holds a name that is not a string.")
        if len(set(labels)) < number:
            twice = next(label for label in labels if labels.count(label) > 1)
            raise KzooError(f"config.json: id2label names {twice!r} twice.")
    return labels
