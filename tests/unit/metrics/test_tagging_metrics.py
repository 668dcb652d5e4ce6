"""Figures of taggers are seqeval's and scikit-learn's, and defined in every case."""

import json
import warnings

import numpy as np
import pytest
from helpers.tags import random_tags
from seqeval.metrics import accuracy_score
from seqeval.metrics.sequence_labeling import precision_recall_fscore_support as lenient
from seqeval.metrics.v1 import precision_recall_fscore_support as strict
from seqeval.scheme import BILOU, IOB1, IOB2, IOBES
from sklearn.metrics import classification_report

from kzoo.data.schemes import entities
from kzoo.metrics import tagging_metrics
from kzoo.metrics.entities import read_entities
from kzoo.metrics.span_figures import averages

CLASSES = {"iob1": IOB1, "iob2": IOB2, "bioes": IOBES, "bilou": BILOU, "io": IOB1}


@pytest.fixture(autouse=True)
def silent():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("scheme", CLASSES)
def test_agrees_with_seqeval(scheme, seed):
    gold, said = random_tags(scheme, seed=seed)
    found = tagging_metrics(gold, said, scheme)
    if scheme == "bilou":  # seqeval reads these letters in strict mode only.
        letters = str.maketrans("LU", "ES")
        both = [[[t[0].translate(letters) + t[1:] for t in r] for r in gold]]
        both += [[[t[0].translate(letters) + t[1:] for t in r] for r in said]]
    else:
        both = [gold, said]
    micro = lenient(*both, average="micro", zero_division=0)
    assert [found[k] for k in ("precision", "recall", "f1")] == pytest.approx(micro[:3])
    for average in ("macro", "weighted"):
        expected = lenient(*both, average=average, zero_division=0)[2]
        assert found[f"{average}_f1"] == pytest.approx(expected)
    options = {"scheme": CLASSES[scheme], "zero_division": 0}
    assert found["strict_f1"] == pytest.approx(
        strict(gold, said, average="micro", **options)[2]
    )
    assert found["accuracy"] == pytest.approx(accuracy_score(gold, said))
    each = lenient(*both, average=None, zero_division=0)
    assert list(found["per_class"]) == ["A", "B-C", "D"]
    for at, one in enumerate(found["per_class"].values()):
        figures = [one[k] for k in ("precision", "recall", "f1", "support")]
        assert figures == pytest.approx([column[at] for column in each])
    assert json.loads(json.dumps(found)) == found


@pytest.mark.parametrize("strictly", [False, True])
@pytest.mark.parametrize("average", ["micro", "macro", "weighted"])
def test_averages_agree_with_seqeval(average, strictly):
    gold, said = random_tags("bioes", seed=9, names=("A", "B", "C", "D", "E"))
    counts = read_entities(gold, said, "bioes", strictly).counts().sum(axis=1)
    own = averages(*counts)[average]
    reference = strict if strictly else lenient
    options = {"scheme": IOBES} if strictly else {}
    theirs = reference(gold, said, average=average, zero_division=0, **options)
    figures = [own[k] for k in ("precision", "recall", "f1")]
    assert figures == pytest.approx([float(one) for one in theirs[:3]])


def test_strict_and_lenient_by_hand():
    gold = [["B-PER", "I-PER", "O", "B-LOC"]]
    said = [["I-PER", "I-PER", "O", "B-LOC"]]  # conlleval lets I- begin an entity.
    found = tagging_metrics(gold, said, "iob2")
    assert (found["f1"], found["accuracy"]) == (1.0, 0.75)
    assert found["strict_f1"] == pytest.approx(2 / 3)  # precision 1, recall 1/2


@pytest.mark.parametrize(
    "gold, said, figures",
    [
        ([["O", "O"]], [["O", "O"]], (0, 0, 0, 0, 0, 1)),
        ([["O", "O"]], [["B-X", "O"]], (0, 0, 0, 0, 0, 0.5)),
        ([["B-X", "O"]], [["O", "O"]], (0, 0, 0, 0, 0, 0.5)),
        ([], [], (0, 0, 0, 0, 0, 0)),
        # A type that only gold has is missed; one that only the model has is wrong.
        (
            [["B-X", "B-NEW"]],
            [["B-X", "O"]],
            (1, 0.5, 2 / 3, 0.5, 2 / 3, 0.5),
        ),
        (
            [["B-X", "O"]],
            [["B-X", "B-ODD"]],
            (0.5, 1, 2 / 3, 0.5, 2 / 3, 0.5),
        ),
    ],
)
def test_no_entities_and_strange_types(gold, said, figures):
    found = tagging_metrics(gold, said, "iob2")
    names = ("precision", "recall", "f1", "macro_f1", "strict_f1", "accuracy")
    assert [found[name] for name in names] == pytest.approx(figures)
    assert all(type(found[name]) is float for name in names)


@pytest.mark.parametrize("name", ["_", "-x-", "A-B", "O", "ß €", "I"])
@pytest.mark.parametrize("strictly", [False, True])
def test_types_keep_their_names(name, strictly):
    tags = [[f"B-{name}", f"I-{name}", "O", "B-other"]]
    found = read_entities(tags, tags, "iob2", strictly)
    assert found.gold == [[(name, 0, 2), ("other", 3, 4)]]
    assert found.types == sorted([name, "other"])


@pytest.mark.parametrize("strictly", [False, True])
def test_a_type_may_have_no_name(strictly):
    tags = [["B", "I", "O", "B"]]
    found = read_entities(tags, tags, "BIO", strictly)
    assert found.gold == [[("_", 0, 2), ("_", 3, 4)]]


@pytest.mark.parametrize(
    "scheme, strictly",
    # In IOB1, which no tagger learns, seqeval forgets some invalid entities.
    [(s, way) for s in CLASSES for way in (False, True) if (s, way) != ("iob1", True)],
)
def test_reads_what_the_readers_read(scheme, strictly):
    """Two readings of tags live here, seqeval's and kzoo's own; they are one."""
    gold, said = random_tags(scheme, rows=200, seed=6)
    found = read_entities(gold, said, scheme, strictly)
    assert found.gold == [entities(row, scheme, strictly) for row in gold]
    assert found.predicted == [entities(row, scheme, strictly) for row in said]


@pytest.mark.parametrize("scheme", CLASSES)
def test_counts_by_sentence_sum_to_all(scheme):
    gold, said = random_tags(scheme, rows=9, seed=2)
    counts = read_entities(gold, said, scheme).counts()
    for row in range(9):
        alone = read_entities(gold[row : row + 1], said[row : row + 1], scheme)
        assert alone.counts().sum() == counts[:, row].sum()


@pytest.mark.parametrize("seed", range(3))
def test_plain_tags_agree_with_scikit_learn(seed):
    rng = np.random.default_rng(seed)
    names = ["NOUN", "VERB", "ADP", "X-1"]
    gold = [rng.choice(names, rng.integers(1, 9)).tolist() for _ in range(20)]
    said = [[t if rng.random() < 0.6 else "NOUN" for t in row] for row in gold]
    said[0][0] = "ODD"
    found = tagging_metrics(gold, said, "plain")
    flat = [[tag for row in side for tag in row] for side in (gold, said)]
    report = classification_report(*flat, output_dict=True, zero_division=0.0)
    assert found["accuracy"] == report["accuracy"]
    assert found["macro_f1"] == report["macro avg"]["f1-score"]
    assert found["weighted_f1"] == report["weighted avg"]["f1-score"]
    for name, one in found["per_class"].items():
        theirs = report[name]
        assert one["precision"] == theirs["precision"]
        assert one["recall"] == theirs["recall"]
        assert one["f1"] == theirs["f1-score"]
        assert one["support"] == theirs["support"]
        assert one["predicted"] == flat[1].count(name)


def test_no_plain_tags():
    assert tagging_metrics([], [], "plain")["accuracy"] == 0.0


@pytest.mark.parametrize(
    "gold, scheme, reason",
    [
        (["B-X", "E-X"], "iob2", "prefix in iob2 is one of B, I. Received: tag='E-X'"),
        (["B-"], "iob2", "Received: tag='B-'"),
        (["NOUN"], "bioes", "Received: tag='NOUN'"),
        (["O"], "iebos", "no scheme of tags .*Received: scheme='iebos'"),
    ],
)
def test_other_tags_are_refused(gold, scheme, reason):
    with pytest.raises(ValueError, match=reason):
        tagging_metrics([gold], [["O"] * len(gold)], scheme)


@pytest.mark.parametrize("scheme", ["iob2", "plain"])
def test_other_lengths_are_refused(scheme):
    with pytest.raises(
        ValueError, match=r"gold=1 rows of 2 tags, predicted=1 rows of 1"
    ):
        tagging_metrics([["O", "O"]], [["O"]], scheme)
