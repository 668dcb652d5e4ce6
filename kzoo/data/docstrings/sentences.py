"""The first sentence of a piece of documentation, and what is left without it."""

import re

from kzoo.data.comparison import normal_form

WORDS = (3, 40)  # of a summary: the fewest and the most
CHARACTERS = 240  # of a summary, at the most
LEFT = 12  # words that must be left of the documentation; no fewer than the summary's
# Text that a sentence is not part of: lists, directives, examples, headings, arguments.
APART = re.compile(
    r"\s*([-*+•]\s|\d+[.)]\s|\.\. |:\w+|@\w+|>>>|\||=+$|-+$|~+$|`{3}"
    r"|\w+\s?\([^)]*\)\s?:|\w+ : )"
)
SECTION = re.compile(
    r"\s*(args?|arguments|parameters?|returns?|raises|yields?|examples?|notes?|see also"
    r"|attributes|usage|warnings?|references?|inputs?|outputs?|todo)\s*:?\s*$",
    re.IGNORECASE,
)
# A full stop ends a sentence unless it ends one of these, or a single letter.
SHORT = re.compile(
    r"(?:^|[\s(\[])(?:e\.g|i\.e|etc|vs|cf|approx|fig|eq|no|dr|mr|mrs|st|resp|incl|et al"
    r"|[A-Za-z])\.$",
    re.IGNORECASE,
)
END = re.compile(r"[.!?][)\"'`\]]*(?=\s|$)")
ROLE = re.compile(r":[\w:.+-]+:`~?\.?([^`<]*?)(?:\s*<[^`>]*>)?`")
QUOTED = re.compile(r"(`{1,2})((?:(?!' )[^`\n])+)\1_{0,2}")


class Unfit(Exception):
    """Documentation of which no pair can be made, and why."""


def parted(documentation):
    """The first sentence of a text, and the rest of it.

    Args:
        documentation: str, not indented.

    Returns:
        Two str: the sentence on one line, and what is left.

    Raises:
        Unfit: with the reason.
    """
    plain = _plain(documentation).strip()
    first, rest = _first_paragraph(plain)
    sentence, more = _first_sentence(" ".join(first.split()))
    words = sentence.split()
    if len(words) < WORDS[0] or not _is_prose(sentence):
        raise Unfit("no sentence begins it")
    if len(words) > WORDS[1] or len(sentence) > CHARACTERS:
        raise Unfit("its first sentence is long")
    left = "\n\n".join(part for part in (more, rest.strip()) if part)
    if len(left.split()) < max(LEFT, len(words)):
        raise Unfit("little follows its first sentence")
    if repeats(sentence, left):
        raise Unfit("it repeats its first sentence")
    return sentence, left


def repeats(sentence, text):
    """Whether a text has the words of a sentence one after the other."""
    form = f" {normal_form(sentence)} "
    return form in f" {normal_form(text)} "


def _plain(text):
    """A text without the marks that reStructuredText puts around names."""
    return QUOTED.sub(r"\2", ROLE.sub(r"\1", text))


def _first_paragraph(text):
    """The lines before a gap, a list or a section; and all that follows them."""
    lines = text.split("\n")
    end = next(
        (
            place
            for place, line in enumerate(lines)
            if not line.strip() or APART.match(line) or SECTION.match(line)
        ),
        len(lines),
    )
    return "\n".join(lines[:end]), "\n".join(lines[end:])


def _first_sentence(paragraph):
    for stop in END.finditer(paragraph):
        sentence, more = paragraph[: stop.end()], paragraph[stop.end() :].strip()
        begins = not more or not (more[0].islower() or more[0] in ",;)")
        if begins and not SHORT.search(paragraph[: stop.start() + 1]):
            return sentence, more
    return paragraph, ""


def _is_prose(sentence):
    """Whether it is English as people write it, and no code, heading or address."""
    letters = sum(c.isalpha() and c.isascii() for c in sentence)
    whole = len(sentence.replace(" ", ""))
    odd = any(mark in sentence for mark in ("://", "::", "==", "->", "{", "}", "|"))
    odd = odd or sentence.endswith(":")
    return sentence[0].isalpha() and letters >= 0.8 * whole and not odd
