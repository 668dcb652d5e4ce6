"""Windows out of which spans are taken: what is read, and what is to be written.

They are put into batches by `MaskedBatches` and `fixed_batches`, as masked windows are.
"""

import numpy as np

from kzoo.data.batches.buckets import bucket_of, checked_lengths
from kzoo.data.batches.pairs import pair_batch


class CorruptedWindows:
    """Windows, and what takes spans out of them.

    Args:
        token_ids: list of int32 `(T,)`, T from 1 to the last bucket.
        corrupter: `kzoo.text.spans.Corrupter`, or what has its `corrupt`, `lengths`.
        buckets: list of int, the lengths that a batch's windows may have; what is read
            and what is written then have one length each.
        pad_id: int.
        start_id: int. What a decoder is given before the first token.
    """

    def __init__(self, token_ids, corrupter, buckets, pad_id, start_id):
        self.token_ids, self.corrupter = token_ids, corrupter
        self.lengths = checked_lengths(token_ids, buckets)
        self.buckets = np.array(sorted(buckets))
        self.pad_id, self.start_id = pad_id, start_id

    def __len__(self):
        return len(self.token_ids)

    def hidden(self, rows, seed, epoch):
        """What a model reads of `rows`, and what it is to write: a list of pairs."""
        return [
            self.corrupter.corrupt(self.token_ids[row], seed, epoch, row)
            for row in map(int, rows)
        ]

    def padded(self, rows, hidden, size, share):
        """`rows` as a `Batch` of `size` rows, padded to the shortest bucket that does.

        Inputs are those of an encoder and a decoder; labels and weights are `(B, T)`,
        of what is to be written.

        Args:
            rows: int64, at most `size` of them.
            hidden: list of pairs, as `CorruptedWindows.hidden` gives them.
            size: int.
            share: float. What each token of a target counts.
        """
        bucket = bucket_of(self.lengths[rows].max(), self.buckets)
        source, target = self.corrupter.lengths(int(bucket))
        labels = np.zeros((size, target), "int32")
        weights = np.zeros((size, target), "float32")
        for line, (_, ids) in enumerate(hidden):
            labels[line, : len(ids)] = ids
            weights[line, : len(ids)] = share
        read = [ids for ids, _ in hidden]
        written = [ids for _, ids in hidden]
        lengths = source, target
        ends = self.pad_id, self.start_id
        return pair_batch(rows, read, written, lengths, ends, labels, weights)
