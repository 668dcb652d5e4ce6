"""Puts `tests` on the path, so that tests may import `helpers` and `reference`."""
