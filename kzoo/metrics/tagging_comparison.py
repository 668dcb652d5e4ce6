"""Two taggers on the same rows: entities, words and sentences."""

import numpy as np

from kzoo.metrics.comparison import CHANGED, differences, mcnemar
from kzoo.metrics.entities import type_of
from kzoo.metrics.report import described
from kzoo.metrics.resampling import RESAMPLES
from kzoo.metrics.span_pairs import pair_up
from kzoo.metrics.tagging_counts import PLAIN, count_tags, read_both_ways
from kzoo.metrics.tagging_errors import Sentences
from kzoo.metrics.tagging_resampling import tagging_resampled


def tagging_comparison(
    rows,
    gold,
    predicted,
    scores,
    scheme,
    resamples=RESAMPLES,
    seed=0,
    changed=CHANGED,
):
    """Two taggers on the same rows.

    Args:
        rows: `kzoo.data.tagged.TaggedRows`, for words, texts and lines.
        gold: list of lists of str, tags in `scheme`.
        predicted: pair of such, of the first and the second tagger.
        scores: pair of lists of lists of float, the probability of each predicted tag.
        scheme: str, see `kzoo.metrics.tagging_metrics`.
        resamples: int. Draws of the paired bootstrap, over sentences; 0 leaves
            intervals out.
        seed: int. Of these draws.
        changed: int. How many entities, or plain tags, to list of those that only one
            tagger finds, each way.

    Returns:
        dict that JSON can hold:

        - `scheme`: str; `rows`, `words`: int; `labels`: list of str, types or plain
          tags that occur.
        - `metrics`: by name a dict of `first`, `second`, `difference` (second less
          first) and, from the same draws for both, `interval`; `per_class`: the same
          of each type's F1.
        - `bootstrap`: how the intervals were made.
        - `mcnemar`: see `kzoo.metrics.comparison.mcnemar`, over words.
        - `found`: dict of `only_first` and `only_second`, how many gold entities only
          this tagger finds.
        - `only_first`, `only_second`: list of these, those first of which their finder
          was surest: `gold`, `first` and `second` (see `Sentences`; `None` where
          nothing was predicted), and `row`, `line`, `text` and `file`.
        - `spurious`: dict of `only_first` and `only_second`, how many wrong entities
          only this tagger predicts. Not of plain tags.
    """
    read = [read_both_ways(gold, said, scheme) for said in predicted]
    tags = {tag for side in (gold, *predicted) for row in side for tag in row}
    names = sorted(tags if scheme == PLAIN else {type_of(tag) for tag in tags} - {None})
    counts = [
        count_tags(gold, said, scheme, names, both)
        for said, both in zip(predicted, read, strict=True)
    ]
    whole = [one.sum() for one in counts]
    drawn = tagging_resampled(counts, resamples, seed) if resamples else None
    sentences = [Sentences(rows, one) for one in scores]
    entities = [
        (both[0].gold, both[0].predicted) if both else (_words(gold), _words(said))
        for said, both in zip(predicted, read, strict=True)
    ]
    lists = _apart(sentences, *entities, changed)
    if scheme == PLAIN:
        del lists["spurious"]  # Each is the other side of a gold tag that was missed.
    right = [_right(gold, said) for said in predicted]
    return {
        "scheme": scheme,
        "rows": len(gold),
        "words": int(whole[0].words[1]),
        "labels": names,
        "metrics": _differences(whole, drawn, lambda one: one.figures()),
        "per_class": _differences(whole, drawn, lambda one: one.f1_by_name()),
        "bootstrap": described(resamples, seed),
        "mcnemar": mcnemar(*right),
        **lists,
    }


def _differences(whole, drawn, figures):
    numbers = [{k: float(v) for k, v in figures(one).items()} for one in whole]
    return differences(numbers, drawn and [figures(one) for one in drawn])


def _right(gold, predicted):
    both = zip(gold, predicted, strict=True)
    return np.array(
        [one == other for row in both for one, other in zip(*row, strict=True)], bool
    )


def _words(tags):
    """Plain tags as entities of one word each."""
    return [[(tag, at, at + 1) for at, tag in enumerate(row)] for row in tags]


def _apart(sentences, first, second, changed):
    """The gold entities that one tagger finds and the other does not."""
    found = ([], [])
    spurious = [0, 0]
    rows = zip(first[0], first[1], second[1], strict=True)
    for row, (gold, *said) in enumerate(rows):
        own = [set(one) for one in said]
        for side in (0, 1):
            spurious[side] += len(own[side] - own[1 - side] - set(gold))
        apart = {entity for entity in gold if (entity in own[0]) != (entity in own[1])}
        if not apart:
            continue
        answers = [
            {pair.gold: pair.predicted for pair in pair_up(gold, one)} for one in said
        ]
        for entity in gold:
            if entity in apart:
                side = int(entity in own[1])
                score = sentences[side].score(row, entity)
                found[side].append((score, row, entity, [a[entity] for a in answers]))
    return {
        "found": _both(map(len, found)),
        **_both(_listed(sentences, own, changed) for own in found),
        "spurious": _both(spurious),
    }


def _both(pair):
    return dict(zip(("only_first", "only_second"), pair, strict=True))


def _listed(sentences, found, changed):
    found = sorted(found, key=lambda one: -one[0])[:changed]
    return [
        {
            **sentences[0].located(row, entity[1]),
            "gold": sentences[0].entity(row, entity),
            "first": sentences[0].answer(row, said[0]),
            "second": sentences[1].answer(row, said[1]),
        }
        for _, row, entity, said in found
    ]
