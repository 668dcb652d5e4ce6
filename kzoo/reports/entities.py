"""Texts with their entities marked, as one page that needs no network and no script."""

from collections import Counter

from kzoo.reports.markup import Markup, counted, element, joined
from kzoo.reports.page import CLOSING, opening

GOLDEN = 137.508  # degrees; any number of hues turned by it lie well apart
LIGHT, DARK = (80, 87), (42, 27)  # saturation and lightness, per cent
STYLE = """
.text { margin: 0; padding: 1rem 0; border-top: 1px solid var(--rule); }
.text p { max-width: none; line-height: 2.2; white-space: pre-wrap;
  overflow-wrap: anywhere; }
.place { color: var(--quiet); font-size: .8rem; }
.legend { display: flex; flex-wrap: wrap; gap: .5rem; margin: 1.25rem 0; }
mark { color: var(--ink); background: var(--card); padding: .2em .45em;
  border-radius: .35em; -webkit-box-decoration-break: clone;
  box-decoration-break: clone; print-color-adjust: exact; }
mark b { font-size: .7em; letter-spacing: .03em; margin-inline-start: .5em;
  vertical-align: middle; unicode-bidi: isolate; }
"""


class EntityPage:
    """A page that is written text by text, so that it may be of any length.

    Args:
        title: str.
        kinds: dict from type to its number, which chooses its colour.
    """

    def __init__(self, title, kinds):
        self._title, self._kinds = title, kinds
        self._texts, self._found = 0, Counter()

    def opening(self):
        """Everything before the first text, str."""
        shown = joined(
            element("mark", kind, class_=f"kind-{number}")
            for kind, number in self._kinds.items()
        )
        return opening(self._title, STYLE + shades(len(self._kinds))) + joined(
            [
                element("h1", self._title),
                element("div", shown, class_="legend"),
            ]
        )

    def section(self, place, text, marks):
        """A text, str.

        Args:
            place: str. Where it stands.
            text: str.
            marks: list of `(start, end, type, score)`, in order, places in `text`.
        """
        self._texts += 1
        pieces, at = [], 0
        for start, end, kind, score in marks:
            self._found[kind] += 1
            start = max(start, at)  # Pieces of bytes may share a character.
            pieces += [
                text[at:start],
                mark(text[start:end], kind, self._kinds.get(kind), f"{score:.3f}"),
            ]
            at = max(at, end)
        paragraph = element("p", *pieces, text[at:], dir="auto")
        head = element("div", place, class_="place")
        return element("section", head, paragraph, class_="text") + "\n"

    def closing(self):
        """Everything after the last text, str."""
        total = counted(self._found.total(), "entity").replace("entitys", "entities")
        kinds = ", ".join(f"{kind} {n:,}" for kind, n in self._found.most_common())
        said = f"{counted(self._texts, 'text')}, {total}" + (kinds and f": {kinds}")
        return element("p", said, class_="quiet") + CLOSING


def mark(text, kind, number, score):
    """A stretch of text that is marked as of a type."""
    shade = None if number is None else f"kind-{number}"
    return element("mark", text, element("b", kind), class_=shade, title=score)


def shades(count):
    """The style of `count` types: pale on a light page, deep on a dark one."""
    rules = {
        kind: "".join(
            f"mark.kind-{number} {{ background: {shade(number, kind)}; }}\n"
            for number in range(count)
        )
        for kind in (LIGHT, DARK)
    }
    dark = f"@media (prefers-color-scheme: dark) {{\n{rules[DARK]}}}\n"
    return rules[LIGHT] + Markup(dark)


def shade(number, kind):
    """The colour of a type as CSS writes it."""
    saturation, lightness = kind
    return f"hsl({(210 + GOLDEN * number) % 360:.0f} {saturation}% {lightness}%)"
