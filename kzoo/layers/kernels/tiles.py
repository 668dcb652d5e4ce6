"""What attention in tiles reads: blocks of places, and what stands between two."""

from keras import ops


def blocked(x, block):
    """Cut places into blocks, the last filled up with zeros.

    Args:
        x: `(B, T, …)`.
        block: int.

    Returns:
        `(n, B, block, …)`.
    """
    batch, length, *rest = ops.shape(x)
    blocks = -(-length // block)
    filled = blocks * block - length
    if not isinstance(filled, int) or filled:
        more = ops.zeros((batch, filled, *rest), dtype=x.dtype)
        x = ops.concatenate([x, more], axis=1)
    x = ops.reshape(x, (batch, blocks, block, *rest))
    return ops.transpose(x, (1, 0, 2, *range(3, 3 + len(rest))))


def joined(x, length):
    """Undo `blocked`: `(n, B, block, …)` becomes `(B, length, …)`."""
    blocks, batch, block, *rest = ops.shape(x)
    x = ops.transpose(x, (1, 0, 2, *range(3, 3 + len(rest))))
    return ops.reshape(x, (batch, blocks * block, *rest))[:, :length]


def by_distance(line, start, rows, columns):
    """Return what queries and keys are apart, from one line of distances.

    Row `r` is the line from `rows - 1 - r` on: laid out in one row, less the first
    `rows - 1` numbers, they are rows shorter by one that begin there.

    Args:
        line: float `(N, L)`, by how far the key is to the right of the query.
        start: int or int scalar. Where it has the last query and the first key.
        rows: int. Queries, one place after the other.
        columns: int. Keys likewise.

    Returns:
        Float `(N, rows, columns)`.
    """
    heads, width = line.shape[0], rows + columns
    part = ops.slice(line, (0, start), (heads, width))
    part = ops.broadcast_to(part[:, None], (heads, rows, width))
    flat = ops.reshape(part, (heads, rows * width))
    flat = flat[:, rows - 1 : rows - 1 + rows * (width - 1)]
    return ops.reshape(flat, (heads, rows, width - 1))[:, :, :columns]


def add_by_distance(line, start, tile):
    """Add up a tile, `(N, rows, columns)`, where `by_distance` read it from."""
    heads, rows, columns = tile.shape
    width = rows + columns
    tile = ops.pad(tile, ((0, 0), (0, 0), (0, rows - 1)))
    flat = ops.reshape(tile, (heads, rows * (width - 1)))
    flat = ops.pad(flat, ((0, 0), (rows - 1, 1)))
    sums = ops.sum(ops.reshape(flat, (heads, rows, width)), axis=1)
    sums = sums + ops.slice(line, (0, start), (heads, width))
    return ops.slice_update(line, (0, start), sums)
