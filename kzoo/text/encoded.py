"""Texts as numbers: what a tokenizer made of them."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Encoded:
    """Texts as token ids, one entry per text, in the order of the texts.

    Attributes:
        token_ids: list of int32 `(T,)`, special tokens included; T ≥ 1.
        offsets: list of int32 `(T, 2)`, where each token starts and ends in the
            original string, in characters; (0, 0) for special tokens. `None` if not
            asked for.
        lengths: int64 `(texts,)`, tokens before truncation.
        truncated: bool `(texts,)`, whether tokens were lost.
    """

    token_ids: list
    offsets: list | None
    lengths: np.ndarray
    truncated: np.ndarray

    def __len__(self):
        return len(self.token_ids)

    def rows(self, chosen):
        """The texts of these numbers, `Encoded`."""
        chosen = np.asarray(chosen, "int64")
        offsets = self.offsets
        return Encoded(
            [self.token_ids[row] for row in chosen],
            None if offsets is None else [offsets[row] for row in chosen],
            self.lengths[chosen],
            self.truncated[chosen],
        )
