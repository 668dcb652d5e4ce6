"""What generation answers: texts as tokens, each with its score."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class Hypothesis:
    """One text that was generated.

    Args:
        token_ids: int32 `(tokens,)`, without the start and without the end.
        score: float. The sum of the log-probabilities of its tokens, the end counted,
            divided by their number to the power of `length_penalty`. With beams it is
            the sum by which they were compared: as the rules left it, a forced token at
            0, and in groups less what the groups before cost. Without beams the
            log-probabilities are the model's own, and only a forced token counts 0.
        finished: bool. Whether the model ended it; if not, it was cut at
            `max_new_tokens`, or the rules left it no token to go on with.
    """

    token_ids: np.ndarray
    score: float
    finished: bool

    def __len__(self):
        return len(self.token_ids)


def hypothesis(tokens, score, ends):
    """A `Hypothesis` of all tokens after the start, the end among them if it ended."""
    finished = len(tokens) > 0 and bool((tokens[-1] == ends).any())
    kept = tokens[:-1] if finished else tokens
    return Hypothesis(np.array(kept, "int32"), float(score), finished)
