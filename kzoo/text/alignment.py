"""Words, pieces and characters of a text: who stands for whom.

A tagger gives labels to words, a model sees pieces, a reader wants characters. All
three are places in one string, so each piece is given to the word in which it starts.
"""

import itertools
from dataclasses import dataclass

import numpy as np

from kzoo.text.tokenizer import AT_ONCE

GAPS = ("▁", "Ġ")  # how a piece says that white space stood before it


@dataclass(frozen=True, eq=False)
class Aligned:
    """One text as pieces, T of them, and as words, W of them.

    Attributes:
        text: str.
        token_ids: int32 `(T,)`, without the special tokens around a text. A `[SEP]`
            that is written in the text is a piece like any other.
        offsets: int32 `(T, 2)`, where each piece starts and ends in `text`, in
            characters. White space at either end is left out. Pieces of byte-level
            tokenizers may share a character; characters that the tokenizer drops, such
            as control characters, are no piece's.
        raw_offsets: int32 `(T, 2)`, the same as `tokenizers` says them.
        word_of: int32 `(T,)`, the word in which each piece starts; -1 for those that
            start in no word, such as white space of its own.
        first: int32 `(W,)`, where the first piece of each word stands; ascending.
        spans: int32 `(W, 2)`, where each word starts and ends in `text`.
        filled: int32, the words that the tokenizer turned into nothing and whose only
            piece is an `[UNK]` put in for them.
    """

    text: str
    token_ids: np.ndarray
    offsets: np.ndarray
    raw_offsets: np.ndarray
    word_of: np.ndarray
    first: np.ndarray
    spans: np.ndarray
    filled: np.ndarray

    def __len__(self):
        """T."""
        return len(self.token_ids)


def joined(words):
    """Words as one text with a space between them, and their places in it.

    Args:
        words: list of str.

    Returns:
        str, and int32 `(W, 2)`.
    """
    lengths = np.fromiter(map(len, words), "int32", len(words))
    ends = np.cumsum(lengths + 1, dtype="int32") - 1
    return " ".join(words), np.stack([ends - lengths, ends], axis=1)


def align(tokenizer, texts, spans=None):
    """Tokenize texts and find the words of their pieces.

    A word that the tokenizer turns into nothing, such as a zero-width space, gets one
    `[UNK]`, so every word that is given has at least one piece. A lone "▁" or "Ġ"
    right before a word is the first piece of this word.

    Args:
        tokenizer: `kzoo.text.Tokenizer`.
        texts: list of str.
        spans: list of int `(W, 2)`, where the words of each text start and end, in
            order and without overlap. `None`: the words are those that the tokenizer
            splits a text into before it looks for pieces, white space aside.

    Returns:
        list of `Aligned`.

    Raises:
        ValueError: if spans overlap, leave their text or are not one list per text.
    """
    if spans is not None and len(spans) != len(texts):
        raise ValueError(
            "Every text needs its list of words. "
            f"Received: {len(texts)} texts, {len(spans)} lists of spans"
        )
    found = []
    for start in range(0, len(texts), AT_ONCE):
        part = slice(start, start + AT_ONCE)
        pieces = _Pieces(tokenizer, texts[part])
        if spans is None:
            pieces.take_own_words()
        else:
            pieces.take_words(spans[part], start)
        found += pieces.by_text()
    return found


def piece_labels(aligned, labels, pieces="first", continued=None):
    """Labels of words as labels of pieces.

    Args:
        aligned: `Aligned`.
        labels: int `(W,)`. The label of each word.
        pieces: `"first"` gives a label to the first piece of each word, `"all"` to all
            of them.
        continued: int `(C,)`. The label of a word's further pieces for each label of
            its first one. `None` repeats the first one's.

    Returns:
        int32 `(T,)` labels, 0 where there is none, and float32 `(T,)`, 1 where a piece
        has a label and 0 elsewhere.
    """
    if pieces not in ("first", "all"):
        raise ValueError(f"`pieces` must be 'first' or 'all'. Received: {pieces=}")
    labels = np.asarray(labels, "int32")
    given = np.zeros(len(aligned), "int32")
    weights = np.zeros(len(aligned), "float32")
    if pieces == "all":
        later = labels if continued is None else np.asarray(continued)[labels]
        within = aligned.word_of >= 0
        given[within] = later[aligned.word_of[within]]
        weights[within] = 1
    given[aligned.first] = labels
    weights[aligned.first] = 1
    return given, weights


class _Pieces:
    """The pieces of many texts in one row, so that NumPy sees them all at once.

    Places are those in all texts one after the other, with a character in between.
    """

    def __init__(self, tokenizer, texts):
        self.tokenizer, self.texts = tokenizer, texts
        lengths = np.fromiter(map(len, texts), "int64", len(texts))
        self.starts = np.cumsum(lengths + 1) - lengths - 1  # of each text
        self.ends = self.starts + lengths
        self.encodings = tokenizer.encodings(texts)
        self.inner = slice(
            tokenizer.num_before, -tokenizer.num_after if tokenizer.num_after else None
        )
        ids = [encoding.ids[self.inner] for encoding in self.encodings]
        self.counts = np.fromiter(map(len, ids), "int64", len(ids))
        self.ids = self._flat(ids)
        chain = itertools.chain.from_iterable
        pairs = (encoding.offsets[self.inner] for encoding in self.encodings)
        raw = np.fromiter(chain(chain(pairs)), "int64", 2 * len(self.ids))
        self.raw = raw.reshape(-1, 2) + self._base()
        whole = "\n".join(texts)
        self.offsets = tokenizer.mended(self.ids, self.raw, whole).astype("int64")

    def _flat(self, lists):
        total = int(self.counts.sum())
        return np.fromiter(itertools.chain.from_iterable(lists), "int64", total)

    def _base(self):
        """Where the text of each piece starts, `(T, 1)`."""
        return np.repeat(self.starts, self.counts)[:, None]

    def take_own_words(self):
        """Words as the tokenizer's: pieces whose number of the word is the same."""
        words = self._flat([e.word_ids[self.inner] for e in self.encodings])
        new = (np.diff(words, prepend=-1) != 0) | self._starts_text()
        first, full = np.flatnonzero(new), self.offsets[:, 1] > self.offsets[:, 0]
        spans, seen = np.zeros((len(first), 2), "int64"), np.zeros(len(first), bool)
        if len(first):
            spans[:, 0] = np.minimum.reduceat(self.offsets[:, 0], first)
            spans[:, 1] = np.maximum.reduceat(self.offsets[:, 1], first)
            seen = np.logical_or.reduceat(full, first)  # White space is no word.
        numbers = np.where(seen, np.cumsum(seen) - 1, -1)
        self.word_of = numbers[np.cumsum(new) - 1]
        self.first, self.spans = first[seen], spans[seen]
        self.filled = np.zeros(0, "int64")
        self.words = np.bincount(self._text_of()[self.first], minlength=len(self.texts))

    def take_words(self, spans, before):
        """Words as given: each piece is the word's in which it starts."""
        spans = [np.asarray(pairs, "int64").reshape(-1, 2) for pairs in spans]
        self.words = np.fromiter(map(len, spans), "int64", len(spans))
        text_of = np.repeat(np.arange(len(spans)), self.words)
        self.spans = np.concatenate(spans) + self.starts[text_of, None]
        self._check(text_of, before)
        self.word_of = self._words_at(self._places())
        self.first = self._first()
        self.filled = np.flatnonzero(self.first < 0)
        if len(self.filled):
            self._fill(self.filled, text_of[self.filled])
            self.first = self._first()

    def _check(self, text_of, before):
        """Raise unless the words of each text are in order and within it."""
        flat = self.spans.reshape(-1)
        wrong = np.diff(flat, prepend=0) < 0
        wrong = wrong[0::2] | wrong[1::2] | (self.spans[:, 1] > self.ends[text_of])
        wrong |= self.spans[:, 0] < self.starts[text_of]
        if wrong.any():
            word = np.flatnonzero(wrong)[0]
            text = text_of[word]
            span = (self.spans[word] - self.starts[text]).tolist()
            length = self.ends[text] - self.starts[text]
            raise ValueError(
                "The words of a text must be in order, without overlap and within it. "
                f"Received: text {before + text} of {length} characters, span={span}"
            )

    def _places(self):
        """Where each piece starts: at its first character that is no white space.

        A piece of white space alone starts where it does; a lone gap mark, where the
        piece does that it was split from.
        """
        full = self.offsets[:, 1] > self.offsets[:, 0]
        places = np.where(full, self.offsets[:, 0], self.raw[:, 0])
        last = np.roll(self._starts_text(), -1)
        for mark in GAPS:
            gaps = (self.ids == self._id_of(mark)) & ~last
            for place in np.flatnonzero(gaps)[::-1]:
                piece = self.tokenizer.id_to_token(self.ids[place + 1])
                if not piece.startswith(mark):
                    places[place] = places[place + 1]
        return places

    def _id_of(self, mark):
        found = self.tokenizer.token_to_id(mark)
        return -1 if found is None else found

    def _starts_text(self):
        """Whether a piece is the first of its text, bool `(T,)`."""
        return np.diff(self._text_of(), prepend=-1) != 0

    def _words_at(self, places):
        if not len(self.spans):
            return np.full(len(places), -1)
        word = np.searchsorted(self.spans[:, 0], places, side="right") - 1
        within = (word >= 0) & (places < self.spans[word, 1])
        return np.where(within, word, -1)

    def _first(self):
        """The first piece of each word, or -1."""
        first = np.full(len(self.spans), -1)
        within = np.flatnonzero(self.word_of >= 0)[::-1]
        first[self.word_of[within]] = within  # The last one written stays.
        return first

    def _fill(self, missing, text_of):
        """Give each missing word an unknown piece, where it would stand."""
        order = np.maximum.accumulate(self._places())
        at = np.searchsorted(order, self.spans[missing, 0])
        self.ids = np.insert(self.ids, at, self.tokenizer.unk_id)
        self.offsets = np.insert(self.offsets, at, self.spans[missing], axis=0)
        self.raw = np.insert(self.raw, at, self.spans[missing], axis=0)
        self.word_of = np.insert(self.word_of, at, missing)
        self.counts += np.bincount(text_of, minlength=len(self.texts))

    def _text_of(self):
        return np.repeat(np.arange(len(self.texts)), self.counts)

    def by_text(self):
        """All of it as one `Aligned` per text, whose places begin with it."""
        texts = np.arange(len(self.texts))
        pieces, words = np.cumsum(self.counts), np.cumsum(self.words)
        of_piece, of_word = self._text_of(), np.repeat(texts, self.words)
        fillings = np.searchsorted(self.filled, words)
        pieces_before, words_before = pieces - self.counts, words - self.words
        base = self._base()
        word_of = np.where(self.word_of < 0, -1, self.word_of - words_before[of_piece])
        columns = [
            (self.ids, pieces),
            (self.offsets - base, pieces),
            (self.raw - base, pieces),
            (word_of, pieces),
            (self.first - pieces_before[of_word], words),
            (self.spans - self.starts[of_word, None], words),
            (self.filled - words_before[of_word[self.filled]], fillings),
        ]
        columns = [_split(values.astype("int32"), ends) for values, ends in columns]
        return list(map(Aligned, self.texts, *columns))


def _split(values, ends):
    """The parts of `values` that end at `ends`."""
    ends = ends.tolist()
    return [values[a:b] for a, b in zip([0, *ends], ends, strict=False)]
