"""The names of the classes, and their numbers."""

import numpy as np
from kzoo_recipes import KzooError, nearest


class LabelSet:
    """Class names in order: the name at place `i` is class `i`.

    Args:
        names: list of str.
    """

    def __init__(self, names):
        self.names = list(names)
        self._ids = {name: place for place, name in enumerate(self.names)}
        if len(self._ids) != len(self.names):
            raise KzooError(f"Label names must differ. Received: names={self.names}")

    @classmethod
    def from_rows(cls, rows):
        """The labels that occur in `rows`, sorted; as numbers if all are integers."""
        found = {label for labels in _each(rows) for label in labels}
        return cls(sorted(found, key=_order(found)))

    def ids(self, rows):
        """The class of every row: int32 `(rows,)`."""
        self._check(rows)
        return np.array([self._ids[label] for label in rows.labels], "int32")

    def indicators(self, rows):
        """Which labels every row has, of any number: uint8 `(rows, C)` of 0 and 1."""
        self._check(rows)
        held = np.zeros((len(rows), len(self)), "uint8")
        for row, labels in enumerate(rows.labels):
            held[row, [self._ids[label] for label in labels]] = 1
        return held

    def _check(self, rows):
        for row, labels in enumerate(_each(rows)):
            for label in labels:
                if label not in self._ids:
                    near = nearest(label, self.names)
                    hint = f'did you mean "{near}"? The' if near else "the"
                    raise KzooError(
                        f'{rows.where(row)}: the label "{label}" does not occur in the '
                        f"training rows; {hint} labels are {self._listed()}."
                    )

    def _listed(self, most=20):
        shown = ", ".join(f'"{name}"' for name in self.names[:most])
        return shown + (f" and {len(self) - most} more" if len(self) > most else "")

    def __len__(self):
        return len(self.names)

    def __iter__(self):
        return iter(self.names)

    def __repr__(self):
        return f"LabelSet({self.names})"


def sigmoid(logits):
    """Probabilities of labels that do not exclude each other: float64, finite."""
    return np.exp(-np.logaddexp(0.0, -np.asarray(logits, "float64")))


def _each(rows):
    """The labels of every row, one or any number, as tuples."""
    return (
        labels if isinstance(labels, tuple) else (labels,) for labels in rows.labels
    )


def _order(labels):
    numbers = all(
        len(label) < 19 and label.removeprefix("-").isdecimal() for label in labels
    )
    return (lambda label: (int(label), label)) if numbers else None
