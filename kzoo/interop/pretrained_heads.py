"""A classifier or tagger that goes on learning: an encoder with the head it had."""

import inspect

from keras import ops
from kzoo_recipes import KzooError

from kzoo.interop.encoders import HEAD, OWN_HEAD, OWN_INNER, own_labels, saved_as
from kzoo.interop.names.engine import weights_of
from kzoo.interop.origins import CHECKPOINT, MODEL
from kzoo.interop.pretrained import described_as
from kzoo.interop.source import Source
from kzoo.layers import TransformerEncoder
from kzoo.models import TextClassifier, TokenTagger, load_model

TASKS = {TextClassifier: "text_classifier", TokenTagger: "token_tagger"}
# The arguments that make a head; weights are of use only to one that is made alike.
MAKE_A_HEAD = {
    TextClassifier: OWN_HEAD,
    TokenTagger: ("head", *OWN_INNER),
}
IN_RECIPES = ("pooling", "activation", "head_dim", "head")  # those of them
OF_CLASSES = ("logits/", "crf/")  # what is before the weights that know the labels
NEW = "head: begins with new weights"


def tuned_model(kind, pretrained, dropouts, labels, **arguments):
    """A model with all weights that there are, also of its head.

    Where the origin has a head that is made alike, it goes on learning: its inner
    layer in any case, its logits if their labels are the same, in any order.

    Args:
        kind: `TextClassifier` or `TokenTagger`.
        pretrained: `kzoo.interop.pretrained.PretrainedEncoder`.
        dropouts: dict, see `kzoo.interop.source.with_dropouts`.
        labels: list of str, the names of the classes.
        **arguments: of `kind`.

    Returns:
        The model, without tokenizer and labels, and a list of str: what it is, what
        was not read, and what its head begins as.
    """
    origin = pretrained.origin
    if origin.kind == CHECKPOINT:
        return _of_checkpoint(kind, pretrained, dropouts, labels, arguments)
    encoder, notes = pretrained.made(dropouts)
    model = kind(encoder, len(labels), **arguments)
    if origin.kind == MODEL:
        notes = [*notes, _go_on(model, labels, load_model(origin.path))]
    return model, notes


def _of_checkpoint(kind, pretrained, dropouts, labels, arguments):
    source, task = Source.of(pretrained.origin.path, dropouts), TASKS[kind]
    theirs = _their_head(kind, source)
    apart = _apart(
        _head_of(kind, arguments, pretrained), _head_of(kind, theirs, pretrained)
    )
    known, why = _known(source, task, arguments.get("multi_label", False))
    kept = known is not None and sorted(known) == sorted(labels)
    anew = () if kept else ("logits/*",)
    if theirs is None or apart:
        reading = source.reading("encoder")
    else:
        reading = source.reading(task, HEAD, anew)
    encoder = source.made(TransformerEncoder, source.stack(task), "encoder", reading)
    model = kind(encoder, len(labels), **arguments)
    alike = theirs is not None and not apart
    reading.place(model if alike else encoder)
    if alike and kept:
        _reorder(model, known, labels)
    said = [described_as(pretrained, source.family.name, encoder)]
    said += source.said([*source.notes, *reading.left_aside()])
    if not alike:
        held = theirs is not None and _holds_head(source, task)
        return model, [*said, _other(apart) if held else NEW]
    if kept:
        said += source.said(reading.begun_anew())
    inner = any(path.startswith("head/") for path in reading.paths)
    return model, [*said, _begins(inner, kept, why or _whose(known))]


def _begins(inner, kept, why):
    """What a head that is made alike begins as, for the person who runs it.

    Args:
        inner: bool. Whether it has an inner layer that goes on.
        kept: bool. Whether its logits go on, too.
        why: str, why they do not; "" where there are none.
    """
    if kept:
        return "head: begins as the checkpoint's, whose labels are the same"
    why = f", for {why}" if why else ""
    if inner:
        return (
            "head: its inner layer begins as the checkpoint's, its logits with new "
            f"weights{why}"
        )
    return f"{NEW}{why}"


def _their_head(kind, source):
    """The arguments of the family's own head; `None` where kzoo does not make it."""
    family = source.family
    make = family.classifier if kind is TextClassifier else family.tagger
    try:
        return make and make(source.config)
    except KzooError:  # A head of another kind than any of kzoo's.
        return None


def _head_of(kind, arguments, pretrained):
    """What makes a head, of arguments of `kind`."""
    usual = inspect.signature(kind).parameters
    found = {
        key: (arguments or {}).get(key, usual[key].default) for key in MAKE_A_HEAD[kind]
    }
    if "head_dim" in found:
        found["head_dim"] = found["head_dim"] or pretrained.arguments["hidden_dim"]
    return found


def _apart(ours, theirs):
    """Their values of the arguments in which two heads differ."""
    return {key: value for key, value in theirs.items() if ours[key] != value}


def _other(apart):
    """The note on a head that is not made like the origin's."""
    keys = [f'{key} = "{apart[key]}"' for key in IN_RECIPES if key in apart]
    if len(keys) < len(apart):
        return f"{NEW}, for the checkpoint's is made otherwise"
    return f"{NEW}; the checkpoint's goes with {' and '.join(keys)}"


def _known(source, task, multi_label):
    """The labels of a checkpoint's logits, or `None`; and why they are of no use."""
    shape = source.has(task, "logits/bias") if _has_names(source, task) else None
    name, saved = saved_as(source.config)
    if shape is None:
        return None, ""
    if saved not in ("encoder", task):
        return None, f"the checkpoint's are those of a {name}"
    kind = source.config.get("problem_type")
    if kind == "regression":
        return None, "the checkpoint's give a number"
    if (kind == "multi_label_classification") != multi_label:
        return None, _several(not multi_label)
    try:
        return own_labels(source, shape[0]), ""
    except KzooError:
        return None, "the checkpoint's config.json does not name its labels"


def _has_names(source, task):
    row = source.family
    return (row.classifier if task == "text_classifier" else row.tagger) is not None


def _holds_head(source, task):
    """Whether a checkpoint has tensors of a head of a task."""
    reading = source.reading(task, HEAD)
    return any(not path.startswith("encoder/") for path in reading.paths)


def _several(multi_label):
    number = "any number of labels" if multi_label else "one label"
    return f"the checkpoint's give a text {number}"


def _whose(labels, most=4):
    """Say whose labels logits have that are not these."""
    if labels is None:
        return ""
    shown = ", ".join(f'"{label}"' for label in labels[:most])
    more = f" and {len(labels) - most} more" if len(labels) > most else ""
    return f"the checkpoint's labels are {shown}{more}"


def _go_on(model, labels, theirs):
    """Give a model the head of one of kzoo's; the note on it."""
    kind = type(model)
    if type(theirs) is not kind:
        return NEW
    ours, other = (
        {key: one.get_config()[key] for key in MAKE_A_HEAD[kind]}
        for one in (model, theirs)
    )
    for head in (ours, other):
        if "head_dim" in head:
            head["head_dim"] = head["head_dim"] or model.encoder.hidden_dim
    apart = _apart(ours, other)
    if apart:
        return _other(apart)
    several = getattr(theirs, "multi_label", False)
    alike = several == getattr(model, "multi_label", False)
    kept = alike and sorted(theirs.labels) == sorted(labels)
    inner, values = False, weights_of(theirs)
    for path, weight in weights_of(model).items():
        if path.startswith("encoder/"):
            continue
        if path.startswith(OF_CLASSES) and not kept:
            continue
        weight.assign(ops.convert_to_numpy(values[path]))
        inner = inner or path.startswith("head/")
    if kept:
        _reorder(model, theirs.labels, labels)
    return _begins(inner, kept, _whose(theirs.labels) if alike else _several(several))


def _reorder(model, theirs, ours):
    """Bring logits whose labels are `theirs` into the order of `ours`."""
    order = [theirs.index(label) for label in ours]
    if order == list(range(len(ours))):
        return
    for path, weight in weights_of(model).items():
        if not path.startswith(OF_CLASSES):
            continue
        value = ops.convert_to_numpy(weight)[..., order]
        # Of a CRF both axes are classes, each after each.
        weight.assign(value[order] if path == "crf/transitions" else value)
