"""All that is counted of summaries, row by row, and the figures that follow from it."""

from dataclasses import dataclass

import numpy as np
from kzoo_recipes import KzooError

from kzoo.data.readers.pairs import is_blank
from kzoo.metrics.profile import Profile, profile
from kzoo.metrics.ratios import Ratios
from kzoo.metrics.rouge import F1, SHARES, TYPES, Rouge, score
from kzoo.metrics.rouge_words import UNICODE


@dataclass(frozen=True)
class SummaryCounts:
    """What there is to count of some rows.

    Attributes:
        rouge: `Rouge`, of each prediction against each of its references.
        said: `Profile` of the predictions.
        gold: `Profile` of the references, those of a row following each other.
        empty: bool `(rows,)`. Whether a prediction is empty.
    """

    rouge: Rouge
    said: Profile
    gold: Profile
    empty: np.ndarray

    def figures(self, truncated=None):
        """What `summary_metrics` gives, as `Ratios`.

        Args:
            truncated: list of bool. Whether a document was cut; `None` leaves it out.
        """
        best = self.rouge.best()
        columns = {name: best[:, at, F1] for at, name in enumerate(TYPES)}
        columns |= {
            "length_ratio": (self.said.words, self._gold_words()),
            "empty": self.empty.astype("float64"),
            "repeated_trigrams": self.said.repeated[:, 2],
        }
        if self.said.novel is not None:
            columns |= {
                "novel_bigrams": self.said.novel[:, 1],
                "copy_rate": self.said.coverage,
                "copy_density": self.said.density,
            }
        if truncated is not None:
            columns["truncated"] = np.array(truncated, "float64")
        return Ratios.of(columns)

    def _gold_words(self):
        """The mean number of words of each row's references, float64 `(rows,)`."""
        starts = self.rouge.starts
        counts = np.diff(np.append(starts, len(self.gold.words)))
        return np.add.reduceat(self.gold.words, starts) / counts


def shares(**ways):
    """All of ROUGE as `Ratios`, named `WAY TYPE SHARE`, as in `best rougeL recall`.

    Args:
        **ways: float64 `(rows, 4, 3)` by name, as `Rouge.best` gives them.
    """
    return Ratios.of(
        {
            f"{way} {name} {share}": scores[:, at, place]
            for way, scores in ways.items()
            for at, name in enumerate(TYPES)
            for place, share in enumerate(SHARES)
        }
    )


def count_summaries(references, predictions, words, documents=None, where=None):
    """Count.

    Args:
        references: list by row of lists of str, at least one each.
        predictions: list of str.
        words: `kzoo.metrics.rouge_words.Words`.
        documents: list of str. `None` leaves out what is copied from them.
        where: function from a row, counted from 0, to its place. `None`: `row N`.

    Returns:
        `SummaryCounts`.

    Raises:
        KzooError: if a reference is empty, or the tokenizer leaves nothing of the
            references of most rows.
        ValueError: if lengths differ, there is no row or one has no reference.
    """
    where = where or (lambda row: f"row {row + 1}")
    check(references, predictions, documents, where)
    check_letters(references, words, where)
    owned = None
    if documents is not None:
        both = zip(documents, references, strict=True)
        owned = [document for document, own in both for _ in own]
    flat = [reference for own in references for reference in own]
    return SummaryCounts(
        rouge=score(references, predictions, words),
        said=profile(predictions, words, documents),
        gold=profile(flat, words, owned),
        empty=np.array([is_blank(prediction) for prediction in predictions]),
    )


def check(references, predictions, documents, where):
    """Raise unless every row can be measured; see `count_summaries`."""
    others = predictions if documents is None else documents
    if not len(references) == len(predictions) == len(others) or not references:
        raise ValueError(
            "There must be a row, and as many references as predictions and documents. "
            f"Received: references={len(references)}, predictions={len(predictions)}, "
            f"documents={None if documents is None else len(documents)}"
        )
    for row, own in enumerate(references):
        if isinstance(own, str) or not own:
            raise ValueError(
                "A row must have a list of references, one at least. "
                f"Received: references[{row}]={own!r}"
            )
        for place, reference in enumerate(own):
            if is_blank(reference):
                which = "the reference summary"
                if len(own) > 1:
                    which = f"reference summary {place + 1} of {len(own)}"
                raise KzooError(
                    f"{where(row)}: {which} is empty, and nothing can be measured "
                    "against it; fill it in or leave it out."
                )


def check_letters(references, words, where):
    """Raise a `KzooError` if nothing is left of the references of most rows."""
    lost = [row for row, own in enumerate(references) if all(map(words.loses, own))]
    if 2 * len(lost) > len(references):
        raise KzooError(
            f"{where(lost[0])}: the reference summary has no letter a–z and no digit, "
            "which is all that rouge-score's tokenizer knows, as have none those of "
            f"{len(lost):,} of {len(references):,} rows; measure with "
            f'rouge_tokenizer = "{UNICODE}" in [training] of a recipe, or with '
            f"--rouge-tokenizer {UNICODE}."
        )
