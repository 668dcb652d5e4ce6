"""Where sentences end, by a small rule: for ROUGE-Lsum and for what a text opens with.

A line break ends a sentence. So does `.`, `!`, `?` or `…`, with what closes quotes and
brackets, before a space; but not where a small letter follows, and a full stop not
after an initial, a dotted abbreviation (e.g., U.S.), a common English one (Dr., Fig.)
or the number of a list. Chinese and Japanese full stops need no space.
"""

import re

SPLITTER = "line breaks and . ! ? … by kzoo's rule"

ENDS = re.compile(r"[.!?…]+[\"'”’»)\]]*\s+|[。！？｡]+[”’」』）]*\s*")
OPENING = "\"'“‘«„([{*-–—•¿¡"
DOTTED = re.compile(r"(?:[^\W\d_]\.)+")  # an initial, or e.g.
NUMBER = re.compile(r"[0-9]+\.")
COUNTED = {"no", "nos", "nr"}  # abbreviations before a number, words before others
ABBREVIATIONS = {
    *("al", "approx", "apr", "art", "aug", "ave", "brig", "ca", "capt", "cf", "ch"),
    *("cmdr", "col", "comdr", "dec", "def", "dept", "dr", "ed", "eds", "eq", "eqs"),
    *("est", "feb", "fig", "figs", "gen", "gov", "hon", "incl", "jan", "jul", "jun"),
    *("lt", "maj", "messrs", "mr", "mrs", "ms", "mt", "nov", "oct", "pp", "prof"),
    *("ref", "refs", "rep", "resp", "rev", "sec", "sen", "sep", "sept", "sgt", "st"),
    *("tab", "viz", "vol", "vols", "vs"),
}


def sentences(text):
    """The sentences of a text, without the spaces around them.

    Args:
        text: str.

    Returns:
        list of str, none of them empty; none of a blank text.
    """
    found = []
    for line in text.splitlines():
        start = 0
        for end in ENDS.finditer(line):
            if _ends(line, start, end):
                found.append(line[start : end.end()].strip())
                start = end.end()
        found.append(line[start:].strip())
    return [sentence for sentence in found if sentence]


def _ends(line, start, end):
    """Whether a sentence that began at `start` ends with this match of `ENDS`."""
    after = line[end.end() :].lstrip(OPENING)
    if end[0][0] in "。！？｡":
        return True
    if not after or after[0].islower():
        return False
    if not end[0].rstrip().startswith(".") or end[0].startswith(".."):
        return True
    before = line[start : end.start() + 1].split()[-1:]
    word = before[0].lstrip(OPENING) if before else "."
    name = word[:-1].lower()
    if name in COUNTED:
        return not after[0].isdigit()
    if NUMBER.fullmatch(word) and line[start : end.start() + 1].strip() == word:
        return False
    return name not in ABBREVIATIONS and not DOTTED.fullmatch(word)
