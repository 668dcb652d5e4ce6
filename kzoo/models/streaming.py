"""Text as it is written: what of it will not change any more."""

import re

HELD = re.compile(r"\s*\S*\s*\S*$")  # the last two words, and the spaces before
BROKEN = "\ufffd"  # What a character looks like until all of its bytes are there.


def text_of(decode, token_ids):
    """The text of tokens that a model wrote."""
    return decode(token_ids).strip()


class Stream:
    """Turns the tokens of a batch into pieces of text.

    A token may change the text before it: punctuation joins the word on its left, `do`
    and `not` become `don't` in some tokenizers, and half a character becomes a whole
    one. So the last two words are held back until more have come or the text has ended.

    Args:
        decode: function from ids to text.
        on_text: called with `(row, piece)`.
        rows: int `(B,)`. The callers' numbers of the texts in the batch.
    """

    def __init__(self, decode, on_text, rows):
        self.decode, self.on_text = decode, on_text
        self.rows = [int(row) for row in rows]
        self.token_ids = [[] for _ in rows]
        self.told = ["" for _ in rows]

    def token(self, place, token_id):
        """Take a token of the text at `place` in the batch."""
        self.token_ids[place].append(token_id)
        text = text_of(self.decode, self.token_ids[place])
        self._tell(place, HELD.sub("", text.rstrip(BROKEN)))

    def end(self):
        """Tell what was held back."""
        for place, token_ids in enumerate(self.token_ids):
            self._tell(place, text_of(self.decode, token_ids))

    def _tell(self, place, text):
        before = self.told[place]
        if len(text) > len(before) and text.startswith(before):
            self.told[place] = text
            self.on_text(self.rows[place], text[len(before) :])
