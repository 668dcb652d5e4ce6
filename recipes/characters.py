"""Text that can be written: no halves of characters in it; and what has no spaces."""

# As a range of `re`: writing where a character is as good a word as can be had, kana,
# ideographs and their extensions.
UNSPACED = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"


def is_unicode(text):
    """Whether there are no halves of characters, as JSON escapes can leave them."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
