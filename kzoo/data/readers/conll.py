"""CoNLL: a word on each line with its columns, an empty line after each sentence."""

import itertools
import sys

from kzoo_recipes import KzooError

from kzoo.data.readers.conll_form import AHEAD, DOCUMENT, form_of
from kzoo.data.readers.rows import Origin, RowError
from kzoo.data.readers.sentences import Remark, Sentence, spans_of
from kzoo.data.readers.streams import blemish, lines_of
from kzoo.data.readers.values import shown, whole


def conll_rows(file, name, layout, broken):
    """Yield the `Sentence`s of a CoNLL file; see `kzoo.data.readers.iterate`.

    Lines of white space end sentences. `-DOCSTART-` lines and, where a sentence begins,
    `# ` comments are passed over; so are CoNLL-U's ranges of words (`1-2`) and empty
    nodes (`1.1`), which stand for no word of their own.

    A line that is wrong costs its sentence, no other.
    """
    if layout.weight is not None:
        raise KzooError(
            f"{name}: CoNLL has a line for each word, so no column weighs a sentence; "
            f'leave "{shown(layout.weight)}" out, or write JSONL.'
        )
    if layout.keep:
        raise KzooError(
            f"{name}: CoNLL has a line for each word, so no column can be kept for a "
            "sentence."
        )
    lines = lines_of(file, name, layout, newline="")
    ahead = [*itertools.islice(lines, AHEAD)]
    reader = _Reader(Origin(name), layout, form_of(ahead, name, layout))
    for number, line in enumerate(itertools.chain(ahead, lines, [""]), start=1):
        try:
            sentence = reader.take(line, number)
        except RowError as error:
            reader.give_up()
            broken(error)
            continue
        if sentence is not None:
            yield sentence


class _Reader:
    """Gathers the words of a sentence, line by line."""

    def __init__(self, origin, layout, form):
        self.origin, self.layout, self.form = origin, layout, form
        self._lost = False  # the rest of a sentence with an error in it
        self._remarks = []
        self._clear()

    def give_up(self):
        """Leave out the sentence that the last line is of."""
        self._clear()
        self._remarks, self._lost = [], True

    def take(self, line, number):
        """Add a line; return the `Sentence` that it ends, if it ends one."""
        body = line.strip(" \t\r\n")
        if not body or body.startswith(DOCUMENT):
            if body:
                self._remarks.append(Remark("document", number))
            self._lost = False
            return self._ended()
        if self._lost:
            return None
        error = blemish(line, number, self.origin, self.layout)
        if error is not None:
            raise error
        fields = self.form.fields(line)
        if not self._words and self.form.is_comment(line, fields):
            return None
        skipped = self.form.skipped(fields)
        if skipped:
            self._remarks.append(Remark(skipped, number, shown(fields[0])))
            return None
        self._add(fields, line, number)
        return None

    def _add(self, fields, line, number):
        form = self.form
        if not form.tabs or len(fields) != self._width:  # Else as the word before.
            complaint = form.complaint(fields, line, self._width)
            if complaint:
                raise RowError(self.origin, number, complaint)
        word = fields[form.words]
        word = word.strip(" ") or word
        tag = None if form.tags is None else fields[form.tags].strip()
        if not word or tag == "" or not line.isascii():
            self._check(word, tag, number)
        self._words.append(word)
        self._width = len(fields)
        self._lines.append(number)
        if tag is not None:
            self._tags.append(sys.intern(tag))

    def _check(self, word, tag, number):
        def fail(complaint):
            return RowError(self.origin, number, complaint)

        if not word:
            raise fail(
                f"there is no word in column {self.form.words + 1}; remove the line, "
                "or write the word."
            )
        if tag == "":
            raise fail(
                f"there is no tag in column {self.form.tags + 1}; a word outside "
                "entities has the tag O."
            )
        whole(word, "the word", fail)
        whole(tag or "", "the tag", fail)

    def _ended(self):
        if not self._words:
            return None
        words = self._words
        sentence = Sentence(
            " ".join(words),
            words,
            None if self.form.tags is None else self._tags,
            spans_of(words),
            self._lines,
            self._lines[0],
            self.origin,
            remarks=tuple(self._remarks),
        )
        self._clear()
        self._remarks = []
        return sentence

    def _clear(self):
        self._words, self._tags, self._lines, self._width = [], [], [], None
