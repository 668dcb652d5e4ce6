"""Whether the rows of a class rank above the others: the area under the ROC curve."""

import numpy as np

CHANCE = 0.5


def class_roc_auc(labels, probabilities):
    """The area under the ROC curve of each class against the rest.

    Args:
        labels: int `(rows,)`.
        probabilities: float `(rows, classes)`.

    Returns:
        list with a float per class; `None` where it has no value: for a class that no
        row has, or that every row has.
    """
    areas = []
    for place in ranked_classes(probabilities.shape[1]):
        areas.append(area_of(labels == place, probabilities[:, place]))
    return areas if probabilities.shape[1] != 2 else 2 * areas


def area_of(has, score):
    """The area under one ROC curve; `None` if no row has the class, or every one."""
    from sklearn.metrics import roc_auc_score

    return float(roc_auc_score(has, score)) if 0 < has.sum() < len(has) else None


def ranked_classes(classes):
    """The classes to rank: of two, the second, whose area is also the first's.

    Ranked apart, rounding would part what is equal in one and not in the other.
    """
    return [1] if classes == 2 else range(classes)


def mean_roc_auc(areas):
    """The mean over the classes that have a value; two classes have the same.

    Without any, as where all rows are of one class, it is 0.5, what guessing reaches:
    a number, so that the metric can choose a checkpoint.
    """
    defined = [area for area in areas if area is not None]
    return float(np.mean(defined)) if defined else CHANCE
