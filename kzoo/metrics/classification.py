"""How well classes were told apart: scikit-learn's figures, in plain numbers."""

import numpy as np

from kzoo.metrics.calibration import calibration
from kzoo.metrics.probabilities import checked, log_softmax
from kzoo.metrics.ranking import class_roc_auc, mean_roc_auc


def classification_metrics(labels, logits, names=None):
    """The figures of a classifier that gives one label to each row.

    What has no value by its definition is 0.0: the precision of a class that is never
    predicted, the recall of one that has no rows, Matthews' correlation where all
    labels or all predictions are the same. Macro F1 is the mean over the classes that
    occur among the labels or the predictions, as in scikit-learn. ROC-AUC is the mean
    of each class against the rest, over the classes for which it has a value; if there
    is none, 0.5.

    Args:
        labels: int `(rows,)`, at least one.
        logits: float `(rows, classes)`. Log-probabilities are logits too.
        names: list of str, one per class. `None` numbers them.

    Returns:
        dict that JSON can hold: `accuracy`, `macro_f1`, `micro_f1`, `weighted_f1`,
        `mcc`, `roc_auc`, `calibration_error` (of 15 bins), `loss` (mean cross-entropy,
        natural logarithm), and `per_class`, by name `precision`, `recall`, `f1`,
        `roc_auc` (`None` where it has no value) and `support`.

    Raises:
        ValueError: if shapes or classes do not fit each other.
        KzooError: if a logit is not finite.
    """
    from sklearn.metrics import accuracy_score

    labels, logits, names = checked(labels, logits, names)
    log_probabilities = log_softmax(logits)
    probabilities = np.exp(log_probabilities)
    predicted = logits.argmax(axis=1)
    areas = class_roc_auc(labels, probabilities)
    confidence = probabilities.max(axis=1)
    return {
        "accuracy": float(accuracy_score(labels, predicted)),
        "macro_f1": _f1(labels, predicted, "macro"),
        "micro_f1": _f1(labels, predicted, "micro"),
        "weighted_f1": _f1(labels, predicted, "weighted"),
        "mcc": _correlation(labels, predicted),
        "roc_auc": mean_roc_auc(areas),
        "calibration_error": calibration(confidence, predicted == labels)["error"],
        "loss": float(-np.mean(log_probabilities[np.arange(len(labels)), labels])),
        "per_class": _per_class(labels, predicted, areas, names),
    }


def _f1(labels, predicted, average):
    from sklearn.metrics import f1_score

    return float(f1_score(labels, predicted, average=average, zero_division=0.0))


def _correlation(labels, predicted):
    from sklearn.metrics import matthews_corrcoef

    if len(np.union1d(labels, predicted)) < 2:
        return 0.0  # As scikit-learn has it, but for its warning.
    return float(matthews_corrcoef(labels, predicted))


def _per_class(labels, predicted, areas, names):
    from sklearn.metrics import precision_recall_fscore_support

    precision, recall, f1, support = precision_recall_fscore_support(
        labels, predicted, labels=np.arange(len(names)), zero_division=0.0
    )
    return {
        name: {
            "precision": float(precision[place]),
            "recall": float(recall[place]),
            "f1": float(f1[place]),
            "roc_auc": areas[place],
            "support": int(support[place]),
        }
        for place, name in enumerate(names)
    }
