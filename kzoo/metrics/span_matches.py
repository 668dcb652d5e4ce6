"""How nearly entities were found: the categories of nervaluate.

Four ways of looking at the same spans. `strict` asks for the same words and the same
type, `exact` for the same words, `partial` for some of the words, whatever the type,
and counts these half, `ent_type` for the same type and some of the words.
"""

from kzoo.metrics.entities import overlaps
from kzoo.metrics.span_figures import shares

CATEGORIES = ("correct", "incorrect", "partial", "missed", "spurious")
WAYS = ("strict", "exact", "partial", "ent_type")
LEAST = 100  # A hundredth of a gold entity's words must be predicted; nervaluate's 1 %.


def span_matches(entities):
    """Counts of each category, over all types and by type.

    Predicted entities are taken in order, and each meets at most one gold one: the one
    that makes it correct (of several of its type, for `ent_type`, the one with the
    nearest borders), else the first that it overlaps and that is still free. That one
    makes it incorrect, or for `partial` half correct; without one it is spurious. Gold
    entities that none has met are missed. A single type is looked at as if there were
    no other, so that what is confused with another type is missed there, and spurious
    in that type.

    Args:
        entities: `kzoo.metrics.entities.Entities`.

    Returns:
        dict that JSON can hold, of `overall` and `per_class`, by type: by way
        (`strict`, `exact`, `partial`, `ent_type`) a dict of `correct`, `incorrect`,
        `partial`, `missed`, `spurious`, `possible` (all gold), `actual` (all
        predicted), `precision`, `recall` and `f1`; what has no value is 0.0.

    Reference:
        - [Segura-Bedmar et al., 2013](https://aclanthology.org/S13-2056/), section 3
        - [nervaluate](https://github.com/MantisAI/nervaluate)
    """
    rows = list(zip(entities.gold, entities.predicted, strict=True))
    return {
        "overall": _of(rows),
        "per_class": {
            name: _of([[_only(side, name) for side in row] for row in rows])
            for name in entities.types
        },
    }


def _only(entities, name):
    return [entity for entity in entities if entity[0] == name]


def _of(rows):
    counts = {way: dict.fromkeys(CATEGORIES, 0) for way in WAYS}
    for gold, predicted in rows:
        near = _near(gold, predicted)
        for way, own in counts.items():
            _add(own, way, gold, predicted, near)
    return {way: _figures(own) for way, own in counts.items()}


def _near(gold, predicted):
    """For each predicted entity the places of the gold ones that it overlaps."""
    return [
        [at for at, shared in own if LEAST * shared >= gold[at][2] - gold[at][1]]
        for own in overlaps(gold, predicted)
    ]


def _add(counts, way, gold, predicted, near):
    met = set()
    for one, places in zip(predicted, near, strict=True):
        free = [place for place in places if place not in met]
        right = [place for place in free if _is_right(way, gold[place], one)]
        if right:
            counts["correct"] += 1
            met.add(min(right, key=lambda place: _distance(gold[place], one)))
        elif free:
            counts["partial" if way == "partial" else "incorrect"] += 1
            met.add(free[0])
        else:
            counts["spurious"] += 1
    counts["missed"] += len(gold) - len(met)


def _is_right(way, gold, predicted):
    if way == "ent_type":
        return gold[0] == predicted[0]
    return gold[1:] == predicted[1:] and (way != "strict" or gold[0] == predicted[0])


def _distance(gold, predicted):
    return abs(gold[1] - predicted[1]) + abs(gold[2] - predicted[2])


def _figures(counts):
    met = counts["correct"] + counts["incorrect"] + counts["partial"]
    possible, actual = met + counts["missed"], met + counts["spurious"]
    found = counts["correct"] + 0.5 * counts["partial"]
    figures = shares(found, possible, actual)
    return {
        **counts,
        "possible": possible,
        "actual": actual,
        **{
            name: float(value)
            for name, value in zip(("precision", "recall", "f1"), figures, strict=True)
        },
    }
