"""How a checkpoint writes: generation_config.json as settings of kzoo, and back."""

import json
from dataclasses import dataclass, field

from kzoo_recipes import KzooError

from kzoo.generation import Generation
from kzoo.generation.settings import OF_BEAMS, OF_SAMPLES
from kzoo.interop.checkpoints.reading import CONFIG
from kzoo.safety import parse

FILE = "generation_config.json"
# Settings by transformers' names: kzoo's name of the same.
SETTINGS = {
    "num_beams": "beams",
    "num_beam_groups": "beam_groups",
    "diversity_penalty": "diversity_penalty",
    "length_penalty": "length_penalty",
    "early_stopping": "early_stopping",
    "num_return_sequences": "nbest",
    "no_repeat_ngram_size": "no_repeat_ngram",
    "repetition_penalty": "repetition_penalty",
    "forced_bos_token_id": "forced_first",
    "forced_eos_token_id": "forced_last",
    "suppress_tokens": "suppress",
    "bad_words_ids": "bad_words",
    "do_sample": "sample",
    "temperature": "temperature",
    "top_k": "top_k",
    "top_p": "top_p",
    "min_p": "min_p",
}
LENGTHS = ("max_length", "max_new_tokens", "min_length", "min_new_tokens")
IDS = ("bos_token_id", "eos_token_id", "pad_token_id", "decoder_start_token_id")
# What else transformers' `generate` can be told, and the values that tell it nothing.
MISSING = {
    "begin_suppress_tokens": ([],),
    "constraints": (),
    "encoder_no_repeat_ngram_size": (0,),
    "encoder_repetition_penalty": (1, 1.0),
    "epsilon_cutoff": (0, 0.0),
    "eta_cutoff": (0, 0.0),
    "exponential_decay_length_penalty": (),
    "force_words_ids": (),
    "forced_decoder_ids": ([],),
    "guidance_scale": (1, 1.0),
    "max_time": (),
    "penalty_alpha": (0, 0.0),
    "prompt_lookup_num_tokens": (),
    "renormalize_logits": (False,),
    "sequence_bias": (),
    "stop_strings": (),
    "token_healing": (False,),
    "top_h": (),
    "typical_p": (1, 1.0),
    "watermarking_config": (),
}


@dataclass
class Writing:
    """How a checkpoint says that it writes.

    Attributes:
        start_id: int, the token before the first.
        end_id: int, the token after the last.
        settings: dict, fields of `Generation`; "max_new_tokens" only if it is said.
        notes: list of str, sentences on what kzoo does not carry over.
    """

    start_id: int
    end_id: int
    settings: dict
    notes: list = field(default_factory=list)


def read_generation(folder, config, longest=None, end_id=None):
    """The ids and settings by which a checkpoint of an encoder-decoder writes.

    They are those of `generation_config.json`; without one, those that config.json has,
    as older files do.

    Args:
        folder: `Path`.
        config: dict, of config.json.
        longest: int or None. The most tokens that the decoder has positions for.
        end_id: int or None. The tokenizer's end; it is the model's where several end a
            text.

    Returns:
        `Writing`.

    Raises:
        KzooError: if no start or end is named, or the settings contradict each other.
    """
    path = folder / FILE
    own = path.exists()
    path = path if own else folder / CONFIG
    said = _object(path) if own else config
    said = {key: value for key, value in said.items() if value is not None}
    settings, notes = {}, []
    starts = (
        source.get(key)
        for key in ("decoder_start_token_id", "bos_token_id")
        for source in (said, config)
    )
    start = next((one for one in starts if one is not None), None)
    ends = said.get("eos_token_id", config.get("eos_token_id"))
    ends = ends if isinstance(ends, list) else [ends]
    for key, ids in (("decoder_start_token_id", [start]), ("eos_token_id", ends)):
        if not ids or not all(_is_id(one) for one in ids):
            raise KzooError(
                f"{path}: {key} must be the id of a token, without which a decoder "
                f"cannot write, and is {ids[0] if len(ids) == 1 else ids!r}."
            )
    end = end_id if end_id in ends else ends[0]
    if len(ends) > 1:
        settings["other_ends"] = [one for one in ends if one != end]
    if not own and said.get("force_bos_token_to_be_generated"):
        settings["forced_first"] = said.get("bos_token_id")
    settings |= _carried(path, said, ends, notes)
    settings |= _lengths(path, said, longest, notes)
    notes += _missing(path, said, own)
    try:
        Generation(**settings)
    except (ValueError, TypeError) as error:
        raise KzooError(
            f"{path}: kzoo cannot write by these settings: "
            f"{' '.join(str(error).split()).rstrip('.')}."
        ) from None
    return Writing(start, end, settings, notes)


def _object(path):
    try:
        found = parse(path.read_bytes(), str(path))
    except OSError as error:
        raise KzooError(f"{path}: cannot be read: {error.strerror}.") from None
    if not isinstance(found, dict):
        raise KzooError(f"{path}: this is not a JSON object.")
    return found


def _is_id(value):
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _carried(path, said, ends, notes):
    """The settings that mean the same in kzoo, where they have an effect."""
    settings = {SETTINGS[key]: said[key] for key in SETTINGS if key in said}
    settings.setdefault("beams", 1)
    if settings["beams"] != 1 and settings.get("sample"):
        notes.append(
            f"{path}: kzoo does not draw among beams (do_sample with num_beams="
            f"{settings['beams']}); the beams are searched."
        )
        settings["sample"] = False
    idle = OF_SAMPLES if not settings.get("sample") else ()
    idle += OF_BEAMS[1:-1] if settings["beams"] == 1 else ()
    settings = {key: value for key, value in settings.items() if key not in idle}
    for name in ("forced_first", "forced_last"):
        several = settings.get(name)
        if isinstance(several, list):
            settings[name] = several[0] if len(several) == 1 else None
            if len(several) > 1:
                notes.append(
                    f"{path}: kzoo forces one token at most, so none of the "
                    f"{len(several)} that {_theirs(name)} names."
                )
    words = settings.get("bad_words")
    if isinstance(words, list):  # transformers leaves the end of texts out of them.
        settings["bad_words"] = [
            word for word in words if word not in [[e] for e in ends]
        ]
    return settings


def _theirs(name):
    return next(key for key, ours in SETTINGS.items() if ours == name)


def _lengths(path, said, longest, notes):
    """Most and least tokens of a text; the start, which others count, left out."""
    found = {}
    for ours, lone in (
        ("max_new_tokens", "max_length"),
        ("min_new_tokens", "min_length"),
    ):
        value = said.get(ours)
        if value is None and _is_id(said.get(lone)):
            value = max(said[lone] - 1, 0)
        if value is not None:
            found[ours] = value
    most = found.get("max_new_tokens")
    if longest is not None and most is not None and most > longest:
        notes.append(
            f"{path}: texts of {most} tokens are longer than the {longest} positions "
            f"of the decoder; they are at most {longest}."
        )
        found["max_new_tokens"] = longest
    if found.get("min_new_tokens", 0) > found.get("max_new_tokens", float("inf")):
        notes.append(
            f"{path}: texts cannot have at least {found['min_new_tokens']} tokens and "
            f"at most {found['max_new_tokens']}; kzoo keeps the most."
        )
        del found["min_new_tokens"]
    return found


def _missing(path, said, own):
    """Sentences on what transformers would do and kzoo does not."""
    notes = []
    there = [
        f"{key}={json.dumps(said[key])}"
        for key, idle in MISSING.items()
        if key in said and said[key] not in idle
    ]
    if there:
        notes.append(
            f"{path}: kzoo has no such settings of generation, so texts may differ: "
            f"{', '.join(there)}."
        )
    tasks = {} if own else said.get("task_specific_params")
    if isinstance(tasks, dict) and tasks:
        notes.append(
            f"{path}: not taken, as by transformers' `generate`: task_specific_params "
            f"({', '.join(tasks)}); tell settings to `summarize`, and write a prefix "
            "before the texts yourself."
        )
    return notes


def written_generation(model):
    """What a model's settings are in a generation_config.json.

    Args:
        model: `kzoo.Seq2Seq`.

    Returns:
        dict, JSON, with every setting that `generate` then needs; and notes, sentences
        on what transformers would do otherwise.
    """
    settings, idle, notes = model.settings(), Generation(), []
    told = {
        theirs: _plain(getattr(settings, ours))
        for theirs, ours in SETTINGS.items()
        if getattr(settings, ours) != getattr(idle, ours)
    }
    ends = list(dict.fromkeys([model.end_id, *settings.other_ends]))
    told |= {
        "decoder_start_token_id": model.start_id,
        "eos_token_id": ends[0] if len(ends) == 1 else ends,
        # transformers counts the start.
        "max_length": settings.max_new_tokens + 1,
        "num_beams": settings.beams,
        "early_stopping": settings.early_stopping,
        "do_sample": settings.sample,
    }
    if settings.min_new_tokens:
        told["min_length"] = settings.min_new_tokens + 1
    if settings.beam_groups > 1:
        for key in ("num_beam_groups", "diversity_penalty"):
            del told[key]
        notes.append(
            "transformers has given up groups of beams, so it will search "
            f"{settings.beams} beams in one"
        )
    if settings.sample:
        notes.append("transformers draws other samples than kzoo")
    return told, notes


def _plain(value):
    """Tuples as JSON has them."""
    return [_plain(one) for one in value] if isinstance(value, tuple) else value
