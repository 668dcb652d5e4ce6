"""SentencePiece's model files: pieces with scores, and how a text is tidied first.

They are messages in the wire format of protocol buffers, of which nine fields matter
here. Reading those takes a page of Python; protobuf and sentencepiece, which read and
do much more, are not needed.

Reference:
    - [sentencepiece_model.proto](https://github.com/google/sentencepiece)
    - [Encoding](https://protobuf.dev/programming-guides/encoding/)
"""

import struct
from typing import NamedTuple

from kzoo_recipes import KzooError

NORMAL, UNKNOWN, CONTROL, USER, UNUSED, BYTE = range(1, 7)
KINDS = {1: "Unigram", 2: "BPE", 3: "words", 4: "characters"}
VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5
SIZES = {FIXED64: 8, FIXED32: 4}


class Piece(NamedTuple):
    """One piece of a vocabulary: str, float and one of `NORMAL`, `CONTROL` …"""

    text: str
    score: float
    kind: int


class Model(NamedTuple):
    """What a SentencePiece model says.

    Attributes:
        pieces: list of `Piece`; the place is the id.
        unk_id: int, the piece that stands for what has none.
        charsmap: bytes, how characters are replaced before all else; may be empty.
        prefixed: bool, whether a space is put before a text.
        tidied: bool, whether spaces at either end, and more than one, are dropped.
    """

    pieces: list
    unk_id: int
    charsmap: bytes
    prefixed: bool
    tidied: bool


def read_model(content, where):
    """Read the bytes of a `.model` or `.spm`.

    Raises:
        KzooError: if it is none, or not one of `Unigram` pieces.
    """
    try:
        model = list(_fields(content))
        pieces = [_piece(value) for number, value in model if number == 1]
        trainer, normalizer = (
            dict(_fields(b"".join(value for number, value in model if number == part)))
            for part in (2, 3)
        )
        kind = trainer.get(3, 1)
        found = Model(
            pieces,
            _signed(trainer.get(40, 0)),
            bytes(normalizer.get(2, b"")),
            bool(normalizer.get(3, 1)),
            bool(normalizer.get(4, 1)),
        )
        fallback = bool(trainer.get(35, 0))
    except (AttributeError, IndexError, TypeError, ValueError, struct.error):
        raise KzooError(
            f"{where}: this is no SentencePiece model, or one cut off; fetch it again."
        ) from None
    if not pieces or not 0 <= found.unk_id < len(pieces):
        raise KzooError(
            f"{where}: this SentencePiece model has {len(pieces)} pieces, and the "
            f"unknown one is number {found.unk_id}; fetch it again."
        )
    if kind != 1 or fallback:
        what = "falls back on bytes" if fallback else f"is of {KINDS.get(kind, kind)}"
        raise KzooError(
            f"{where}: this SentencePiece model {what}, and kzoo reads those of "
            "Unigram pieces; save the tokenizer as tokenizer.json, as AutoTokenizer's "
            "save_pretrained does."
        )
    return found


def _piece(content):
    fields = dict(_fields(content))
    [score] = struct.unpack("<f", fields.get(2, b"\0\0\0\0"))
    return Piece(fields.get(1, b"").decode("utf-8"), score, fields.get(3, NORMAL))


def _fields(content):
    """Yield the number and value of each field: int, or bytes of what is longer."""
    place, end = 0, len(content)
    while place < end:
        key, place = _varint(content, place)
        kind = key & 7
        value = SIZES.get(kind)
        if value is None:
            value, place = _varint(content, place)
        if kind != VARINT:
            if value > end - place or kind not in (BYTES, *SIZES):
                raise ValueError("cut off")
            value, place = content[place : place + value], place + value
        yield key >> 3, value


def _varint(content, place):
    """A number of seven bits a byte, lowest first, and where the next field starts."""
    value = content[place]
    if value < 128:  # most of them
        return value, place + 1
    value = 0
    for shift in range(0, 70, 7):
        byte = content[place]
        place += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, place
    raise ValueError("too long")


def _signed(value):
    return value - (1 << 64) if value >> 63 else value
