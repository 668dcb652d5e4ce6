"""A model as generation sees it: sources in, scores of what may follow out."""

import copy
from typing import NamedTuple

import numpy as np

from kzoo.generation.programs import make_programs


class Scores(NamedTuple):
    """What may follow each beam.

    Attributes:
        ids: int32 `(B, K, c)`, or `None`.
        values: float32 `(B, K, c)`, best first, of equal ones the lower id first; or
            `None`.
        all: float32 `(B, K, V)` where no number of candidates was given, or `None`.
    """

    ids: np.ndarray | None
    values: np.ndarray | None
    all: np.ndarray | None


class Decoder:
    """Reads sources and scores texts token by token, by programs compiled once.

    Where programs are compiled, shapes are rounded up to few: whatever is asked, there
    are one program that reads and one that takes a step for each (batch, source
    length, beams, length) and number of candidates. What fills up changes no result.

    Args:
        model: as `kzoo.generation.programs.make_programs` takes it.
    """

    rows = 1

    def __init__(self, model):
        self.model = model
        self.programs = make_programs(model)

    def filling(self, rows):
        """The same decoder and programs, for many batches of so many rows.

        Where programs are compiled, smaller batches among them are filled up to `rows`
        sources rather than have programs of their own.
        """
        other = copy.copy(self)
        other.rows = rows
        return other

    @property
    def vocabulary_size(self):
        """V, how many tokens the model scores."""
        return self.model.decoder.vocabulary_size

    @property
    def compilations(self):
        """How many programs were built so far."""
        return self.programs.compilations

    def begin(
        self,
        token_ids,
        padding_mask,
        beams=1,
        length=64,
        candidates=None,
        kind="logits",
    ):
        """Read sources.

        Args:
            token_ids: int32 `(B, S)`.
            padding_mask: bool `(B, S)`. `True` marks a token.
            beams: int. K, texts that are written at once for each source.
            length: int. The most steps that will be taken.
            candidates: int, c, how many of the best tokens each step tells; `None`
                for the scores of all.
            kind: "logits" or "log_probabilities", what scores are.

        Returns:
            `Run`.

        Raises:
            ValueError: if a stack of the model has positions for fewer tokens.
        """
        count, size = token_ids.shape
        encoder, decoder = self.model.encoder, self.model.decoder
        encoder.check_room(size, "source tokens", called="encoder")
        decoder.check_room(length, "length", called="decoder")
        steps = length
        if self.programs.compiled:
            count = rung(max(count, self.rows))
            size = capped(source_bucket(size), encoder)
            steps = capped(rung(length, 8), decoder)
            if candidates is not None and candidates > 1:
                candidates = rung(candidates, 8, halves=False)
        if candidates is not None:
            candidates = min(candidates, self.vocabulary_size)
        token_ids = filled(token_ids, (count, size), "int32")
        padding_mask = filled(padding_mask, (count, size), "bool")
        return Run(
            self.programs, token_ids, padding_mask, beams, steps, candidates, kind
        )


class Run:
    """Texts on their way, `beams` of each source.

    No tensor is moved when beams change places: a table of who descends from whom, on
    the host, tells each beam which entries of the cache are its own past.
    """

    def __init__(
        self, programs, token_ids, padding_mask, beams, length, candidates, kind
    ):
        self.programs = programs
        self.shape = len(token_ids), beams
        self.candidates, self.kind = candidates, kind
        self.time = 0
        self.ancestry = np.full((*self.shape, length), -1, "int32")
        self.memory, self.cache = programs.read(token_ids, padding_mask, beams, length)

    def step(self, tokens, parents):
        """Let every beam write a token, and score what may follow.

        Args:
            tokens: int `(B, K)`. At the first call the tokens that texts begin with.
            parents: int `(B, K)`. Which beam of the step before each beam goes on with;
                of no account at the first call.

        Returns:
            `Scores`.
        """
        given, time = len(tokens), self.time
        tokens = filled(tokens, self.shape, "int32")
        parents = filled(parents, self.shape, "int64")
        past = self.ancestry[:, :, :time]
        past[:] = np.take_along_axis(past, parents[:, :, None], axis=1)
        self.ancestry[:, :, time] = np.arange(self.shape[1])
        (ids, values), self.cache = self.programs.step(
            tokens,
            time,
            self.cache,
            self.memory,
            self.ancestry,
            self.candidates,
            self.kind,
        )
        self.time += 1
        if ids is None:
            return Scores(None, None, values[:given])
        return Scores(ids[:given], values[:given], None)


def source_bucket(size):
    """The length that compiled programs pad sources of `size` tokens to."""
    return rung(size, 32, halves=False)


def capped(size, stack):
    """A size rounded up, but not beyond the positions that a stack has."""
    longest = stack.max_sequence_length
    return size if longest is None else min(size, longest)


def rung(number, least=1, halves=True):
    """The next power of two from `least` on; with `halves`, or one and a half of it."""
    power = 1 << max(number - 1, 0).bit_length()
    if halves and number <= power * 3 // 4 and power >= 4:
        power = power * 3 // 4
    return max(power, least)


def filled(array, shape, dtype):
    """`array` in the first places of zeros of `shape`; where it fits, itself."""
    array = np.ascontiguousarray(array, dtype)
    if array.shape == shape:
        return array
    whole = np.zeros(shape, dtype)
    whole[: array.shape[0], : array.shape[1]] = array
    return whole
