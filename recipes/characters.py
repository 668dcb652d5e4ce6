"""Text that can be written: no halves of characters in it."""


def is_unicode(text):
    """Whether there are no halves of characters, as JSON escapes can leave them."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
