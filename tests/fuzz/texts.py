"""Recipes and rows with something wrong in them."""

import gzip
import io
import json

from kzoo_recipes import find

from tests.fuzz.mutations import NUMBERS, WORDS, blind, json_edit, written

PYTHON = '''
"""Tides of the sea.

The tides of both harbours are taken from the table that a caller hands in.
"""
class Port(Place):
    def count(self, *boats, depth=3, **more):
        """Count e.g. the boats (all). Slow.

        The ``tides`` of :class:`Port` are taken from the table, if one is at hand.
        """
'''
RECIPE = find("text_classifier").read_bytes()
ROWS = [
    ('A fine film, with "quotes" in it', "positive"),
    ("Two\nlines, and a comma", "negative"),
    ("Ünïcödé \U0001f600", "positive"),
    ("plain", "negative"),
    ("", "positive"),
]
VALUES = (
    *("true", "false", '""', '"x"', "[]", "{}", "[1, 2]", "{ a = 1 }", "nan", "inf"),
    *("-inf", "1979-05-27", "07:32:00", "0x7f", "'''a\nb'''", "[[[[]]]]", "1e400"),
)
LINES = ("[data]", "[model]", "[[data]]", "[a.b.c]", "x = 1", "= 1", "[", '"', "\0")
WORDS_WITH_TAGS = (
    *(("Ana", "B-a"), ("Lima", "I-a"), ("flew", "O"), ("", "")),
    *(("#", "O"), ("Ünïcödé", "B-b"), ("\U0001f600", "O"), ("", "")),
    *(("\u200b", "O"), ("Rome", "B-b")),
)
TAGS = ("O", "I-a", "S-a", "L-b", "B", "B-", "-a", "NOUN", " ", "B-a-b", "-DOCSTART-")
CONLL_LINES = (
    *("", " ", "\t", "-DOCSTART- O", "# text = x", "#", "1-2\tx", "1.1\tx\t_\t_"),
    *("# global.columns = ID FORM X", "# global.columns =", "\u00a0", "\x0c"),
)


def recipe(rng):
    """The bytes of a broken recipe, and overrides of any kind."""
    overrides = [_override(rng) for _ in range(rng.choice((0, 0, 1, 2)))]
    if rng.random() < 0.4:
        return blind(RECIPE, rng), overrides
    lines = RECIPE.decode().split("\n")
    for _ in range(rng.choice((1, 1, 2, 4))):
        at = rng.randrange(len(lines))
        kind = rng.randrange(6)
        key, equals, _ = lines[at].partition("=")
        if kind < 2 and equals:
            lines[at] = f"{key}= {_value(rng)}"
        elif kind == 2 and equals:
            word = json.dumps(rng.choice(WORDS), ensure_ascii=False)
            lines[at] = f"{word} = {_value(rng)}"
        elif kind == 3:
            lines.insert(at, rng.choice(lines))
        elif kind == 4:
            lines.insert(at, rng.choice(LINES))
        else:
            del lines[at]
            lines = lines or [""]
    return "\n".join(lines).encode("utf-8", "surrogatepass"), overrides


def _value(rng):
    kind = rng.randrange(3)
    if kind == 0:
        return str(rng.choice(NUMBERS))
    if kind == 1:
        return json.dumps(rng.choice(WORDS), ensure_ascii=False)
    return rng.choice(VALUES)


def _override(rng):
    keys = (
        "training.epochs",
        "data.train",
        "data",
        "model.encoder",
        "x",
        "a.b.c.d",
        "",
    )
    key = rng.choice((*keys, *WORDS))
    return key + rng.choice(("=", "==", "", " = ")) + _value(rng)


def csv(rng):
    """The bytes of a broken CSV file."""
    lines = [["text", "label"], *map(list, ROWS)]
    for _ in range(rng.choice((0, 1, 2))):
        line = rng.choice(lines)
        kind = rng.randrange(4)
        if kind == 0 and line:
            line[rng.randrange(len(line))] = rng.choice(WORDS)
        elif kind == 1:
            line.append(rng.choice(WORDS))
        elif kind == 2 and line:
            line.pop()
        else:
            lines.append(list(line))
    comma, quote = rng.choice((",", ",", ",", "\t", ";")), '"'
    doubled = (
        [f'"{field.replace(quote, quote * 2)}"' for field in line] for line in lines
    )
    text = rng.choice(("\n", "\r\n", "\r")).join(comma.join(line) for line in doubled)
    return _spoilt(text.encode(*_encoding(rng)), rng)


def jsonl(rng):
    """The bytes of a broken JSONL file."""
    rows = [{"text": text, "label": label} for text, label in ROWS]
    lines = [
        written(json_edit(row, rng) if rng.random() < 0.4 else row) for row in rows
    ]
    return _spoilt(rng.choice((b"\n", b"\n", b"\r\n", b"\n\n")).join(lines), rng)


def conll(rng):
    """The bytes of a broken CoNLL file, and how one says it is written."""
    part = rng.choice(("\t", "\t", " ", "  "))
    lines = [[word, "x", tag] if word else [""] for word, tag in WORDS_WITH_TAGS]
    if rng.random() < 0.3:
        part = "\t"
        lines = [
            [word and str(n), word, "_", tag, *"_" * 6] if word else [""]
            for n, (word, tag) in enumerate(WORDS_WITH_TAGS, 1)
        ]
    for _ in range(rng.choice((0, 1, 2))):
        line = rng.choice(lines)
        kind = rng.randrange(6)
        if kind == 0:
            line[rng.randrange(len(line))] = rng.choice(WORDS)
        elif kind == 1:
            line.append(rng.choice(TAGS))
        elif kind == 2:
            line.pop()
            line.append("")
        elif kind == 3:
            line[-1] = rng.choice(TAGS)
        else:
            lines.insert(rng.randrange(len(lines)), [rng.choice(CONLL_LINES)])
    ends = rng.choice(("\n", "\n", "\r\n", "\r"))
    text = ends.join(part.join(line) for line in lines)
    options = {}
    if rng.random() < 0.3:
        options["words"] = rng.choice((1, 2, "2", "form", "x", 0, -1))
    if rng.random() < 0.3:
        options["tags"] = rng.choice((3, 4, "upos", "9"))
    if rng.random() < 0.3:
        options["scheme"] = rng.choice(("iob2", "bioes", "plain"))
    if rng.random() < 0.2:
        options["invalid"] = "refuse"
    content = text.encode(*_encoding(rng))
    return _spoilt(content, rng) if rng.random() < 0.7 else content, options


def tagged_jsonl(rng):
    """The bytes of broken JSONL of tokens and of spans."""
    rows = [
        {"tokens": ["Ana", "Lima", "flew"], "tags": ["B-a", "I-a", "O"]},
        {"text": "Ana  flew", "spans": [{"start": 0, "end": 3, "label": "a"}]},
        {"tokens": ["so", "\n"], "tags": ["O", "O"]},
        {"text": "Ünïcödé \U0001f600", "spans": [[0, 7, "b"]]},
    ]
    lines = [
        written(json_edit(row, rng) if rng.random() < 0.2 else row) for row in rows
    ]
    content = rng.choice((b"\n", b"\r\n", b"\n\n")).join(lines)
    return _spoilt(content, rng) if rng.random() < 0.7 else content


def paired_jsonl(rng):
    """The bytes of broken JSONL of documents with summaries."""
    rows = [
        {"document": "It rained, all day.", "summary": "Rain"},
        {"document": ["One.", "Two."], "summary": ["both", "2"], "more": ["1, 2"]},
        {"document": "Ünïcödé \U0001f600", "summary": "\u200b\U0001f600", "more": None},
        {"document": " ", "summary": "x", "more": "y"},
    ]
    lines = [
        written(json_edit(row, rng) if rng.random() < 0.3 else row) for row in rows
    ]
    content = rng.choice((b"\n", b"\r\n", b"\n\n")).join(lines)
    return _spoilt(content, rng) if rng.random() < 0.7 else content


def python(rng):
    """The bytes of a broken Python file."""
    content = blind(PYTHON.encode(), rng)
    return content if rng.random() < 0.7 else content.decode("latin-1").encode("utf-16")


def parquet(rng):
    """The bytes of a broken Parquet file."""
    import pyarrow
    from pyarrow import parquet

    columns = {
        "text": [text for text, _ in ROWS] * rng.choice((1, 1, 100)),
        "label": [label for _, label in ROWS],
    }
    columns["label"] *= len(columns["text"]) // len(ROWS)
    stream = io.BytesIO()
    packing = rng.choice(("none", "snappy", "gzip", "zstd"))
    parquet.write_table(pyarrow.table(columns), stream, compression=packing)
    return blind(stream.getvalue(), rng)


def _encoding(rng):
    codec = rng.choice(("utf-8", "utf-8", "utf-8", "utf-8-sig", "utf-16", "latin-1"))
    return codec, "replace" if codec == "latin-1" else "surrogatepass"


def _spoilt(content, rng):
    if rng.random() < 0.6:
        content = blind(content, rng)
    if rng.random() < 0.15:
        content = gzip.compress(content, mtime=0)
        if rng.random() < 0.7:
            content = blind(content, rng)
    return content
