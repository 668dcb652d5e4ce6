"""The evaluation of a language model as one page, of masks or of missing spans."""

from kzoo.reports.beginning import evaluated
from kzoo.reports.drawings import bar
from kzoo.reports.markup import Markup, counted, element, joined, table

MEANING = {
    "accuracy": "share of these tokens that were the first choice",
    "perplexity": "how many tokens, all as likely, would be as hard to tell apart",
    "loss": "mean cross-entropy of such a token, natural logarithm",
}
KINDS = {
    "masked": "the mask stood in their place",
    "random": "another token stood in their place",
    "kept": "they were left, and asked for all the same",
    "text": "they are of the text",
    "mark": "they are sentinels, or the end",
}
ASKED = {"span_corruption": "target token"}  # elsewhere a hidden one


def masked_page(figures):
    """The HTML of what `kzoo.evaluate` gives of a language model and its texts.

    Args:
        figures: dict.

    Returns:
        str, a whole document, as `kzoo.reports.evaluation.evaluation_page` makes it.
    """
    asked = ASKED.get(figures["task"], "hidden token")
    counts = (
        counted(figures["texts"], "text"),
        counted(figures["rows"], "window"),
        counted(figures["tokens"], asked),
    )
    return evaluated(
        figures,
        tuple(MEANING),
        counts,
        MEANING,
        "windows",
        element("h2", f"{asked.capitalize()}s"),
        _tokens((KINDS[name], one) for name, one in figures["kinds"].items()),
        element("h2", "Hardest tokens"),
        _hardest(figures["worst"]),
    )


def _hardest(worst):
    if not worst:
        return element("p", "None are listed.", class_="quiet")
    said = element("p", "By what they cost in sum.", class_="quiet")
    return joined([said, _tokens((one["token"], one) for one in worst)])


def _tokens(named):
    return table(
        ["", "accuracy", "", "loss", "tokens"],
        (
            [
                element("span", name, class_="said", dir="auto"),
                *_shares(one),
                f"{one['tokens']:,}",
            ]
            for name, one in named
        ),
    )


def _shares(one):
    if one["accuracy"] is None:
        return ["–", Markup(""), "–"]
    return [f"{one['accuracy']:.4f}", bar(one["accuracy"]), f"{one['loss']:.4f}"]
