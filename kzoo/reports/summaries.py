"""The evaluation of a summarizer as one page that needs no network and no script."""

from kzoo.reports.beginning import evaluated
from kzoo.reports.drawings import whisker
from kzoo.reports.markup import counted, element, joined, table

TYPES = ("rouge1", "rouge2", "rougeL", "rougeLsum")
SHARES = ("precision", "recall", "f1")
MEANING = {
    "rouge1": "F1 of words, against the best reference of a row",
    "rouge2": "F1 of pairs of words",
    "rougeL": "F1 of the longest common subsequence of words",
    "rougeLsum": "the same, sentence by sentence",
    "length_ratio": "words of all predictions by those of all references",
    "empty": "share of predictions that are empty",
    "repeated_trigrams": "share of a prediction's trigrams that stood in it before",
    "novel_bigrams": "share of a prediction's bigrams that its document has not",
    "copy_rate": "share of a prediction's words in runs copied from its document",
    "copy_density": "mean length of the copied run that a word stands in",
    "loss": "mean surprise at a token of the summaries, natural logarithm",
    "truncated": "share of documents that were cut before they were read",
}
SIDES = ("predictions", "references", "lead", "documents")
SHORT = 240  # characters of a document; of more, the rest unfolds
STYLE = """
.row { border-top: 1px solid var(--rule); padding: .75rem 0; }
.row p { max-width: none; }
.which { display: inline-block; min-width: 6.5rem; }
summary { cursor: pointer; }
details p { white-space: pre-wrap; overflow-wrap: anywhere; }
"""


def summaries_page(figures):
    """The HTML of what `kzoo.evaluate` gives of a summarizer; see `evaluated`.

    Args:
        figures: dict.

    Returns:
        str.
    """
    return evaluated(
        figures,
        TYPES,
        (
            counted(figures["rows"], "row"),
            counted(figures["references"]["total"], "reference"),
            counted(figures["empty_rows"], "empty prediction"),
        ),
        MEANING,
        "rows",
        element("h2", "ROUGE"),
        rouge(figures),
        element("h2", "What the texts are like"),
        texts(figures),
        element("h2", "How this was measured"),
        how(figures),
        element("h2", "Rows with least ROUGE-L"),
        listed(figures["worst"], figures),
        element("h2", "Rows with most ROUGE-L"),
        listed(figures["best"], figures),
        style=STYLE,
    )


def lead_name(figures):
    """`LEAD-1`: the baseline, with how many sentences it takes."""
    return f"LEAD-{figures['lead_sentences']}"


def rouge(figures):
    """Precision, recall and F1 against the best reference, all of them, and of LEAD."""
    intervals = bool(figures["intervals"])
    ways = ["best", "mean"] if figures["references"]["rows_with_several"] else ["best"]
    name_of = {"best": "best reference", "mean": "mean of references"}
    if len(ways) == 1:
        name_of["best"] = "predictions"
    name_of["lead"] = lead_name(figures)

    def cells(name, way, one):
        row = [name, name_of[way], *(f"{one[share]:.4f}" for share in SHARES)]
        if intervals:
            low, high = one["intervals"]["f1"]
            row += [f"{low:.4f} to {high:.4f}", whisker(one["f1"], low, high)]
        return row

    rows = [
        cells(name, way, one[way])
        for name, one in figures["rouge"].items()
        for way in [*ways, "lead"]
    ]
    headers = ["", "", *SHARES]
    if intervals:
        headers += [f"{figures['bootstrap']['level']:.0%} interval of f1", ""]
    many = figures["lead_sentences"]
    first = "sentence" if many == 1 else f"{many} sentences"
    said = (
        f"{lead_name(figures)} is what the first {first} of each document would reach, "
        "without any model: as many as references have on average."
    )
    return joined(
        [
            table(headers, rows, words=2),
            element("p", said, class_="quiet"),
            gain(figures),
        ]
    )


def gain(figures):
    """What predictions have more than the baseline."""
    rows = []
    for name, one in figures["rouge"].items():
        more = one["lead"]["difference"]
        row = [name, signed(more["value"])]
        if "interval" in more:
            row.append(" to ".join(map(signed, more["interval"])))
        rows.append(row)
    headers = ["f1", f"more than {lead_name(figures)}"]
    if figures["intervals"]:
        headers.append(f"{figures['bootstrap']['level']:.0%} interval")
    return table(headers, rows)


def texts(figures):
    """Lengths, new and repeated n-grams, and what is copied, side by side."""
    own = figures["texts"]

    def row(name, key, form, place=None):
        cells = [own[side].get(key) for side in SIDES]
        if place is not None:
            cells = [one and one[place] for one in cells]
        return [name, *("–" if one is None else form.format(one) for one in cells)]

    rows = [row("words", "words", "{:.1f}"), row("sentences", "sentences", "{:.2f}")]
    for key, name in (("novel_ngrams", "new"), ("repeated_ngrams", "repeated")):
        rows += [row(f"{name} {n + 1}-grams", key, "{:.1%}", n) for n in range(4)]
    rows += [
        row("coverage", "coverage", "{:.1%}"),
        row("density", "density", "{:.2f}"),
        row("longest copy, words", "longest_copy", "{:.1f}"),
    ]
    said = (
        "Means over texts. New n-grams are those that the document does not have, "
        "repeated ones stood in the same text before. Coverage is the share of words "
        "in runs copied from the document, density the mean length of the run that a "
        "word stands in (Grusky et al., 2018)."
    )
    headers = ["on average", "predictions", "references", lead_name(figures)]
    return joined(
        [
            table([*headers, "documents"], rows),
            element("p", said, class_="quiet"),
        ]
    )


def how(figures):
    scoring, settings = figures["scoring"], figures["generation"]
    stemmer = scoring["stemmer"] or "none"
    of_several = scoring["references"]
    rows = [
        ["ROUGE", f"{scoring['package']} {scoring['version']}"],
        ["words", f"tokenizer {scoring['tokenizer']}, stemmer {stemmer}"],
        ["sentences", scoring["sentences"]],
        ["references", of_several],
        ["generated with", ", ".join(f"{k}={v}" for k, v in settings.items())],
    ]
    return table(["", ""], rows, words=2)


def listed(rows, figures):
    if not rows:
        return element("p", "None are listed.", class_="quiet")
    of = f"{len(rows):,} of {figures['rows']:,}."
    return joined([element("p", of, class_="quiet"), *map(_row, rows)])


def _row(one):
    place = [one["file"]] if "file" in one else []
    place.append(f"line {one['line']:,}")
    place += [f"{name} {one[name]:.4f}" for name in TYPES]
    place += ["document cut"] if one.get("truncated") else []
    lines = [("reference", text) for text in one["references"]]
    lines.append(("prediction", one["prediction"] or "–"))
    return element(
        "section",
        element("div", ", ".join(place), class_="quiet"),
        joined(
            element(
                "p",
                element("span", f"{side} ", class_="quiet which"),
                element("span", text, dir="auto", class_="said"),
            )
            for side, text in lines
        ),
        _document(one["text"]),
        class_="row",
    )


def _document(text):
    """A document; of a long one the beginning, and the whole when it is asked for."""
    if len(text) <= SHORT:
        label = element("span", "document ", class_="quiet which")
        return element(
            "p", label, element("span", text, dir="auto", class_="said"), class_="quiet"
        )
    start = f"document {text[:SHORT]}…"
    return element(
        "details",
        element("summary", start, class_="quiet", dir="auto"),
        element("p", text, dir="auto"),
    )


def signed(value):
    return f"{value:+.4f}".replace("-", "−")
