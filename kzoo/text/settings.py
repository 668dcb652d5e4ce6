"""Settings of a model that are a dataclass here, and a dict where they are stored."""

import dataclasses


def settings_from(kind, name, arguments):
    """The settings that a dict says; those it leaves out are the defaults.

    Args:
        kind: a dataclass, whose defaults they are.
        name: str. What an error calls them.
        arguments: dict, or `None`, which says nothing.

    Raises:
        ValueError: if there is no such setting, or one is out of range.
    """
    if arguments is not None and not isinstance(arguments, dict):
        raise ValueError(
            f"`{name}` must be a dict or None. Received: {name}={arguments!r}"
        )
    names = [field.name for field in dataclasses.fields(kind)]
    for key in arguments or {}:
        if key not in names:
            raise ValueError(f"`{name}` knows {', '.join(names)}. Received: {key!r}")
    return kind(**(arguments or {}))
