"""Tables with headers, for a terminal of any width."""

import click

from .output import cut, one_line, screen_width

GAP = "  "
LEAST = 8  # cells that are left of a word when room is short


def show_table(headers, rows, words=1, text=False):
    """Print a table: words to the left, figures to the right of their column.

    Where the room is short, the text is cut first, then the longest words; figures
    never are. Where that is not enough, every row becomes a block of its own.

    Args:
        headers: list of str.
        rows: iterable of lists of str.
        words: int. How many leading columns hold words.
        text: bool. Whether the last column holds texts.
    """
    from rich.cells import cell_len

    rows = [[one_line(cell) for cell in row] for row in rows]
    headers = [one_line(header) for header in headers]
    if not rows:
        return
    widths = [max(map(cell_len, cells)) for cells in zip(headers, *rows, strict=True)]
    left = [place < words for place in range(len(headers))]
    if text:
        left[-1] = True
    fitted = _fitted(widths, left, text, screen_width())
    if fitted is None:
        _show_blocks(headers, rows)
        return
    click.secho(_line(headers, fitted, left), bold=True)
    for row in rows:
        click.echo(_line(row, fitted, left))


def _fitted(widths, left, text, room):
    """Widths that fit, or `None`."""
    widths = list(widths)
    excess = sum(widths) + len(GAP) * (len(widths) - 1) - room
    if text and excess > 0:
        spared = min(excess, max(0, widths[-1] - 2 * LEAST))
        widths[-1] -= spared
        excess -= spared
    while excess > 0:
        words = [place for place, is_left in enumerate(left) if is_left]
        longest = max(words, key=widths.__getitem__)
        if widths[longest] <= LEAST:
            return None
        widths[longest] -= 1
        excess -= 1
    return widths


def _line(row, widths, left):
    cells = [
        _cell(cell, width, is_left)
        for cell, width, is_left in zip(row, widths, left, strict=True)
    ]
    return GAP.join(cells).rstrip()


def _cell(cell, width, is_left):
    from rich.cells import cell_len

    cell = cut(cell, width)
    space = " " * (width - cell_len(cell))
    return cell + space if is_left else space + cell


def _show_blocks(headers, rows):
    for row in rows:
        click.secho(row[0], bold=True)
        for header, cell in zip(headers[1:], row[1:], strict=True):
            click.echo(f"  {header}: {cell}")
