"""What a corpus of summaries is like: how short they are, and how much is copied."""

from collections import Counter

import numpy as np

from kzoo.metrics.profile import profile
from kzoo.metrics.rouge_words import UNICODE, Words
from kzoo.metrics.sentences import sentences

SAMPLE = 2000  # rows; the figures of so many hardly move any more
OPENING = 2000  # characters of a document in which its first sentence is looked for


def traits(documents, summaries, most=SAMPLE):
    """What summaries are like, beside their documents.

    Words are those of `kzoo.metrics.rouge_words`, of any script and unstemmed.

    Args:
        documents: list of str.
        summaries: list of str, one for each.
        most: int. Rows to look at, at equal distances; `None` looks at all.

    Returns:
        dict of what JSON can hold: "rows", how many were looked at; "compression", the
        median number of words that a document has for each of its summary's;
        "novel_ngrams", the mean share of a summary's words, word pairs, triples and
        quadruples that its document does not have; "coverage" and "density" of
        [Grusky et al., 2018](https://arxiv.org/abs/1804.11283); "first_sentence", the
        mean F1 of a document's first sentence as its summary, by words (ROUGE-1).
    """
    rows = len(documents)
    chosen = np.arange(rows)
    if most is not None and rows > most:
        chosen = np.linspace(0, rows - 1, most).round().astype(int)
    documents = [documents[row] for row in chosen]
    summaries = [summaries[row] for row in chosen]
    words = Words(UNICODE)
    profiled = profile(summaries, words, documents)
    found, short = profiled.means(), np.maximum(profiled.words, 1)
    long = np.maximum([len(words.split(document)) for document in documents], 1)
    return {
        "rows": len(documents),
        "compression": float(np.median(long / short)),
        "novel_ngrams": found["novel_ngrams"],
        "coverage": found["coverage"],
        "density": found["density"],
        "first_sentence": float(
            np.mean(
                [
                    _first(d, s, words.split)
                    for d, s in zip(documents, summaries, strict=True)
                ]
            )
        ),
    }


def _first(document, summary, split):
    """The F1 of the words of a document's first sentence."""
    opening = sentences(document[:OPENING])[:1]
    there, wanted = (
        Counter(split(opening[0] if opening else "")),
        Counter(split(summary)),
    )
    both = (there & wanted).total()
    return 2 * both / max(there.total() + wanted.total(), 1)
