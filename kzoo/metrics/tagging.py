"""How well words were tagged: the figures of each epoch."""

import numpy as np
from sklearn.metrics import f1_score, precision_recall_fscore_support

from kzoo.metrics.entities import check_lengths, read_entities
from kzoo.metrics.span_figures import headline, per_type

PLAIN = "plain"


def tagging_metrics(gold, predicted, scheme):
    """The figures of a tagger, over all sentences.

    Entities are read by seqeval, and its figures are these. What has no value by its
    definition is 0.0: the precision where nothing is predicted, the recall where
    nothing is gold, F1 where neither has an entity. A type that the tagger does not
    know counts as missed.

    Args:
        gold: list of lists of str, tags by sentence.
        predicted: list of lists of str, as long as those of `gold`.
        scheme: str. How tags make entities: `"iob2"`, `"iob1"`, `"bioes"`, `"bilou"` or
            `"io"`; or `"plain"`, in which every tag stands for itself.

    Returns:
        dict that JSON can hold. Of entities: `precision`, `recall` and `f1` over all of
        them, `macro_f1`, the mean over types, and `weighted_f1`, that mean weighted by
        gold entities, all as conlleval reads tags; `strict_f1`, by the scheme;
        `accuracy`, the share of words with the right tag; and `per_class`, by type
        `precision`, `recall`, `f1`, `support` and `predicted`. Of plain tags:
        `accuracy`, `macro_f1`, `weighted_f1` and `per_class`.

    Raises:
        ValueError: if a tag is none of the scheme, or lengths differ.
    """
    if scheme == PLAIN:
        return plain_metrics(gold, predicted)
    lenient = read_entities(gold, predicted, scheme)
    strict = read_entities(gold, predicted, scheme, strict=True)
    counts = lenient.counts().sum(axis=1)
    right, words = (one.sum() for one in words_right(gold, predicted))
    figures = headline(counts, strict.counts().sum(axis=1), right, words)
    return {
        **{name: float(value) for name, value in figures.items()},
        "per_class": per_type(lenient.types, counts),
    }


def words_right(gold, predicted):
    """Rightly tagged words of each sentence, and all its words: two int64 `(rows,)`."""
    right = [sum(map(str.__eq__, *pair)) for pair in zip(gold, predicted, strict=True)]
    return np.array(right, "int64"), np.array([len(row) for row in gold], "int64")


def plain_metrics(gold, predicted):
    """scikit-learn's figures of tags that stand for themselves."""
    check_lengths(gold, predicted)
    names, labels, said = numbered(gold, predicted)
    if not len(labels):
        return {"accuracy": 0.0, "macro_f1": 0.0, "weighted_f1": 0.0, "per_class": {}}
    precision, recall, f1, support = precision_recall_fscore_support(
        labels, said, labels=np.arange(len(names)), zero_division=0.0
    )
    given = np.bincount(said, minlength=len(names))
    return {
        "accuracy": float(np.mean(labels == said)),
        "macro_f1": float(f1_score(labels, said, average="macro", zero_division=0.0)),
        "weighted_f1": float(
            f1_score(labels, said, average="weighted", zero_division=0.0)
        ),
        "per_class": {
            name: {
                "precision": float(precision[at]),
                "recall": float(recall[at]),
                "f1": float(f1[at]),
                "support": int(support[at]),
                "predicted": int(given[at]),
            }
            for at, name in enumerate(names)
        },
    }


def numbered(gold, predicted):
    """All tags, sorted, and the place of each word's gold and predicted one.

    Returns:
        List of str, and two int64 `(words,)`, sentence after sentence.
    """
    names = sorted({tag for side in (gold, predicted) for row in side for tag in row})
    place = {name: at for at, name in enumerate(names)}
    flat = [
        np.array([place[t] for r in s for t in r], "int64") for s in (gold, predicted)
    ]
    return names, *flat
