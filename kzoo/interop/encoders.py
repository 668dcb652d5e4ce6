"""Encoders of checkpoints: by themselves, or in a classifier or tagger."""

from collections.abc import Iterable
from typing import NamedTuple

from kzoo_recipes import KzooError

from kzoo.data.detection import detect
from kzoo.interop.source import in_folder
from kzoo.interop.tokenizers import read_limits
from kzoo.layers import TransformerEncoder
from kzoo.models.masked_lm import MaskedLM
from kzoo.models.text_classifier import TextClassifier
from kzoo.models.token_tagger import TokenTagger
from kzoo.text import Tokenizer

# What makes a head: arguments of a classifier, and of a tagger; and its weights.
OWN_HEAD = ("pooling", "activation", "head_dim", "head_norm", "head_bias")
OWN_INNER = ("inner_activation", "inner_norm", "inner_bias")
HEAD = ("head/*", "head_norm/*", "logits/*")

# The task of a class of transformers, by how its name ends.
ENDINGS = {
    "ForSequenceClassification": "text_classifier",
    "ForTokenClassification": "token_tagger",
    "ForMaskedLM": "masked_lm",
    "ForConditionalGeneration": "summarizer",
    "MarianMTModel": "summarizer",
    "ForImageClassification": "image_classifier",
    "ViTModel": "image_encoder",
    "CLIPModel": "dual_encoder",
}


def saved_as(config):
    """The class of transformers that a checkpoint was saved as, and its task.

    Returns:
        str or `None`, and a key of `kzoo.interop.hugging_face.TASKS`.
    """
    names = config.get("architectures") or ()
    for name in (names,) if isinstance(names, str) else names:
        for ending, task in ENDINGS.items():
            if str(name).endswith(ending):
                return name, task
    return None, "encoder"


class Pretrained(NamedTuple):
    """An encoder with its weights, and the tokenizer that it was trained with.

    Attributes:
        encoder: `kzoo.layers.TransformerEncoder`, built.
        tokenizer: `kzoo.text.Tokenizer`.
    """

    encoder: TransformerEncoder
    tokenizer: Tokenizer


def encoder(source, task="encoder"):
    """The encoder alone, as the model of `task` has it."""
    _require(source, source.family.classifier, "encoder")
    reading = source.reading("encoder")
    made = _encoder(source, reading, task)
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
            "kzoo's classifiers have classes: labels=[…] puts a new head on the "
            "encoder."
        )
    given = {**own, **arguments}
    anew = ("logits/*",) if fresh else ()
    # Weights of a head are of use only to a head that is made like theirs.
    if any(given.get(key) != own.get(key) for key in OWN_HEAD):
        anew = HEAD
    _say_cut(source)
    reading = source.reading("text_classifier", HEAD, anew)
    return _model(TextClassifier, source, reading, labels, given)


def token_tagger(source, labels=None, **arguments):
    """A `TokenTagger`, likewise; its scheme is that of the labels unless told."""
    _require(source, source.family.tagger, "token_tagger")
    labels, fresh = _labels(source, "token_tagger", labels)
    if not fresh and len(labels) == 1:
        raise KzooError(
            f"{source.folder}: this model gives every token the one tag {labels[0]!r}; "
            "labels=[…] puts a new head on the encoder."
        )
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
    _say_cut(source)
    reading = source.reading("masked_lm", ("head/*", "head_norm/*", "logits/*"))
    made = _encoder(source, reading, "masked_lm")
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


def _encoder(source, reading, task):
    return source.made(TransformerEncoder, source.stack(task), "encoder", reading)


def _model(kind, source, reading, labels, arguments):
    task = "text_classifier" if kind is TextClassifier else "token_tagger"
    made = _encoder(source, reading, task)
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
            f"{source.family.name!r}, whose models also write; the task is "
            '"summarizer", whatever they write.'
        )


def _labels(source, task, told):
    """The labels of a model, and whether its logits begin anew."""
    shape = source.has(task, "logits/bias")  # (C,), however kernels lie
    if told is None:
        if shape is None:
            raise KzooError(_no_head(source, task))
        _say_whose(source, task)
        return own_labels(source, shape[0]), False
    if isinstance(told, str) or not isinstance(told, Iterable):
        raise ValueError(
            f"labels must be a list of names, one for each label. Received: "
            f"labels={told!r}"
        )
    told = [str(label) for label in told]
    try:
        return told, shape is None or told != own_labels(source, shape[0])
    except KzooError:  # The head is another task's, or nobody knows what it says.
        return told, True


def _no_head(source, task):
    """The sentence on a checkpoint without the tensors of a head."""
    new = "labels=[…]"
    if saved_as(source.config)[1] == task:
        name = source.theirs(task, "logits/bias")
        return (
            f"{source.folder}: config.json says that this is a "
            f"{saved_as(source.config)[0]}, but its head's tensor `{name}` is not "
            f"there; {new} puts a new head on the encoder."
        )
    return (
        f"{source.folder}: the checkpoint has no head of a {task}, so name the labels "
        f"of a new one: {new}."
    )


def _say_whose(source, task):
    """Say it where the head was trained for something else than it is used for."""
    name, saved = saved_as(source.config)
    if saved not in ("encoder", task):
        source.notes.append(
            f"{source.folder}: saved as a {name}, whose last layer now answers as that "
            f"of a {task}."
        )


def _say_cut(source):
    """Say it where a checkpoint's tokenizer keeps the end of a text too long."""
    if read_limits(source.folder, source.config)[1] == "tail":
        source.notes.append(
            f"{source.folder}: its tokenizer cuts off the beginning of a text that is "
            "too long; this model cuts off the end."
        )


def own_labels(source, number):
    """The labels that config.json names, by number; or those it would."""
    names = source.config.get("id2label")
    if not names:
        return [f"LABEL_{place}" for place in range(number)]
    with in_folder(source.folder):
        if not isinstance(names, dict) or set(names) != {*map(str, range(number))}:
            raise KzooError(
                f"config.json: id2label must name the {number} classes of the "
                f"checkpoint's head, by the numbers 0 to {number - 1}; mend it there."
            )
        labels = [names[str(place)] for place in range(number)]
        if not all(isinstance(label, str | int) for label in labels):
            raise KzooError(
                "config.json: id2label holds a name that is not a string; mend it "
                "there."
            )
        labels = [str(label) for label in labels]  # Some files have numbers.
        if len(set(labels)) < number:
            twice = next(label for label in labels if labels.count(label) > 1)
            raise KzooError(
                f"config.json: id2label names {twice!r} twice; give one of the two "
                "classes another name there."
            )
    return labels
