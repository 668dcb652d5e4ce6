"""What `kzoo evaluate` shows of rows with any number of labels."""

import html
import re

import numpy as np
import pytest
from kzoo_cli.evaluation import show_evaluation

from kzoo.data import Rows
from kzoo.metrics.multi_label_report import multi_label_report
from kzoo.reports import evaluation_page


@pytest.fixture(scope="module")
def figures():
    labels = np.array([[1, 0], [1, 1], [0, 0]])
    logits = np.array([[3.0, -3.0], [2.0, -1.0], [4.0, -2.0]])
    rows = Rows(["a", "<b>", "c"], [()] * 3, [2, 3, 5], "x.csv")
    found = multi_label_report(
        rows, labels, logits, ["food", "room"], [0.5, 0.25], resamples=20
    )
    return {"run": "runs/x", "source": "test split", **found}


def test_terminal(figures, capsys):
    show_evaluation(figures)
    shown = capsys.readouterr().out
    assert "3 rows, 2 labels, 1 error\n" in shown
    assert "hamming_loss  0.1667" in shown
    assert re.search(r"room +1.0000 +1.0000 +1.0000 +1.0000 +0.2500 +1\b", shown)
    assert re.search(r"– +food +2.073 +5 +c", shown)


def test_page(figures):
    page = evaluation_page(figures)
    shown = html.unescape(re.sub("<[^>]+>", " ", page))
    assert "Confusions" not in shown
    assert "share of rows with all their labels and no other" in shown
    assert re.search(r"threshold +rows", shown)
    assert re.search(r"0\.2500 +1 ", shown)
    assert re.search(r"– +food +c +2\.073 +5", shown)
