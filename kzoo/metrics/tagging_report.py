"""All that is said about one tagger on one set of rows, in plain numbers."""

import numpy as np

from kzoo.metrics.entities import type_of
from kzoo.metrics.report import WORST, called, described, listed, their
from kzoo.metrics.resampling import RESAMPLES, interval
from kzoo.metrics.span_figures import averages, per_type
from kzoo.metrics.span_matches import span_matches
from kzoo.metrics.span_pairs import confusion, kinds_of_errors, pair_up
from kzoo.metrics.tagging_counts import PLAIN, count_tags, read_both_ways
from kzoo.metrics.tagging_errors import (
    Sentences,
    common_errors,
    worst_sentences,
    wrong_words,
)
from kzoo.metrics.tagging_resampling import tagging_resampled


def tagging_report(
    rows,
    gold,
    predicted,
    scores,
    scheme,
    labels,
    resamples=RESAMPLES,
    seed=0,
    worst=WORST,
):
    """Metrics with intervals, confusions, the commonest errors and the worst sentences.

    Args:
        rows: `kzoo.data.tagged.TaggedRows`, for words, texts and lines.
        gold: list of lists of str, tags in `scheme`.
        predicted: list of lists of str, tags in `scheme`.
        scores: list of lists of float, the probability of each predicted tag.
        scheme: str, see `kzoo.metrics.tagging_metrics`.
        labels: list of str, the tags that the tagger knows.
        resamples: int. Draws of the bootstrap; 0 leaves the intervals out.
        seed: int. Of these draws.
        worst: int. How many errors and how many sentences to list.

    Returns:
        dict that JSON can hold: what `tagging_metrics` gives, where `per_class` has the
        types that do not occur, too, and each an `interval` of its F1; and

        - `scheme`: str; `rows`, `words`: int; `labels`: list of str, the types, or
          plain tags.
        - `intervals`: dict from metric to `[low, high]`; `bootstrap`: how they were
          made.
        - `averages`: `lenient` and `strict`, each of `micro`, `macro` and `weighted`,
          each of `precision`, `recall` and `f1`; `strict_per_class`: as `per_class`,
          by the scheme. Not of plain tags.
        - `matches`: see `span_matches`. Not of plain tags.
        - `confusion`: list of lists, a row per gold type, a column per predicted one;
          of entities with a last row for spurious and a last column for missed ones,
          see `kzoo.metrics.span_pairs`.
        - `kinds`: how many errors there are of each kind. Not of plain tags.
        - `errors`: int, entities or plain tags; `common`: list, see `common_errors`;
          `wrong_rows`: int; `worst`: list, see `worst_sentences`.
        - `unknown`: dict from types that the tagger does not know to their gold count.
        - `notes`: list of str, what a reader should know of these figures.
    """
    plain = scheme == PLAIN
    known = sorted({label if plain else type_of(label) for label in labels} - {None})
    read = read_both_ways(gold, predicted, scheme)
    counts = count_tags(gold, predicted, scheme, known, read)
    whole = counts.sum()
    figures = {name: float(value) for name, value in whole.figures().items()}
    classes = per_type(counts.names, whole.own)
    sentences = Sentences(rows, scores)
    if plain:
        found = _plain(gold, predicted, counts.names)
    else:
        found = _spans(*read, counts.names)
    wrong = found.pop("wrong")
    sides = found.pop("sides")
    unknown = {
        name: one["support"]
        for name, one in classes.items()
        if name not in known and one["support"]
    }
    intervals = {}
    if resamples:
        [drawn] = tagging_resampled([counts], resamples, seed)
        intervals = {name: interval(v) for name, v in drawn.figures().items()}
        for name, values in drawn.f1_by_name().items():
            classes[name]["interval"] = interval(values)
    return {
        **figures,
        "per_class": classes,
        "scheme": scheme,
        "rows": len(gold),
        "words": int(whole.words[1]),
        "labels": counts.names,
        "intervals": intervals,
        "bootstrap": described(resamples, seed),
        **found,
        "errors": sum(map(len, wrong)),
        "common": common_errors(sentences, wrong, worst),
        "wrong_rows": sum(map(bool, wrong)),
        "worst": worst_sentences(sentences, *sides, wrong, worst),
        "unknown": unknown,
        "notes": notes(classes, unknown, plain),
    }


def _spans(lenient, strict, names):
    """What is said of entities only; and the wrong pairs and entities of each row."""
    both = zip(lenient.gold, lenient.predicted, strict=True)
    pairs = [pair_up(*row) for row in both]
    flat = [pair for row in pairs for pair in row]
    ways = {"lenient": lenient, "strict": strict}
    sums = {way: one.counts(names).sum(axis=1) for way, one in ways.items()}
    return {
        "averages": {way: _numbers(averages(*one)) for way, one in sums.items()},
        "strict_per_class": per_type(names, sums["strict"]),
        "matches": span_matches(lenient),
        "confusion": confusion(flat, names),
        "kinds": kinds_of_errors(flat),
        "wrong": [[pair for pair in row if pair.kind] for row in pairs],
        "sides": (lenient.gold, lenient.predicted),
    }


def _plain(gold, predicted, names):
    """The same of plain tags, of which only the wrong ones are listed."""
    place = {name: at for at, name in enumerate(names)}
    counts = np.zeros((len(names), len(names)), "int64")
    for row in zip(gold, predicted, strict=True):
        for one, other in zip(*row, strict=True):
            counts[place[one], place[other]] += 1
    wrong = [wrong_words(*row) for row in zip(gold, predicted, strict=True)]
    return {
        "confusion": counts.tolist(),
        "wrong": wrong,
        "sides": (
            [[pair.gold for pair in row] for row in wrong],
            [[pair.predicted for pair in row] for row in wrong],
        ),
    }


def _numbers(figures):
    return {
        average: {name: float(value) for name, value in own.items()}
        for average, own in figures.items()
    }


def notes(per_class, unknown, plain):
    """Which figures have no value here, and what stands in their place."""
    noun, words = ("tag", "words") if plain else ("type", "entities")
    gold = sum(one["support"] for one in per_class.values())
    given = sum(one["predicted"] for one in per_class.values())
    said = []
    if unknown:
        count = sum(unknown.values())
        said.append(
            f"the model does not know the {called(noun, list(unknown))}: all gold "
            f"{words} of {'it' if len(unknown) == 1 else 'them'}, {count:,}, count as "
            "wrong"
        )
    if not gold or not given:
        return [*said, _without(gold, given)]
    missing = [name for name, one in per_class.items() if not one["support"]]
    if missing:
        said.append(
            f"no row has the {called(noun, missing)}: {their(missing)} recall counts "
            "as 0"
        )
    silent = [
        name
        for name, one in per_class.items()
        if one["support"] and not one["f1"] and name not in unknown
    ]
    if silent:
        said.append(
            f"none was rightly predicted as {listed(silent)}: {their(silent)} F1 is 0"
        )
    return said


def _without(gold, given):
    if gold:
        return "no entity is predicted: precision has no value, and counts as 0 like F1"
    if given:
        return "no entity is gold: recall has no value, and counts as 0 like F1"
    return "no entity is gold and none is predicted: F1 has no value and counts as 0"
