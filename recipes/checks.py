"""What must hold between the keys of a recipe, beyond the type of each."""

import math

from .adaptation_checks import adaptation_complaints
from .attention_schema import length_complaints
from .encodings import ENCODINGS, known_encoding
from .hints import did_you_mean, nearest
from .schema import RANGES
from .sources import HUB, INSTALLED, hub_name, is_hub
from .stack_checks import stack_complaints
from .task_checks import metrics_of, renamed, task_complaints


def conflicts(recipe):
    """Yield `(paths, complaint)` for every rule that `recipe` breaks.

    `paths` are the keys that disagree, each a tuple; the first names the place.
    """
    for keys, complaint in _complaints(recipe):
        yield tuple(tuple(key.split(".")) for key in keys), complaint
    if hasattr(recipe.data, "labels"):
        yield from renamed(recipe.data.labels)
    yield from _expect(recipe.expect, metrics_of(recipe))


def _complaints(recipe):
    yield from _name(recipe.name)
    yield from _data(recipe.data)
    if recipe.model.pretrained is None:
        encoder = recipe.model.encoder
        yield from stack_complaints(encoder, "model.encoder")
        yield from length_complaints(
            encoder.attention,
            recipe.data.sequence_length,
            "model.encoder.",
            "data.sequence_length",
        )
    else:
        yield from _pretrained(recipe)
    yield from adaptation_complaints(recipe)
    yield from _training(recipe.training, metrics_of(recipe))
    yield from task_complaints(recipe)


def _name(name):
    for complaint in unfit_name(name):
        yield ("name",), complaint


def unfit_name(name):
    """Yield why a run's folder cannot be called `name`."""
    unfit = set("/\\")
    if name and (name[0] == "." or unfit & set(name) or not name.isprintable()):
        yield "must be usable as the name of a folder"
    elif name and len(name.encode()) > 100:
        yield "must be at most 100 bytes long, since it names a folder"


def _data(data):
    yield from _names(data)
    for split in ("train", "dev", "test"):
        if data.source and getattr(data, split):
            yield (
                ("data.source", f"data.{split}"),
                f"excludes `{split}`; keep one of them",
            )
    if not data.train and not data.source:
        for split in ("dev", "test"):
            if getattr(data, split):
                yield (f"data.{split}", "data.train"), "needs a `train` file beside it"
    if not known_encoding(data.encoding):
        yield (
            ("data.encoding",),
            "is not an encoding Python knows" + did_you_mean(data.encoding, ENCODINGS),
        )
    if data.dev_share + data.test_share >= 1:
        yield (
            ("data.dev_share", "data.test_share"),
            "and `test_share` must leave rows to train on: their sum must be below 1",
        )
    if data.buckets is not None:
        grows = all(a < b for a, b in zip(data.buckets, data.buckets[1:], strict=False))
        if not data.buckets or not grows or data.buckets[-1] != data.sequence_length:
            yield (
                ("data.buckets", "data.sequence_length"),
                "must be increasing lengths, the last of them `sequence_length`",
            )


def _names(data):
    """Names that are not files must be well spelt."""
    if is_hub(data.source) or data.source in (None, *INSTALLED):
        pass
    elif hub_name(f"hf:{data.source}"):
        near = nearest(data.source, INSTALLED)
        yield (
            ("data.source",),
            f'is no name of rows; did you mean "{near or HUB + data.source}"?',
        )
    else:
        yield (
            ("data.source",),
            "is no name of rows" + did_you_mean(data.source, INSTALLED),
        )
    for key in ("source", "train", "dev", "test"):
        value = getattr(data, key)
        for name in value if isinstance(value, list) else [value]:
            if is_hub(name) and hub_name(name) is None:
                yield (
                    (f"data.{key}",),
                    "must be written hf:ORG/NAME, and with more as "
                    "hf:ORG/NAME:CONFIG@REVISION#SPLIT",
                )
    if hub_name(data.source) and hub_name(data.source).split:
        yield (
            ("data.source",),
            "is a whole dataset: name a split of one with `train`, `dev` or `test`",
        )


def _pretrained(recipe):
    """A checkpoint must be well spelt, and brings its tokenizer."""
    name = recipe.model.pretrained
    spelt = hub_name(name)
    if is_hub(name) and (spelt is None or spelt.config or spelt.split):
        yield (
            ("model.pretrained",),
            "must be written hf:ORG/NAME, and of a revision hf:ORG/NAME@REVISION",
        )
    if recipe.tokenizer is not None:
        yield (
            ("tokenizer", "model.pretrained"),
            "excludes [model] pretrained, whose checkpoint brings its own tokenizer",
        )


def _training(training, metrics):
    steps, warmup = training.steps, training.warmup_steps
    if steps is not None and warmup is not None and warmup > steps:
        yield (
            ("training.warmup_steps", "training.steps"),
            "must not be above `steps`",
        )
    if training.batch_size % training.accumulation:
        yield (
            ("training.accumulation", "training.batch_size"),
            "must divide `batch_size`",
        )
    if training.schedule == "inverse_square_root":
        key = "warmup_share" if warmup is None else "warmup_steps"
        if not getattr(training, key):
            yield (
                ("training.schedule", f"training.{key}"),
                f'can be "inverse_square_root" only with `{key}` above 0',
            )
    if training.metric not in metrics:
        yield (
            ("training.metric",),
            "is not a metric of the task" + did_you_mean(training.metric, metrics),
        )
    for key in ("evaluate_every", "unfreeze_every"):
        if getattr(training, key) and getattr(training, f"{key}_epochs"):
            yield (
                (f"training.{key}_epochs", f"training.{key}"),
                f"excludes `{key}`; keep one of them",
            )
    for key in ("learning_rates", "weight_decays"):
        if getattr(training, key) == {}:
            yield (f"training.{key}",), "must name a part, or be left out"
    logs = training.logs or []
    if len(set(logs)) < len(logs):
        yield ("training.logs",), "must name each log once"
    if training.min_delta and not training.patience:
        yield (
            ("training.min_delta", "training.patience"),
            "says what `patience` counts as better; set `patience` beside it",
        )


def _expect(expect, metrics):
    for metric, bound in expect.items():
        at = ("expect", metric)
        low, high = bound.at_least, bound.at_most
        if metric not in metrics:
            yield (at,), "is not a metric of the task" + did_you_mean(metric, metrics)
        elif low is None and high is None:
            yield (at,), "needs `at_least` or `at_most`"
        elif None not in (low, high) and low > high:
            yield (
                ((*at, "at_least"), (*at, "at_most")),
                "must not be above `at_most`",
            )
        yield from _unreachable(at, metric, low, high)


def _unreachable(at, metric, low, high):
    least, most = RANGES.get(metric, (0, 1))
    if low is not None and low > most:
        yield ((*at, "at_least"),), f"is out of reach: {metric} is at most {most}"
    if high is not None and high < least:
        yield ((*at, "at_most"),), f"is out of reach: {metric} is at least {least}"


def not_finite(values, path=()):
    """Yield the path of every float in nested `values` that is inf or nan."""
    if isinstance(values, dict):
        for key, value in values.items():
            yield from not_finite(value, (*path, key))
    elif isinstance(values, float) and not math.isfinite(values):
        yield path
