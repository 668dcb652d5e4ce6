"""`kzoo` from its first moment on: it imports nothing before it can be interrupted."""

from .early import EndsAtOnce


def main(arguments=None):
    """Run `kzoo`; `None` takes the arguments of the process."""
    with EndsAtOnce():
        from .group import group
    group(arguments)
