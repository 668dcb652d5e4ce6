"""Did you mean …? Nearest spellings, for every name a user can misspell."""

import difflib

# What other libraries call the same thing, where the spelling is no help.
ALIASES = {
    "lr": "learning_rate",
    "max_length": "sequence_length",
    "max_grad_norm": "clip_norm",
    "hidden_size": "hidden_dim",
    "intermediate_size": "intermediate_dim",
    "num_hidden_layers": "num_layers",
    "num_attention_heads": "num_heads",
    "num_beams": "beams",
    "num_beam_groups": "beam_groups",
    "num_return_sequences": "nbest",
    "no_repeat_ngram_size": "no_repeat_ngram",
    "do_sample": "sample",
}

# Values that others know and kzoo does not take, and why.
NO_FLOAT16 = (
    "cannot be float16: its largest number, 65,504, overflows in attention, its small "
    "gradients need loss scaling, which kzoo has not, and JAX cannot run it on a CPU; "
    'use "mixed_bfloat16", which has the range of float32.'
)
REFUSED = {
    ("training", "precision"): dict.fromkeys(
        ("mixed_float16", "float16", "fp16", "half"), NO_FLOAT16
    )
}


def refusal(path, value):
    """Why `value` cannot stand at `path`, where there is more to say than its type."""
    return REFUSED.get(path, {}).get(_plain(value))


def nearest(word, options):
    """The option that `word` most likely stands for, or None."""
    plain = {_plain(option): option for option in reversed(list(options))}
    if ALIASES.get(_plain(word)) in plain:
        return plain[ALIASES[_plain(word)]]
    found = difflib.get_close_matches(_plain(word), plain, n=1, cutoff=0.6)
    return plain[found[0]] if found else None


def did_you_mean(word, options):
    """`; did you mean "x"?`, or the list of options when none is near."""
    options = list(options)
    near = nearest(word, options)
    if near is not None:
        return f'; did you mean "{near}"?'
    return f"; there are {', '.join(options)}." if options else "."


def brief(text, most=80):
    """What a user wrote, short enough for a sentence."""
    text = str(text)
    return text if len(text) <= most else text[: most - 1] + "…"


def _plain(word):
    return str(word).strip().casefold().replace("-", "_")
