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
    "model_name_or_path": "pretrained",
    "checkpoint": "pretrained",
    "train_file": "train",
    "validation": "dev",
    "validation_file": "dev",
    "val": "dev",
    "eval": "dev",
    "test_file": "test",
    "text_column": "text",
    "label_column": "label",
    "hidden_dropout_prob": "dropout",
    "num_train_epochs": "epochs",
    "max_steps": "steps",
    "per_device_train_batch_size": "batch_size",
    "per_device_eval_batch_size": "evaluation_batch_size",
    "gradient_accumulation_steps": "accumulation",
    "lr_scheduler_type": "schedule",
    "warmup_ratio": "warmup_share",
    "eval_steps": "evaluate_every",
    "save_steps": "checkpoint_every",
    "logging_steps": "log_every",
    "save_total_limit": "keep_checkpoints",
    "metric_for_best_model": "metric",
    "early_stopping_patience": "patience",
    "early_stopping_threshold": "min_delta",
    "bf16": "precision",
    "fp16": "precision",
    "report_to": "logs",
}

# What other libraries are told and a recipe is not: where it is said instead.
ELSEWHERE = {
    "device": "the device is the command's `--device`",
    "output_dir": "the folder for runs is the command's `--output`",
    "optimizer": "every recipe trains with AdamW",
    "num_labels": "the labels are those of the training rows, or of [data] labels",
}

# The shipped recipe of a task that begins with a checkpoint.
TUNED = {
    "text_classifier": "sst2_minilm",
    "token_tagger": "wnut17_minilm",
    "summarizer": "aeslc_minilm",
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


def elsewhere(word):
    """Where what `word` means in other libraries is said, or None."""
    return ELSEWHERE.get(_plain(word))


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
