"""What classes count, against scikit-learn."""

import numpy as np
import pytest
from kzoo_recipes import KzooError
from sklearn.utils.class_weight import compute_class_weight

from kzoo.data.class_weights import by_tag, class_weights

NAMES = ["ham", "spam", "unsure"]
LABELS = np.array([0, 0, 0, 0, 0, 0, 1, 1, 2, 0], "int32")
ROWS = np.array([0.5, 2, 1, 1, 0, 3, 1, 0.25, 7, 1])


@pytest.mark.parametrize("rows", [None, ROWS], ids=["alike", "weighted"])
def test_balanced_equals_scikit_learn(rows):
    theirs = compute_class_weight(
        "balanced", classes=np.arange(3), y=LABELS, sample_weight=rows
    )
    found = class_weights("balanced", LABELS, NAMES, rows)
    np.testing.assert_allclose(found, theirs)
    counted = np.bincount(LABELS, found[LABELS] * (1 if rows is None else rows))
    np.testing.assert_allclose(counted, counted[0])  # All classes count alike.


@pytest.mark.parametrize("rows", [None, ROWS], ids=["alike", "weighted"])
def test_balanced_labels_equal_scikit_learn_one_by_one(rows):
    held = np.random.default_rng(7).integers(0, 2, (10, 3), dtype="uint8")
    found = class_weights("balanced", held, NAMES, rows)
    assert found.shape == (2, 3)
    for column in range(3):
        theirs = compute_class_weight(
            "balanced", classes=np.arange(2), y=held[:, column], sample_weight=rows
        )
        np.testing.assert_allclose(found[:, column], theirs)


def test_what_all_rows_or_none_have_counts_one():
    held = np.array([[1, 0], [1, 0]], "uint8")
    np.testing.assert_array_equal(class_weights("balanced", held, NAMES[:2]), 1)
    only_weightless = class_weights("balanced", [0, 1, 1], NAMES[:2], [0, 1, 1])
    np.testing.assert_array_equal(only_weightless, 1)


def test_a_table_names_some():
    np.testing.assert_array_equal(
        class_weights({"spam": 5, "ham": 0.5}, LABELS, NAMES), [0.5, 5, 1]
    )
    held = np.eye(3, dtype="uint8")
    np.testing.assert_array_equal(
        class_weights({"spam": 5.0}, held, NAMES), [[1, 1, 1], [1, 5, 1]]
    )


@pytest.mark.parametrize(
    "name, hint",
    [("spma", '; did you mean "spam"?'), ("x", "; there are ham, spam, unsure.")],
)
def test_an_unknown_label_is_refused(name, hint):
    with pytest.raises(KzooError) as caught:
        class_weights({name: 2.0}, LABELS, NAMES)
    assert str(caught.value) == (
        f'[training] class_weights names the label "{name}", which does not occur in '
        f"the training rows{hint}"
    )


def test_a_type_stands_for_all_its_tags():
    names = ["O", "B-a", "I-a", "B-b-c", "I-b-c"]
    assert by_tag({"a": 3, "O": 0.5}, names) == {"B-a": 3, "I-a": 3, "O": 0.5}
    assert by_tag({"b-c": 2}, names) == {"B-b-c": 2, "I-b-c": 2}
    assert by_tag({"B-a": 5, "a": 3}, names) == {"B-a": 5, "I-a": 3}
    assert by_tag({"c": 2}, names) == {"c": 2}, "which class_weights refuses"
    assert by_tag("balanced", names) == "balanced"
