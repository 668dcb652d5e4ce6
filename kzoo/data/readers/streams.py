"""Lines of text out of files: unpacked, decoded, one at a time."""

import contextlib
import io
import itertools
import lzma
import re
import zlib
from functools import partial
from pathlib import Path

from kzoo_recipes import KzooError, nearest
from kzoo_recipes.encodings import codec_name

from kzoo.data.readers.packed import unpacked
from kzoo.data.readers.rows import RowError

UNREADABLE = {
    b"\x28\xb5\x2f\xfd": "is packed by zstd; unpack it first, with `unzstd`",
    b"PK\x03\x04": "is a zip archive, as spreadsheets are; save the rows as CSV",
    b"\xd0\xcf\x11\xe0": "is an old spreadsheet; save the rows as CSV",
}
UTF16 = (b"\xff\xfe", b"\xfe\xff")
LONGEST = 2**24  # Characters of a line; a packed file can hold any number of them.
ENDINGS = (".gz", ".bz2", ".xz")
DAMAGE = (OSError, EOFError, zlib.error, lzma.LZMAError)


def lines_of(file, name, layout, newline):
    """Yield the lines of a file, with their ends.

    A byte that is no text in the layout's encoding arrives as a lone surrogate, so
    that one bad row is no bad file: `blemish` finds it.

    Args:
        file: path, or a binary stream. Packed by gzip, bzip2 or xz, or plain.
        name: str. What errors call it.
        layout: `Layout`.
        newline: what ends a line, as `open` has it: `"\\n"`, or `""` for any.
    """
    encoding = layout.encoding
    plain = codec_name(encoding) == "utf-8"
    try:
        with _unpacked(file, name, layout) as stream:
            text = io.TextIOWrapper(
                stream, "utf-8-sig" if plain else encoding, "surrogateescape", newline
            )
            try:
                yield from _bounded(text, name)
            finally:
                # A stream that was handed in stays open.
                with contextlib.suppress(ValueError):
                    text.detach()
    except UnicodeError as error:
        raise KzooError(
            f"{name}: the file is not {encoding} text ({error}); say what it is with "
            f"{layout.ask('encoding', 'NAME')}."
        ) from None
    except DAMAGE as error:
        raise _unreadable(name, error) from None


def _bounded(text, name):
    """The lines of a text file, none of them beyond all measure."""
    for number, line in enumerate(iter(partial(text.readline, LONGEST), ""), start=1):
        if len(line) == LONGEST and line[-1] != "\n":
            raise KzooError(
                f"{name}, line {number}: the line holds more than {LONGEST:,} "
                "characters, which no row does; look at what the file is."
            )
        yield line


@contextlib.contextmanager
def opened(file, name):
    """A binary file, closed at the end; a stream that was handed in stays open."""
    if hasattr(file, "read"):
        yield file
    else:
        with _open(file, name) as stream:
            yield stream


def _open(file, name):
    try:
        return Path(file).open("rb")
    except FileNotFoundError:
        hint = _like(Path(file))
        raise KzooError(f"{name}: there is no such data file{hint}") from None
    except IsADirectoryError:
        raise KzooError(
            f"{name} is a folder; name a file in it, or many as in {name}/*.csv."
        ) from None
    except OSError as error:
        raise _unreadable(name, error) from None


def _like(path):
    """`; did you mean "x"?`, if a file beside `path` is spelt much like it."""
    try:
        beside = [file.name for file in itertools.islice(path.parent.iterdir(), 1000)]
    except OSError:
        beside = []
    alike = (
        name for name in beside if Path(name).suffix.lower() == path.suffix.lower()
    )
    near = nearest(path.name, alike)
    return f'; did you mean "{near}"?' if near else "."


def blemish(line, number, origin, layout):
    """The `RowError` about a character in `line` that no text has, or `None`."""
    if "\0" in line:
        return RowError(
            origin,
            number,
            "there is a NUL character, which no text has; save the file as UTF-8 text.",
        )
    if line.isascii():
        return None
    found = re.search("[\udc80-\udcff]", line)
    if found is None:
        return None
    byte = ord(found[0]) - 0xDC00
    # Western Windows has quotes and dashes where Latin-1 has nothing.
    likely = "cp1252" if byte < 0xA0 else "latin-1"
    return RowError(
        origin,
        number,
        f"the byte 0x{byte:02x} is not {_called(layout.encoding)}; say what the file "
        f"is with {layout.ask('encoding', likely)}, or save it as UTF-8.",
    )


def _called(encoding):
    return "UTF-8" if codec_name(encoding) == "utf-8" else encoding


@contextlib.contextmanager
def _unpacked(file, name, layout):
    with opened(file, name) as stream:
        peeks = hasattr(stream, "peek")
        buffered = stream if peeks else io.BufferedReader(stream)
        try:
            yield _decompressed(buffered, name, layout)
        finally:
            if not peeks:
                with contextlib.suppress(ValueError):
                    buffered.detach()


def _decompressed(stream, name, layout):
    start = stream.peek(16)[:16]
    for mark, complaint in UNREADABLE.items():
        if start.startswith(mark):
            raise KzooError(f"{name}: the file {complaint}.")
    if start.startswith(UTF16) and "16" not in codec_name(layout.encoding):
        raise KzooError(
            f"{name}: the file is UTF-16; say so with "
            f"{layout.ask('encoding', 'utf-16')}, or save it as UTF-8."
        )
    return unpacked(stream, start, name)


def _unreadable(name, error):
    if isinstance(error, OSError) and error.strerror:
        return KzooError(f"{name}: cannot be read: {error.strerror}.")
    return KzooError(f"{name}: the packed file is damaged ({error}).")
