"""What callers hand to a model as texts or words: lists, or the error that says why."""

from collections.abc import Iterable, Mapping, Set

NO_LISTS = (str, bytes, bytearray, Mapping, Set)  # Iterable, but no rows in an order.


def listed(rows, name, holds):
    """Rows as a list.

    Args:
        rows: iterable of rows in an order; any other kind of object is refused.
        name: str. What the caller knows them as.
        holds: str. What the list must hold.

    Raises:
        TypeError: naming the argument and what it is.
    """
    if isinstance(rows, NO_LISTS) or not isinstance(rows, Iterable):
        raise TypeError(
            f"`{name}` must be a list of {holds}. "
            f"Received: {name} of type {type(rows).__name__}"
        )
    return list(rows)


def only_str(rows, name, holds):
    """A list of which each entry is a str; arguments and errors as those of `listed`.

    Its `name` may be that of a row, as `texts[2]`.
    """
    rows = listed(rows, name, holds)
    for place, entry in enumerate(rows):
        if not isinstance(entry, str):
            raise TypeError(
                f"`{name.partition('[')[0]}` must hold {holds} only. "
                f"Received: {name}[{place}] of type {type(entry).__name__}"
            )
    return rows


def check_batch_size(batch_size, name="batch_size"):
    """Raise unless `batch_size`, or what has this `name`, is an int of at least 1."""
    if isinstance(batch_size, bool) or not isinstance(batch_size, int):
        raise TypeError(f"`{name}` must be an int. Received: {batch_size!r}")
    if batch_size < 1:
        raise ValueError(f"`{name}` must be at least 1. Received: {name}={batch_size}")
