"""Models as classes of transformers that give the same answers."""

import json
from dataclasses import dataclass, field

import numpy as np

from kzoo.interop import fitting
from kzoo.interop.names import MAPS, written
from kzoo.interop.names.spelling import prefixed
from kzoo.models.families import Family

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
        names: list of `Name`, of every weight of the model.
    """

    family: Family
    architecture: str
    config: dict
    tensors: dict
    pipeline: str = ""
    longest: int | None = None
    files: dict = field(default_factory=dict)
    notes: list = field(default_factory=list)
    names: list = field(default_factory=list)


def encoder(pretrained, family=None):
    """An encoder by itself, as `kzoo.from_hugging_face` gives it with its tokenizer."""
    found, config = fitting.encoder(pretrained, family)
    names = MAPS[found.name].names(config, "encoder")
    weights = pretrained[0], names
    return _outgoing(found, config, "Model", weights, "feature-extraction")


def text_classifier(model, family=None):
    """A `TextClassifier` whose head is the family's own."""
    found, config = fitting.text_classifier(model, family)
    kind = "multi" if model.multi_label else "single"
    config |= named(model.labels)
    config |= {
        "problem_type": f"{kind}_label_classification",
        "classifier_dropout": model.dropout_rate,
    }
    names = MAPS[found.name].names(config, "text_classifier")
    end = "ForSequenceClassification"
    out = _outgoing(found, config, end, (model, names), "text-classification")
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
    found, config = fitting.token_tagger(model, family)
    config |= {**named(model.labels), "classifier_dropout": model.dropout_rate}
    names = MAPS[found.name].names(config, "token_tagger")
    end = "ForTokenClassification"
    out = _outgoing(found, config, end, (model, names), "token-classification")
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
    found, config = fitting.masked_lm(model, family)
    config["tie_word_embeddings"] = fitting.tied(model)
    names = MAPS[found.name].names(config, "masked_lm")
    out = _outgoing(found, config, "ForMaskedLM", (model, names), "fill-mask")
    out.longest = model.sequence_length
    return out


def named(labels):
    """The keys of a config that name classes."""
    return {
        "id2label": {str(place): label for place, label in enumerate(labels)},
        "label2id": {label: place for place, label in enumerate(labels)},
    }


def _outgoing(family, config, end, weights, pipeline):
    """The `Outgoing` of a model and the names of its weights."""
    name_map, tensors = MAPS[family.name], written(*weights)
    if config.get("type_vocab_size") == 0 and family.always_segments:
        # A segment that adds nothing, since these classes always add one.
        width = tensors[WORDS].shape[1]
        tensors = {**tensors, SEGMENTS: np.zeros((1, width), "float32")}
        config = {**config, "type_vocab_size": 1}
    if end != "Model":
        tensors = prefixed(tensors, name_map.prefixes[:1], name_map.unprefixed)
    architecture = f"{family.architecture}{end}"
    config = {**config, "architectures": [architecture], "dtype": "float32"}
    return Outgoing(family, architecture, config, tensors, pipeline, names=weights[1])
