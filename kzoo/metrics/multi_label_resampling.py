"""The bootstrap over rows that have any number of labels; see `resampling`."""

import numpy as np


def multi_label_resampled(labels, said, resamples, seed=0):
    """The figures of each of several models on the same draws of the same rows.

    Args:
        labels: `(rows, C)` of 0 and 1.
        said: list with a pair for each model: which labels it gives, `(rows, C)` of 0
            and 1, and the loss of each decision, float `(rows, C)`.
        resamples: int. How many draws.
        seed: int. Of NumPy's `default_rng`.

    Returns:
        list with a dict for each model: for each metric of `multi_label_metrics` that
        is one number, float64 `(resamples,)`.
    """
    rows, classes = labels.shape
    rng = np.random.default_rng(seed)
    parts = [
        (labels, given, labels * given, labels != given, losses)
        for given, losses in said
    ]
    right = [(labels == given).all(axis=1) for given, _ in said]
    summed = np.zeros((len(said), 5, resamples, classes))
    exact = np.zeros((len(said), resamples))
    for draw in range(resamples):
        weights = np.bincount(rng.integers(0, rows, rows), minlength=rows)
        for model in range(len(said)):
            exact[model, draw] = weights @ right[model]
            for place, part in enumerate(parts[model]):
                summed[model, place, draw] = weights @ part
    pairs = zip(summed, exact, strict=True)
    return [_figures(sums, rights, rows) for sums, rights in pairs]


def _figures(sums, exact, rows):
    held, said, hits, wrong, loss = sums  # each (draws, C)
    classes = held.shape[1]
    f1 = 2 * hits / np.maximum(held + said, 1)
    whole = np.maximum((held + said).sum(axis=1), 1)
    return {
        "accuracy": exact / rows,
        "macro_f1": f1.mean(axis=1),
        "micro_f1": 2 * hits.sum(axis=1) / whole,
        "weighted_f1": (f1 * held).sum(axis=1) / np.maximum(held.sum(axis=1), 1),
        "hamming_loss": wrong.sum(axis=1) / (rows * classes),
        "loss": loss.sum(axis=1) / (rows * classes),
    }
