"""Models of kzoo as models of keras-hub."""

from kzoo_recipes import KzooError

from kzoo.interop.fitting import first_sentence
from kzoo.interop.keras_hub import tokenizers
from kzoo.interop.keras_hub.held import weights_by_name
from kzoo.interop.keras_hub.library import keras_hub
from kzoo.interop.keras_hub.rows import ROWS
from kzoo.interop.keras_hub.seq2seq import KINDS
from kzoo.interop.merging import plain
from kzoo.interop.names import written
from kzoo.interop.pretrained import arguments_of
from kzoo.interop.source import tell
from kzoo.layers import TransformerEncoder
from kzoo.models.families import FAMILIES, differences
from kzoo.models.masked_lm import MaskedLM
from kzoo.models.seq2seq import Seq2Seq
from kzoo.models.text_classifier import TextClassifier
from kzoo.models.token_tagger import TokenTagger

SEGMENTS = "embedding.num_segments is "
WRITTEN = (TextClassifier, TokenTagger, MaskedLM, Seq2Seq, TransformerEncoder)


def to_keras_hub(model, *, head=True, note=None):
    """Make a model of keras-hub with the weights of one of kzoo, and equal outputs.

    The backbone is the first of keras-hub's that computes what the encoder does. Since
    `BertBackbone` computes GELU by tanh, that of an ordinary BERT is
    `DistilBertBackbone`: the vector of the first segment is added to its positions, as
    kzoo's models read one segment only. Needs `kzoo[keras-hub]`.

    Args:
        model: `TextClassifier`, `TokenTagger`, `MaskedLM`, `Seq2Seq` or
            `TransformerEncoder`.
        head: bool. Whether a classifier whose head keras-hub has becomes a classifier
            of keras-hub, with its tokenizer; if not, or where keras-hub has no such
            head, it is the backbone alone.
        note: function of a str, called with each sentence on what stays behind or
            begins anew; `None` prints them to stderr.

    Returns:
        A backbone of keras-hub, or its `TextClassifier` over one.

    Raises:
        KzooError: if this is none of these or has no weights yet, if keras-hub is not
            installed, or has no backbone that computes the same, naming in what the
            nearest differs.
    """
    _require_weights(model)
    library, notes = keras_hub(), []
    model, merged = plain(model)
    notes += [f"{sentence.capitalize()}." for sentence in merged]
    encoder = getattr(model, "encoder", model)
    writes = isinstance(model, Seq2Seq)
    row, config, folded = _fitting(model if writes else encoder)
    notes += _dropouts_left(model if writes else encoder)
    made = getattr(library.models, row.backbone)(
        **row.arguments(config), dtype=encoder.dtype_policy.name
    )
    task, source = "encoder", encoder
    if folded:
        notes.append(
            f"The encoder becomes a {row.backbone}, which has no segments: the vector "
            "of the first one is added to each position."
        )
    if writes:
        task, source = "summarizer", model
    elif head and model is not encoder:
        obstacle = _obstacle(row, model, config)
        if obstacle is None:
            task, source = "text_classifier", model
            made = _classifier(library, row, model, made, notes)
        else:
            notes.append(f"The head stays behind: {obstacle}.")
    names = row.name_map(folded).names(config, task)
    tensors = written(source, names)
    bias = tensors.pop("logits/bias", None) if writes else None
    if bias is not None and bias.any():
        notes.append("The bias of the logits stays behind: keras-hub's have none.")
    notes += _assign(made, tensors)
    tell(notes, note)
    return made


def _require_weights(model):
    """Refuse what is no model of kzoo, or not built yet."""
    if not isinstance(model, WRITTEN):
        raise KzooError(
            f"kzoo writes its {', '.join(kind.__name__ for kind in WRITTEN)} for "
            f"keras-hub; {type(model).__name__} is none of them."
        )
    if not model.built:
        raise KzooError(
            f"This {type(model).__name__} has no weights yet; call it once, or "
            "build((None, None)) an encoder, before it goes out."
        )


def _dropouts_left(model):
    """What of the shares dropped in training keras-hub has no place for."""
    stacks = {side: getattr(model, side) for side in KINDS if hasattr(model, side)}
    left = []
    for stack in (stacks or {"encoder": model}).values():
        config = stack.get_config()
        for part in ("attention", "embedding"):
            own = (config[part] or {}).get("dropout", config["dropout"])
            if own != config["dropout"]:
                left.append(
                    f"In training {config['dropout']} is dropped in the {part} of the "
                    f"{stack.name} as everywhere else, not {own}: keras-hub has one "
                    "share for all."
                )
    return left


def _fitting(model):
    """The row whose backbone computes what an encoder or a `Seq2Seq` does.

    Returns:
        `Row`, the backbone's config.json, and whether segments must be put into its
        positions.
    """
    writes, nearest = isinstance(model, Seq2Seq), None
    arguments = _arguments(model) if writes else arguments_of(model)
    for row in ROWS.values():
        if (row.ends is not None) != writes:
            continue
        family = FAMILIES[row.family]
        config = row.config(row.arguments(family.config(arguments, {})))
        try:
            theirs = family.stack(config)
            if writes:
                found = [
                    f"{side}: {one}"
                    for side, kind in KINDS.items()
                    for one in differences(theirs[side], arguments[side], kind)
                ]
            else:
                found = differences(theirs, arguments)
        except (ValueError, TypeError) as error:  # Of the layers' constructors.
            found = [f"its sizes make no model: {first_sentence(error)}"]
        folded = [one for one in found if one.startswith(SEGMENTS)]
        if not row.segments:
            found = [one for one in found if one not in folded]
        if not found:
            return row, config, bool(folded) and not row.segments
        if nearest is None or len(found) < len(nearest[1]):
            nearest = row, found
    row, found = nearest
    raise KzooError(
        "keras-hub has no backbone that computes what this encoder does; the nearest "
        f"is {row.backbone}, in which {_within(found[0])}."
    )


def _within(difference):
    """A difference as it stands in a sentence."""
    sizes = difference.startswith("its sizes")
    return difference if sizes else f"{difference} in the encoder"


def _arguments(model):
    """The arguments of a `Seq2Seq` that keras-hub could have, by part."""
    for name, wanted in (("copies", False), ("share_embeddings", True)):
        if getattr(model, name) is not wanted:
            raise KzooError(
                f"keras-hub has no backbone like this model, whose {name} is "
                f"{not wanted}."
            )
    own = model.get_config()
    return {side: arguments_of(getattr(model, side)) for side in KINDS} | {
        "model": {name: own[name] for name in ("projection", "share_embeddings")}
    }


def _obstacle(row, model, config):
    """Why keras-hub has no head like that of a model; `None` if it has."""
    if not isinstance(model, TextClassifier):
        return f"keras-hub has none like that of a {type(model).__name__}"
    family = FAMILIES[row.family].classifier(config)
    usual = {"head_norm": None, "head_bias": True}
    for name in ("pooling", "activation", *usual):
        theirs = family.get(name, usual.get(name))
        if getattr(model, name) != theirs:
            return (
                f"its {name} is {getattr(model, name)!r}, and that of keras-hub's "
                f"{row.task} {theirs!r}"
            )
    width = model.encoder.hidden_dim
    if not row.any_head_dim and (model.head_dim or width) != width:
        return (
            f"it is {model.head_dim} wide, and that of keras-hub's {row.task} as wide "
            f"as the backbone, {width}"
        )
    return None


def _classifier(library, row, model, backbone, notes):
    """keras-hub's classifier over a backbone, and what must be said of it."""
    width = {"hidden_dim": model.head_dim} if row.any_head_dim else {}
    if model.labels is not None:
        listed = ", ".join(model.labels)
        notes.append(f"keras-hub keeps no labels; those of the logits are: {listed}.")
    if model.multi_label:
        notes.append(
            "Several labels may hold at once: the sigmoid of each logit is its "
            "probability, which keras-hub's classifier is not told."
        )
    return getattr(library.models, row.task)(
        backbone,
        model.num_classes,
        preprocessor=_preprocessor(library, row, model, notes),
        dropout=model.dropout_rate,
        **width,
    )


def _preprocessor(library, row, model, notes):
    """What makes tokens of texts for keras-hub's classifier, or `None`."""
    if model.tokenizer is None:
        return None
    try:
        tokenizer = tokenizers.to_keras_hub(model.tokenizer, row.tokenizer)
    except KzooError as error:
        notes.append(f"The tokenizer stays behind: {error}.")
        return None
    kind = getattr(library.models, row.preprocessor)
    return kind(tokenizer, sequence_length=model.sequence_length)


def _assign(model, tensors):
    """Put tensors into the weights of a model; say which it has besides."""
    weights = weights_by_name(model)
    for name, value in tensors.items():
        weights[name].assign(value)
    new = weights.keys() - tensors.keys()
    if not new:
        return []
    listed = ", ".join(sorted(new))
    return [f"Not in kzoo's model, so new and to be trained: {listed}."]
