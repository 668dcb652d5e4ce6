"""Texts as windows: what a language model and its training need."""

import dataclasses

import numpy as np
from kzoo_recipes import KzooError

from kzoo.data.batches import check_ids
from kzoo.data.checks import check_texts
from kzoo.interop.pretrained import PretrainedEncoder
from kzoo.text import Tokenizer
from kzoo.text.packing import windows_of


@dataclasses.dataclass(frozen=True)
class EncodedTexts:
    """One split as numbers.

    Attributes:
        token_ids: list of int32 `(T,)`, windows with the special tokens around them.
        word_of: list of int32 `(T,)`, the word of each token, see `kzoo.text.packing`.
        texts: int64 `(windows,)`, the text that each window begins with.
    """

    token_ids: list
    word_of: list
    texts: np.ndarray

    def __len__(self):
        return len(self.token_ids)

    def numbers(self):
        """All that a run depends on: arrays, lists of arrays and `None`."""
        return self.token_ids, self.word_of, None


@dataclasses.dataclass(frozen=True)
class PreparedTexts:
    """All that a language model and its training need of the data.

    Attributes:
        tokenizer: `kzoo.text.Tokenizer`.
        splits: dict of `EncodedTexts`.
        sequence_length: int. Longest window in tokens.
        notes: list of str. What was done to the data, for the person who runs it.
        labels: `None`; there are none.
        pretrained: `kzoo.interop.pretrained.PretrainedEncoder`, or `None`.
    """

    tokenizer: Tokenizer
    splits: dict
    sequence_length: int
    notes: list
    labels: None = None
    pretrained: PretrainedEncoder | None = None


def encode_texts(splits, tokenizer, sequence_length, pack, parted=True):
    """Rows by split as `PreparedTexts`, with a tokenizer that exists.

    Args:
        splits: dict of `kzoo.data.texts.TextRows`.
        tokenizer: `kzoo.text.Tokenizer`.
        sequence_length: int. The most tokens of a window.
        pack: bool. Whether texts share windows.
        parted: bool. See `kzoo.text.packing.windows_of`.

    Raises:
        KzooError: if no window of a split has a token that stands for text.
    """
    encoded, notes = {}, []
    for split, rows in splits.items():
        room = sequence_length - tokenizer.num_special
        stretches, long = windows_of(rows.texts, tokenizer, room, pack, parted)
        ordinary = np.ones(tokenizer.vocabulary_size, bool)
        ordinary[tokenizer.special_tokens] = False
        kept = [one for one in stretches if ordinary[one.token_ids].any()]
        if not kept:
            raise KzooError(
                f"{rows.path}: no text of {split} has a token that the tokenizer "
                "knows; look at the texts, or at [tokenizer]."
            )
        encoded[split] = EncodedTexts(
            [_around(one.token_ids, tokenizer.special_ids) for one in kept],
            [_around(one.word_of, tokenizer.special_ids, -1) for one in kept],
            np.array([one.text for one in kept]),
        )
        check_ids(encoded[split].token_ids, tokenizer.vocabulary_size)
        how = "packed into" if pack else "cut into"
        notes.append(
            f"{split}: {_counted(len(rows), 'text')} {how} "
            f"{_counted(len(stretches), 'window')} of at most {sequence_length} tokens"
        )
        if long and not pack:
            goes = "goes" if long == 1 else "go"
            notes.append(
                f"{split}: {_counted(long, 'text')} of these {goes} over several "
                "windows"
            )
        if len(kept) < len(stretches):
            none = len(stretches) - len(kept)
            was = "was" if none == 1 else "were"
            notes.append(
                f"{split}: {_counted(none, 'window')} without a known token {was} "
                "left out"
            )
    return PreparedTexts(tokenizer, encoded, sequence_length, notes)


def text_notes(splits):
    """What a cheap look at the texts found; `kzoo check-data` says where."""
    found, _ = check_texts(splits)
    said = [f"{f.message} (`kzoo check-data` lists them)" for f in found if f.fault]
    own = [f"{name}: {note}" for name, rows in splits.items() for note in rows.notes]
    return [*own, *said]


def _around(values, special_ids, filler=None):
    """Values of a window's own tokens, and of the special ones around them."""
    before, after = special_ids
    if filler is not None:
        before, after = (np.full(len(ids), filler, "int32") for ids in special_ids)
    return np.concatenate([before, values, after]).astype("int32")


def _counted(count, what):
    return f"1 {what}" if count == 1 else f"{count:,} {what}s"
