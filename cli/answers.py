"""What `kzoo predict` writes for each text: a table, lines of JSON, or CSV."""

import csv
import json
from pathlib import Path

import click

from .output import counted, json_line, print_table

ENDINGS = {".jsonl": "jsonl", ".ndjson": "jsonl", ".csv": "csv", ".tsv": "tsv"}
FORMATS = ("table", "jsonl", "csv", "tsv")


def format_of(output, asked, as_json):
    """The format to write: as asked, else by the file's ending, else a table."""
    if as_json and asked not in (None, "jsonl"):
        raise click.UsageError(f"--json and --as {asked} ask for two formats.")
    if as_json:
        return "jsonl"
    if asked is not None or output is None:
        return asked or "table"
    ending = Path(output).suffix.lower()
    if ending not in ENDINGS:
        raise click.UsageError(
            f"the ending of {output} does not tell the format; say which it is with "
            f"--as ({', '.join(FORMATS)})."
        )
    return ENDINGS[ending]


def make_writer(format, file, labels):
    """What writes a list of `Text` with the answers to them.

    Args:
        format: str, one of `FORMATS`.
        file: text file, or `None` for stdout.
        labels: list of str, of the model.
    """
    if format == "table":
        return Table(file)
    if format == "jsonl":
        return Lines(file)
    return Csv(file, labels, "\t" if format == "tsv" else ",")


class Table:
    """A line for each text, cut to the screen."""

    def __init__(self, file):
        self._file = file

    def write(self, texts, answers):
        rows = []
        for text, answer in zip(texts, answers, strict=True):
            chances = answer["probabilities"]
            given = labels_of(answer)
            surest = max([chances[name] for name in given] or chances.values())
            rows.append((" + ".join(given) or "–", f"{surest:.3f}", text.text))
        print_table(rows, file=self._file)

    def end(self, place):
        """Write what must not be missing where there was no text.

        Args:
            place: iterable of str. How it would be said where a text stands.
        """

    def notes(self):
        """What a person should know of what was written."""
        return []


class Lines(Table):
    """An object for each text."""

    def write(self, texts, answers):
        lines = []
        for text, answer in zip(texts, answers, strict=True):
            own = {**text.place, "text": text.text, **answer}
            lines.append(json_line({**apart(text.kept, own), **own}))
        click.echo("\n".join(lines), file=self._file)


class Csv(Table):
    """A row for each text, and a column for the probability of each label.

    The first text decides which columns there are.
    """

    def __init__(self, file, labels, delimiter):
        super().__init__(file)
        self._labels, self._delimiter = labels, delimiter
        self._columns, self._left_out = None, {}

    def write(self, texts, answers):
        held = _Held()
        rows = csv.writer(held, delimiter=self._delimiter)
        for text, answer in zip(texts, answers, strict=True):
            row = self._row(text, answer)
            if self._columns is None:
                self._columns = dict.fromkeys(row)
                rows.writerow(self._columns)
            for name in row.keys() - self._columns.keys():
                self._left_out[name] = self._left_out.get(name, 0) + 1
            rows.writerow([row.get(name, "") for name in self._columns])
        click.echo("\n".join(held.lines), file=self._file)

    def end(self, place):
        if self._columns is not None:
            return
        held = _Held()
        chances = [f"probability_{name}" for name in self._labels]
        columns = [*place, "text", "label", *chances, "truncated"]
        csv.writer(held, delimiter=self._delimiter).writerow(columns)
        click.echo(held.lines[0], file=self._file)

    def notes(self):
        return [
            f'"{name}" was left out of {counted(count, "row")}: the first row lacks '
            "it, so there is no column for it. JSONL holds it."
            for name, count in sorted(self._left_out.items())
        ]

    def _row(self, text, answer):
        chances = answer["probabilities"]
        own = {
            **text.place,
            "text": text.text,
            "label": "|".join(labels_of(answer)),
            **{f"probability_{name}": repr(chances[name]) for name in self._labels},
            "truncated": json.dumps(answer["truncated"]),
        }
        kept = apart(text.kept, own)
        return {**{k: plain_cell(v) for k, v in kept.items()}, **own}


class _Held:
    """Lines of CSV without their ends.

    Python's writer quotes a lone carriage return only where it is part of the end of
    a line, so that end must be the writer's default.
    """

    def __init__(self):
        self.lines = []

    def write(self, line):
        self.lines.append(line.removesuffix("\r\n"))


def labels_of(answer):
    """The labels that were given: one, or of a multi-label model any number."""
    return answer["labels"] if "labels" in answer else [answer["label"]]


def apart(kept, own):
    """Columns that were kept, those with a name of our own renamed to `input_NAME`."""
    if not kept.keys() & own.keys():
        return kept
    renamed = {}
    for name, value in kept.items():
        while name in own or name in renamed:
            name = f"input_{name}"
        renamed[name] = value
    return renamed


def plain_cell(value):
    """A value of a kept column as CSV can hold it."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json_line(value)
