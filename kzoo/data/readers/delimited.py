"""CSV and TSV, as Python's `csv` module and spreadsheets write them.

Fields may stand in double quotes, may then hold delimiters and line breaks, and double
a quote inside. The first line names the columns.
"""

import collections
import csv

from kzoo_recipes import KzooError

from kzoo.data.readers.rows import Origin, RowError
from kzoo.data.readers.streams import blemish, lines_of
from kzoo.data.readers.values import shown

MARKS = {",": "commas", "\t": "tabs", ";": "semicolons"}
LONGEST = 2**24  # Characters of a row; more is a quote that nobody closed.


def delimited_rows(file, name, layout, broken, delimiter=None):
    """Yield the `Row`s of a CSV file; see `kzoo.data.readers.iterate`.

    `delimiter` is that of the format; `None` takes the layout's.
    """
    delimiter = delimiter or layout.delimiter
    origin = Origin(name)
    lines = _Lines(lines_of(file, name, layout, newline=""), origin, layout)
    records = _records(lines, delimiter)
    header = _header(records, name, layout, delimiter)
    places = {
        column: _column(header, column, key, name, layout)
        for key, column in layout.wanted([*filter(None, header)])
    }
    for line, fields in records:
        try:
            if isinstance(fields, RowError):
                raise fields
            if len(fields) != len(header):
                raise RowError(
                    origin,
                    line,
                    f"the row has {_fields(len(fields))} where the header has "
                    f"{len(header)}; put a text with "
                    f"{MARKS.get(delimiter, delimiter)} in double quotes.",
                )
            values = {column: fields[place] for column, place in places.items()}
            row = layout.row(values, line, origin)
        except RowError as error:
            broken(error)
        else:
            yield row


def _fields(count):
    return "1 field" if count == 1 else f"{count} fields"


def _header(records, name, layout, delimiter):
    line, header = next(records, (1, None))
    if header is None:
        names = delimiter.join(layout.columns.values())
        raise KzooError(
            f"{name}: the file is empty; its first line must name the columns, for "
            f"example {names!r}."
        )
    if isinstance(header, RowError):
        raise KzooError(str(header))  # Without columns there are no rows.
    header = [column.strip() for column in header]
    for column, times in collections.Counter(header).items():
        if column and times > 1:
            raise KzooError(
                f'{name}, line {line}: the header names the column "{shown(column)}" '
                "twice; rename one."
            )
    return header


def _column(header, column, key, name, layout):
    if column in header:
        return header.index(column)
    other = next((mark for mark in ";\t|," if mark in header[0]), None)
    if len(header) == 1 and other is not None:
        formats = {"\t": ("format", "tsv"), ",": ("format", "csv")}
        ask = layout.ask(*formats.get(other, ("delimiter", f'"{other}"')))
        raise KzooError(
            f'{name}, line 1: there is one column, "{shown(header[0])}"; if '
            f"{MARKS.get(other, other)} stand between columns, say so with {ask}."
        )
    raise KzooError(f"{name}, line 1: there is {layout.absent(key, column, header)}")


def _records(lines, delimiter):
    """Yield the first line and the fields of every record; empty lines are none.

    Where a record is no record, a `RowError` stands in the place of the fields.
    """
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    while True:
        line = lines.begin()
        try:
            fields = _next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            fields = RowError(
                lines.origin,
                line,
                "the quotes of the row that starts here do not pair up "
                f"({error}); put the text in double quotes and double those inside it.",
            )
            # What stands in the lines below is said of them when they are read again.
            if lines.blemish is not None and lines.blemish.line > line:
                lines.blemish = None
            lines.go_back()
        if lines.blemish is not None:
            fields = lines.blemish
        if fields:
            yield line, fields


def _next(reader):
    """The next record, however long its fields; the module's limit is left alone."""
    limit = csv.field_size_limit(2 * LONGEST)
    try:
        return next(reader)
    finally:
        csv.field_size_limit(limit)


class _Lines:
    """Lines that remember those of the record being read, to go back to them.

    A quote that nobody closed swallows the lines below it. When that shows, only the
    line it stands in is given up.
    """

    def __init__(self, lines, origin, layout):
        self.origin = origin
        self.blemish = None
        self._layout = layout
        self._lines, self._again = lines, collections.deque()
        self._record, self._size, self._number = [], 0, 0

    def begin(self):
        """Start a record; return the number of its first line."""
        self.blemish = None
        self._record, self._size = [], 0
        return self._number + 1

    def go_back(self):
        """Take back all lines of the record but the first."""
        again = self._record[1:]
        self._again.extendleft(reversed(again))
        self._number -= len(again)

    def __iter__(self):
        return self

    def __next__(self):
        line = self._again.popleft() if self._again else next(self._lines)
        self._number += 1
        self._record.append(line)
        self._size += len(line)
        if self._size > LONGEST:
            raise csv.Error(f"they hold more than {LONGEST:,} characters")
        if self.blemish is None:
            self.blemish = blemish(line, self._number, self.origin, self._layout)
        return line
