"""Which part of a text that is too long is kept."""

import numpy as np

PARTS = ("head", "tail", "both")


def cut(sequence, length, before, after, part="head"):
    """At most `length` entries of a sequence; what marks its ends stays.

    Args:
        sequence: array `(T, ...)`, an entry per token.
        length: int. Above `before + after`.
        before: int. Special tokens that open the sequence.
        after: int. Those that close it.
        part: `"head"`, `"tail"` or `"both"`: what is kept of the tokens between them.
            Of both, half the room each, and the odd one to the head.

    Raises:
        ValueError: if `part` is none of these.
    """
    if part not in PARTS:
        raise ValueError(
            f"`truncate` must be one of {', '.join(PARTS)}. Received: truncate={part!r}"
        )
    if len(sequence) <= length:
        return sequence
    room = length - before - after
    head = {"head": room, "tail": 0, "both": room - room // 2}[part]
    end = len(sequence) - after
    rest = sequence[end - (room - head) :]  # with what closes it
    return np.concatenate([sequence[: before + head], rest])
