"""BERT's `vocab.txt`: a piece a line."""

from kzoo_recipes import KzooError


def pieces_of(content, path):
    """Read the pieces of a `vocab.txt`.

    Args:
        content: str. The whole file.
        path: `Path`. What errors call it.

    Returns:
        dict from piece to id, its line from 0.

    Raises:
        KzooError: if a piece is listed twice.
    """
    lines = content.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")
    if not lines[-1]:
        lines.pop()
    ids = {}
    for line, piece in enumerate(lines, start=1):
        if piece in ids:
            raise KzooError(
                f"{path}, line {line}: {piece!r} already stands in line "
                f"{ids[piece] + 1}; a vocabulary lists each piece once."
            )
        ids[piece] = line - 1
    return ids
