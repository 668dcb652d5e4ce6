"""From a model's scores to texts: which search, and what it asks the decoder for."""

from dataclasses import dataclass

import numpy as np

from kzoo.generation.beams import beam_search
from kzoo.generation.greedy import one_by_one
from kzoo.generation.rules import Rules
from kzoo.generation.sampling import uniforms


class NotNumbers(ValueError):
    """The model's scores for a source are not numbers.

    Args:
        row: int. The source's place in the batch.
    """

    def __init__(self, row):
        super().__init__(f"The model's scores are not numbers. Received: row={row}")
        self.row = row


def generate(
    decoder,
    token_ids,
    padding_mask,
    settings,
    start_id,
    end_ids,
    pad_id,
    on_token=None,
    rows=None,
):
    """Generate texts for sources. Each is what it would be if its source came alone.

    Args:
        decoder: the model's scores. `decoder.vocabulary_size` is V, and
            `decoder.begin(token_ids, padding_mask, beams=K, length=T, candidates=c,
            kind=...)` reads the sources and returns a run. `run.step(tokens, parents)`
            with int32 `(B, K)` lets beam k write `tokens[:, k]` after what beam
            `parents[:, k]` had written, at most T times, and returns the scores of what
            may follow: `ids`, `values` of the best c, `(B, K, c)` int32 and float32,
            best first, or, where `candidates` is `None`, `all`, float32 `(B, K, V)`.
            `kind` is "logits" or "log_probabilities".
        token_ids: int32 `(B, S)`, the sources.
        padding_mask: bool `(B, S)`, `True` at tokens.
        settings: `Generation`.
        start_id: int. Token that each text begins with.
        end_ids: int or ids. Tokens that end a text.
        pad_id: int. Token that texts which ended are fed with; never returned.
        on_token: called with `(row, token_id)` as tokens come, the end left out; for
            settings that stream.
        rows: ints `(B,)`. Each source's own number, by which its samples are drawn;
            its place in the batch where `None`.

    Returns:
        list for each source of `Hypothesis`es, best first, samples in the order of
        their draws: `settings.nbest`, or fewer where so few different texts exist.

    Raises:
        NotNumbers: if scores are not.
        ValueError: if tokens cannot be streamed.
    """
    if on_token is not None and not settings.streams:
        raise ValueError(
            "Tokens come one by one only without beams and for one text. "
            f"Received: beams={settings.beams}, nbest={settings.nbest}"
        )
    if len(token_ids) == 0:
        return []
    special = Special(int(start_id), np.atleast_1d(end_ids).astype("int32"), pad_id)
    rules = Rules(settings, special.ends)
    run = Run(decoder, token_ids, padding_mask, settings, rules)
    if settings.beams > 1:
        return beam_search(run, settings, rules, special)
    numbers = None
    if settings.sample:
        rows = range(len(token_ids)) if rows is None else rows
        numbers = uniforms(settings.seed, rows, settings.nbest, settings.max_new_tokens)
    return one_by_one(run, settings, rules, special, numbers, on_token)


@dataclass(frozen=True, eq=False)
class Special:
    """Ids of the tokens that begin a text, end it `(ends,)`, and fill up."""

    start: int
    ends: np.ndarray
    pad: int


class Run:
    """The decoder at work, asked for as few scores as the settings need.

    A rule that only lowers scores needs no more than the best, and as many beyond them
    as it lowers. Without beams a repetition penalty acts on logits, which say nothing
    of probabilities unless all are there.
    """

    def __init__(self, decoder, token_ids, padding_mask, settings, rules):
        self.sources = len(token_ids)
        beams = settings.beams if settings.beams > 1 else settings.nbest
        penalised = settings.beams == 1 and settings.repetition_penalty != 1
        self.kind = "logits" if penalised else "log_probabilities"
        wanted = candidates(settings, rules)
        if wanted is not None:
            wanted = min(wanted, decoder.vocabulary_size)
        self.steps = decoder.begin(
            token_ids,
            padding_mask,
            beams=beams,
            length=settings.max_new_tokens,
            candidates=wanted,
            kind=self.kind,
        )
        self.all = wanted is None

    def step(self, tokens, parents):
        """Write tokens and score what may follow.

        Returns:
            ids int `(B, K, C)`, or `None` where the candidates are all tokens; their
            scores, float32 `(B, K, C)`; what to subtract for log-probabilities,
            broadcastable to `(B, K, 1)`.
        """
        given = self.steps.step(tokens, parents)
        ids, scores = (None, given.all) if self.all else (given.ids, given.values)
        if np.isnan(scores).any():
            row = int(np.isnan(scores).any(axis=(1, 2)).argmax())
            raise NotNumbers(row)
        return ids, scores, _log_sum(scores) if self.kind == "logits" else 0.0


def candidates(settings, rules):
    """How many of a beam's best tokens a step needs, `None` for all."""
    if rules.raise_some or (settings.sample and not settings.top_k):
        return None
    if settings.beams == 1:
        if settings.repetition_penalty != 1:
            return None
        return (settings.top_k if settings.sample else 1) + rules.lower
    width = settings.beams // settings.beam_groups
    others = settings.beams - width  # Tokens that other groups make less likely.
    return max(2, 1 + len(rules.ends)) * width + others + rules.lower


def _log_sum(logits):
    top = logits.max(axis=-1, keepdims=True)
    return top + np.log(np.exp(logits - top).sum(axis=-1, keepdims=True, dtype=float))
