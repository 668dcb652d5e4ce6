"""Rows padded to one length, and what they are called once they are a batch."""

from dataclasses import dataclass

import numpy as np


def pad(token_ids, length, pad_id, rows=None):
    """Sequences as one batch.

    Args:
        token_ids: list of int `(T,)` arrays, none longer than `length`.
        length: int. L, what all are padded to.
        pad_id: int.
        rows: int. B; `None` is as many as there are sequences. A filler row holds one
            visible padding token: with none, max pooling would have nothing to take.

    Returns:
        dict of `token_ids`, int32 `(B, L)`, and `padding_mask`, bool `(B, L)`, `True`
        where a token stands.
    """
    fillers = (rows or len(token_ids)) - len(token_ids)
    lengths = np.array([len(ids) for ids in token_ids] + [1] * fillers, "int64")
    if fillers < 0 or lengths.max(initial=0) > length:
        raise ValueError(
            "The sequences do not fit the batch. "
            f"Received: {len(token_ids)} sequences of at most "
            f"{lengths.max(initial=0)} tokens, rows={rows}, length={length}"
        )
    mask = np.arange(length) < lengths[:, None]  # (B, L)
    ids = np.full(mask.shape, pad_id, "int32")
    filled = [*token_ids, np.full(fillers, pad_id)]
    ids[mask] = np.concatenate(filled)
    return {"token_ids": ids, "padding_mask": mask}


@dataclass(frozen=True)
class Batch:
    """Rows for one pass. B is always the same; the last rows may be fillers.

    Attributes:
        inputs: dict of `token_ids` and `padding_mask`, see `pad`; or of those of an
            encoder and a decoder, see `kzoo.data.batches.pairs`.
        labels: int32 `(B,)`, or float32 `(B, C)` of 0 and 1, or int32 `(B, L)`, one
            for each token; 0 for fillers, padding and tokens without a label.
        weights: float32 `(B,)` or `(B, L)`, summing to 1 over the whole step; 0 where
            there is no label.
        rows: int64 `(examples,)`, the rows of the data set, in order of the batch.
        padding_share: float, the share of the cells that hold no token of a text.
    """

    inputs: dict
    labels: np.ndarray
    weights: np.ndarray
    rows: np.ndarray
    padding_share: float

    @property
    def examples(self):
        return len(self.rows)

    @property
    def shapes(self):
        """The shapes `(B, L)` of what is read: one, or an encoder's and a decoder's."""
        ids = [v for name, v in self.inputs.items() if name.endswith("token_ids")]
        return [values.shape for values in ids]

    @property
    def cells(self):
        """Tokens and padding of all that is read."""
        return sum(rows * length for rows, length in self.shapes)


@dataclass(frozen=True)
class MicroBatches:
    """One step's rows in several batches, each padded to a length of its own.

    Attributes:
        parts: list of `Batch`. Their weights sum to 1 over all of them.
    """

    parts: list

    @property
    def rows(self):
        return np.concatenate([part.rows for part in self.parts])

    @property
    def examples(self):
        return sum(part.examples for part in self.parts)

    @property
    def padding_share(self):
        shares = [part.padding_share for part in self.parts]
        cells = [part.cells for part in self.parts]
        return float(np.average(shares, weights=cells))
