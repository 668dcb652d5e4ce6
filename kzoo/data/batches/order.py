"""Which rows make up which update: it follows from the seed and the step alone.

The order comes from raw Philox numbers, which NumPy keeps the same for ever, and never
from what ran before: a resumed run asks for step 1,000 and gets what the uninterrupted
one got, on every backend.
"""

import numpy as np

POOL = 64  # batches; rows are sorted by length within so many


class Order:
    """All rows once per epoch, in an order of its own for every epoch.

    An epoch's rows are drawn, cut into pools of `POOL` batches, sorted by rank within
    each pool and cut into batches, which are then shuffled.

    Args:
        rows: int64 `(N,)`. Those that are in some batch.
        ranks: int `(all rows,)`. What rows are sorted by, such as their length.
        batch_size: int. Rows of an update; the last ones of an epoch may be fewer.
        seed: int, 0 ≤ seed < 2 ** 63.
        accumulation: int. Parts of an update. Must divide `batch_size`.

    Attributes:
        part_size: int. Rows of a part.
    """

    def __init__(self, rows, ranks, batch_size, seed, accumulation=1):
        if accumulation < 1 or batch_size % accumulation:
            raise ValueError(
                "`accumulation` must divide `batch_size`. Received: "
                f"accumulation={accumulation}, batch_size={batch_size}"
            )
        self._rows, self._ranks = rows, ranks
        self._batch_size, self._seed = batch_size, seed
        self._epoch, self._plan = None, None
        self.part_size = batch_size // accumulation

    def __len__(self):
        """Updates per epoch."""
        return -(-len(self._rows) // self._batch_size)

    def at(self, step):
        """The rows of update `step`, counted from 0 over all epochs, int64."""
        epoch, place = divmod(step, len(self))
        if epoch != self._epoch:
            self._epoch, self._plan = epoch, self._planned(epoch)
        return self._plan[place]

    def parts(self, rows):
        """The parts of an update, slices of its rows, which are sorted by rank."""
        size = self.part_size
        return [slice(start, start + size) for start in range(0, len(rows), size)]

    @property
    def is_split(self):
        """Whether an update has several parts."""
        return self.part_size != self._batch_size

    def _planned(self, epoch):
        """The rows of each batch of an epoch."""
        drawn = np.random.Philox(key=np.array([self._seed, epoch], "uint64"))
        order = self._rows[shuffled(len(self._rows), drawn)]
        batches = []
        for start in range(0, len(order), POOL * self._batch_size):
            pool = order[start : start + POOL * self._batch_size]
            pool = pool[np.argsort(self._ranks[pool], kind="stable")]
            cuts = range(self._batch_size, len(pool), self._batch_size)
            batches += np.split(pool, cuts)
        return [batches[place] for place in shuffled(len(batches), drawn)]


def shuffled(count, drawn):
    """The numbers below `count`, in an order drawn from a `np.random.Philox`."""
    return np.argsort(drawn.random_raw(count), kind="stable")
