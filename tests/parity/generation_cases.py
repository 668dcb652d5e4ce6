"""Small T5s and BARTs, their sources, and the settings texts are written by."""

import numpy as np

SOURCES, LONGEST, LENGTH = 200, 9, 14
V = 60
ENDS = {"t5": 1, "bart": 2}
STARTS = {"t5": 0, "bart": 2}
PADS = {"t5": 0, "bart": 1}

RULES = {
    "plain": {},
    "least": {"min_new_tokens": 6},
    "no token twice": {"no_repeat_ngram": 1},
    "no two tokens twice": {"no_repeat_ngram": 2},
    "less repetition": {"repetition_penalty": 1.7},
    "more repetition": {"repetition_penalty": 0.8},
    "first": {"forced_first": 9},
    "last": {"forced_last": 5},
    "suppressed": {"suppress": [20, 21, 22, 23]},
    "bad words": {"bad_words": [[5], [6], [7, 8], [9, 10], [30, 31, 32]]},
    "all at once": {
        "min_new_tokens": 5,
        "no_repeat_ngram": 2,
        "repetition_penalty": 1.3,
        "forced_first": 9,
        "forced_last": 5,
        "suppress": [20],
        "bad_words": [[7, 8]],
    },
}
BEAMS = {
    "long": {"length_penalty": 2.0},
    "short": {"length_penalty": -1.0},
    "early": {"early_stopping": True},
    "never early": {"early_stopping": "never"},
}
# What transformers has not, or draws from numbers of its own.
OURS = {
    "groups": {"beams": 4, "nbest": 4, "beam_groups": 2, "diversity_penalty": 0.7},
    "sampled": {"sample": True, "seed": 5, "nbest": 4},
    "sampled among few": {
        **{"sample": True, "seed": 6, "nbest": 4, "temperature": 1.3, "top_k": 20},
        **{"top_p": 0.9, "min_p": 0.01, "no_repeat_ngram": 2},
    },
}

COMPILED = (
    *("greedy, plain", "greedy, no two tokens twice", "beams, plain"),
    *("beams, never early", "beams, no two tokens twice", "beams, all at once"),
)


def cases():
    """Every setting by name: greedy search, and four beams with four texts each."""
    given = {"max_new_tokens": LENGTH}
    found = {f"greedy, {name}": {**given, **rule} for name, rule in RULES.items()}
    four = {**given, "beams": 4, "nbest": 4}
    return found | {
        f"beams, {name}": {**four, **rule} for name, rule in (RULES | BEAMS).items()
    }


def cases_on(backend):
    """All of them on PyTorch, where nothing is compiled; some of each kind elsewhere.

    Rules are the host's, and the same code everywhere. What differs by backend are the
    scores and, by how many of them a rule needs, the programs.
    """
    if backend == "torch":
        return cases()
    return {name: given for name, given in cases().items() if name in COMPILED}


def own_cases():
    return {name: {"max_new_tokens": LENGTH, **given} for name, given in OURS.items()}


def sources():
    """Token ids `(B, S)` of different lengths, none of them special, and their mask."""
    rng = np.random.default_rng(8)
    mask = np.arange(LONGEST) < rng.integers(1, LONGEST + 1, (SOURCES, 1))
    token_ids = rng.integers(3, V, mask.shape, dtype="int32")
    return np.where(mask, token_ids, 0), mask
