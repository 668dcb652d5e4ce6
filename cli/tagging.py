"""What `kzoo predict` says of the words of texts: entities, or a tag for each word."""

import os
import re

import click

from .output import counted

PALETTE = ("blue", "magenta", "green", "red", "cyan", "yellow")
PALETTE += tuple(f"bright_{colour}" for colour in PALETTE)
BLANKS = re.compile(r"[\s\x00-\x20\x7f-\xa0]+")
DOCUMENT = "-DOCSTART-"  # begins a line that holds no word of CoNLL
NOTHING = "O"


class Entities:
    """The entities of texts as they are written.

    Args:
        model: what has `answers`, `labels`, `scheme` and `sequence_length`.
        batch_size: int.
        aggregation: str, see `kzoo.text.entities`.
    """

    formats = ("table", "jsonl", "csv", "tsv")
    chunk = None

    def __init__(self, model, batch_size, aggregation):
        self._model = model
        self._options = {"aggregation": aggregation, "batch_size": batch_size}
        self._long = self._count = 0
        self.kinds = kinds_of(model.labels, model.scheme)

    def ask(self, texts):
        """One answer for each `Text`, in order."""
        given = [text.text if text.words is None else text.words for text in texts]
        answers = self._model.answers(given, **self._options)
        self._count += len(texts)
        self._long += sum(answer["windows"] > 1 for answer in answers)
        return answers

    def show(self, texts, answers, file):
        """Print answers for people: the text, its entities in brackets and colours."""
        for text, answer in zip(texts, answers, strict=True):
            click.echo(
                painted(*self.marked(text, answer), self.kinds), file, **colour()
            )

    def marked(self, text, answer):
        """The text of an answer, and `(start, end, type, score)` for each mark."""
        return text.text, [
            (one["start"], one["end"], self._kind(one), one["score"])
            for one in answer["entities"]
        ]

    def _kind(self, entity):
        if "entity_group" in entity:
            return entity["entity_group"]
        return kind_of(entity["entity"], self._model.scheme)

    def fields(self, text, answer):
        """An answer as an object of JSON."""
        return {"text": text.text, **answer}

    def rows(self, text, answer):
        """An answer as rows of CSV, one for each entity."""
        for one in answer["entities"]:
            [name] = one.keys() & {"entity", "entity_group"}
            yield {
                "number": text.number,
                **text.place,
                name: one[name],
                "surface": text.text[one["start"] : one["end"]],
                **{key: repr(one[key]) for key in ("score", "start", "end")},
            }

    def columns(self, place):
        """The columns of `rows` where there are none."""
        name = "entity" if self._options["aggregation"] == "none" else "entity_group"
        return ["number", *place, name, "surface", "score", "start", "end"]

    def notes(self):
        """What a person should know of the answers."""
        if not self._long:
            return []
        is_are, was_were = ("is", "was") if self._long == 1 else ("are", "were")
        return [
            f"{self._long:,} of {counted(self._count, 'text')} {is_are} longer than "
            f"the {self._model.sequence_length} tokens that the model reads at once "
            f"and {was_were} read in windows."
        ]


class Tags:
    """A tag for each word of texts whose words are known.

    Args:
        model: what has `tag_words`, `labels` and `scheme`.
        batch_size: int.
    """

    formats = ("table", "jsonl", "csv", "tsv", "conll")
    chunk = None

    def __init__(self, model, batch_size):
        self._model, self._batch_size = model, batch_size
        self._changed = self._marks = 0
        self.kinds = kinds_of(model.labels, model.scheme)

    def ask(self, texts):
        """One answer for each `Text`, in order."""
        words = [text.words for text in texts]
        return self._model.tag_words(words, batch_size=self._batch_size)

    def show(self, texts, answers, file):
        """Print answers for people: entities in brackets, or each word with its tag."""
        for text, answer in zip(texts, answers, strict=True):
            click.echo(
                painted(*self.marked(text, answer), self.kinds), file, **colour()
            )

    def marked(self, text, answer):
        """The text of an answer, and `(start, end, type, score)` for each mark."""
        from kzoo.data.schemes import entities

        tags = [one["tag"] for one in answer]
        if self._model.scheme == "plain":
            found = [(tag, place, place + 1) for place, tag in enumerate(tags)]
        else:
            found = entities(tags, self._model.scheme)
        ends, end = [], -1
        for word in text.words:
            end += len(word) + 1
            ends.append(end)
        marks = []
        for kind, first, last in found:
            scores = [one["score"] for one in answer[first:last]]
            start = ends[first] - len(text.words[first])
            marks.append((start, ends[last - 1], kind, sum(scores) / len(scores)))
        return " ".join(text.words), marks

    def fields(self, text, answer):
        """An answer as an object of JSON."""
        return {
            "words": text.words,
            "tags": [one["tag"] for one in answer],
            "scores": [one["score"] for one in answer],
        }

    def rows(self, text, answer):
        """An answer as rows of CSV, one for each word."""
        for word, one in zip(text.words, answer, strict=True):
            yield {
                "number": text.number,
                **text.place,
                "word": word,
                "tag": one["tag"],
                "score": repr(one["score"]),
            }

    def columns(self, place):
        """The columns of `rows` where there are none."""
        return ["number", *place, "word", "tag", "score"]

    def lines(self, text, answer):
        """An answer as lines of CoNLL: a word and its tag, a tab in between."""
        for word, one in zip(text.words, answer, strict=True):
            cells = word, one["tag"]
            written = [BLANKS.sub(" ", cell).strip(" ") or " " for cell in cells]
            self._changed += sum(map(str.__ne__, cells, written))
            self._marks += word.startswith(DOCUMENT)
            yield "\t".join(written)

    def notes(self):
        """What a person should know of the answers."""
        told = []
        if self._changed:
            told.append(
                f"CoNLL cannot hold the white space of "
                f"{counted(self._changed, 'word or tag', 'words or tags')}; single "
                "spaces stand there."
            )
        if self._marks:
            told.append(
                f"{counted(self._marks, 'word')} will be passed over by whoever reads "
                f"the CoNLL: {DOCUMENT} begins a document there; JSONL keeps them."
            )
        return told


class Page:
    """Writes answers as a page of HTML, text by text.

    Args:
        file: text file.
        kind: `Entities` or `Tags`.
        title: str.
    """

    def __init__(self, file, kind, title):
        from kzoo.reports.entities import EntityPage

        self._file, self._kind = file, kind
        self._page = EntityPage(title, kind.kinds)
        file.write(self._page.opening())

    def write(self, texts, answers):
        for text, answer in zip(texts, answers, strict=True):
            place = [f"{unit} {value}" for unit, value in text.place.items()]
            told = ", ".join(place).removeprefix("file ") or f"text {text.number}"
            self._file.write(self._page.section(told, *self._kind.marked(text, answer)))

    def end(self, place):
        self._file.write(self._page.closing())


def kinds_of(labels, scheme):
    """The types that tags name, each with its number among them."""
    kinds = dict.fromkeys(
        kind_of(label, scheme)
        for label in labels
        if scheme == "plain" or label != NOTHING
    )
    return {kind: number for number, kind in enumerate(kinds)}


def kind_of(label, scheme):
    """The type that a tag names; a plain one is its own."""
    return label if scheme == "plain" else label.partition("-")[2] or label


def painted(text, marks, kinds):
    """A text on one line with `[what is marked](TYPE)`, in colours by type.

    Args:
        text: str.
        marks: list of `(start, end, type, score)`, in order.
        kinds: dict from type to number.
    """
    pieces, at = [], 0
    for start, end, kind, _ in marks:
        start = max(start, at)  # Pieces of bytes may share a character.
        number = kinds.get(kind, len(kinds))
        shade = {"fg": PALETTE[number % len(PALETTE)]}
        pieces += [
            _flat(text[at:start]),
            click.style("[", **shade),
            click.style(_flat(text[start:end]), bold=True, **shade),
            click.style(f"]({_flat(kind)})", **shade),
        ]
        at = max(at, end)
    pieces.append(_flat(text[at:]))
    return "".join(pieces).strip()


def colour():
    """What makes Click print no colours where nobody wants them."""
    return {"color": False} if os.environ.get("NO_COLOR") else {}


def _flat(text):
    return BLANKS.sub(" ", text)
