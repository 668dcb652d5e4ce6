"""The evaluation of a tagger as one page that needs no network and no script."""

from kzoo.reports.beginning import evaluated
from kzoo.reports.drawings import bar, confusion_matrix, whisker
from kzoo.reports.markup import Markup, counted, element, joined, table

CARDS = ("f1", "precision", "recall", "strict_f1", "accuracy")
CARDS_OF_PLAIN = ("accuracy", "macro_f1", "weighted_f1")
MEANING = {
    "f1": "of all entities, words and type right, as conlleval reads tags",
    "precision": "share of predicted entities that are right",
    "recall": "share of gold entities that were found",
    "macro_f1": "mean of the types' F1, each counted alike",
    "weighted_f1": "mean of the types' F1, weighted by their gold entities",
    "strict_f1": "F1 of entities as the scheme alone allows them",
    "accuracy": "share of words with the right tag",
}
MEANING_OF_PLAIN = {
    "accuracy": MEANING["accuracy"],
    "macro_f1": "mean of the tags' F1, each counted alike",
    "weighted_f1": "mean of the tags' F1, weighted by their words",
}
WAYS = {
    "strict": "the same words and the same type",
    "exact": "the same words, whatever the type",
    "partial": "some of the words, which count half, whatever the type",
    "ent_type": "some of the words and the same type",
}
CATEGORIES = ("correct", "incorrect", "partial", "missed", "spurious")
SHARES = ("precision", "recall", "f1")
AROUND = 60  # characters of a sentence shown on each side of an error
STYLE = """
mark { color: inherit; background: none; padding: 0 .1em; border-bottom: 3px solid; }
mark.right { border-color: var(--right); }
mark.wrong { border-color: var(--wrong); }
mark b { font-size: .7em; margin-left: .4em; vertical-align: middle;
  unicode-bidi: isolate; }
mark.right b { color: var(--right); }
mark.wrong b { color: var(--wrong); }
.sentence { border-top: 1px solid var(--rule); padding: .75rem 0; }
.which { display: inline-block; width: 5.5rem; }
.sentence p { max-width: none; line-height: 1.9; }
"""


def tagging_page(figures):
    """The HTML of what `kzoo.evaluate` gives of a tagger; see `evaluated`.

    Args:
        figures: dict.

    Returns:
        str.
    """
    plain = is_plain(figures)
    return evaluated(
        figures,
        CARDS_OF_PLAIN if plain else CARDS,
        (
            counted(figures["rows"], "sentence"),
            counted(figures["words"], "word"),
            counted(len(figures["labels"]), "tag" if plain else "type"),
            counted(figures["errors"], "error"),
        ),
        MEANING_OF_PLAIN if plain else MEANING,
        "sentences",
        element("h2", "Tags" if plain else "Types"),
        types(figures),
        Markup() if plain else entities(figures),
        element("h2", "Confusions"),
        confusions(figures),
        element("h2", "Most frequent errors"),
        common(figures),
        element("h2", "Sentences with most errors"),
        worst(figures),
        style=STYLE,
    )


def is_plain(figures):
    """Whether tags stand for themselves, so that no entity is found by half."""
    return "matches" not in figures


def types(figures):
    intervals, strict = bool(figures["intervals"]), figures.get("strict_per_class")

    def cells(name, one):
        row = [name, *(f"{one[key]:.4f}" for key in SHARES)]
        if intervals:
            low, high = one["interval"]
            row += [f"{low:.4f} to {high:.4f}", whisker(one["f1"], low, high)]
        else:
            row.append(bar(one["f1"]))
        if strict:
            row.append(f"{strict[name]['f1']:.4f}")
        return [*row, f"{one['support']:,}", f"{one['predicted']:,}"]

    headers = ["type" if strict else "tag", *SHARES]
    if intervals:
        headers.append(f"{figures['bootstrap']['level']:.0%} interval")
    return table(
        [*headers, "", *(["strict"] if strict else []), "gold", "predicted"],
        (cells(*item) for item in figures["per_class"].items()),
    )


def entities(figures):
    """Averages in both readings of tags, and how nearly entities were found."""
    averages = table(
        ["average", *SHARES, *(f"strict {name}" for name in SHARES)],
        (
            [
                average,
                *(
                    f"{figures['averages'][way][average][key]:.4f}"
                    for way in ("lenient", "strict")
                    for key in SHARES
                ),
            ]
            for average in figures["averages"]["lenient"]
        ),
    )
    matches = table(
        ["match", *CATEGORIES, *SHARES],
        (
            [
                way,
                *(f"{one[key]:,}" for key in CATEGORIES),
                *(f"{one[key]:.4f}" for key in SHARES),
            ]
            for way, one in figures["matches"]["overall"].items()
        ),
    )
    ways = "; ".join(f"by {way}, {what}" for way, what in WAYS.items())
    strictly = f"Strict: only what {figures['scheme']} allows is an entity."
    return joined(
        [
            element("h2", "Averages"),
            averages,
            element("p", strictly, class_="quiet"),
            element("h2", "Nearly found"),
            matches,
            element("p", f"Correct is, {ways}.", class_="quiet"),
        ]
    )


def confusions(figures):
    names = figures["labels"]
    if not names:
        return element("p", "There is no entity.", class_="quiet")
    if is_plain(figures):
        said = "Rows are gold tags. Shades are shares of a row."
        return joined(
            [
                confusion_matrix(names, figures["confusion"]),
                element("p", said, class_="quiet"),
            ]
        )
    rows, columns = [*names, "spurious"], [*names, "missed"]
    counts = figures["kinds"].items()
    kinds = ", ".join(f"{count:,} {kind}" for kind, count in counts if count)
    said = (
        "Rows are gold types. Shades are shares of a row. An entity is held against "
        "the predicted one that shares words with it, whatever its borders. "
        f"All errors: {kinds or 'none'}."
    )
    return joined(
        [
            confusion_matrix(rows, figures["confusion"], columns),
            element("p", said, class_="quiet"),
        ]
    )


def common(figures):
    if not figures["common"]:
        return _none(figures)
    shown = sum(one["count"] for one in figures["common"])
    rows = (
        [
            element("span", _surface(one), dir="auto"),
            one["gold"]["type"] if one["gold"] else "–",
            _answer(one),
            element("span", *around(one), class_="said", dir="auto"),
            f"{one['count']:,}",
            f"{one['line']:,}",
        ]
        for one in figures["common"]
    )
    first = "word" if is_plain(figures) else "entity"
    headers = [first, "gold", "predicted", "for example", "count", "line"]
    of = f"{shown:,} of {figures['errors']:,} errors."
    return joined(
        [
            element("p", of, class_="quiet"),
            table(headers, rows, words=4, class_="texts"),
        ]
    )


def worst(figures):
    if not figures["worst"]:
        return _none(figures)
    of = f"{len(figures['worst']):,} of {figures['wrong_rows']:,} with any."
    return joined([element("p", of, class_="quiet"), *map(_sentence, figures["worst"])])


def _sentence(one):
    place = [one["file"]] if "file" in one else []
    place += [f"line {one['line']:,}", counted(one["errors"], "error")]
    lines = (
        element(
            "p",
            element("span", f"{side} ", class_="quiet which"),
            element("span", *marked(one["text"], one[side]), dir="auto", class_="said"),
        )
        for side in ("gold", "predicted")
    )
    head = element("div", ", ".join(place), class_="quiet")
    return element("section", head, joined(lines), class_="sentence")


def marked(text, found, start=0, end=None):
    """The pieces of a text with entities marked, right ones and wrong ones.

    Args:
        text: str.
        found: list of dicts with `start`, `end`, `type` and `right`, in order.
        start, end: int. The part of the text to show.

    Returns:
        List of str and `Markup`.
    """
    pieces, at = [], start
    for one in found:
        pieces += [
            text[at : one["start"]],
            element(
                "mark",
                text[one["start"] : one["end"]],
                element("b", one["type"]),
                class_="right" if one["right"] else "wrong",
                title=f"{one['score']:.3f}" if "score" in one else None,
            ),
        ]
        at = one["end"]
    return [*pieces, text[at:end]]


def around(one):
    """The sentence around an error; its gold entity is marked, or the spurious one."""
    text, shown = one["text"], one["gold"] or one["predicted"]
    start, end = 0, len(text)
    if shown["start"] > AROUND:  # From the next word on, if there is one.
        found = text.find(" ", shown["start"] - AROUND, shown["start"])
        start = found if found >= 0 else shown["start"] - AROUND
    if len(text) - shown["end"] > AROUND:
        found = text.rfind(" ", shown["end"], shown["end"] + AROUND)
        end = found if found >= 0 else shown["end"] + AROUND
    inside = marked(text, [{**shown, "right": bool(one["gold"])}], start, end)
    return ["…" * (start > 0), *inside, "…" * (end < len(text))]


def _surface(one):
    return (one["gold"] or one["predicted"])["entity"]


def _answer(one):
    gold, said = one["gold"], one["predicted"]
    if said is None:
        return "–"
    borders = gold and (gold["start"], gold["end"]) != (said["start"], said["end"])
    return f"{said['type']} “{said['entity']}”" if borders else said["type"]


def _none(figures):
    said = "None are listed." if figures["errors"] else "There are none."
    return element("p", said, class_="quiet")
