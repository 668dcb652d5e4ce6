"""How a CoNLL file has its columns: what parts them, what they hold."""

import dataclasses
import json
import re
import shlex

from kzoo_recipes import KzooError, did_you_mean

from kzoo.data.readers.values import shown

AHEAD = 5000  # lines that are looked at before the first is read
DOCUMENT = "-DOCSTART-"
CONLL_U = (
    *("id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps"),
    "misc",
)
GLOBAL = re.compile(r"#\s*global\.columns\s*=(.*)")
NUMBER = re.compile(r"\d+([-.]\d+)?")
COMMENT, DOCUMENTS = "# ", ("#begin document", "#end document")


@dataclasses.dataclass(frozen=True)
class Form:
    """The columns of a CoNLL file.

    Attributes:
        tabs: bool. Whether tabs part columns, so that words may hold spaces; otherwise
            any number of spaces does.
        names: tuple of str. What the columns are called, or `None`.
        words: int. The place of the column of the words, from 0.
        tags: int. That of the tags; `None` if none are asked for.
        width: int. How many columns there are; `None` if that may differ from sentence
            to sentence, as both columns are known by number.
        usual: int. How many columns the first word has.
        numbered: bool. Whether the first column numbers words, as CoNLL-U's does.
        line: int. The line of the first word, from 1.
    """

    tabs: bool
    names: tuple | None
    words: int
    tags: int | None
    width: int | None
    usual: int
    numbered: bool
    line: int

    def fields(self, line):
        """The columns of a line."""
        return _fields(line, self.tabs)

    def is_comment(self, line, fields):
        """Whether a line before the first word of a sentence is a comment.

        A `#` is a word where its line has as many columns as others have.
        """
        if self.numbered:
            return line.startswith("#")
        if line.startswith(DOCUMENTS):
            return True
        return line.startswith(COMMENT) and len(fields) != self.usual

    def skipped(self, fields):
        """The kind of `Remark` on a line of CoNLL-U that stands for no word."""
        if not self.numbered or not NUMBER.fullmatch(fields[0]):
            return None
        return "range" if "-" in fields[0] else "empty" if "." in fields[0] else None

    def complaint(self, fields, line, before):
        """What is wrong with the columns of a word, or `None`.

        Args:
            fields: list of str.
            line: str.
            before: int. How many columns the word before has, `None` if none is.
        """
        have, needed = len(fields), max(self.words, self.tags or 0) + 1
        it_has = f"the line has {_columns(have)}"
        if not self.tabs and "\t" in line.strip():
            return "a tab stands in the line; spaces part the columns of this file."
        if self.names and have != len(self.names):
            return f"{it_has} where {len(self.names)} have a name{self._hint(line)}."
        if have < needed:
            return f"{it_has}, and column {needed} is asked for{self._hint(line)}."
        if have != (self.width or before or have):
            than = "that before it" if self.width is None else f"line {self.line}"
            other = self.width or before
            return f"{it_has} where {than} has {other}{self._hint(line)}."
        return None

    def _hint(self, line):
        if self.tabs:
            spaces = "\t" not in line.strip() and " " in line.strip()
            return "; tabs part the columns of this file" if spaces else ""
        return "; a word may hold spaces where tabs part the columns"


def form_of(lines, name, layout):
    """The `Form` of a file that begins with `lines`.

    Raises:
        KzooError: if there is no such column, or not enough of them.
    """
    named = next((found[1] for line in lines if (found := GLOBAL.match(line))), None)
    words = [(n, line) for n, line in enumerate(lines, 1) if _may_be_word(line)]
    tabs = any("\t" in line.rstrip(" \t\r\n") for _, line in words)
    number, first = next(
        ((n, line) for n, line in words if not line.startswith("#")),
        words[0] if words else (1, ""),
    )
    fields = _fields(first, tabs)
    numbered = named is not None or _is_conll_u(fields, name, tabs)
    names = tuple(layout.columns) if layout.columns else None
    if numbered and names is None:
        names = tuple(named.lower().split()) if named else CONLL_U
        numbered = names[:1] == ("id",)
    form = next((column for column in names or () if column.lower() == "form"), 1)
    ask = _Asking(name, names, len(fields), layout)
    word, tag = ask.place("words", layout.words, form), None
    if layout.tagged:
        ask_last = len(names or fields)
        usual = "upos" if numbered and "upos" in names else ask_last
        tag = ask.place("tags", layout.tags, usual)
        if words and word == tag:
            raise KzooError(
                f"{name}, line {number}: {_there_are(len(fields))}, and words and tags "
                f"would both be column {word + 1}; a word and its tag need one each."
            )
    last = layout.tagged and layout.tags is None and not numbered
    width = len(fields) if last else None
    return Form(tabs, names, word, tag, width, len(fields), numbered, number)


@dataclasses.dataclass(frozen=True)
class _Asking:
    """Finds columns by name or number."""

    name: str
    names: tuple | None
    width: int
    layout: object

    def place(self, key, column, default):
        """The place of a column, from 0."""
        if column is None:
            column = default
        names = self.names or ()
        lowered = [name.lower() for name in names]
        if isinstance(column, str) and column.lower() in lowered:
            exact = column in names
            return names.index(column) if exact else lowered.index(column.lower())
        if str(column).isdecimal() and int(column) > 0:
            return int(column) - 1
        hint = did_you_mean(str(column), names) if names else self._numbers(key, column)
        raise KzooError(f'{self.name}: there is no column "{shown(str(column))}"{hint}')

    def _numbers(self, key, column):
        """What columns without names have, and how a recipe names all of them."""
        if not self.layout.by_recipe:
            return f"; columns have numbers, from 1 to {self.width}."
        last = max(self.width, 2)
        names = ["word", *(f"column{place}" for place in range(2, last)), "tag"]
        names[0 if key == "words" else -1] = shown(str(column))
        names = shlex.quote(json.dumps(names, ensure_ascii=False))
        return (
            "; columns have numbers from 1, or the names that "
            f"{self.layout.ask('columns', names)} gives them."
        )


def _fields(line, tabs):
    if tabs:
        return line.rstrip(" \t\r\n").split("\t")
    return re.split(" +", line.strip(" \t\r\n"))


def _may_be_word(line):
    body = line.strip(" \t\r\n")
    return (
        body
        and not body.startswith(DOCUMENT)
        and not line.startswith((COMMENT, *DOCUMENTS))
    )


def _is_conll_u(fields, name, tabs):
    """By its ending; or by ten columns, the first of them a number."""
    if re.search(r"\.conllup?(\.\w+)?$", name.lower()):
        return True
    return tabs and len(fields) == 10 and bool(NUMBER.fullmatch(fields[0]))


def _columns(count):
    return "1 column" if count == 1 else f"{count} columns"


def _there_are(count):
    return "there is one column" if count == 1 else f"there are {count} columns"
