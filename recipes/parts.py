"""The parts of a model by name, as keys of `[training]` name them."""

from fnmatch import fnmatchcase

from .hints import nearest


def fits(path, name):
    """Whether the weight at `path` is the part `name` or lies below it.

    Args:
        path: str. The weight, as in `"encoder/block_0/attention/query/kernel"`.
        name: str. A part, its names joined by dots, as in `"encoder.embedding"` or
            `"encoder.block_0.attention"`. `*`, `?` and `[]` stand for letters of one
            name, as in `"encoder.block_*"`.
    """
    steps, wanted = path.split("/"), name.split(".")
    return len(wanted) <= len(steps) and all(map(fnmatchcase, steps, wanted))


def told(path, table):
    """The value of the name in `table` that fits `path`; `None` where none does.

    Of several, the name with most steps wins, and of these the last: what is said of
    a part holds for all below it of which nothing else is said.
    """
    names = [name for name in table if fits(path, name)]
    if not names:
        return None
    deepest = max(name.count(".") for name in names)
    return table[[name for name in names if name.count(".") == deepest][-1]]


def parts(paths, depth=None):
    """The parts that hold weights, down to `depth`, in order of the model."""
    found = {}
    for path in paths:
        steps = path.split("/")
        for end in range(1, len(steps) + 1):
            if depth is None or end == min(depth, len(steps) - 1):
                found[".".join(steps[:end])] = None
    return list(found)


def unknown(key, name, paths):
    """What to say of a name in `[training] key` that fits none of the `paths`."""
    near = nearest(name, parts(paths))
    hint = f'; did you mean "{near}"?' if near else "."
    return (
        f'[training] {key}: the model has no part "{name}"{hint} There are '
        f"{', '.join(parts(paths, depth=2))}, and their own parts."
    )
