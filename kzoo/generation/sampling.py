"""Drawing a token: temperature, top-k, top-p, min-p, and one number for each draw.

All in float64. The number is the `step`th of a Philox stream whose key is the seed and
the source's own number, so a text does not depend on its batch. It picks a token along
the tokens in the order of their ids, not of their scores: where two scores nearly tie,
backends may order them differently, and the draw does not care.
"""

import numpy as np


def uniforms(seed, rows, samples, length):
    """The numbers to draw by: float64 in [0, 1), `(rows, samples, length)`."""
    numbers = np.empty((len(rows), samples, length))
    for place, row in enumerate(rows):
        key = np.array([seed, row], "uint64")
        for sample in range(samples):
            stream = np.random.Philox(counter=[0, sample, 0, 0], key=key)
            numbers[place, sample] = np.random.Generator(stream).random(length)
    return numbers


def probabilities(scores, settings):
    """What candidates are drawn by.

    Args:
        scores: float32 `(..., C)`, logits or log-probabilities, at least one finite.
        settings: `Generation`.

    Returns:
        places int `(..., c)`, which candidates are left, `None` for all in order; and
        their probabilities, float64, of sum 1. Those that `top_p` or `min_p` leaves out
        have 0.
    """
    scores = scores.astype("float64") / settings.temperature
    places = None
    if settings.top_k or settings.top_p < 1:
        kept = settings.top_k or scores.shape[-1]
        places = np.argsort(-scores, axis=-1, kind="stable")[..., :kept]
        scores = np.take_along_axis(scores, places, axis=-1)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights /= weights.sum(axis=-1, keepdims=True)
    if settings.top_p < 1:
        rest = weights[..., ::-1].cumsum(axis=-1)[..., ::-1]  # With all less likely.
        keep = rest > 1 - settings.top_p
        keep[..., 0] = True
        weights = np.where(keep, weights, 0.0)
    if settings.min_p:
        least = settings.min_p * weights.max(axis=-1, keepdims=True)
        weights = np.where(weights < least, 0.0, weights)
    return places, weights / weights.sum(axis=-1, keepdims=True)


def draw(ids, scores, numbers, settings):
    """The place among the candidates of the token that each number picks.

    Args:
        ids: int `(B, K, C)`, or `None` where the candidates are all tokens, in order.
        scores: float32 `(B, K, C)`.
        numbers: float64 `(B, K)`, from `uniforms`.

    Returns:
        int `(B, K)`.
    """
    places, weights = probabilities(scores, settings)
    if places is None or ids is None:
        tokens = ids if places is None else places
    else:
        tokens = np.take_along_axis(ids, places, axis=-1)
    if tokens is not None:
        by_id = np.argsort(tokens, axis=-1)
        weights = np.take_along_axis(weights, by_id, axis=-1)
    ladder = weights.cumsum(axis=-1)
    # Below the top of the ladder, even where rounding would reach it.
    height = np.minimum(numbers * ladder[..., -1], np.nextafter(ladder[..., -1], 0))
    place = (ladder > height[..., None]).argmax(axis=-1)[..., None]
    if tokens is not None:
        place = np.take_along_axis(by_id, place, axis=-1)
    if places is not None:
        place = np.take_along_axis(places, place, axis=-1)
    return place[..., 0]
