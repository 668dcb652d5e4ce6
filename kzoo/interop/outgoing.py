"""Models as classes of transformers that give the same answers, or why none does."""

import functools
import json
from dataclasses import dataclass, field

import numpy as np
from kzoo_recipes import KzooError, did_you_mean

from kzoo.interop.names import MAPS, written
from kzoo.interop.names.spelling import prefixed
from kzoo.models.families import FAMILIES, Family, differences
from kzoo.models.families.family import bare

# Families by the kind of tokenizer that they come with: where a model is of several,
# those are looked at first.
USUAL = {
    "WordPiece": ("distilbert", "bert", "electra"),  # The first has no segments.
    "BPE": ("roberta",),
    "Unigram": ("xlm_roberta", "camembert"),
}
WORDS = "embeddings.word_embeddings.weight"
SEGMENTS = "embeddings.token_type_embeddings.weight"


@dataclass
class Outgoing:
    """All that a folder of Hugging Face will hold, but for the tokenizer.

    Attributes:
        family: `Family`.
        architecture: str, the class of transformers, as "BertForTokenClassification".
        config: dict, `config.json`.
        tensors: dict from the names of tensors to arrays.
        pipeline: str, what pipelines of transformers call the task; "" if none does it.
        longest: int, tokens of the longest text, special ones counted; `None` for as
            many as there are positions.
        files: dict from names of further files to their text.
        notes: list of str, what the model does that transformers does not.
    """

    family: Family
    architecture: str
    config: dict
    tensors: dict
    pipeline: str = ""
    longest: int | None = None
    files: dict = field(default_factory=dict)
    notes: list = field(default_factory=list)


def encoder(pretrained, family=None):
    """An encoder by itself, as `kzoo.from_hugging_face` gives it with its tokenizer."""
    model, tokenizer = pretrained
    found, config = _family_of(model, tokenizer, family)
    tensors = written(model, MAPS[found.name].names(config, "encoder"))
    return _outgoing(found, config, "Model", tensors, pipeline="feature-extraction")


def text_classifier(model, family=None):
    """A `TextClassifier` whose head is the family's own."""
    found, config = _family_with_head(model, family, _head_faults)
    kind = "multi" if model.multi_label else "single"
    config |= _named(model.labels)
    config |= {
        "problem_type": f"{kind}_label_classification",
        "classifier_dropout": model.dropout_rate,
    }
    tensors = written(model, MAPS[found.name].names(config, "text_classifier"))
    end = "ForSequenceClassification"
    out = _outgoing(found, config, end, tensors, pipeline="text-classification")
    out.longest = model.sequence_length
    if model.multi_label and set(model.thresholds) != {0.5}:
        told = dict(zip(model.labels, model.thresholds, strict=True))
        out.notes.append(
            "transformers knows no thresholds; from these probabilities on the model "
            "gives its labels: "
            + ", ".join(f"{label} {value:.3g}" for label, value in told.items())
        )
    return out


def token_tagger(model, family=None):
    """A `TokenTagger` with a linear head."""
    if model.head == "crf":
        raise KzooError(
            'transformers has no tagger with a CRF; train one with head = "linear" to '
            "export it."
        )
    found, config = _family_with_head(model, family, _tagger_faults)
    config |= {**_named(model.labels), "classifier_dropout": model.dropout_rate}
    tensors = written(model, MAPS[found.name].names(config, "token_tagger"))
    end = "ForTokenClassification"
    out = _outgoing(found, config, end, tensors, pipeline="token-classification")
    out.longest = model.sequence_length
    out.notes.append(
        "kzoo reads long texts in windows that overlap; pipelines of transformers do "
        f"so with stride={model.overlap}"
    )
    if _joins_words(model.tokenizer):
        out.notes.append(
            "give transformers whole texts: of lists of words its tokenizer reads each "
            "as if no space stood before it"
        )
    return out


def _joins_words(tokenizer):
    """Whether a word's pieces tell whether a space stood before it."""
    part = json.loads(tokenizer.to_json())["pre_tokenizer"] or {}
    return any(
        one["type"] == "ByteLevel" and not one["add_prefix_space"]
        for one in part.get("pretokenizers", [part] if part else [])
    )


def masked_lm(model, family=None):
    """A `MaskedLM` whose head is the family's own."""
    found, config = _family_with_head(model, family, _filler_faults)
    config["tie_word_embeddings"] = _tied(model)
    tensors = written(model, MAPS[found.name].names(config, "masked_lm"))
    out = _outgoing(found, config, "ForMaskedLM", tensors, pipeline="fill-mask")
    out.longest = model.sequence_length
    return out


def _tied(model):
    return (model.get_config()["projection"] or {}).get("tied", True)


def _filler_faults(model, family, config):
    if family.masked_lm is None:
        return {"head": ("a masked language model's", "absent")}
    theirs = family.masked_lm({**config, "tie_word_embeddings": _tied(model)})
    ours = model.get_config()
    own = {
        "head_dim": model.head_dim,
        "activation": model.activation,
        "use_bias": model.use_bias,
        "norm": bare(ours["norm"]),
        "projection": ours["projection"] or {"use_bias": True},
    }
    theirs = {"head_dim": None, "use_bias": True, **theirs}
    theirs["norm"] = bare(theirs["norm"])
    theirs["projection"] = theirs["projection"] or {"use_bias": True}
    return _apart(own, theirs)


def _family_with_head(model, told, faults):
    """`_family_of` of a model; `faults(model, family, config)` looks at its head."""
    looks = functools.partial(faults, model)
    return _family_of(model.encoder, model.tokenizer, told, model, looks)


def _family_of(encoder, tokenizer, told, model=None, head_faults=lambda *f: {}):
    """The family whose model gives the same answers, and its config.

    Args:
        encoder: `TransformerEncoder`.
        tokenizer: `kzoo.text.Tokenizer`.
        told: str or `None`, the only family to look at.
        model: the model with a head on the encoder, or `None`.
        head_faults: function from a family and its config to a dict, what of the head
            is otherwise: arguments with our value and theirs.

    Raises:
        KzooError: naming in what the model differs from the nearest family.
    """
    if told is not None and told not in FAMILIES:
        raise KzooError(f"kzoo knows no family {told!r}{did_you_mean(told, FAMILIES)}")
    arguments = arguments_of(encoder)
    more = token_ids(tokenizer)
    own = type(encoder).from_config(arguments)  # Built norms say another axis.
    nearest = None
    for family in _in_order(tokenizer, told):
        config = family.config(arguments, more)
        if family.head is not None and model is not None:
            config |= family.head(model)
        try:
            row = family.stack({"model_type": family.model_types[0], **config})
        except KzooError:  # Of sizes that the family cannot have.
            if told is None:
                continue
            raise
        stack_faults = differences(own, row)
        of_head = head_faults(family, config)
        if not stack_faults and not of_head:
            return family, {**config, "model_type": family.model_types[0]}
        # Whose stack is the model's is nearest: another head is soon trained.
        distance = len(stack_faults), len(of_head)
        if nearest is None or distance < nearest[0]:
            nearest = distance, family, stack_faults, of_head
    raise KzooError(_far(*nearest[1:]))


def _far(family, stack_faults, of_head):
    """The sentence on a model that is not even of the nearest family."""
    start = "transformers has no class that gives this model's answers; "
    if not stack_faults and all(_is_plain(theirs) for _, theirs in of_head.values()):
        wanted = ", ".join(_wanted(key, *pair) for key, pair in of_head.items())
        return (
            f"{start}{family.architecture} would, with another head: {wanted}; train "
            "one with these arguments in its [model] to export it."
        )
    faults = [
        *stack_faults,
        *(f"{key} is {ours} and {theirs}" for key, (ours, theirs) in of_head.items()),
    ]
    rest = f", and {len(faults) - 3} more" if len(faults) > 3 else ""
    return (
        f"{start}the nearest is {family.architecture}, but here and there "
        f"{'; '.join(faults[:3])}{rest}."
    )


def _is_plain(value):
    return value is None or isinstance(value, str | int | float)


def _wanted(key, ours, theirs):
    """An argument as a recipe has it, and what it is instead."""
    wanted = f"no {key}" if theirs is None else f"{key} = {json.dumps(theirs)}"
    return f"{wanted} (it is {ours!r})" if _is_plain(ours) else wanted


def _in_order(tokenizer, told):
    """The families of encoders, those first that come with such a tokenizer."""
    if told is not None:
        if FAMILIES[told].classifier is None:
            raise KzooError(
                f"Models of the family {told!r} also write, and this one only reads; "
                "name another family."
            )
        return [FAMILIES[told]]
    usual = USUAL.get(tokenizer.kind, ())
    names = [*usual, *(name for name in FAMILIES if name not in usual)]
    return [FAMILIES[name] for name in names if FAMILIES[name].classifier]


def arguments_of(stack):
    """A stack's arguments without what Keras adds."""
    beside = ("name", "dtype", "trainable")
    config = stack.get_config()
    return {key: value for key, value in config.items() if key not in beside}


def _head_faults(model, family, config):
    theirs = family.classifier(config)
    ours = {
        "pooling": model.pooling,
        "activation": model.activation,
        "head_dim": model.head_dim or model.encoder.hidden_dim,
        "head_norm": model.head_norm,
        "head_bias": model.head_bias,
    }
    usual = {"head_dim": model.encoder.hidden_dim, "head_norm": None, "head_bias": True}
    return _apart(ours, {**usual, **theirs})


def _tagger_faults(model, family, config):
    usual = {"inner_activation": None, "inner_norm": None, "inner_bias": True}
    ours = {key: getattr(model, key) for key in usual}
    return _apart(ours, {**usual, **family.tagger(config)})


def _apart(ours, theirs):
    """What differs: dict from argument to our value and theirs."""
    return {
        key: (value, theirs[key]) for key, value in ours.items() if theirs[key] != value
    }


def token_ids(tokenizer):
    """Ids of special tokens that the classes of transformers go by."""
    found = {"pad_token_id": tokenizer.pad_id}
    before, after = tokenizer.special_ids
    if len(before):
        found["bos_token_id"] = int(before[0])
    if len(after):
        found["eos_token_id"] = int(after[-1])
    return found


def _named(labels):
    return {
        "id2label": {str(place): label for place, label in enumerate(labels)},
        "label2id": {label: place for place, label in enumerate(labels)},
    }


def _outgoing(family, config, end, tensors, pipeline):
    name_map = MAPS[family.name]
    if config.get("type_vocab_size") == 0 and family.always_segments:
        # A segment that adds nothing, since these classes always add one.
        width = tensors[WORDS].shape[1]
        tensors = {**tensors, SEGMENTS: np.zeros((1, width), "float32")}
        config = {**config, "type_vocab_size": 1}
    if end != "Model":
        tensors = prefixed(tensors, name_map.prefixes[:1], name_map.unprefixed)
    architecture = f"{family.architecture}{end}"
    config = {**config, "architectures": [architecture], "dtype": "float32"}
    return Outgoing(family, architecture, config, tensors, pipeline)
