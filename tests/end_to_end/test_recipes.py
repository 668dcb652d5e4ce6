"""What the shipped recipes promise, they keep; the classifier on all backends alike."""

import json
from itertools import combinations

import pytest

from tests.helpers.processes import AS_USERS, BACKENDS, QUICK_KERAS, succeeds
from tests.parity.conftest import present


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """The metrics of `kzoo train text_classifier`, in full, by backend."""
    folder = tmp_path_factory.mktemp("runs")
    found = {}
    for backend in present():
        command = ("kzoo", "train", "text_classifier", "--backend", backend, "--json")
        variables = {"OMP_NUM_THREADS": "1"} if backend == "torch" else {}
        printed = succeeds(*command, cwd=folder, **variables, **AS_USERS)
        found[backend] = json.loads(printed)["metrics"]
    return found


@pytest.mark.parametrize("backend", BACKENDS)
def test_the_promise_is_kept(runs, backend):
    if backend not in runs:
        pytest.skip(f"{backend} is not installed")
    promise = runs[backend]["expect"]["accuracy"]
    assert promise["at_least"] >= 0.9
    assert promise["reached"]
    assert runs[backend]["test"]["accuracy"] >= promise["at_least"]


@pytest.mark.parametrize("one, other", list(combinations(BACKENDS, 2)))
def test_backends_end_within_one_example(runs, one, other):
    absent = {one, other} - set(runs)
    if absent:
        pytest.skip(f"{', '.join(absent)} is not installed")
    examples = 850
    for split in ("dev", "test"):
        accuracies = [runs[name][split]["accuracy"] for name in (one, other)]
        assert abs(accuracies[0] - accuracies[1]) * examples <= 1.001
    assert runs[one]["best_step"] == runs[other]["best_step"]


def test_the_tagger_keeps_its_promise(tmp_path):
    """On its own backend; `test_tagger_*` hold the others to the same numbers."""
    command = ("kzoo", "train", "token_tagger", "--json")
    printed = succeeds(*command, cwd=tmp_path, **AS_USERS)
    metrics = json.loads(printed)["metrics"]
    promise = metrics["expect"]["f1"]
    assert promise["at_least"] >= 0.8
    assert promise["reached"]
    assert metrics["test"]["f1"] >= promise["at_least"]


def test_the_summarizer_of_the_zoo_keeps_the_promise(tmp_path):
    """Its recipe made it; to train it here takes minutes."""
    code = """
import json, kzoo
from kzoo.data.pairs import load_paired_splits
from kzoo.metrics import summary_metrics
from kzoo_recipes import load
recipe = load("summarizer")
rows = load_paired_splits(recipe.data)["test"].take(range(60))
written = kzoo.load_model("zoo:summarizer").summarize(rows.documents, 60)
found = summary_metrics(rows.references, written)
print(json.dumps([[found[key], b.at_least] for key, b in recipe.expect.items()]))
"""
    quickest = "torch" if "torch" in present() else present()[-1]
    code = QUICK_KERAS + code
    printed = succeeds("python", "-c", code, cwd=tmp_path, backend=quickest)
    for reached, promised in json.loads(printed):
        assert reached >= promised >= 0.2
