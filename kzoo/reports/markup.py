"""Pieces of HTML in which nothing that comes from data can be anything but text."""

import html
import re

# Characters that HTML or UTF-8 cannot hold, and those that turn the reading direction.
UNFIT = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


def escaped(text):
    """`text` as it may stand in an element or between double quotes."""
    return html.escape(UNFIT.sub("\ufffd", str(text)), quote=True)


class Markup(str):
    """A string that is HTML already."""

    __slots__ = ()


def element(tag, *children, **attributes):
    """An element; children that are no `Markup` are escaped, and so are attributes.

    Args:
        tag: str.
        *children: `Markup`, or anything that becomes text.
        **attributes: by name, `_` for `-`; a closing `_` is dropped, as of `class_`.
            `None` leaves one out.

    Returns:
        `Markup`.
    """
    named = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{escaped(value)}"'
        for name, value in attributes.items()
        if value is not None
    )
    inside = "".join(
        child if isinstance(child, Markup) else escaped(child) for child in children
    )
    return Markup(f"<{tag}{named}>{inside}</{tag}>")


def joined(pieces):
    """Pieces of `Markup` one after the other."""
    return Markup("".join(pieces))


def table(headers, rows, words=1, class_=None):
    """A table; the first `words` columns hold words, the others figures.

    A cell may be a whole `<td>`, `Markup` or text.
    """

    def cells(tag, row):
        return joined(
            cell
            if isinstance(cell, Markup) and cell.startswith("<td")
            else element(tag, cell, class_=None if place < words else "figure")
            for place, cell in enumerate(row)
        )

    head = element("thead", element("tr", cells("th", headers)))
    body = element("tbody", joined(element("tr", cells("td", row)) for row in rows))
    return element("div", element("table", head, body, class_=class_), class_="scrolls")


def counted(number, noun):
    """`1 row`, `1,200 rows`."""
    return f"{number:,} {noun}" + ("" if number == 1 else "s")
