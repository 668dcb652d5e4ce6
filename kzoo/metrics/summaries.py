"""How good summaries are: the figures of each epoch."""

from kzoo.metrics.rouge_words import ROUGE_SCORE, Words
from kzoo.metrics.summary_counts import count_summaries


def summary_metrics(
    references, predictions, documents=None, tokenizer=ROUGE_SCORE, stemmer=None
):
    """The figures of a summarizer, over all rows.

    ROUGE is rouge-score's, the mean over rows of F1 against the best reference: that
    with the highest F1, chosen for each type by itself, as its `score_multi` does.
    A prediction without words has 0. Words are those of `tokenizer`; only ROUGE sees
    them stemmed. Means are over the rows that have a value: an empty prediction copies
    nothing and repeats nothing, and does not count there.

    Args:
        references: list by row of lists of str, at least one each, none empty.
        predictions: list of str.
        documents: list of str. `None` leaves out what needs them.
        tokenizer: str, `"rouge-score"` or `"unicode"`, see
            `kzoo.metrics.rouge_words.Words`.
        stemmer: bool. Whether Porter's stemmer is on. `None`: with `"rouge-score"`.

    Returns:
        dict that JSON can hold: `rouge1`, `rouge2`, `rougeL` and `rougeLsum` (sentences
        by `kzoo.metrics.sentences`), from 0 to 1; `length_ratio`, words of all
        predictions by those of all references (of several, their mean); `empty`, the
        share of empty predictions; `repeated_trigrams`, the mean share of a
        prediction's trigrams that stood in it before. With documents `novel_bigrams`,
        the mean share of its bigrams that the document does not have, and `copy_rate`
        and `copy_density`, coverage and density of
        [Grusky et al., 2018](https://arxiv.org/abs/1804.11283).

    Raises:
        KzooError: if a reference is empty, or the tokenizer leaves no words of most.
        ValueError: if lengths differ, there is no row or one has no reference.
    """
    words = Words(tokenizer, stemmer)
    counts = count_summaries(references, predictions, words, documents)
    return counts.figures().figures()
