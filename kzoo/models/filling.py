"""How masks in texts become tokens: windows in, the likeliest tokens out."""

import re
from typing import NamedTuple

import numpy as np

from kzoo.data.batches import inference_batches, length_buckets
from kzoo.text.alignment import GAPS, align
from kzoo.text.windows import cut

MASK = "[MASK]"  # understood whatever the tokenizer's own is


class Asked(NamedTuple):
    """A window in which there are masks.

    Attributes:
        text: int. Which text it is of.
        masks: list of int, which masks of the text these are.
        token_ids: int32 `(T,)`.
        places: int64, where they stand in the window.
    """

    text: int
    masks: list
    token_ids: np.ndarray
    places: np.ndarray


def answers(model, texts, top_k, batch_size):
    """What `MaskedLM.answers` returns."""
    tokenizer = model.tokenizer
    pattern = _pattern(tokenizer)
    read = [with_own_masks(text, tokenizer) for text in texts]
    aligned = align(tokenizer, read)
    said = [{"masks": [], "windows": 0} for _ in texts]
    asked = []
    for number, document in enumerate(aligned):
        windows = cut(document, tokenizer, model.sequence_length)
        said[number]["windows"] = len(windows)
        asked += _with_masks(number, document, windows, tokenizer.mask_id)
    written = Written(tokenizer)
    spans = [[match.span() for match in pattern.finditer(text)] for text in texts]
    for row, logits in _scores(model, asked, batch_size):
        of_text = asked[row].text
        for number, scores in zip(asked[row].masks, logits, strict=True):
            start, end = spans[of_text][number]
            found = {
                "start": start,
                "end": end,
                "candidates": [
                    {
                        "token": written.token(token_id),
                        "id": token_id,
                        "probability": probability,
                        "text": written.filled(texts[of_text], start, end, token_id),
                    }
                    for token_id, probability in likeliest(scores, top_k)
                ],
            }
            said[of_text]["masks"].append((number, found))
    for answer in said:
        answer["masks"] = [found for _, found in sorted(answer["masks"], key=_first)]
    return said


def _first(pair):
    return pair[0]


def likeliest(logits, top_k):
    """The ids of the highest logits `(V,)` and their probabilities, best first."""
    logits = np.asarray(logits, "float64")
    shares = np.exp(logits - logits.max())
    shares /= shares.sum()
    best = np.argsort(-logits, kind="stable")[:top_k]
    return [(int(token_id), float(shares[token_id])) for token_id in best]


def with_own_masks(text, tokenizer):
    """A text with the tokenizer's own mask, as training had it: no space before."""
    own = tokenizer.id_to_token(tokenizer.mask_id)
    return re.sub(rf"\s*(?:{_pattern(tokenizer).pattern})", lambda _: own, text)


def _pattern(tokenizer):
    """What finds the masks of a text, `[MASK]` and the tokenizer's own."""
    own = tokenizer.id_to_token(tokenizer.mask_id)
    return re.compile("|".join(map(re.escape, dict.fromkeys((own, MASK)))))


def _with_masks(number, document, windows, mask_id):
    """The windows of a text that own a mask, as `Asked`."""
    masks = np.flatnonzero(document.token_ids == mask_id)
    for window in windows:
        inside = masks[(masks >= window.start) & (masks < window.end)]
        inside = inside[window.own[inside - window.start]]
        if len(inside):
            places = inside - window.start + window.before
            which = np.searchsorted(masks, inside).tolist()
            yield Asked(number, which, window.token_ids, places)


def _scores(model, asked, batch_size):
    """Yield the number of an `Asked` and the logits `(masks, V)` of its places."""
    if not asked:
        return
    rows_at_once = min(batch_size, 1 << (len(asked) - 1).bit_length())
    for rows, inputs in inference_batches(
        [window.token_ids for window in asked],
        rows_at_once,
        length_buckets(model.sequence_length),
        model.tokenizer.pad_id,
    ):
        most = max(len(asked[row].places) for row in rows)
        width = 1 << (most - 1).bit_length()  # few shapes
        places = np.zeros((rows_at_once, width), "int32")
        for line, row in enumerate(rows):
            places[line, : len(asked[row].places)] = asked[row].places
        logits = model.predict_on_batch({**inputs, "places": places})
        for line, row in enumerate(rows):
            yield row, logits[line, : len(asked[row].places)]


class Written:
    """Single tokens as text, and in a text.

    Args:
        tokenizer: `kzoo.text.Tokenizer`.
    """

    def __init__(self, tokenizer):
        self._tokenizer = tokenizer
        self._inner = tokenizer.inner_prefix
        # Whether a word says that a space stood before it: what does not, goes on.
        [ids] = tokenizer.encode(["a a"], offsets=False).token_ids
        pieces = [tokenizer.id_to_token(token_id) or "" for token_id in ids]
        self._gaps = any(piece.startswith(GAPS) for piece in pieces)

    def token(self, token_id):
        """A token as people write it; one inside a word as the vocabulary has it."""
        name = self._tokenizer.id_to_token(token_id) or ""
        if self._goes_on(name) and self._inner:
            return name
        return self._plain(name)

    def filled(self, text, start, end, token_id):
        """`text` with a token in place of what stands from `start` to `end`."""
        name = self._tokenizer.id_to_token(token_id) or ""
        before, after = text[:start], text[end:]
        if self._goes_on(name):
            return before.rstrip() + self._plain(name) + after
        return before + self._plain(name) + after

    def _goes_on(self, name):
        """Whether a token is a piece inside a word."""
        if self._inner and name.startswith(self._inner):
            return True
        return self._gaps and not name.startswith(GAPS)

    def _plain(self, name):
        if self._inner and name.startswith(self._inner):
            return name.removeprefix(self._inner)
        return self._tokenizer.join([name]).strip() or name
