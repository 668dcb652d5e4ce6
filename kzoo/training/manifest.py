"""What the manifest of a run's checkpoint says, and whether one says it."""

from typing import Annotated, Any

import msgspec
from msgspec import Meta

LEFT_OUT = "left_out"  # the key of what a checkpoint need not hold
Natural = Annotated[int, Meta(ge=0)]
Number = Annotated[float, Meta(ge=0)]


class Rows(msgspec.Struct):
    """What `fingerprint` says of a split."""

    rows: Natural
    sha256: str


class Part(msgspec.Struct):
    """Who made the steps from one on."""

    from_step: Natural
    backend: str
    backend_version: str
    device: str


class BestFacts(msgspec.Struct, forbid_unknown_fields=True):
    """Of `Best`."""

    step: Annotated[int, Meta(ge=1)]
    metrics: dict[str, Any]


class WindowFacts(msgspec.Struct, forbid_unknown_fields=True):
    """Of `Window`."""

    steps: list[tuple[Natural, Number, float, Natural, Number]]
    examples: Natural
    seconds: Number
    epoch: tuple[float, Natural]
    spent: Number


class StandingFacts(msgspec.Struct, forbid_unknown_fields=True):
    """Of `Standing`."""

    step: Annotated[int, Meta(ge=1)]
    evaluated: bool
    best: BestFacts | None
    waited: Natural
    reference: float | None
    stopped: str | None
    seconds: Number
    window: WindowFacts


class LeftOutFacts(msgspec.Struct):
    """Of `LeftOut`."""

    weights: Annotated[int, Meta(ge=1)]
    sha256: str


class Manifest(msgspec.Struct):
    """All of it, beside the files that `checkpoint.load` verifies."""

    data: Annotated[dict[str, Rows], Meta(min_length=1)]
    parts: Annotated[list[Part], Meta(min_length=1)]
    metric: str
    standing: StandingFacts
    left_out: LeftOutFacts | None = None


def is_sound(manifest, step):
    """Whether `manifest`, read from JSON, is one of the checkpoint of `step`."""
    try:
        found = msgspec.convert(manifest, Manifest)
    except (msgspec.ValidationError, RecursionError):
        return False
    standing, best = found.standing, found.standing.best
    if standing.step != step:
        return False
    return best is None or (
        best.step <= step
        and all(
            name in best.metrics and isinstance(best.metrics[name], float | int | None)
            for name in (found.metric, "loss")
        )
    )
