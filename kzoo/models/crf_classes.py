"""The classes of a CRF: "O", and for one type after the other its prefixes."""

import numpy as np

from kzoo.data.schemes import PREFIXES, allowed, join, label_names
from kzoo.layers.crf import MOST_CLASSES


def open_steps(num_classes, scheme):
    """Which steps the scheme allows, bool `(C + 2, C)` as a CRF lays them out.

    The classes are "O" and, for one type after the other, the prefixes of the scheme,
    so two types show all there is: steps within one, and from one to another.
    """
    if scheme == "plain" or num_classes > MOST_CLASSES:  # The layer refuses these.
        return None
    size = len(PREFIXES[scheme])
    types, rest = divmod(num_classes - 1, size)
    if rest:
        raise ValueError(
            f'A CRF of the scheme {scheme!r} has "O" and {size} classes of each type. '
            f"Received: num_classes={num_classes}"
        )
    start, follow, end = allowed(label_names("12", scheme), scheme)
    one, two = slice(1, 1 + size), slice(1 + size, None)
    same, other = follow[one, one], follow[one, two]
    steps = np.empty((num_classes + 2, num_classes), bool)
    steps[0] = start[0], *np.tile(start[one], types)
    steps[1] = follow[0, 0], *np.tile(follow[0, one], types)
    steps[2:-1, 0] = np.tile(follow[one, 0], types)
    steps[2:-1, 1:] = np.where(
        np.kron(np.eye(types, dtype=bool), np.ones((size, size), bool)),
        np.tile(same, (types, types)),
        np.tile(other, (types, types)),
    )
    steps[-1] = end[0], *np.tile(end[one], types)
    return steps


def label_fault(labels, scheme):
    """What is wrong with the labels of a CRF, as a clause; `None` if nothing is.

    They must stand in the order that `open_steps` goes by, types in any.
    """
    prefixes = PREFIXES[scheme]
    if not prefixes:
        return None
    kinds = [label.partition("-")[2] for label in labels[1 :: len(prefixes)]]
    expected = ["O", *(join(prefix, kind) for kind in kinds for prefix in prefixes)]
    for place, (label, right) in enumerate(zip(labels, expected, strict=False)):
        if label != right:
            marks = " and ".join(f"{prefix}-" for prefix in prefixes)
            return (
                f'with a CRF, labels must be "O" and then {marks} of one type after '
                f'the other, but label {place + 1} is "{label:.60}"'
            )
    return None
