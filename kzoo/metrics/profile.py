"""What summaries are like, whatever is gold: lengths, repetition, what they copy."""

from dataclasses import dataclass

import numpy as np

from kzoo.metrics.copying import fragments, novel, repeated
from kzoo.metrics.sentences import sentences

ORDERS = (1, 2, 3, 4)  # of the n-grams that are counted


@dataclass(frozen=True)
class Profile:
    """Some texts and what they are like; NaN where a text has no such share.

    Attributes:
        words, sentences: int64 `(texts,)`.
        repeated: float64 `(texts, 4)`. The share of a text's n-grams, n from 1 to 4,
            that stood in it before.
        novel: float64 `(texts, 4)`. The share of its n-grams that its document does
            not have. `None` without documents, as all that follow.
        coverage, density: float64 `(texts,)`, see `kzoo.metrics.copying.fragments`.
        longest: int64 `(texts,)`. The words of the longest fragment.
    """

    words: np.ndarray
    sentences: np.ndarray
    repeated: np.ndarray
    novel: np.ndarray | None = None
    coverage: np.ndarray | None = None
    density: np.ndarray | None = None
    longest: np.ndarray | None = None

    def means(self):
        """What the texts are like on average; a dict that JSON can hold."""
        found = {
            "words": float(np.mean(self.words)),
            "sentences": float(np.mean(self.sentences)),
            "repeated_ngrams": [mean(column) for column in self.repeated.T],
        }
        if self.novel is not None:
            found |= {
                "novel_ngrams": [mean(column) for column in self.novel.T],
                "coverage": mean(self.coverage),
                "density": mean(self.density),
                "longest_copy": float(np.mean(self.longest)),
            }
        return found


def profile(texts, words, documents=None):
    """What texts are like.

    Args:
        texts: list of str.
        words: `kzoo.metrics.rouge_words.Words`; words are taken without stemming.
        documents: list of str, the document of each text.
    """
    split = [words.split(text) for text in texts]
    found = {
        "words": np.array([len(own) for own in split], "int64"),
        "sentences": np.array([len(sentences(text)) for text in texts], "int64"),
        "repeated": _shares(repeated(own, n) for own in split for n in ORDERS),
    }
    if documents is not None:
        sources = [words.split(document) for document in documents]
        both = list(zip(sources, split, strict=True))
        copied = [np.array(fragments(*pair), "float64") for pair in both]
        lengths = [len(own) or np.nan for own in split]
        found |= {
            "novel": _shares(novel(*pair, n) for pair in both for n in ORDERS),
            "coverage": _each(copied, lengths, lambda runs: runs.sum()),
            "density": _each(copied, lengths, lambda runs: (runs**2).sum()),
            "longest": np.array([max(runs, default=0) for runs in copied], "int64"),
        }
    return Profile(**found)


def mean(values):
    """The mean over what has a value; 0.0 if nothing has."""
    has = ~np.isnan(values)
    return float(values[has].mean()) if has.any() else 0.0


def _shares(pairs):
    """Pairs of a part and a whole, by text and n, as shares `(texts, 4)`."""
    parts, wholes = np.array(list(pairs), "float64").reshape(-1, len(ORDERS), 2).T
    wholes = np.where(wholes, wholes, np.nan)
    return (parts / wholes).T


def _each(copied, lengths, summed):
    return np.array([summed(runs) for runs in copied]) / lengths
