"""Where a tagger errs: its commonest errors, and the sentences with most of them."""

from dataclasses import dataclass

import numpy as np

from kzoo.metrics.span_pairs import Pair


@dataclass(frozen=True)
class Sentences:
    """Rows with a tagger's answers: what they look like in a report.

    Args:
        rows: `kzoo.data.tagged.TaggedRows`.
        scores: list of lists of float, the probability of each word's predicted tag.
    """

    rows: object
    scores: list

    def located(self, row, word=0):
        """Where a word stands, from 1, and its sentence; of several files, which."""
        rows = self.rows
        place = {
            "row": int(row) + 1,
            "line": rows.lines[row][word],
            "text": rows.texts[row],
        }
        if rows.origins is not None:
            place["file"] = rows.origins[row].path
        return place

    def entity(self, row, entity):
        """An entity as it stands in the sentence; `None` for none.

        Returns:
            dict of `type`, `entity` (what is written there), and `start` and `end`,
            characters of the sentence from the first up to the end.
        """
        if entity is None:
            return None
        name, first, end = entity
        spans = self.rows.spans[row]
        start, stop = spans[first][0], spans[end - 1][1]
        return {
            "type": name,
            "entity": self.rows.texts[row][start:stop],
            "start": int(start),
            "end": int(stop),
        }

    def answer(self, row, entity):
        """A predicted entity, with `score`, the mean probability of its words' tags."""
        said = self.entity(row, entity)
        if said is not None:
            said["score"] = self.score(row, entity)
        return said

    def pair(self, row, pair):
        """The two sides of a `Pair`: dict of `gold` and `predicted`."""
        return {
            "gold": self.entity(row, pair.gold),
            "predicted": self.answer(row, pair.predicted),
        }

    def score(self, row, entity):
        return float(np.mean(self.scores[row][entity[1] : entity[2]]))


def wrong_words(gold, predicted):
    """The wrongly tagged words of a sentence of plain tags, as pairs of their own."""
    both = enumerate(zip(gold, predicted, strict=True))
    return [
        Pair((one, at, at + 1), (other, at, at + 1))
        for at, (one, other) in both
        if one != other
    ]


def common_errors(sentences, wrong, most):
    """The errors that happen most often, each with its first example.

    Errors are the same if what is written, its gold type and what was predicted for it
    are the same.

    Args:
        sentences: `Sentences`.
        wrong: list by row of lists of `Pair`, none of them right.
        most: int. How many to list.

    Returns:
        List of dicts, the most frequent first, the earlier of equals: `kind`, `count`,
        `gold` and `predicted` (see `Sentences`; `None` where there is none), and `row`,
        `line`, `text` and `file` of the first example.
    """
    groups = {}
    for row, pairs in enumerate(wrong):
        for pair in pairs:
            both = sentences.pair(row, pair)
            key = tuple(one and (one["type"], one["entity"]) for one in both.values())
            if key in groups:
                groups[key]["count"] += 1
                continue
            groups[key] = {
                "kind": pair.kind,
                "count": 1,
                **both,
                **sentences.located(row, pair.start),
            }
    return sorted(groups.values(), key=lambda one: -one["count"])[:most]


def worst_sentences(sentences, gold, predicted, wrong, most):
    """The sentences with most errors; of equals, where the tagger was surer.

    Args:
        sentences: `Sentences`.
        gold: list by row of lists of `(type, start, end)`.
        predicted: the same.
        wrong: list by row of lists of `Pair`, none of them right.
        most: int. How many to list.

    Returns:
        List of dicts: `row`, `line`, `text`, `file`; `errors`, how many; `gold` and
        `predicted`, lists of entities (see `Sentences`) with `right`; and `wrong`, list
        of dicts of `kind`, `gold` and `predicted`, which may be `None`.
    """

    def surety(row):
        """The mean score of what was wrongly predicted; least where nothing was."""
        scores = [
            sentences.score(row, pair.predicted)
            for pair in wrong[row]
            if pair.predicted
        ]
        return float(np.mean(scores)) if scores else 0.0

    rows = [row for row, pairs in enumerate(wrong) if pairs]
    rows.sort(key=lambda row: (-len(wrong[row]), -surety(row)))
    return [
        {
            **sentences.located(row),
            "errors": len(wrong[row]),
            "gold": [
                {**sentences.entity(row, one), "right": one in predicted[row]}
                for one in gold[row]
            ],
            "predicted": [
                {**sentences.answer(row, one), "right": one in gold[row]}
                for one in predicted[row]
            ],
            "wrong": [
                {"kind": pair.kind, **sentences.pair(row, pair)} for pair in wrong[row]
            ],
        }
        for row in rows[:most]
    ]
