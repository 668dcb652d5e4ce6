"""What a model remembers: the neighbours that scikit-learn's TF-IDF finds."""

import json
import random

import numpy as np
import pytest
from safetensors.numpy import load, save
from sklearn.feature_extraction.text import TfidfVectorizer

from kzoo import KzooError
from kzoo.data.memory import COMMON, Memory

LINE = "meeting budget invoice flight hotel server outage repair contract renewal gas "
WORDS = f"{LINE} pipeline rates schedule holiday party lunch printer payroll".split()


@pytest.fixture(scope="module")
def documents():
    draw = random.Random(3)
    return [" ".join(draw.choices(WORDS, k=draw.randint(5, 30))) for _ in range(120)]


@pytest.fixture(scope="module")
def memory(documents):
    return Memory.of(documents, [f"summary {row}" for row in range(120)], 3)


def summaries_of(recalled):
    return [[summary for summary, _ in pairs] for pairs in recalled]


def similarities(documents, queries, max_df=COMMON):
    """Cosines by `TfidfVectorizer`, which keeps words, not hashes."""
    vectorizer = TfidfVectorizer(
        ngram_range=(1, 2), sublinear_tf=True, min_df=2, max_df=max_df
    )
    rows = vectorizer.fit_transform(documents)
    return (vectorizer.transform(queries) @ rows.T).toarray()


def test_recalls_what_scikit_learn_finds_most_similar(documents, memory):
    queries = [f"{document} {documents[0]}" for document in documents[60:90]]
    recalled = memory.recall(queries)
    for cosines, pairs in zip(similarities(documents, queries), recalled, strict=True):
        rows = [int(summary.split()[1]) for summary, _ in pairs]
        best = np.sort(cosines)[::-1][:3]
        np.testing.assert_allclose([close for _, close in pairs], best, atol=2e-3)
        np.testing.assert_allclose(cosines[rows], best, atol=2e-3)  # float16 is kept


def test_its_own_documents_recall_others(documents, memory):
    cosines = similarities(documents, documents)
    np.fill_diagonal(cosines, -1)
    for row, summaries in enumerate(summaries_of(memory.recall(documents, own=True))):
        assert f"summary {row}" not in summaries
        first = int(summaries[0].split()[1])
        assert cosines[row, first] == pytest.approx(cosines[row].max(), abs=2e-3)
    alone, together = memory.recall(documents[5:6]), memory.recall(documents)
    assert alone == together[5:6]
    assert memory.recall(documents)[5][0] == ("summary 5", pytest.approx(1, abs=2e-3))


def test_a_repeat_does_not_give_its_twin_away():
    documents = ["The budget meeting.", "the BUDGET meeting", "a budget lunch", "lunch"]
    memory = Memory.of(documents, ["one", "two", "three", "four"], 2)
    own = summaries_of(memory.recall(documents, own=True))
    assert own[0] == ["three"]
    assert summaries_of(memory.recall(documents))[0] == ["one", "two"]


def test_equal_summaries_are_recalled_once():
    documents = ["red apple pie"] * 2 + ["red apple cake", "green pear"]
    memory = Memory.of(documents, ["Apple", "apple!", "Cake", "Pear"], 3)
    assert summaries_of(memory.recall(["red apple"])) == [["Cake", "Apple"]]


def test_stands_before_a_document_with_how_alike_it_is():
    documents = ["red apple pie", "red apple cake", "red pear", "a green pear"]
    memory = Memory.of(documents, ["Pie", "Cake", "Pear", "Green"], 2)
    cosines = similarities(documents, ["red pear", "red apple"], max_df=1.0)
    tenths = [min(9, int(10 * cosine)) for cosine in np.sort(cosines[0])[::-1][:2]]
    assert memory.before(["red pear", "", "xyzzy", " \n"]) == [
        f"{tenths[0]} Pear | {tenths[1]} Green || red pear",
        *("", "xyzzy", " \n"),
    ]


def test_nothing_is_recalled_where_no_word_repeats():
    memory = Memory.of(["one two", "three four"], ["a", "b"], 2)
    assert memory.recall(["one two"]) == [[]]
    assert Memory.from_bytes(memory.to_bytes()).before(["one"]) == ["one"]


def test_what_was_written_recalls_the_same(documents, memory):
    again = Memory.from_bytes(memory.to_bytes())
    queries = documents[:40]
    assert again.before(queries) == memory.before(queries)
    assert (len(again), again.neighbours) == (120, 3)
    assert again.to_bytes() == memory.to_bytes()


def test_says_that_own_documents_are_others(memory):
    with pytest.raises(ValueError, match=r"must be the 120 .* Received: 1 documents"):
        memory.recall(["one"], own=True)


def bytes_of(value):
    return np.frombuffer(json.dumps(value).encode(), "uint8")


@pytest.mark.parametrize(
    ("name", "change", "words"),
    [
        ("values", lambda a: a.astype("float32"), "its arrays must be"),
        ("places", lambda a: a + 10_000, "`places` must point at `features`"),
        ("places", lambda a: a[:-1], "`starts` must be where"),
        ("starts", lambda a: a[::-1].copy(), "`starts` must be where"),
        ("features", lambda a: a[::-1].copy(), "`features` must ascend"),
        ("features", lambda a: a - 10_000_000, r"`features` must lie in \[0,"),
        ("rarity", lambda a: a * np.nan, "must be finite"),
        ("summaries", lambda a: bytes_of([]), "cannot be read"),
        ("summaries", lambda a: a[:-1], "cannot be read"),
        (
            "summaries",
            lambda a: bytes_of({"neighbours": 0, "summaries": []}),
            "`neighbours` must be a whole number of at least 1, not 0",
        ),
        (
            "summaries",
            lambda a: bytes_of({"neighbours": 1, "summaries": [1] * 120}),
            "`summaries` must be a list of texts",
        ),
    ],
)
def test_refuses_files_that_say_what_no_memory_says(memory, name, change, words):
    arrays = load(memory.to_bytes())
    arrays[name] = np.ascontiguousarray(change(arrays[name]))
    with pytest.raises(KzooError, match=f"^odd: this is no memory of kzoo: .*{words}"):
        Memory.from_bytes(save(arrays), "odd")


@pytest.mark.parametrize("content", [b"", b"\0" * 40, b"no tensors"])
def test_refuses_what_is_no_file_of_tensors(content):
    with pytest.raises(KzooError, match="this is no memory of kzoo: it cannot be read"):
        Memory.from_bytes(content)
