"""What the classes count: as a recipe says, or so that all count the same."""

import numpy as np
from kzoo_recipes import KzooError, did_you_mean


def class_weights(chosen, labels, names, row_weights=None):
    """The weight of every class, for labels of which a row has one or any number.

    With one label a row, a class weighs what `chosen` says and the others 1; a row
    weighs what its class does. "balanced" is `rows / (classes * rows of the class)`,
    as scikit-learn's `compute_class_weight` has it: all classes together count alike.

    With any number of labels a row, every label is a question of its own, and its
    weight is that of the rows where it holds. "balanced" does the above for the two
    answers of each: yes and no together count alike.

    Args:
        chosen: "balanced", or dict from label to weight.
        labels: int `(rows,)`; or `(rows, C)` of 0 and 1.
        names: list of str, C of them.
        row_weights: float `(rows,)`. Rows are counted with it; `None` counts each 1.

    Returns:
        Float64 `(C,)`; or `(2, C)`, the weights of no and of yes.

    Raises:
        KzooError: if `chosen` names a label that is not in `names`.
    """
    labels = np.asarray(labels)
    if chosen == "balanced":
        counts = _counts(labels, len(names), row_weights)
        return _balanced(counts)
    weights = np.ones(len(names))
    for name, weight in chosen.items():
        if name not in names:
            raise KzooError(
                f'[training] class_weights names the label "{name}", which does not '
                f"occur in the training rows{did_you_mean(name, names)}"
            )
        weights[list(names).index(name)] = weight
    return weights if labels.ndim == 1 else np.stack([np.ones(len(names)), weights])


def by_tag(chosen, names):
    """Weights of tags and of types as weights of tags alone.

    Args:
        chosen: "balanced", or dict from tag or type to weight. A tag wins over its
            type.
        names: list of str, the tags.

    Returns:
        "balanced", or dict. A name that is neither stays as it is.
    """
    if chosen == "balanced":
        return chosen
    weights = {}
    for name, weight in chosen.items():
        own = [tag for tag in names if tag.partition("-")[2] == name]
        weights |= dict.fromkeys(own or [name], weight)
    return weights | {name: chosen[name] for name in chosen if name in names}


def _counts(labels, classes, row_weights):
    """Rows of every class `(C,)`, or of no and yes for every label `(2, C)`."""
    rows = np.ones(len(labels)) if row_weights is None else np.asarray(row_weights)
    if labels.ndim == 1:
        return np.bincount(labels, rows, minlength=classes)
    yes = rows @ labels.astype("float64")
    return np.stack([rows.sum() - yes, yes])


def _balanced(counts):
    """`total / (kinds * count)` along the first axis; 1 where nothing was counted."""
    kinds = np.count_nonzero(counts, axis=0)
    found = np.where(counts > 0, counts, 1.0)
    return np.where(counts > 0, counts.sum(axis=0) / (kinds * found), 1.0)
