"""Batches of windows in which tokens are hidden: others in every epoch.

What is hidden in a window follows from the seed, the epoch and the row alone, so a
resumed run and every backend see the same.
"""

import numpy as np

from kzoo.data.batches.batch import Batch, MicroBatches, pad
from kzoo.data.batches.buckets import bucket_of, checked_lengths
from kzoo.data.batches.order import Order


class MaskedWindows:
    """Windows, and what hides their tokens.

    Args:
        token_ids: list of int32 `(T,)`, T from 1 to the last bucket.
        word_of: list of int32 `(T,)`, the word of each token.
        masker: `kzoo.text.masking.Masker`, or what has its `hide` and `most`.
        buckets: list of int, the lengths a batch may have.
        pad_id: int.
    """

    def __init__(self, token_ids, word_of, masker, buckets, pad_id):
        self.token_ids, self.word_of, self.masker = token_ids, word_of, masker
        self.lengths = checked_lengths(token_ids, buckets)
        self.buckets = np.array(sorted(buckets))
        self.pad_id = pad_id

    def __len__(self):
        return len(self.token_ids)

    def hidden(self, rows, seed, epoch):
        """What a model reads of `rows`, and where it is asked: a list of pairs."""
        return [
            self.masker.hide(self.token_ids[row], self.word_of[row], seed, epoch, row)
            for row in map(int, rows)
        ]

    def padded(self, rows, hidden, size, share):
        """`rows` as a `Batch` of `size` rows, padded to the shortest bucket that does.

        Besides `token_ids` and `padding_mask`, the inputs have `places`, int32
        `(B, P)`; labels and weights are `(B, P)`, too. P depends on the length alone.

        Args:
            rows: int64, at most `size` of them.
            hidden: list of pairs, as `MaskedWindows.hidden` gives them.
            size: int.
            share: float. What each place counts.
        """
        lengths = self.lengths[rows]
        length = bucket_of(lengths.max(), self.buckets)
        inputs = pad([ids for ids, _ in hidden], length, self.pad_id, size)
        shape = size, self.masker.most(length)
        places, labels = np.zeros(shape, "int32"), np.zeros(shape, "int32")
        weights = np.zeros(shape, "float32")
        for line, (row, (_, own)) in enumerate(zip(rows, hidden, strict=True)):
            places[line, : len(own)] = own
            labels[line, : len(own)] = self.token_ids[row][own]
            weights[line, : len(own)] = share
        return Batch(
            inputs={**inputs, "places": places},
            labels=labels,
            weights=weights,
            rows=rows,
            padding_share=1 - float(lengths.sum()) / (size * length),
        )


class MaskedBatches:
    """All windows once per epoch, in an order of its own for every epoch; see `Order`.

    Args:
        windows: `MaskedWindows` or `CorruptedWindows`.
        batch_size: int. B, the rows of every batch.
        seed: int, 0 ≤ seed < 2 ** 63.
        accumulation: int. The parts that a batch is split into. Its weights sum to 1
            over all places of all parts.
    """

    def __init__(self, windows, batch_size, seed, accumulation=1):
        self._windows, self._seed = windows, seed
        rows = np.arange(len(windows))
        self._order = Order(rows, windows.lengths, batch_size, seed, accumulation)

    def __len__(self):
        """Batches per epoch."""
        return len(self._order)

    def at(self, step):
        """The batch of training step `step`, counted from 0 over all epochs."""
        rows, size = self._order.at(step), self._order.part_size
        hidden = self._windows.hidden(rows, self._seed, step // len(self))
        share = 1 / sum(len(places) for _, places in hidden)
        parts = [
            self._windows.padded(rows[part], hidden[part], size, share)
            for part in self._order.parts(rows)
        ]
        return MicroBatches(parts) if self._order.is_split else parts[0]


def fixed_batches(windows, batch_size, seed, epoch):
    """Yield batches that hold every window once, in its own bucket.

    What is asked for counts 1 each.

    Args:
        windows: `MaskedWindows` or `CorruptedWindows`.
        batch_size: int. B, the rows of every batch; fillers make up what is missing.
        seed: int. Of what is hidden.
        epoch: int. Likewise.
    """
    own = np.searchsorted(windows.buckets, windows.lengths)
    for place in np.unique(own):
        rows = np.flatnonzero(own == place)
        for start in range(0, len(rows), batch_size):
            part = rows[start : start + batch_size]
            hidden = windows.hidden(part, seed, epoch)
            yield windows.padded(part, hidden, batch_size, 1.0)
