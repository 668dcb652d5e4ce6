"""How sentences look: lines that are not too long, and verbs that fit numbers."""

import re
import textwrap

WIDTH = 100  # columns of a line that nobody knows the screen of
CODE = re.compile(r"`[^`]*`")
GLUE = "\0"


def folded(text, width=WIDTH):
    """A sentence in lines of so many columns, parted at spaces alone.

    What stands in backticks stays on one line, so that it can be copied; a word that is
    longer does, too.

    Args:
        text: str.
        width: int. Columns of a line; those after the first begin with two spaces.
    """
    if len(text) <= width:
        return text
    glued = CODE.sub(lambda code: code[0].replace(" ", GLUE), text)
    lines = textwrap.wrap(
        glued,
        width,
        subsequent_indent="  ",
        break_long_words=False,
        break_on_hyphens=False,
    )
    return "\n".join(lines).replace(GLUE, " ")
