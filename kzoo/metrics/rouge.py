"""ROUGE of predictions against one reference or several, by rouge-score."""

from dataclasses import dataclass

import numpy as np

from kzoo.metrics.sentences import sentences

TYPES = ("rouge1", "rouge2", "rougeL", "rougeLsum")
SHARES = ("precision", "recall", "f1")
F1 = SHARES.index("f1")


@dataclass(frozen=True)
class Rouge:
    """Scores of predictions, each against all of its references.

    Attributes:
        pairs: float64 `(pairs, 4, 3)`: by pair of prediction and reference, by `TYPES`
            and by `SHARES`. Pairs of a row follow each other.
        starts: int64 `(rows,)`. The first pair of each row.
    """

    pairs: np.ndarray
    starts: np.ndarray

    def best(self):
        """Scores against the best reference, float64 `(rows, 4, 3)`.

        The best of each type is that with the highest F1, the first among equals, so
        that it may be another one for each type: rouge-score's `score_multi`.
        """
        ends = np.append(self.starts[1:], len(self.pairs))
        types = np.arange(len(TYPES))
        best = [
            self.pairs[start:end][self.pairs[start:end, :, F1].argmax(axis=0), types]
            for start, end in zip(self.starts, ends, strict=True)
        ]
        return np.stack(best)

    def mean(self):
        """The mean over each row's references, float64 `(rows, 4, 3)`."""
        counts = np.diff(np.append(self.starts, len(self.pairs)))
        return np.add.reduceat(self.pairs, self.starts) / counts[:, None, None]


def score(references, predictions, words):
    """Score each prediction against each of its references.

    A prediction without words has 0 everywhere, and so has any against a reference
    without words. Sentences, of which ROUGE-Lsum is made, are those of
    `kzoo.metrics.sentences`.

    Args:
        references: list by row of lists of str, at least one each.
        predictions: list of str.
        words: `kzoo.metrics.rouge_words.Words`.

    Returns:
        `Rouge`.

    Reference:
        - [Lin, 2004](https://aclanthology.org/W04-1013/)
    """
    from rouge_score.rouge_scorer import RougeScorer

    whole = RougeScorer(TYPES, tokenizer=words)
    short = RougeScorer(TYPES[:-1], tokenizer=words)
    pairs = []
    for own, prediction in zip(references, predictions, strict=True):
        said = "\n".join(sentences(prediction))
        for reference in own:
            gold = "\n".join(sentences(reference))
            # Of one sentence each, the last type is the one before it.
            scorer = whole if "\n" in gold or "\n" in said else short
            found = [tuple(one) for one in scorer.score(gold, said).values()]
            pairs.append(found + found[-1:] * (len(TYPES) - len(found)))
    counts = [0, *(len(own) for own in references[:-1])]
    return Rouge(np.array(pairs, "float64"), np.cumsum(counts))
