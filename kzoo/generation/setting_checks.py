"""What settings of generation must fulfil, alone, together and with a model."""

import math
import operator

LARGEST_POWER = 10.0  # Of a length; beyond it float32 runs out.
LARGEST_FACTOR = 1e4  # Of scores; beyond it their sums are beyond all bounds.
LONGEST = 65_536  # As in recipes: the most tokens of a text, and the most draws of one.

# Setting: the least value and the most, `None` where there is no limit.
INTEGERS = {
    "max_new_tokens": (1, LONGEST),
    "min_new_tokens": (0, None),
    "beams": (1, None),
    "beam_groups": (1, None),
    "nbest": (1, LONGEST),
    "no_repeat_ngram": (0, None),
    "top_k": (0, None),
    "seed": (0, 2**64 - 1),
}
NUMBERS = {
    "diversity_penalty": (0.0, LARGEST_FACTOR),
    "length_penalty": (-LARGEST_POWER, LARGEST_POWER),
    "min_p": (0.0, 1.0),
    "repetition_penalty": (1 / LARGEST_FACTOR, LARGEST_FACTOR),
    "temperature": (1 / LARGEST_FACTOR, LARGEST_FACTOR),
}


def standing_alone(settings):
    """Refuse what no model could generate by."""
    for name, (least, most) in INTEGERS.items():
        _in_range(name, getattr(settings, name), least, most, "a whole number")
    for name, (least, most) in NUMBERS.items():
        _in_range(name, getattr(settings, name), least, most, "a number")
    top_p = settings.top_p
    if not _is_number(top_p) or not 0 < top_p <= 1:
        _refuse("`top_p` must be a number above 0 and at most 1", top_p=top_p)
    _ids(settings)
    _beams(settings)
    _samples(settings)
    _lengths(settings)
    _forced(settings)


def fitting(settings, vocabulary_size, longest, end_ids):
    """Refuse what a model with these properties cannot generate."""
    sizes = {"vocabulary_size": vocabulary_size}
    if longest is not None and settings.max_new_tokens > longest:
        _refuse(
            "`max_new_tokens` must be at most the positions of the model's decoder",
            max_new_tokens=settings.max_new_tokens,
            positions=longest,
        )
    if settings.beams > vocabulary_size:
        _refuse(
            "`beams` must be at most the number of tokens in the vocabulary",
            beams=settings.beams,
            **sizes,
        )
    named = {
        "forced_first": [settings.forced_first],
        "forced_last": [settings.forced_last],
        "suppress": settings.suppress,
        "other_ends": settings.other_ends,
        "bad_words": [one for word in settings.bad_words for one in word],
    }
    for name, ids in named.items():
        for one in ids:
            if one is not None and one >= vocabulary_size:
                _refuse(f"`{name}` names no token of the model", token=one, **sizes)
    if len(set(settings.suppress)) >= vocabulary_size:
        _refuse("`suppress` leaves no token", suppressed=len(settings.suppress))
    ends = {int(one) for one in (*end_ids, *settings.other_ends)}
    for word in settings.bad_words:
        if len(word) == 1 and word[0] in ends:
            _refuse(
                "The end of a text is not a bad word; `min_new_tokens` delays it",
                bad_words=word,
            )
    if settings.forced_first in ends and settings.max_new_tokens > 1:
        _refuse(
            "`forced_first` ends every text before it begins",
            forced_first=settings.forced_first,
        )


def _ids(settings):
    for name in ("forced_first", "forced_last"):
        value = getattr(settings, name)
        if value is not None:
            _in_range(name, value, 0, None, "the id of a token or None")
    for name in ("suppress", "other_ends"):
        for one in getattr(settings, name):
            _in_range(name, one, 0, None, "ids of tokens")
    for word in settings.bad_words:
        if not word:
            _refuse("A bad word has at least one token", bad_words=settings.bad_words)
        for one in word:
            _in_range("bad_words", one, 0, None, "lists of ids of tokens")


def _beams(settings):
    beams, groups = settings.beams, settings.beam_groups
    stopping = settings.early_stopping
    if not isinstance(stopping, bool | str) or stopping not in (True, False, "never"):
        _refuse(
            '`early_stopping` must be True, False or "never"',
            early_stopping=stopping,
        )
    if beams % groups:
        _refuse("`beam_groups` must divide `beams`", beam_groups=groups, beams=beams)
    if (groups > 1) != (settings.diversity_penalty > 0):
        _refuse(
            "`diversity_penalty` must be above 0 exactly where `beam_groups` is above 1"
            ", or groups would all be the same",
            diversity_penalty=settings.diversity_penalty,
            beam_groups=groups,
        )
    if settings.nbest > beams and not settings.sample:
        _refuse(
            "`nbest` must be at most `beams`, unless texts are sampled",
            nbest=settings.nbest,
            beams=beams,
        )


def _samples(settings):
    if not isinstance(settings.sample, bool):
        _refuse("`sample` must be True or False", sample=settings.sample)
    if settings.sample and settings.beams > 1:
        _refuse(
            "Beams are not sampled: give `sample` or several `beams`; `nbest` draws "
            "several samples",
            sample=True,
            beams=settings.beams,
        )
    if settings.sample:
        return
    for name, idle in (("temperature", 1), ("top_k", 50), ("top_p", 1), ("min_p", 0)):
        value = getattr(settings, name)
        if value != idle:
            _refuse(
                f"`{name}` is of samples and has no effect without `sample`",
                **{name: value, "sample": False},
            )


def _lengths(settings):
    if settings.min_new_tokens > settings.max_new_tokens:
        _refuse(
            "`min_new_tokens` must be at most `max_new_tokens`",
            min_new_tokens=settings.min_new_tokens,
            max_new_tokens=settings.max_new_tokens,
        )


def _forced(settings):
    first, last = settings.forced_first, settings.forced_last
    for name, one in (("forced_first", first), ("forced_last", last)):
        if one is None:
            continue
        if one in settings.suppress:
            _refuse(f"`{name}` is forced and suppressed", **{name: one})
        if (one,) in settings.bad_words:
            _refuse(f"`{name}` is forced and a bad word", **{name: one})
    if settings.max_new_tokens == 1 and None not in (first, last) and first != last:
        _refuse(
            "A text of one token cannot have two that are forced",
            max_new_tokens=1,
            forced_first=first,
            forced_last=last,
        )


def _in_range(name, value, least, most, what):
    whole = what != "a number"
    fits = _is_whole(value) if whole else _is_number(value)
    if fits and value >= least and (most is None or value <= most):
        return
    limits = f"at least {least:g}" if most is None else f"from {least:g} to {most:g}"
    if most is not None and whole:
        limits = f"from {least} to {most}"
    _refuse(f"`{name}` must be {what}, {limits}", **{name: value})


def _is_whole(value):
    if isinstance(value, bool):
        return False
    try:
        operator.index(value)
    except TypeError:  # Of arrays, too, of more than one number.
        return False
    return True


def _is_number(value):
    if isinstance(value, bool | str):
        return False
    try:
        return math.isfinite(value)
    except (TypeError, OverflowError):  # No number, or one that no float can hold.
        return False


def listed(name, value):
    """The ids of a setting, or the words of one, as a tuple.

    Raises:
        ValueError: if it has none, as one id alone or `None`.
    """
    try:
        return tuple(value)
    except TypeError:
        _refuse(f"`{name}` must be a list", **{name: value})


def _refuse(sentence, **received):
    values = ", ".join(f"{name}={value!r}" for name, value in received.items())
    raise ValueError(f"{sentence}. Received: {values}")
