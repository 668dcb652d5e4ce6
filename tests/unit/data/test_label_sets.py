"""Labels of which a row has any number."""

import numpy as np
import pytest
from kzoo_recipes import KzooError

from kzoo.data import LabelSet, Rows
from kzoo.data.labels import sigmoid

ROWS = Rows(list("abc"), [("room", "food"), (), ("food",)], [2, 3, 5], "x.csv")


def test_indicators():
    labels = LabelSet.from_rows(ROWS)
    assert labels.names == ["food", "room"]
    held = labels.ids(ROWS)
    assert held.dtype == np.uint8
    assert held.tolist() == [[1, 1], [0, 0], [1, 0]]


def test_numbers_are_sorted_as_numbers():
    rows = Rows(list("ab"), [("10", "9"), ("2",)], [2, 3], "x.csv")
    assert LabelSet.from_rows(rows).names == ["2", "9", "10"]


def test_an_unknown_label_is_named_with_its_line():
    with pytest.raises(KzooError) as caught:
        LabelSet(["food", "rooms"], multi_label=True).ids(ROWS)
    assert str(caught.value) == (
        'x.csv, line 2: the label "room" does not occur in the training rows; did you '
        'mean "rooms"? The labels are "food", "rooms".'
    )


def test_sigmoid_is_finite_and_exact():
    found = sigmoid(np.array([-1e38, -800, -1, 0, 1, 800, 1e38], "float32"))
    np.testing.assert_allclose(found[[0, 1, 3, 5, 6]], [0, 0, 0.5, 1, 1], atol=1e-300)
    np.testing.assert_allclose(found[[2, 4]], [1 / (1 + np.e), np.e / (1 + np.e)])
