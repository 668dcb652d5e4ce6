"""The texts to predict: from arguments, a file or stdin."""

import csv
import io
import json
from pathlib import Path

import click
from kzoo_recipes import KzooError, did_you_mean


def texts_from(arguments, file, column):
    """Return the list of texts, in order; an empty line is a text like any other."""
    if arguments and file:
        raise click.UsageError("give texts or --input, not both.")
    if column and (arguments or not file):
        raise click.UsageError("--text names a column of the --input file.")
    if arguments:
        for number, text in enumerate(arguments, 1):
            _refuse_surrogates(text, f"text {number}")
        return list(arguments)
    if file and file != "-":
        return _from_file(Path(file), column)
    stream = click.get_binary_stream("stdin")
    if not file and stream.isatty():
        raise click.UsageError("there is no text; name some, or a file with --input.")
    return _lines(_decode(stream.read(), "stdin"))


def _from_file(path, column):
    try:
        text = _decode(path.read_bytes(), path)
    except OSError as error:
        raise KzooError(f"{path}: {error.strerror}.") from None
    ending = path.suffix.lower()
    if ending in (".csv", ".tsv"):
        delimiter = "," if ending == ".csv" else "\t"
        return _from_table(text, path, column or "text", delimiter)
    if ending == ".jsonl":
        return _from_json_lines(text, path, column or "text")
    if column:
        raise KzooError(f"{path} has no columns; --text is for .csv, .tsv and .jsonl.")
    return _lines(text)


def _decode(data, name):
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise KzooError(f"{name}: line {line} is not UTF-8 text.") from None


def _lines(text):
    """Split at newlines only: a text may hold other separators of lines."""
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    return [line.removesuffix("\r") for line in lines]


def _from_table(text, path, column, delimiter):
    csv.field_size_limit(2**31 - 1)  # The texts may be longer than csv's 131,072.
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    texts = []
    try:
        header = next(rows, [])
        if column not in header:
            raise KzooError(
                f'{path}: there is no column "{column}"{did_you_mean(column, header)}'
            )
        index = header.index(column)
        for row in rows:
            if not row:
                continue
            if len(row) != len(header):
                raise KzooError(
                    f"{path}: line {rows.line_num} has {len(row)} columns, "
                    f"the header has {len(header)}."
                )
            texts.append(row[index])
    except csv.Error as error:
        raise KzooError(f"{path}: line {rows.line_num}: {error}.") from None
    return texts


def _from_json_lines(text, path, column):
    texts = []
    for number, line in enumerate(_lines(text), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            raise KzooError(f"{path}: line {number} is not JSON.") from None
        if not isinstance(row, dict):
            raise KzooError(f"{path}: line {number} is not a JSON object.")
        if not isinstance(row.get(column), str):
            missing = f'has no text "{column}"{did_you_mean(column, row)}'
            raise KzooError(f"{path}: line {number} {missing}")
        _refuse_surrogates(row[column], f"{path}: line {number}")
        texts.append(row[column])
    return texts


def _refuse_surrogates(text, where):
    """Half a character, as bad bytes in arguments and JSON escapes leave it."""
    if not text.isascii() and any("\ud800" <= c <= "\udfff" for c in text):
        raise KzooError(f"{where} is not UTF-8 text.")
