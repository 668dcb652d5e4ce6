"""Rows of text and label from files, and their split into train, dev and test.

Whatever is wrong with a file is said with its name, its line and its column: a row is
never skipped, guessed or repaired in silence.
"""

import csv
import io
import json
from dataclasses import dataclass
from pathlib import Path

from kzoo_recipes import KzooError, nearest

FORMATS = {".csv": "csv", ".tsv": "tsv", ".jsonl": "jsonl", ".ndjson": "jsonl"}


@dataclass(frozen=True)
class Rows:
    """Texts and their labels, in the order of the file.

    Attributes:
        texts: list of str, as written; may be empty strings.
        labels: list of str, without white space around them, never empty. `None` when
            no label column was asked for.
        lines: list of int, the line each row starts in, from 1.
        path: str. What errors call the file.
    """

    texts: list
    labels: list | None
    lines: list
    path: str

    def __len__(self):
        return len(self.texts)

    def where(self, row):
        """`FILE, line N`, for errors about a row."""
        return f"{self.path}, line {self.lines[row]}"

    def take(self, rows):
        """The rows at these positions."""
        labels = None if self.labels is None else [self.labels[row] for row in rows]
        texts = [self.texts[row] for row in rows]
        return Rows(texts, labels, [self.lines[row] for row in rows], self.path)


def read(path, text="text", label="label", format=None):
    """Read a file of texts and labels.

    CSV is what Python's `csv` module and spreadsheets write: fields may stand in double
    quotes, may then hold commas and line breaks, and double a quote inside. TSV has the
    very same rules with tabs for commas. Both name their columns in the first line.
    JSONL has one object a line; integer and boolean labels become strings.

    Args:
        path: str or `Path`. UTF-8, with or without a byte order mark.
        text: str. The column of the texts.
        label: str. The column of the labels; `None` reads texts alone.
        format: `"csv"`, `"tsv"` or `"jsonl"`. `None` goes by the file's ending.

    Returns:
        `Rows`, at least one.
    """
    path = Path(path)
    format = format or FORMATS.get(path.suffix.lower())
    if format not in PARSERS:
        raise KzooError(
            f"{path}: the ending does not tell the format; say which it is with "
            "--set data.format=csv (or tsv, jsonl)."
        )
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise KzooError(f"{path}: there is no such data file.") from None
    except OSError as error:
        raise KzooError(f"{path}: cannot be read: {error.strerror}.") from None
    return parse(content, str(path), text, label, format)


def parse(content, path, text="text", label="label", format="csv"):
    """`read`, for the bytes of a file called `path`."""
    rows = PARSERS[format](_decoded(content, path), path, text, label)
    if not rows.texts:
        raise KzooError(f"{path}: the file has no rows; give it at least one.")
    return rows


def _decoded(content, path):
    try:
        decoded = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        if content.startswith(b"\x1f\x8b"):
            raise KzooError(
                f"{path}: the file is compressed; unpack it first, with `gunzip`."
            ) from None
        line = content.count(b"\n", 0, error.start) + 1
        raise KzooError(
            f"{path}, line {line}: the byte 0x{content[error.start]:02x} is not UTF-8; "
            "save the file as UTF-8, for example with `iconv -f latin1 -t utf-8`."
        ) from None
    if "\0" in decoded:
        line = decoded.count("\n", 0, decoded.index("\0")) + 1
        raise KzooError(
            f"{path}, line {line}: there is a NUL character, which no text has; save "
            "the file as UTF-8 text."
        )
    return decoded


def _parse_csv(content, path, text, label, delimiter=","):
    records = _records(content, path, delimiter)
    line, header = next(records, (0, None))
    if header is None:
        raise KzooError(
            f"{path}: the file is empty; its first line must name the columns, for "
            f"example {delimiter.join(filter(None, (text, label)))!r}."
        )
    header = [name.strip() for name in header]
    for name in header:
        if name and header.count(name) > 1:
            raise KzooError(
                f'{path}, line {line}: the header names the column "{name}" twice; '
                "rename one."
            )
    text_at = _column(header, text, "text", path)
    label_at = None if label is None else _column(header, label, "label", path)
    rows = Rows([], None if label is None else [], [], path)
    for line, fields in records:
        if len(fields) != len(header):
            name = "commas" if delimiter == "," else "tabs"
            raise KzooError(
                f"{path}, line {line}: the row has {len(fields)} fields where the "
                f"header has {len(header)}; put a text with {name} in double quotes."
            )
        rows.lines.append(line)
        rows.texts.append(fields[text_at])
        if label is not None:
            rows.labels.append(_filled(fields[label_at], label, path, line))
    return rows


def _parse_tsv(content, path, text, label):
    return _parse_csv(content, path, text, label, delimiter="\t")


def _records(content, path, delimiter):
    """Yield the first line and the fields of every record; empty lines are none."""
    limit = csv.field_size_limit(max(csv.field_size_limit(), len(content)))
    lines = io.StringIO(content, newline="")
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    try:
        records, line = [], 1
        for fields in reader:
            if fields:
                records.append((line, fields))
            line = reader.line_num + 1
    except csv.Error as error:
        raise KzooError(
            f"{path}, line {line}: the quotes of the row that starts here do not pair "
            f"up ({error}); put the text in double quotes and double those inside it."
        ) from None
    finally:
        csv.field_size_limit(limit)
    yield from records


def _column(header, name, key, path):
    if name in header:
        return header.index(name)
    raise KzooError(
        f'{path}, line 1: there is no column "{name}"; {_hint(name, header)} columns '
        f"are {_listed(header)}; choose one with --set data.{key}=COLUMN."
    )


def _parse_jsonl(content, path, text, label):
    rows = Rows([], None if label is None else [], [], path)
    for line, written in enumerate(content.split("\n"), start=1):
        if not written.strip():
            continue
        try:
            row = json.loads(written)
        except (ValueError, RecursionError) as error:
            raise KzooError(
                f"{path}, line {line}: this is not JSON ({error}); JSONL has one "
                "object on each line."
            ) from None
        if not isinstance(row, dict):
            raise KzooError(
                f"{path}, line {line}: the line holds {_kind(row)}, not an object "
                f'like {{"{text}": "…"}}.'
            )
        rows.lines.append(line)
        rows.texts.append(_text(row, text, path, line))
        if label is not None:
            rows.labels.append(_label(row, label, path, line))
    return rows


def _value(row, name, key, path, line):
    if name not in row:
        raise KzooError(
            f'{path}, line {line}: the object has no key "{name}"; {_hint(name, row)} '
            f"keys are {_listed(row)}; choose one with --set data.{key}=KEY."
        )
    return row[name]


def _text(row, name, path, line):
    value = _value(row, name, "text", path, line)
    if not isinstance(value, str):
        raise KzooError(
            f'{path}, line {line}: "{name}" is {_kind(value)}; a text must be a string.'
        )
    return value


def _label(row, name, path, line):
    value = _value(row, name, "label", path, line)
    if isinstance(value, bool):
        value = json.dumps(value)
    if isinstance(value, int):
        value = str(value)
    if not isinstance(value, str):
        raise KzooError(
            f'{path}, line {line}: "{name}" is {_kind(value)}; a label must be a '
            "string, an integer or a boolean."
        )
    return _filled(value, name, path, line)


def _filled(label, name, path, line):
    if not label.strip():
        raise KzooError(
            f'{path}, line {line}: the label in "{name}" is empty; fill it in or '
            "remove the row."
        )
    if not label.isascii() and any("\ud800" <= c <= "\udfff" for c in label):
        raise KzooError(
            f'{path}, line {line}: the label in "{name}" is not Unicode text: it holds '
            "half a character."
        )
    return label.strip()


def _kind(value):
    """What JSON calls the type of a parsed value."""
    names = {bool: "a boolean", int: "a number", float: "a number", str: "a string"}
    names |= {list: "a list", dict: "an object", type(None): "null"}
    return names[type(value)]


def _hint(name, names):
    near = nearest(name, names)
    return f'did you mean "{near}"? The' if near else "the"


def _listed(names):
    return ", ".join(f'"{name}"' for name in names) or "none"


PARSERS = {"csv": _parse_csv, "tsv": _parse_tsv, "jsonl": _parse_jsonl}
