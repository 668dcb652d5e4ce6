"""From counts of entities to precision, recall and F1, of one draw of rows or many."""

import numpy as np


def shares(found, gold, predicted):
    """Precision, recall and F1; 0 where one has no value.

    Args:
        found: int, or an array of any shape. Entities both gold and predicted.
        gold: of the same shape. All gold entities.
        predicted: of the same shape. All predicted entities.

    Returns:
        Three float64 arrays of that shape.
    """
    found, both = np.asarray(found, "float64"), np.add(gold, predicted)
    return (
        found / np.where(predicted, predicted, 1),
        found / np.where(gold, gold, 1),
        2 * found / np.where(both, both, 1),
    )


def averages(found, gold, predicted):
    """Precision, recall and F1 over all types, as seqeval averages them.

    Args:
        found, gold, predicted: int `(…, types)`.

    Returns:
        dict of `micro`, `macro` and `weighted`, each a dict of `precision`, `recall`
        and `f1`, float64 `(…,)`. `micro` counts all entities alike; `macro` is the
        mean over the types that occur, gold or predicted; `weighted` is the mean
        weighted by gold entities. What has no value is 0.
    """
    own = shares(found, gold, predicted)  # three of (…, types)
    occurs = (np.add(gold, predicted) > 0).astype("float64")
    whole = shares(*(np.sum(one, axis=-1) for one in (found, gold, predicted)))
    return {
        "micro": _named(whole),
        "macro": _named(_mean(one, occurs) for one in own),
        "weighted": _named(_mean(one, gold) for one in own),
    }


def _mean(values, weights):
    total = np.sum(weights, axis=-1)
    return np.sum(values * weights, axis=-1) / np.where(total, total, 1)


def _named(figures):
    return dict(zip(("precision", "recall", "f1"), figures, strict=True))


def per_type(types, counts):
    """By type `precision`, `recall`, `f1`, `support` (gold) and `predicted`.

    Args:
        types: list of str.
        counts: int `(3, types)`.
    """
    figures = shares(*counts)
    return {
        name: {
            **_named(float(one[at]) for one in figures),
            "support": int(counts[1][at]),
            "predicted": int(counts[2][at]),
        }
        for at, name in enumerate(types)
    }
