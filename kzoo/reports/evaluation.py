"""An evaluation as one page that needs no network and no script."""

from kzoo.reports.beginning import evaluated
from kzoo.reports.drawings import bar, calibration_curve, confusion_matrix
from kzoo.reports.markup import Markup, counted, element, joined, table

CARDS = ("accuracy", "macro_f1", "mcc", "roc_auc")
CARDS_OF_MANY = ("accuracy", "micro_f1", "macro_f1", "hamming_loss")
MEANING = {
    "accuracy": "share of rows with the right label",
    "macro_f1": "mean of the labels' F1, each counted alike",
    "micro_f1": "F1 over all decisions; with one label a row, the accuracy",
    "weighted_f1": "mean of the labels' F1, weighted by their rows",
    "mcc": "Matthews' correlation of gold and predicted: 0 is chance, 1 perfect",
    "roc_auc": "mean area under the ROC curve, each label against the rest",
    "calibration_error": "mean gap between confidence and accuracy, in 15 bins",
    "loss": "mean cross-entropy of the gold label, natural logarithm",
}
MEANING_OF_MANY = {
    **MEANING,
    "accuracy": "share of rows with all their labels and no other",
    "micro_f1": "F1 over all decisions, row by label",
    "hamming_loss": "share of wrong decisions, each about one label of one row",
    "loss": "mean binary cross-entropy of a decision, natural logarithm",
}


def evaluation_page(figures):
    """The HTML of what `kzoo.evaluate` gives; see `kzoo.reports.beginning.evaluated`.

    Args:
        figures: dict.

    Returns:
        str.
    """
    many = of_many(figures)
    return evaluated(
        figures,
        CARDS_OF_MANY if many else CARDS,
        (
            counted(figures["rows"], "row"),
            counted(len(figures["labels"]), "label"),
            counted(figures["errors"], "error"),
        ),
        MEANING_OF_MANY if many else MEANING,
        "rows, not stratified by label",
        element("h2", "Labels"),
        labels(figures),
        # A model that gives any number of labels has neither of these.
        Markup() if many else drawings(figures),
        element("h2", "Worst errors"),
        worst(figures),
    )


def of_many(figures):
    """Whether a row has any number of labels, so that none is confused with another."""
    return "confusion" not in figures


def labels(figures):
    def cells(name, one):
        area = one["roc_auc"]
        return [
            name,
            *(f"{one[key]:.4f}" for key in ("precision", "recall", "f1")),
            bar(one["f1"]),
            "–" if area is None else f"{area:.4f}",
            *([f"{one['threshold']:.4f}"] if "threshold" in one else []),
            f"{one['support']:,}",
        ]

    headers = ["label", "precision", "recall", "f1", "", "roc_auc"]
    if any("threshold" in one for one in figures["per_class"].values()):
        headers.append("threshold")
    headers.append("rows")
    return table(headers, (cells(*item) for item in figures["per_class"].items()))


def drawings(figures):
    matrix = confusion_matrix(figures["labels"], figures["confusion"])
    curve = calibration_curve(figures["calibration"])
    return element(
        "div",
        element(
            "section",
            element("h2", "Confusions"),
            matrix,
            element(
                "p", "Rows are gold labels. Shades are shares of a row.", class_="quiet"
            ),
        ),
        element(
            "section",
            element("h2", "Calibration"),
            curve,
            element(
                "p",
                "On the dashed line a model is right as often as it believes. "
                "Circles grow with their rows.",
                class_="quiet",
            ),
        ),
        class_="side",
    )


def worst(figures):
    if not figures["worst"]:
        errors = figures["errors"]
        said = "None are listed." if errors else "There are none."
        return element("p", said, class_="quiet")
    of = f"{len(figures['worst'])} of {figures['errors']:,}, by the "
    if of_many(figures):
        key, column, how = "loss", "loss", "mean loss of their decisions."
    else:
        key, column = "probability", "sure"
        how = "loss of the gold label. Sure is the probability of the predicted one."
    shown = element("p", of + how, class_="quiet")
    rows = (
        [
            words(one["gold"]),
            words(one["predicted"]),
            element("span", one["text"], class_="said", dir="auto"),
            f"{one[key]:.3f}",
            f"{one['line']:,}",
        ]
        for one in figures["worst"]
    )
    headers = ["gold", "predicted", "text", column, "line"]
    return joined([shown, table(headers, rows, words=3, class_="texts")])


def words(labels):
    """A label, or any number of them, in one cell."""
    return labels if isinstance(labels, str) else " + ".join(labels) or "–"
