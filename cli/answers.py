"""How `kzoo predict` writes answers: a table, lines of JSON, CSV, or words in lines.

What there is to write of a text, its kind of answer says: `labelling.py` of a
classifier's, `tagging.py` of a tagger's.
"""

import csv
from pathlib import Path

import click

from .output import counted, json_line

ENDINGS = {".jsonl": "jsonl", ".ndjson": "jsonl", ".csv": "csv", ".tsv": "tsv"}
ENDINGS |= dict.fromkeys((".conll", ".bio", ".iob"), "conll")
FORMATS = ("table", "jsonl", "csv", "tsv", "conll")


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


def check_kept(layout, format):
    """Refuse columns to hand on where answers have no place for them."""
    if "keep" in layout and format in ("table", "conll"):
        raise click.UsageError(
            f"--keep hands columns on with JSONL and CSV; {format} has no place for "
            "them: say --json, or --as csv."
        )


def make_writer(format, file, kind):
    """What writes a list of `Text` with the answers to them.

    Args:
        format: str, one of `FORMATS`.
        file: text file, or `None` for stdout.
        kind: what the answers are, `Labels`, `Entities` or `Tags`.
    """
    if format in ("csv", "tsv"):
        return Csv(file, kind, "\t" if format == "tsv" else ",")
    return {"table": Table, "jsonl": Lines, "conll": Conll}[format](file, kind)


class Table:
    """A line for each text, for people."""

    def __init__(self, file, kind):
        self._file, self._kind = file, kind

    def write(self, texts, answers):
        self._kind.show(texts, answers, self._file)

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
            own = {**text.place, **self._kind.fields(text, answer)}
            lines.append(json_line({**apart(text.kept, own), **own}))
        click.echo("\n".join(lines), file=self._file)


class Conll(Table):
    """A line for each word, an empty one after each text."""

    def write(self, texts, answers):
        lines = []
        for text, answer in zip(texts, answers, strict=True):
            lines += self._kind.lines(text, answer)
            lines.append("")
        click.echo("\n".join(lines), file=self._file)


class Csv(Table):
    """Rows for each text, as many as its kind of answer has.

    The first row decides which columns there are.
    """

    def __init__(self, file, kind, delimiter):
        super().__init__(file, kind)
        self._delimiter = delimiter
        self._columns, self._left_out = None, {}
        self._count = self._without = 0

    def write(self, texts, answers):
        held = _Held()
        rows = csv.writer(held, delimiter=self._delimiter)
        for text, answer in zip(texts, answers, strict=True):
            own = list(self._kind.rows(text, answer))
            for row in own:
                self._write_row(rows, text, row)
            self._without += not own
        self._count += len(texts)
        if held.lines:
            click.echo("\n".join(held.lines), file=self._file)

    def _write_row(self, rows, text, own):
        kept = apart(text.kept, own)
        row = {**{k: plain_cell(v) for k, v in kept.items()}, **own}
        if self._columns is None:
            self._columns = dict.fromkeys(row)
            rows.writerow(self._columns)
        for name in row.keys() - self._columns.keys():
            self._left_out[name] = self._left_out.get(name, 0) + 1
        rows.writerow([row.get(name, "") for name in self._columns])

    def end(self, place):
        if self._columns is not None:
            return
        held = _Held()
        csv.writer(held, delimiter=self._delimiter).writerow(self._kind.columns(place))
        click.echo(held.lines[0], file=self._file)

    def notes(self):
        has_have = "has" if self._without == 1 else "have"
        without = [
            f"{self._without:,} of {counted(self._count, 'text')} {has_have} no row: "
            "nothing was found there."
        ]
        return without[: self._without] + [
            f'"{name}" was left out of {counted(count, "row")}: the first row lacks '
            "it, so there is no column for it. JSONL holds it."
            for name, count in sorted(self._left_out.items())
        ]


class _Held:
    """Lines of CSV without their ends.

    Python's writer quotes a lone carriage return only where it is part of the end of
    a line, so that end must be the writer's default.
    """

    def __init__(self):
        self.lines = []

    def write(self, line):
        self.lines.append(line.removesuffix("\r\n"))


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
