"""All that is said about one model on one set of rows, in plain numbers."""

import numpy as np

from kzoo.metrics.calibration import calibration
from kzoo.metrics.classification import classification_metrics
from kzoo.metrics.probabilities import checked, log_softmax
from kzoo.metrics.resampling import LEVEL, RESAMPLES, Answers, interval, resampled

WORST = 10


def report(rows, labels, logits, names, resamples=RESAMPLES, seed=0, worst=WORST):
    """Metrics with intervals, confusions, calibration and the worst errors.

    Args:
        rows: `kzoo.data.readers.Rows`, for texts and lines.
        labels: int `(rows,)`.
        logits: float `(rows, classes)`.
        names: list of str, one per class.
        resamples: int. Draws of the bootstrap; 0 leaves the intervals out.
        seed: int. Of these draws.
        worst: int. How many errors to list.

    Returns:
        dict that JSON can hold: what `classification_metrics` gives, and

        - `rows`: int; `labels`: list of str.
        - `intervals`: dict from metric to `[low, high]`; `bootstrap`: how they were
          made.
        - `confusion`: list of lists, a row per gold label, a column per predicted one.
        - `calibration`: list of bins, see `kzoo.metrics.calibration`.
        - `errors`: int; `worst`: list of dicts as `answer` gives them, of highest loss
          first, the first in the file among equals.
        - `notes`: list of str, what a reader should know of these figures.
    """
    from sklearn.metrics import confusion_matrix

    labels, logits, names = checked(labels, logits, names)
    metrics = classification_metrics(labels, logits, names)
    log_probabilities = log_softmax(logits)
    predicted = logits.argmax(axis=1)
    losses = losses_of(labels, log_probabilities)
    wrong = np.flatnonzero(predicted != labels)
    order = wrong[np.argsort(-losses[wrong], kind="stable")][:worst]
    confidence = np.exp(log_probabilities.max(axis=1))
    return {
        **metrics,
        "rows": len(labels),
        "labels": names,
        "intervals": intervals(labels, logits, resamples, seed),
        "bootstrap": described(resamples, seed),
        "confusion": confusion_matrix(
            labels, predicted, labels=np.arange(len(names))
        ).tolist(),
        "calibration": calibration(confidence, predicted == labels)["bins"],
        "errors": len(wrong),
        "worst": [
            located(rows, row) | answer(labels, log_probabilities, names, row)
            for row in order
        ],
        "notes": notes(metrics["per_class"], len(labels)),
    }


def intervals(labels, logits, resamples, seed):
    """The interval of each metric, by name; none without resamples."""
    if not resamples:
        return {}
    [figures] = resampled([Answers(labels, logits)], resamples, seed)
    return {name: interval(values) for name, values in figures.items()}


def described(resamples, seed):
    """How the intervals were made."""
    return {
        "method": "percentile",
        "level": LEVEL,
        "resamples": resamples,
        "seed": seed,
        "stratified": False,
    }


def losses_of(labels, log_probabilities):
    """Cross-entropy of each row, float64 `(rows,)`."""
    return -log_probabilities[np.arange(len(labels)), labels]


def located(rows, row):
    """Where a row stands, from 1, and what it says; its file, where there are more."""
    place = {"row": int(row) + 1, "line": rows.lines[row], "text": rows.texts[row]}
    if rows.origins is not None:
        place["file"] = rows.origins[row].path
    return place


def answer(labels, log_probabilities, names, row):
    """What a model said about one row.

    Returns:
        dict of `gold` and `predicted`, `probability` (of the predicted label),
        `gold_probability` and `loss`.
    """
    mine, gold = log_probabilities[row], labels[row]
    return {
        "gold": names[gold],
        "predicted": names[int(mine.argmax())],
        "probability": float(np.exp(mine.max())),
        "gold_probability": float(np.exp(mine[gold])),
        "loss": float(-mine[gold]) + 0.0,  # Never a negative zero.
    }


def notes(per_class, rows):
    """Which figures have no value here, and what stands in their place."""
    said = []
    missing = [name for name, one in per_class.items() if not one["support"]]
    if missing:
        said.append(
            f"no row has the {called('label', missing)}: {their(missing)} recall "
            f"counts as 0, and {'it has' if len(missing) == 1 else 'they have'} no "
            "ROC-AUC"
        )
    if any(one["support"] == rows for one in per_class.values()):
        said.append(
            "all rows have the same label: ROC-AUC has no value and counts as 0.5"
        )
    silent = [
        name for name, one in per_class.items() if one["support"] and not one["f1"]
    ]
    if silent:
        said.append(
            f"no row was rightly predicted as {listed(silent)}: {their(silent)} F1 is 0"
        )
    return said


def called(noun, names):
    """`label "a"`, or `labels "a", "b"`."""
    return f"{noun if len(names) == 1 else noun + 's'} {listed(names)}"


def their(names):
    return "its" if len(names) == 1 else "their"


def listed(names, most=5):
    """The first of many names, as a person would list them."""
    shown = ", ".join(f'"{name}"' for name in names[:most])
    return shown + (f" and {len(names) - most} more" if len(names) > most else "")
