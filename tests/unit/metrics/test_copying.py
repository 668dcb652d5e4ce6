"""What summaries copy: against the paper's procedure, read literally."""

import numpy as np
import pytest
from helpers.summaries import random_summaries

from kzoo.metrics.copying import fragments, ngrams, novel, repeated
from kzoo.metrics.profile import profile
from kzoo.metrics.rouge_words import Words


def of_the_paper(article, summary):
    """Figure 1 of Grusky et al., line by line, places from 1 as there."""
    found, i, j = [], 1, 1
    while i <= len(summary):
        longest = 0
        while j <= len(article):
            if summary[i - 1] == article[j - 1]:
                i2, j2 = i, j
                while (
                    i2 <= len(summary)
                    and j2 <= len(article)
                    and summary[i2 - 1] == article[j2 - 1]
                ):
                    i2, j2 = i2 + 1, j2 + 1
                longest = max(longest, i2 - i)
                j = j2
            else:
                j += 1
        i, j = i + max(longest, 1), 1
        found.append(longest)
    return [length for length in found if length]


@pytest.mark.parametrize("words", [2, 4, 9])
def test_fragments_are_those_of_the_paper(words):
    rng = np.random.default_rng(words)
    for _ in range(200):
        document = rng.integers(0, words, rng.integers(0, 25)).tolist()
        summary = rng.integers(0, words + 1, rng.integers(0, 9)).tolist()
        assert fragments(document, summary) == of_the_paper(document, summary)


@pytest.mark.parametrize(
    "document, summary, lengths",
    [
        ("a b c d", "a b x c d", [2, 2]),
        ("a b c", "a b c", [3]),
        ("a b c", "c b a", [1, 1, 1]),
        ("a b", "x y", []),
        ("", "a", []),
        ("a b", "", []),
        ("a b a b a c", "a b a c", [3, 1]),  # the run at place 3 began inside another
    ],
)
def test_fragments(document, summary, lengths):
    assert fragments(document.split(), summary.split()) == lengths


def test_ngrams():
    assert ngrams("abab", 2) == {("a", "b"): 2, ("b", "a"): 1}
    assert novel("abcd", "abxab", 2) == (2, 4)
    assert novel("abcd", "a", 2) == (0, 0)
    assert repeated("ababa", 2) == (2, 4)
    assert repeated("", 1) == (0, 0)


def test_profile():
    texts = ["The ferry ran. The ferry ran late", "", "Zebra"]
    documents = ["The ferry ran late again.", "No.", "Yes."]
    found = profile(texts, Words(), documents)
    assert found.words.tolist() == [7, 0, 1] and found.sentences.tolist() == [2, 0, 1]
    np.testing.assert_array_equal(found.coverage, [1, np.nan, 0])
    np.testing.assert_array_equal(found.density, [(9 + 16) / 7, np.nan, 0])
    assert found.longest.tolist() == [4, 0, 0]
    np.testing.assert_array_equal(found.repeated[:, 0], [3 / 7, np.nan, 0])
    np.testing.assert_array_equal(found.novel[:, 1], [1 / 6, np.nan, np.nan])
    means = found.means()
    assert means["coverage"] == 0.5 and means["words"] == 8 / 3
    assert means["novel_ngrams"] == [0.5, 1 / 6, 2 / 5, 3 / 4]
    bare = profile(["", "!"], Words()).means()
    assert bare == {"words": 0.0, "sentences": 0.5, "repeated_ngrams": [0.0] * 4}


def test_copying_does_not_see_stems():
    documents, _, predictions = random_summaries()
    both = [profile(predictions, Words(stemmer=on), documents) for on in (True, False)]
    np.testing.assert_array_equal(both[0].coverage, both[1].coverage)
    [novel] = profile(["ferries"], Words(), ["ferry"]).novel[:, :1]
    assert novel == [1.0]
