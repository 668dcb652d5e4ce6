"""The names of the classes, and their numbers."""

import numpy as np
from kzoo_recipes import KzooError, nearest


class LabelSet:
    """Class names in order: the name at place `i` is class `i`.

    Args:
        names: list of str.
        multi_label: bool. Whether a row has any number of them, not just one.
    """

    def __init__(self, names, multi_label=False):
        self.names = list(names)
        self.multi_label = multi_label
        self._ids = {name: place for place, name in enumerate(self.names)}
        if len(self._ids) != len(self.names):
            raise KzooError(f"Label names must differ. Received: names={self.names}")

    @classmethod
    def from_rows(cls, rows):
        """The labels that occur in `rows`, sorted; as numbers if all are integers."""
        found = {label for labels in each(rows) for label in labels}
        return cls(sorted(found, key=_order(found)), isinstance(rows.labels[0], tuple))

    def ids(self, rows):
        """The class of every row, or its classes.

        Returns:
            int32 `(rows,)`; or uint8 `(rows, C)` of 0 and 1 if a row has any number.
        """
        self._check(rows)
        if not self.multi_label:
            return np.array([self._ids[label] for label in rows.labels], "int32")
        held = np.zeros((len(rows), len(self)), "uint8")
        for row, labels in enumerate(rows.labels):
            held[row, [self._ids[label] for label in labels]] = 1
        return held

    def _check(self, rows):
        for row, labels in enumerate(each(rows)):
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


def softmax(logits):
    """Probabilities of labels that exclude each other, row by row: as `(rows, C)`."""
    exponentials = np.exp(logits - logits.max(axis=1, keepdims=True))
    return exponentials / exponentials.sum(axis=1, keepdims=True)


def each(rows):
    """Yield the labels of every row, one or any number, as a tuple."""
    return (
        labels if isinstance(labels, tuple) else (labels,) for labels in rows.labels
    )


def _order(labels):
    numbers = all(
        len(label) < 19 and label.removeprefix("-").isdecimal() for label in labels
    )
    return (lambda label: (int(label), label)) if numbers else None
