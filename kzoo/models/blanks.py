"""Blanks in texts, and the spans that a model writes into them.

The functions that take a model first are methods of `Seq2Seq`.
"""

import re

import numpy as np
from kzoo_recipes import KzooError

from kzoo.models.generation import fitting, written
from kzoo.models.inputs import check_batch_size, only_str

BLANK = r"\[MASK\]|<extra_id_\d+>"  # what stands for a span in a text


def fill(model, texts, batch_size=16, **told):
    """Write what is missing in texts.

    Args:
        texts: list of str, or one str. Where any number of words is missing stands
            `[MASK]`, or `<extra_id_0>`, `<extra_id_1>` and so on, as in T5; their
            order in the text is all that counts.
        batch_size: int. How many texts at once.
        **told: fields of `kzoo.generation.Generation`, as `beams=4` or `nbest=3`.

    Returns:
        list with one list per text, in order, of `nbest` dicts, best first: "text",
        str, the text with all blanks filled; "spans", list of str, what stands in each
        blank, `None` where it was not read; "score", float, see `Hypothesis`. None for
        a text without a blank. For one str, that list alone.

    Raises:
        KzooError: if the model has no tokenizer or that has no sentinels, a text has
            more blanks than it has sentinels, or the model's scores are not numbers.
        TypeError: if a text is not a str, or `batch_size` not an int.
        ValueError: if `batch_size` is below 1, or settings do not fit.
    """
    if isinstance(texts, str):
        return model.fill([texts], batch_size, **told)[0]
    found = model.fillings(texts, model.settings(**told), batch_size)
    return [answer["candidates"] for answer in found]


def fillings(model, texts, settings=None, batch_size=16, rows=None):
    """What `fill` writes, and how each text was read.

    Args:
        texts: list of str.
        settings: `Generation`. `None` means `model.settings()`.
        batch_size: int. How many texts at once.
        rows: ints, each text's own number, from which its samples follow; its place
            in the list where `None`.

    Returns:
        list of dict, in order: "blanks", int; "truncated", bool, whether a part of the
        text was not read; "candidates", as `fill` gives them.
    """
    model.require_text()
    check_batch_size(batch_size)
    settings = model.settings() if settings is None else fitting(model, settings)
    texts = only_str(texts, "texts", "str")
    rows = np.arange(len(texts)) if rows is None else np.asarray(rows)
    if not texts:
        return []
    sentinels = model.tokenizer.sentinels
    if not len(sentinels):
        raise KzooError(
            "The model's tokenizer has no sentinels <extra_id_0>, <extra_id_1> …, so "
            "it knows no blanks."
        )
    names = [model.tokenizer.id_to_token(one) for one in sentinels]
    places = [[match.span() for match in re.finditer(BLANK, text)] for text in texts]
    counts = np.array([len(of_text) for of_text in places])
    if counts.max() > len(names):
        raise KzooError(
            f"Text {rows[counts.argmax()]} has {counts.max():,} blanks, and there are "
            f"sentinels for {len(names):,}; ask for fewer at a time."
        )
    read = [_with_sentinels(text, names) for text in texts]
    encoded = model.tokenizer.encode(
        read, model.source_length, offsets=False, truncate=model.truncate
    )
    asked = np.flatnonzero(counts > 0)
    found = [[] for _ in texts]
    if len(asked):
        found = written(
            model, encoded.token_ids, asked, settings, batch_size, None, rows
        )
    answers = []
    for row, hypotheses in enumerate(found):
        unread = ~np.isin(sentinels[: counts[row]], encoded.token_ids[row])
        candidates = []
        for hypothesis in hypotheses:
            spans = spans_of(hypothesis.token_ids, model.tokenizer, counts[row])
            for blank in np.flatnonzero(unread):
                spans[blank] = None
            candidates.append(
                {
                    "text": filled(texts[row], places[row], spans),
                    "spans": spans,
                    "score": float(hypothesis.score),
                }
            )
        answers.append(
            {
                "blanks": int(counts[row]),
                "truncated": bool(encoded.truncated[row]),
                "candidates": candidates,
            }
        )
    return answers


def _with_sentinels(text, names):
    """A text as training had it: the first sentinel first, no space before any."""
    order = iter(names)
    return re.sub(rf"\s*(?:{BLANK})", lambda _: next(order), text)


def spans_of(token_ids, tokenizer, count):
    """The text of each of `count` spans in what a model wrote, a list of str.

    A span reaches from its sentinel to the next one, whichever that is; one that was
    not written is empty.
    """
    ids = np.asarray(token_ids, "int64")
    place_of = {int(one): place for place, one in enumerate(tokenizer.sentinels)}
    starts = np.flatnonzero(np.isin(ids, tokenizer.sentinels))
    spans = [""] * count
    ends = [*starts[1:], len(ids)][: len(starts)]  # None where no sentinel is.
    for start, end in zip(starts, ends, strict=True):
        place = place_of[int(ids[start])]
        if place < count and not spans[place]:
            spans[place] = tokenizer.decode(ids[start + 1 : end]).strip()
    return spans


def filled(text, places, spans):
    """A text with spans at its blanks; `None` leaves one as it is."""
    parts, last = [], 0
    for (start, end), span in zip(places, spans, strict=True):
        between = text[last:start]
        if span == "" and between[-1:].isspace():  # Nothing stands between two spaces.
            between = between[:-1]
        parts += [between, text[start:end] if span is None else span]
        last = end
    return "".join([*parts, text[last:]])
