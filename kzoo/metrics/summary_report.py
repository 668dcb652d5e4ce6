"""All that is said about one summarizer on one set of rows, in plain numbers."""

import importlib.metadata

import numpy as np

from kzoo.metrics.profile import profile
from kzoo.metrics.ratios import ratios_resampled
from kzoo.metrics.report import WORST, described, located
from kzoo.metrics.resampling import RESAMPLES, interval
from kzoo.metrics.rouge import F1, SHARES, TYPES, score
from kzoo.metrics.rouge_words import ROUGE_SCORE, Words
from kzoo.metrics.sentences import SPLITTER, sentences
from kzoo.metrics.summary_counts import count_summaries, shares
from kzoo.metrics.summary_notes import notes

SORTED_BY = "rougeL"
FEWEST = 10  # rows: of fewer, draws are too alike to tell how far a figure may be


def summary_report(
    rows,
    predictions,
    truncated=None,
    tokenizer=ROUGE_SCORE,
    stemmer=None,
    resamples=RESAMPLES,
    seed=0,
    worst=WORST,
    every_row=False,
):
    """Metrics with intervals, a baseline, what summaries are like, worst and best rows.

    Args:
        rows: `kzoo.data.pairs.PairedRows`, for documents, references and lines.
        predictions: list of str.
        truncated: list of bool, whether a document was cut. `None` leaves it out.
        tokenizer, stemmer: see `kzoo.metrics.summary_metrics`.
        resamples: int. Draws of the bootstrap; 0 leaves the intervals out.
        seed: int. Of these draws.
        worst: int. How many rows to list, of the worst and of the best.
        every_row: bool. Whether to list every row, too.

    Returns:
        dict that JSON can hold: what `summary_metrics` gives, `truncated`, the share of
        documents that were cut, and

        - `rows`: int; `references`: dict of `total` and `rows_with_several`, int.
        - `intervals`: dict from metric to `[low, high]`, empty below `FEWEST` rows;
          `bootstrap`: how they were made.
        - `rouge`: dict by type of dicts: `best`, against the best reference (see
          `summary_metrics`); `mean`, the mean over the references; and `lead`, what a
          document's first sentences reach against the best reference, as many as
          references have on average. Each has `precision`, `recall` and `f1`, the
          `intervals` of each, and `lead` a `difference`: what F1 the predictions have
          more, `value` and `interval`.
        - `lead_sentences`: int.
        - `texts`: dict of `predictions`, `references`, `lead` and `documents`, what
          they are like on average, see `kzoo.metrics.profile.Profile.means`; of
          documents `words` and `sentences` only.
        - `empty_rows`: int, predictions that are empty.
        - `scoring`: dict of the `package` and its `version`, `tokenizer`, `stemmer`
          (`None` if off), `sentences`, the rule that splits them, and `references`.
        - `worst`, `best`: list of rows by ROUGE-L, of equals by ROUGE-1, then the
          first in the file; see `scored_row`. No row is in both, so of few rows the
          better half cannot be among the worst.
        - `every_row`: list of all rows in their order, if it was asked for.
        - `notes`: list of str, what a reader should know of these figures.

    Raises:
        KzooError: if a reference is empty; it names its row.
        ValueError: if there are not as many predictions as rows.
    """
    words = Words(tokenizer, stemmer)
    references, documents = rows.references, rows.documents
    counts = count_summaries(references, predictions, words, documents, rows.where)
    many = max(1, round(float(np.mean(counts.gold.sentences))))
    leads = ["\n".join(sentences(document)[:many]) for document in documents]
    best, mean = counts.rouge.best(), counts.rouge.mean()
    lead = score(references, leads, words).best()
    figures, scores = counts.figures(truncated), shares(best=best, mean=mean, lead=lead)
    drawn, said = (None, None), notes(references, predictions, counts.empty, words)
    if resamples and len(predictions) < FEWEST:
        resamples = 0
        said.append(
            f"too few rows for an interval: {len(predictions)}, and at least {FEWEST} "
            "are needed"
        )
    if resamples:
        drawn = ratios_resampled([figures, scores], resamples, seed)

    def listed(order):
        return [scored_row(rows, row, predictions, best, truncated) for row in order]

    def ordered(sign):
        keys = (sign * best[:, at, F1] for at in (0, TYPES.index(SORTED_BY)))
        return np.lexsort(tuple(keys))

    least = ordered(1)[: min(worst, (len(predictions) + 1) // 2)]
    others = ordered(-1)
    most = others[~np.isin(others, least)][:worst]

    return {
        **figures.figures(),
        "rows": len(predictions),
        "references": {
            "total": len(counts.rouge.pairs),
            "rows_with_several": sum(len(own) > 1 for own in references),
        },
        "intervals": {name: interval(v) for name, v in (drawn[0] or {}).items()},
        "bootstrap": described(resamples, seed),
        "rouge": _by_type(scores.figures(), drawn[1]),
        "lead_sentences": many,
        "texts": {
            "predictions": counts.said.means(),
            "references": counts.gold.means(),
            "lead": profile(leads, words, documents).means(),
            "documents": _lengths(documents, words),
        },
        "empty_rows": int(counts.empty.sum()),
        "scoring": scoring(words),
        "worst": listed(least),
        "best": listed(most),
        **({"every_row": listed(range(len(predictions)))} if every_row else {}),
        "notes": said,
    }


def scoring(words):
    """How ROUGE was computed, for whoever wants the same figures."""
    return {
        "package": "rouge-score",
        "version": importlib.metadata.version("rouge-score"),
        "tokenizer": words.tokenizer,
        "stemmer": words.stemmer,
        "sentences": SPLITTER,
        "references": "of several the one with the highest F1, for each type by itself",
    }


def scored_row(rows, row, predictions, scores, truncated=None):
    """One row: `row`, `line`, `text` (the document), `file`, and what was said of it.

    Args:
        rows: `PairedRows`.
        row: int.
        predictions: list of str.
        scores: float64 `(rows, 4, 3)`.
        truncated: list of bool, or `None`.

    Returns:
        dict, with `references`, `prediction`, F1 by type, and `truncated` if known.
    """
    said = {
        **located(rows, row),
        "references": list(rows.references[row]),
        "prediction": predictions[row],
        **{name: float(scores[row, at, F1]) for at, name in enumerate(TYPES)},
    }
    return said if truncated is None else said | {"truncated": bool(truncated[row])}


def _lengths(texts, words):
    """How long texts are on average."""
    return {
        "words": float(np.mean([len(words.split(text)) for text in texts])),
        "sentences": float(np.mean([len(sentences(text)) for text in texts])),
    }


def _by_type(values, drawn):
    """The table of ROUGE out of its flat names."""

    def shown(way, name):
        own = {share: values[f"{way} {name} {share}"] for share in SHARES}
        if drawn:
            own["intervals"] = {
                share: interval(drawn[f"{way} {name} {share}"]) for share in SHARES
            }
        return own

    found = {}
    for name in TYPES:
        found[name] = {way: shown(way, name) for way in ("best", "mean", "lead")}
        key = f"{name} f1"
        more = {"value": values[f"best {key}"] - values[f"lead {key}"]}
        if drawn:
            more["interval"] = interval(drawn[f"best {key}"] - drawn[f"lead {key}"])
        found[name]["lead"]["difference"] = more
    return found
