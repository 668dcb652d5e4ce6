"""When two texts are the same text: exactly, or but for how they are written."""

import unicodedata


class _Kept(dict):
    """What comparing keeps of a character, by its number; filled as characters come.

    Punctuation separates words like white space; what is not seen counts for nothing.
    """

    def __missing__(self, number):
        category = unicodedata.category(chr(number))
        spacing = category[0] in "PZ" or category in ("Cc", "Sk")  # Sk: ` and ´
        self[number] = " " if spacing else "" if category == "Cf" else number
        return self[number]


_KEPT = _Kept()


def normal_form(text):
    """What texts have in common that differ in case, spacing and punctuation alone.

    Compatibility forms are unified (NFKC), case is folded, punctuation and white space
    become single spaces, invisible characters go. A text of nothing but punctuation
    keeps it: "!!!" is not "???". A text in which nothing is seen gives "".
    """
    if text.isascii():
        folded = text.lower()
    else:
        folded = unicodedata.normalize("NFKC", text).casefold()
        folded = unicodedata.normalize("NFKC", folded)
    words = folded.translate(_KEPT).split()
    if words:
        return " ".join(words)
    return "".join(c for c in folded if unicodedata.category(c)[0] not in "CZ")
