"""What is counted of a tagger, sentence by sentence: every figure is made of sums."""

from dataclasses import dataclass

import numpy as np

from kzoo.metrics.entities import check_lengths, read_entities
from kzoo.metrics.span_figures import averages, shares

PLAIN = "plain"


@dataclass(frozen=True)
class TagCounts:
    """Counts of a tagger's answers, or sums of them.

    Attributes:
        names: list of str. Types of entities, or plain tags.
        own: `(3, …, names)`. Found, gold and predicted of each type: entities as
            conlleval reads them, or words of a plain tag.
        strict: `(3, …, names)`. Entities by the scheme; `None` of plain tags.
        words: `(2, …)`. Rightly tagged words, and all of them.
    """

    names: list
    own: np.ndarray
    strict: np.ndarray | None
    words: np.ndarray

    def sum(self):
        """The counts of all sentences together."""
        return self._each(lambda counts: counts.sum(axis=1))

    def drawn(self, weights):
        """Sums over draws of sentences.

        Args:
            weights: `(draws, rows)`. How often each sentence is in each draw.
        """
        return self._each(lambda counts: np.matmul(weights, counts))

    def _each(self, change):
        strict = None if self.strict is None else change(self.strict)
        words = change(self.words[..., None])[..., 0]
        return TagCounts(self.names, change(self.own), strict, words)

    def figures(self):
        """The figures that stand for a tagger: dict by name of float64 `(…,)`."""
        right, words = self.words
        accuracy = np.asarray(right, "float64") / np.where(words, words, 1)
        own = averages(*self.own)
        if self.strict is None:
            return {
                "accuracy": accuracy,
                "macro_f1": own["macro"]["f1"],
                "weighted_f1": own["weighted"]["f1"],
            }
        return {
            "f1": own["micro"]["f1"],
            "precision": own["micro"]["precision"],
            "recall": own["micro"]["recall"],
            "macro_f1": own["macro"]["f1"],
            "weighted_f1": own["weighted"]["f1"],
            "strict_f1": averages(*self.strict)["micro"]["f1"],
            "accuracy": accuracy,
        }

    def f1_by_name(self):
        """F1 of each type or plain tag: dict by name of float64 `(…,)`."""
        by_name = np.moveaxis(shares(*self.own)[2], -1, 0)  # (names, …)
        return dict(zip(self.names, by_name, strict=True))


def read_both_ways(gold, predicted, scheme):
    """`Entities` as conlleval reads tags, and by the scheme; `None` of plain tags."""
    if scheme == PLAIN:
        return None
    ways = (False, True)
    return [read_entities(gold, predicted, scheme, strict) for strict in ways]


def count_tags(gold, predicted, scheme, names=(), read=None):
    """`TagCounts` of each sentence.

    Args:
        gold: list of lists of str.
        predicted: list of lists of str, as long as those of `gold`.
        scheme: str, see `kzoo.metrics.tagging_metrics`.
        names: iterable of str. Types or plain tags to count even if none occurs.
        read: what `read_both_ways` gives, if it was read already.

    Raises:
        ValueError: if a tag is none of the scheme, or lengths differ.
    """
    check_lengths(gold, predicted)
    pairs = list(zip(gold, predicted, strict=True))
    right = [sum(map(str.__eq__, *pair)) for pair in pairs]
    words = np.array([right, list(map(len, gold))], "int64")
    if scheme == PLAIN:
        tags = {tag for side in (gold, predicted) for row in side for tag in row}
        names = sorted(tags.union(names))
        return TagCounts(names, _of_words(pairs, names), None, words)
    lenient, strict = read or read_both_ways(gold, predicted, scheme)
    names = sorted({*lenient.types, *names})
    return TagCounts(names, lenient.counts(names), strict.counts(names), words)


def _of_words(pairs, names):
    place = {name: at for at, name in enumerate(names)}
    counts = np.zeros((3, len(pairs), len(names)), "int64")
    for row, (gold, said) in enumerate(pairs):
        for one, other in zip(gold, said, strict=True):
            counts[0, row, place[one]] += one == other
            counts[1, row, place[one]] += 1
            counts[2, row, place[other]] += 1
    return counts
