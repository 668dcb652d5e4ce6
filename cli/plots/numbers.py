"""Numbers on the command line: `0,2-4` and `0:40`."""

import re

import click

FIRST_OF_MANY = 10_000


class NumbersType(click.ParamType):
    """`0,2-4` as [0, 2, 3, 4]; or one of some words as it is."""

    name = "numbers"

    def __init__(self, *words):
        self.words = words

    def convert(self, value, param, ctx):
        if not isinstance(value, str) or value in self.words:
            return value
        found = []
        for part in value.split(","):
            ends = re.fullmatch(r"\s*(\d{1,4})(?:-(\d{1,4}))?\s*", part)
            first, last = ends.groups() if ends else (None, None)
            if ends is None or int(last or first) < int(first):
                also = "".join(f", nor {word}" for word in self.words)
                self.fail(f"'{value}' is no list as 0,2-4{also}.", param, ctx)
            found += range(int(first), int(last or first) + 1)
        return found


class SliceType(click.ParamType):
    """`0:40` as (0, 40): from the first, up to and without the second."""

    name = "slice"

    def convert(self, value, param, ctx):
        if not isinstance(value, str):
            return value
        ends = re.fullmatch(r"\s*(\d{0,6}):(\d{0,6})\s*", value)
        if ends is None:
            self.fail(f"'{value}' is no part as 0:40.", param, ctx)
        start, end = ends.groups()
        return int(start or 0), int(end or FIRST_OF_MANY * 100)
