"""Long documents as windows that overlap, and one answer per piece from all of them.

A window begins and ends between words. What two windows see is taken from the one in
which the word stands farther from an edge, so no word is read without its neighbours,
lost or doubled at a seam.
"""

from dataclasses import dataclass

import numpy as np
from kzoo_recipes import KzooError


@dataclass(frozen=True, eq=False)
class Window:
    """A stretch of a document, as long as a model reads at once.

    Attributes:
        token_ids: int32 `(T,)`, special tokens included; T ≥ 1.
        start: int. The first piece of the document that is in it.
        end: int. The first piece after `start` that is not.
        own: bool `(end - start,)`, the pieces whose answer is taken from this window.
            Every piece of a document is one window's own.
        before: int. Special tokens that stand before the pieces.
        cuts_word: bool. Whether it ends within a word, as it must in one that is longer
            than a window.
    """

    token_ids: np.ndarray
    start: int
    end: int
    own: np.ndarray
    before: int
    cuts_word: bool = False

    def place(self, values):
        """Values of a document's pieces as values of this window's tokens.

        Args:
            values: `(pieces, ...)`.

        Returns:
            `(T, ...)`, 0 for special tokens and for pieces that another window owns.
        """
        placed = np.zeros((len(self.token_ids), *values.shape[1:]), values.dtype)
        inner = placed[self.before : self.before + len(self.own)]
        inner[self.own] = values[self.start : self.end][self.own]
        return placed


def cut(aligned, tokenizer, sequence_length, overlap=None):
    """The windows of a document. One that fits is one window.

    Args:
        aligned: `Aligned`.
        tokenizer: `kzoo.text.Tokenizer`, that of `aligned`.
        sequence_length: int. The most tokens of a window, special ones counted.
        overlap: int. Pieces that a window shares with the next one, at least, unless a
            word is longer. `None` is a quarter of `sequence_length`.

    Returns:
        list of `Window`, in order.

    Raises:
        KzooError: if a window has no room for a piece more than the overlap.
    """
    room, overlap = room_for(tokenizer, sequence_length, overlap)
    size = len(aligned)
    if size <= room:
        ids = _surrounded(aligned.token_ids, tokenizer)
        own = np.ones(size, bool)
        return [Window(ids, 0, size, own, tokenizer.num_before)]
    words = _borders(aligned.word_of)
    borders = _split_long(words, room)
    stretches = _stretches(borders, size, room, overlap)
    owner = _owners(stretches, borders, size)
    return [
        Window(
            _surrounded(aligned.token_ids[start:end], tokenizer),
            start,
            end,
            owner[start:end] == number,
            tokenizer.num_before,
            cuts_word=end not in words,
        )
        for number, (start, end) in enumerate(stretches)
    ]


def stretches(word_of, room):
    """Start and end of stretches that hold every piece once and end between words.

    Args:
        word_of: int `(T,)`, the word of each piece; -1 stands for itself.
        room: int. The most pieces of a stretch; a longer word is split.

    Returns:
        list of pairs of int, in order.
    """
    borders = _split_long(_borders(word_of), room)
    return _stretches(borders, len(word_of), room, 0)


def room_for(tokenizer, sequence_length, overlap=None):
    """How many pieces a window holds, and shares with the next one at least.

    Arguments and errors are those of `cut`.

    Returns:
        two int.
    """
    room = sequence_length - tokenizer.num_special
    if room < 1:
        raise KzooError(
            f"`sequence_length` must be at least {tokenizer.num_special + 1}: "
            f"{tokenizer.num_special} special tokens and one of the text. "
            f"Received: {sequence_length=}"
        )
    if overlap is None:
        overlap = min(sequence_length // 4, room - 1)
    if not 0 <= overlap < room:
        raise KzooError(
            f"`window_overlap` must be from 0 to {room - 1}: a window of "
            f"{sequence_length} tokens holds {room} pieces, and the next one must hold "
            f"another. Received: window_overlap={overlap}"
        )
    return room, overlap


def merge(windows, values):
    """One row of values per piece of the document, each from the window that owns it.

    Args:
        windows: list of `Window`, all of a document.
        values: list of `(T, ...)` arrays, one per window. What stands after its last
            token, such as padding, is ignored.

    Returns:
        `(pieces, ...)`.
    """
    kept = []
    for window, rows in zip(windows, values, strict=True):
        inner = rows[window.before : window.before + len(window.own)]
        kept.append(inner[window.own])
    return np.concatenate(kept)


def _surrounded(token_ids, tokenizer):
    before, after = tokenizer.special_ids
    ids = np.concatenate([before, token_ids, after])
    return ids if len(ids) else np.array([tokenizer.unk_id], "int32")


def _borders(word_of):
    """Where words begin, and the end: a piece of no word stands for itself."""
    new = (np.diff(word_of, prepend=-2) != 0) | (word_of < 0)
    return np.append(np.flatnonzero(new), len(word_of))


def _split_long(borders, room):
    """Borders between the pieces, too, of a word that no window can hold."""
    more = [
        np.arange(borders[place] + 1, borders[place + 1])
        for place in np.flatnonzero(np.diff(borders) > room)
    ]
    return np.sort(np.concatenate([borders, *more])) if more else borders


def _stretches(borders, size, room, overlap):
    """Start and end of each window; both are borders."""
    stretches, start, end = [], 0, 0
    while end < size:
        end = int(borders[np.searchsorted(borders, start + room, side="right") - 1])
        stretches.append((start, end))
        if end < size:
            start = _next_start(borders, start, end, room, overlap)
    return stretches


def _next_start(borders, start, end, room, overlap):
    """The last border that leaves the overlap and lets the window reach past `end`."""
    further = borders[np.searchsorted(borders, end, side="right")]
    least = np.searchsorted(borders, max(start + 1, further - room))
    wanted = np.searchsorted(borders, end - overlap, side="right") - 1
    return int(borders[max(least, wanted)])


def _owners(stretches, borders, size):
    """The window in which the word of each piece stands farthest from an edge."""
    word = np.searchsorted(borders, np.arange(size), side="right") - 1
    first, last = (
        borders[word],
        borders[word + 1],
    )  # of each piece's word: [first, last)
    owner, best = np.zeros(size, int), np.full(size, -1)
    far = size + 1
    for number, (start, end) in enumerate(stretches):
        part = slice(start, end)
        left = first[part] - start if start else np.full(end - start, far)
        right = end - last[part] if end < size else np.full(end - start, far)
        distance = np.minimum(left, right)  # Negative: the word is not all in here.
        better = distance > best[part]
        owner[part][better], best[part][better] = number, distance[better]
    return owner
