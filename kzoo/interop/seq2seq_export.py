"""A `Seq2Seq` as the class of transformers that writes the same tokens, if one does."""

import json

import numpy as np
from kzoo_recipes import KzooError, did_you_mean

from kzoo.interop.fitting import (
    NONE,
    START,
    Unlike,
    first_sentence,
    token_ids,
)
from kzoo.interop.generation import FILE, written_generation
from kzoo.interop.names import MAPS, written
from kzoo.interop.names.spelling import prefixed
from kzoo.interop.names.tables import BIAS
from kzoo.interop.outgoing import Outgoing
from kzoo.interop.pretrained import arguments_of
from kzoo.interop.seq2seq import waves
from kzoo.layers import TransformerDecoder, TransformerEncoder
from kzoo.models.families import FAMILIES, differences

WRITERS = ("t5", "mt5", "bart", "mbart", "marian", "pegasus")
FREE = "text2text-generation"  # any text for another
STACKS = {"encoder": TransformerEncoder, "decoder": TransformerDecoder}


def summarizer(model, family=None):
    """A `Seq2Seq` without copying."""
    found, config = fitting(model, family)
    facts = {
        **config,
        "share_encoder_decoder_embeddings": model.share_embeddings,
        "tie_word_embeddings": model.projection.tied,
    }
    names = MAPS[found.name].names(facts, "summarizer")
    tensors = _tensors(model, names, config)
    told, notes = written_generation(model)
    ids = {key: config[key] for key in ("pad_token_id", "bos_token_id")}
    told |= {key: value for key, value in ids.items() if value is not None}
    architecture = f"{found.architecture}{_ending(found)}"
    if model.truncate == "both":
        notes.append(
            f"of texts longer than {model.source_length} tokens kzoo keeps both ends, "
            "transformers the beginning"
        )
    return Outgoing(
        found,
        architecture,
        {**config, "architectures": [architecture], "dtype": "float32"},
        prefixed(tensors, MAPS[found.name].prefixes, MAPS[found.name].unprefixed),
        pipeline="summarization" if model.corruption is None else FREE,
        longest=model.source_length,
        files={FILE: json.dumps(told, indent=2, sort_keys=True) + "\n"},
        notes=notes,
        names=names,
    )


def fitting(model, family=None):
    """The family of a `Seq2Seq`, and its config: see `kzoo.interop.fitting`."""
    if model.copies:
        raise Unlike(
            "transformers has no model that copies from what it reads; train one with "
            "copy = false to export it.",
            "transformers has no model that copies",
        )
    if family is not None and family not in WRITERS:
        raise KzooError(
            f"kzoo knows no family {family!r} that writes"
            f"{did_you_mean(family, WRITERS)}"
        )
    return _family_of(model, (family,) if family else WRITERS)


def _ending(family):
    return "MTModel" if family.name == "marian" else "ForConditionalGeneration"


def _family_of(model, names):
    """The first family whose model gives the same answers, and its config."""
    arguments = {side: arguments_of(getattr(model, side)) for side in STACKS}
    own = model.get_config()
    arguments["model"] = {key: own[key] for key in ("projection", "share_embeddings")}
    more = _ids(model)
    nearest = None
    for family in map(FAMILIES.get, names):
        kind = family.model_types[0]
        config = {**family.config(arguments, more), "model_type": kind}
        # What config.json says of tables is not all: the tensors do.
        tied = {"tie_word_embeddings": model.projection.tied}
        try:
            row = family.stack({**config, **tied})
            faults = [
                f"{side}.{fault}"
                for side, stack in STACKS.items()
                for fault in differences(arguments[side], row[side], stack)
            ]
            faults += _projection_faults(model, row["model"]["projection"])
        except KzooError:
            if len(names) > 1:
                continue
            raise
        except (ValueError, TypeError) as error:  # Of the layers' constructors.
            faults = [f"its sizes make no model: {first_sentence(error)}"]
        if not faults:
            return family, config
        if nearest is None or len(faults) < len(nearest[1]):
            nearest = family, faults
    if nearest is None:
        raise Unlike(f"{START}no family can have its sizes.", NONE)
    family, faults = nearest
    rest = f", and {len(faults) - 3} more" if len(faults) > 3 else ""
    raise Unlike(
        f"{START}the nearest is {family.architecture}, but here and there "
        f"{'; '.join(faults[:3])}{rest}.",
        NONE,
    )


def _projection_faults(model, theirs):
    """In what the scores differ; a bias that is only there may be zero."""
    ours, faults = model.projection, []
    scale = theirs.get("scale")
    if (ours.scale or 1.0) != (scale or 1.0):
        faults.append(f"projection.scale is {ours.scale} and {scale}")
    if ours.use_bias and not theirs.get("use_bias"):
        faults.append("projection.use_bias is True and False")
    return faults


def _ids(model):
    ids = {"bos_token_id": None, **token_ids(model.tokenizer)}
    ids |= {
        "decoder_start_token_id": model.start_id,
        "eos_token_id": model.end_id,
        # Where they are not told, BART and its kin force an end.
        "forced_eos_token_id": model.settings().forced_last,
    }
    return ids


def _tensors(model, names, config):
    """The tensors by plain names, with those that transformers wants besides."""
    more = {}
    if not model.projection.use_bias:
        unbiased = [name for name in names if name.theirs != BIAS]
        if len(unbiased) < len(names):
            more[BIAS] = np.zeros((1, model.decoder.vocabulary_size), "float32")
        names = unbiased
    if config["model_type"] == "pegasus":
        table = waves(config["max_position_embeddings"], config["d_model"])
        for side in STACKS:
            more[f"{side}.embed_positions.weight"] = table
    return {**written(model, names), **more}
