"""Two summarizers on the same rows."""

import numpy as np

from kzoo.metrics.comparison import CHANGED, differences, mcnemar
from kzoo.metrics.ratios import ratios_resampled
from kzoo.metrics.report import described, located
from kzoo.metrics.resampling import RESAMPLES
from kzoo.metrics.rouge import F1, TYPES
from kzoo.metrics.rouge_words import ROUGE_SCORE, Words
from kzoo.metrics.summary_counts import count_summaries, shares
from kzoo.metrics.summary_report import SORTED_BY, scored_row, scoring


def summary_comparison(
    rows,
    predictions,
    truncated=None,
    tokenizer=ROUGE_SCORE,
    stemmer=None,
    resamples=RESAMPLES,
    seed=0,
    changed=CHANGED,
):
    """Two summarizers on the same rows.

    Args:
        rows: `kzoo.data.pairs.PairedRows`, for documents, references and lines.
        predictions: pair of lists of str, of the first and the second summarizer.
        truncated: pair of lists of bool, whether a document was cut. `None` leaves it
            out.
        tokenizer, stemmer: see `kzoo.metrics.summary_metrics`.
        resamples: int. Draws of the paired bootstrap; 0 leaves intervals out.
        seed: int. Of these draws.
        changed: int. How many rows to list of those where one is better, each way.

    Returns:
        dict that JSON can hold:

        - `rows`: int; `references`: dict of `total` and `rows_with_several`, int.
        - `metrics`: by name of `summary_metrics` a dict of `first`, `second`,
          `difference` (second less first) and, from the same draws for both,
          `interval`. `mean`: the same of each ROUGE as the mean over the references.
        - `bootstrap`: how the intervals were made; `scoring`: how ROUGE was.
        - `sign_test`: of ROUGE-L, in how many rows the `first` is better, the `second`,
          and neither (`equal`); and the two-sided `p_value` of so uneven a division of
          the rows that are not equal, were both equally good.
        - `first_better`, `second_better`: list of rows, those first where ROUGE-L
          differs most: `row`, `line`, `text` (the document), `file`, `references`, and
          `first` and `second`, each with `prediction` and F1 by type.

    Raises:
        KzooError: if a reference is empty; it names its row.
    """
    words = Words(tokenizer, stemmer)
    cut = truncated or (None, None)
    counts = [
        count_summaries(rows.references, said, words, rows.documents, rows.where)
        for said in predictions
    ]
    best = [one.rouge.best() for one in counts]
    figures = [one.figures(own) for one, own in zip(counts, cut, strict=True)]
    means = [shares(mean=one.rouge.mean()) for one in counts]
    drawn = (None,) * 4
    if resamples:
        drawn = ratios_resampled([*figures, *means], resamples, seed)
    at = TYPES.index(SORTED_BY)
    gap = np.round(best[1][:, at, F1] - best[0][:, at, F1], 9)  # Rounding is no gap.
    test = mcnemar(gap < 0, gap > 0)

    def listed(order):
        return [
            _beside(rows, row, predictions, best, truncated) for row in order[:changed]
        ]

    order = np.argsort(gap, kind="stable")
    return {
        "rows": len(rows.documents),
        "references": {
            "total": len(counts[0].rouge.pairs),
            "rows_with_several": sum(len(own) > 1 for own in rows.references),
        },
        "metrics": _differences(figures, drawn[:2]),
        "mean": _differences(
            means, drawn[2:], {f"mean {name} f1": name for name in TYPES}
        ),
        "bootstrap": described(resamples, seed),
        "scoring": scoring(words),
        "sign_test": {
            "first": test["only_first"],
            "second": test["only_second"],
            "equal": int(np.sum(gap == 0)),
            "p_value": test["p_value"],
        },
        "first_better": listed([row for row in order if gap[row] < 0]),
        "second_better": listed([row for row in order[::-1] if gap[row] > 0]),
    }


def _differences(ratios, drawn, names=None):
    """`differences`, of all figures or of those of `names`, renamed as it says."""
    values = [one.figures() for one in ratios]
    names = names or dict(zip(values[0], values[0], strict=True))
    picked = [{new: one[old] for old, new in names.items()} for one in values]
    if drawn[0] is not None:
        drawn = [{new: one[old] for old, new in names.items()} for one in drawn]
    return differences(picked, None if drawn[0] is None else drawn)


def _beside(rows, row, predictions, best, truncated):
    """One row and what both said of it."""
    place = located(rows, row)
    both = [
        scored_row(rows, row, said, scores, truncated and truncated[at])
        for at, (said, scores) in enumerate(zip(predictions, best, strict=True))
    ]
    shared = {*place, "references"}
    first, second = (
        {key: value for key, value in one.items() if key not in shared} for one in both
    )
    references = both[0]["references"]
    return {**place, "references": references, "first": first, "second": second}
