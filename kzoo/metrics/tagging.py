"""How well words were tagged: the figures of each epoch."""

from kzoo.metrics.span_figures import per_type
from kzoo.metrics.tagging_counts import count_tags


def tagging_metrics(gold, predicted, scheme):
    """The figures of a tagger, over all sentences.

    Entities are read by seqeval, and the figures are its own; those of plain tags are
    scikit-learn's. What has no value by its definition is 0.0: the precision where
    nothing is predicted, the recall where nothing is gold, F1 where neither has an
    entity. A type that the tagger does not know counts as missed.

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
    counts = count_tags(gold, predicted, scheme).sum()
    return {
        **{name: float(value) for name, value in counts.figures().items()},
        "per_class": per_type(counts.names, counts.own),
    }
