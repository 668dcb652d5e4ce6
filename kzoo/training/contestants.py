"""What two models of one task can be compared in: one explicit dict.

A contest is a small class without state:

    reason = contest.obstacle(runs, models)        # why they cannot be compared
    place = contest.reader(models)       # 0 or 1: as which one the rows are read
    reason = contest.difference(rows, others, row)    # what labels differ, of one row
    figures = contest.figures(models, found, (resamples, seed, changed), **scoring)
"""

from kzoo_recipes import recipe_beside

from kzoo.data.schemes import convert
from kzoo.metrics.comparison import comparison
from kzoo.metrics.entities import type_of
from kzoo.metrics.masked_comparison import masked_comparison
from kzoo.metrics.multi_label_comparison import multi_label_comparison
from kzoo.metrics.summary_comparison import summary_comparison
from kzoo.metrics.tagging_comparison import tagging_comparison
from kzoo.training.summaries import in_words

PLAIN = "plain"
SHARED = "iob2"  # what tags of two schemes of entities are read as
COARSEST = "io"


class Classifiers:
    """Models with a label, or any number, for a text."""

    def obstacle(self, runs, models):
        if models[0].multi_label != models[1].multi_label:
            several, one = runs if models[0].multi_label else reversed(runs)
            return f"{several} gives any number of labels to a row, {one} exactly one"
        own = [set(model.labels) for model in models]
        if own[0] != own[1]:
            apart = sorted(own[0] ^ own[1])
            holder = runs[0] if apart[0] in own[0] else runs[1]
            return f'their labels differ; only {holder} knows "{apart[0]}"'
        return None

    def reader(self, models):
        return 0

    def difference(self, rows, others, row):
        if rows.labels[row] == others.labels[row]:
            return None
        return (
            f"row {row + 1} is labelled {_shown(rows.labels[row])} in the first "
            f"and {_shown(others.labels[row])} in the second"
        )

    def figures(self, models, found, options):
        """What is compared of `Answered` to the same rows; a dict."""
        names = found[0].names
        order = [found[1].names.index(name) for name in names]
        logits = found[0].logits, found[1].logits[:, order]
        said = found[0].rows, found[0].labels, logits, names
        if not models[0].multi_label:
            return comparison(*said, *options)
        second = [models[1].thresholds[place] for place in order]
        thresholds = (models[0].thresholds, second)
        return multi_label_comparison(*said, thresholds, *options)


class Taggers:
    """Models with a tag for each word."""

    def obstacle(self, runs, models):
        plain = [model.scheme == PLAIN for model in models]
        if plain[0] == plain[1]:
            return None
        words, entities = runs if plain[0] else reversed(runs)
        return f"{entities} finds entities, {words} has a plain tag for each word"

    def reader(self, models):
        return _finer([model.scheme for model in models])

    def difference(self, rows, others, row):
        if rows.words[row] != others.words[row]:
            return f"row {row + 1} has other words in each ({rows.where(row)})"
        both = [
            list(one.tags[row])
            if rows.scheme == others.scheme
            else convert(one.tags[row], one.scheme, COARSEST)
            for one in (rows, others)
        ]
        for word, tags in enumerate(zip(*both, strict=True)):
            if tags[0] != tags[1]:
                return (
                    f"word {word + 1} of row {row + 1} is tagged {_shown(tags[0])} in "
                    f"the first and {_shown(tags[1])} in the second "
                    f"({rows.where(row, word)})"
                )
        return None

    def figures(self, models, found, options):
        """What is compared of `TaggedAnswers` to the same rows; a dict."""
        schemes = [one.scheme for one in found]
        predicted = [one.predicted for one in found]
        gold, scheme, notes = found[0].gold, schemes[0], _unknown(found)
        if schemes[0] != schemes[1]:
            finer = _finer(schemes)
            gold, scheme = _converted(found[finer].gold, schemes[finer]), SHARED
            predicted = [_converted(one.predicted, one.scheme) for one in found]
            notes.append(
                f"the tags are {schemes[0]} and {schemes[1]}, and are compared as "
                f"{SHARED}, repaired where they break a rule"
            )
        scores = [one.scores for one in found]
        said = found[0].rows, gold, predicted, scores, scheme
        return {**tagging_comparison(*said, *options), "notes": notes}


class Summarizers:
    """Models that write a summary of a text."""

    def obstacle(self, runs, models):
        return None

    def reader(self, models):
        return 0

    def difference(self, rows, others, row):
        own, other = rows.references[row], others.references[row]
        if own == other:
            return None
        return (
            f"row {row + 1} has other references in each ({rows.where(row)}, and "
            f"{others.where(row)})"
        )

    def figures(self, models, found, options, **scoring):
        """What is compared of `SummaryAnswers` to the same rows; a dict.

        Their losses are not: each is a mean over its own tokenizer's tokens.
        """
        predictions, truncated, settings = (
            tuple(getattr(one, name) for one in found)
            for name in ("predictions", "truncated", "settings")
        )
        names = ("resamples", "seed", "changed")
        options = dict(zip(names, options, strict=True))
        said = found[0].rows, predictions, truncated
        sides = zip(("first", "second"), map(in_words, settings), strict=True)
        figures = summary_comparison(*said, **options, **scoring)
        return {**figures, "generation": dict(sides)}


class MaskedModels:
    """Models that find hidden tokens."""

    hides = "masking"

    def obstacle(self, runs, models):
        tokenizers = [model.tokenizer.to_json() for model in models]
        if tokenizers[0] != tokenizers[1]:
            return "their tokenizers differ, so other tokens would be hidden"
        packs = [one is None or one.data.pack for one in map(recipe_beside, runs)]
        sides = zip(models, packs, strict=True)
        first, second = ((*self.hiding(model), pack) for model, pack in sides)
        if first != second:
            return (
                f"their windows or their {self.hides} differ, so other tokens are "
                "hidden"
            )
        return None

    def hiding(self, model):
        """The length of a model's windows, and how tokens of them are hidden."""
        return model.sequence_length, model.masking

    def reader(self, models):
        return 0

    def difference(self, rows, others, row):
        return None

    def figures(self, models, found, options):
        """What is compared of `MaskedAnswers` to the same rows; a dict."""
        resamples, seed, _ = options
        return masked_comparison(found, resamples, seed)


class SpanModels(MaskedModels):
    """Models that write missing spans."""

    hides = "corruption"

    def hiding(self, model):
        return model.source_length, model.corruption


def _unknown(found):
    """What only one of two taggers knows, in words."""
    types = [
        {name if one.scheme == PLAIN else type_of(name) for name in one.names} - {None}
        for one in found
    ]
    return [
        f"{found[at].run} does not know {_shown(sorted(types[1 - at] - types[at]))}"
        for at in (0, 1)
        if types[1 - at] - types[at]
    ]


def _finer(schemes):
    """The place of the first scheme that tells apart entities that touch."""
    return 1 if schemes[0] == COARSEST else 0


def _converted(tags, scheme):
    return [convert(row, scheme, SHARED) for row in tags]


def _shown(labels):
    """A label, or several, as a person would write them."""
    labels = [labels] if isinstance(labels, str) else labels
    return ", ".join(f'"{label}"' for label in labels) or "not at all"


CONTESTS = {
    "image_text_classifier": Classifiers(),
    "masked_lm": MaskedModels(),
    "span_corruption": SpanModels(),
    "summarizer": Summarizers(),
    "text_classifier": Classifiers(),
    "token_tagger": Taggers(),
}
