"""How far a figure could have come out otherwise: the bootstrap over rows.

Rows are drawn with replacement, as many as there are, not stratified: the shares of the
classes vary too, as they would in another sample of the same kind. The limits of an
interval are percentiles of the figure over all draws.
"""

from dataclasses import dataclass

import numpy as np

from kzoo.metrics.calibration import BINS, bin_of
from kzoo.metrics.probabilities import log_softmax
from kzoo.metrics.ranking import CHANCE, ranked_classes

RESAMPLES = 1000
LEVEL = 0.95


@dataclass(frozen=True)
class Answers:
    """What a classifier said about rows whose labels are known.

    Args:
        labels: int64 `(rows,)`.
        logits: float64 `(rows, classes)`, finite.
    """

    labels: np.ndarray
    logits: np.ndarray

    def __len__(self):
        return len(self.labels)


def resampled(answers, resamples=RESAMPLES, seed=0):
    """The figures of each of several models on the same draws of the same rows.

    Args:
        answers: list of `Answers`, all to the same rows.
        resamples: int. How many draws.
        seed: int. Of NumPy's `default_rng`.

    Returns:
        list with a dict per entry of `answers`: for each metric of
        `classification_metrics`, float64 `(resamples,)`. A figure without a value in a
        draw has the one that `classification_metrics` gives it.
    """
    rows = len(answers[0])
    counted = [_Counted(one) for one in answers]
    rng = np.random.default_rng(seed)
    for draw in range(resamples):
        weights = np.bincount(rng.integers(0, rows, rows), minlength=rows)
        for one in counted:
            one.add(weights, draw, resamples)
    return [one.figures() for one in counted]


def interval(values, level=LEVEL):
    """The percentiles that leave `1 - level` outside, half on each side."""
    tail = 50 * (1 - level)
    low, high = np.percentile(values, [tail, 100 - tail])
    return [float(low), float(high)]


class _Counted:
    """Sums over the drawn rows from which every figure follows."""

    def __init__(self, answers):
        labels, logits = answers.labels, answers.logits
        log_probabilities = log_softmax(logits)
        probabilities = np.exp(log_probabilities)
        self.labels, self.predicted = labels, logits.argmax(axis=1)
        self.right = self.predicted == labels
        self.losses = -log_probabilities[np.arange(len(labels)), labels]
        confidence = probabilities.max(axis=1)
        self.bins, self.gaps = bin_of(confidence), self.right - confidence
        self.rows, self.classes = logits.shape
        self.ranks = [
            (labels == place, *_ranks(probabilities[:, place]))
            for place in ranked_classes(self.classes)
        ]
        self.sums = None

    def add(self, weights, draw, draws):
        if self.sums is None:
            shape = (draws, self.classes)
            self.sums = {name: np.zeros(shape) for name in ("gold", "said", "hits")}
            self.sums |= {name: np.zeros(draws) for name in ("loss", "gap", "area")}
        sums, classes = self.sums, self.classes
        sums["gold"][draw] = np.bincount(self.labels, weights, classes)
        sums["said"][draw] = np.bincount(self.predicted, weights, classes)
        sums["hits"][draw] = np.bincount(self.labels, weights * self.right, classes)
        sums["loss"][draw] = weights @ self.losses
        gaps = np.bincount(self.bins, weights * self.gaps, BINS)
        sums["gap"][draw] = np.abs(gaps).sum()
        sums["area"][draw] = self._area(weights)

    def _area(self, weights):
        """Mean area under the ROC curve of the drawn rows, ties counted half."""
        areas = []
        for has, rank, ranks in self.ranks:
            ours = np.bincount(rank, weights * has, ranks)
            others = np.bincount(rank, weights * ~has, ranks)
            pairs = ours.sum() * others.sum()
            if pairs:
                below = np.cumsum(others) - others / 2
                areas.append(ours @ below / pairs)
        return np.mean(areas) if areas else CHANCE

    def figures(self):
        gold, said, hits = (self.sums[name] for name in ("gold", "said", "hits"))
        rows = self.rows
        both = gold + said  # (draws, classes)
        f1 = 2 * hits / np.where(both, both, 1)
        accuracy = hits.sum(axis=1) / rows
        squares = (rows**2 - (said**2).sum(axis=1)) * (rows**2 - (gold**2).sum(axis=1))
        agreement = accuracy * rows**2 - (gold * said).sum(axis=1)
        defined = squares > 0
        return {
            "accuracy": accuracy,
            "macro_f1": f1.sum(axis=1) / (both > 0).sum(axis=1),
            "micro_f1": accuracy.copy(),
            "weighted_f1": (f1 * gold).sum(axis=1) / rows,
            "mcc": np.where(
                defined, agreement / np.sqrt(np.where(defined, squares, 1)), 0.0
            ),
            "roc_auc": self.sums["area"],
            "calibration_error": self.sums["gap"] / rows,
            "loss": self.sums["loss"] / rows,
        }


def _ranks(scores):
    """The rank of each score, equal ones sharing it, and how many ranks there are."""
    values, rank = np.unique(scores, return_inverse=True)
    return rank, len(values)
