"""Beam search: the best texts of each source, followed side by side, in groups or one.

The semantics are those of transformers' `generate`. Of all beams and their candidates
the best `max(2, 1 + ends) * beams` are looked at. Those of them that rank among the
first `beams` and end become hypotheses; the best that do not end are the next beams. At
the last step all end. A group is a beam search of its own, in which tokens that the
groups before it have just chosen score lower (Vijayakumar et al., 2016).
"""

import numpy as np

from kzoo.generation.hypotheses import hypothesis
from kzoo.generation.pool import Pool
from kzoo.generation.rules import NONE

NOBODY = -1e9  # Score of a beam that is not there.
DEAD = NOBODY / 2  # Below it scores are of nobody, or of banned tokens.


def beam_search(run, settings, rules, special):
    """Follow `settings.beams` texts for each source at once.

    Args:
        run: `kzoo.generation.search.Run`.
        settings: `Generation`.
        rules: `Rules`.
        special: `Special`. The ids of start, ends and padding.

    Returns:
        list for each source of its `Hypothesis`es, best first.
    """
    width = settings.beams // settings.beam_groups
    groups = [
        Group(run.sources, width, settings, special)
        for _ in range(settings.beam_groups)
    ]
    tokens = np.full((run.sources, settings.beams), special.start, "int32")
    parents = np.zeros_like(tokens)
    for step in range(settings.max_new_tokens):
        ids, scores, _ = run.step(tokens, parents)
        forced = rules.forced(step)
        if forced is not None:
            ids = np.full((*tokens.shape, 1), forced, "int32")
            scores = np.zeros(ids.shape, "float32")
        elif not rules.idle:
            history = np.concatenate([group.texts for group in groups], axis=1)
            scores = rules.apply(ids, scores, history[:, :, : step + 1])
        chosen = np.full_like(tokens, NONE)  # By groups that are at work.
        for place, group in enumerate(groups):
            own = slice(place * width, (place + 1) * width)
            some, mine = None if ids is None else ids[:, own], scores[:, own]
            if place and forced is None:
                cost = settings.diversity_penalty
                mine = mine - np.float32(cost) * _times(some, chosen, mine)
            at_work = group.open[:, None].copy()  # Before this step closes any.
            tokens[:, own], parents[:, own] = group.advance(some, mine, step)
            parents[:, own] += own.start
            chosen[:, own] = np.where(at_work & group.alive, tokens[:, own], NONE)
        if not any(group.open.any() for group in groups):
            break
    return _best(groups, settings.nbest, special.ends)


class Group:
    """Beams of every source that compete with each other.

    Args:
        sources: int, B.
        width: int, W. Beams for each source.
        settings: `Generation`.
        special: `Special`.
    """

    def __init__(self, sources, width, settings, special):
        self.width, self.ends = width, special.ends
        self.length = settings.max_new_tokens
        self.power = float(settings.length_penalty)
        self.stopping = settings.early_stopping
        self.count = max(2, 1 + len(special.ends)) * width
        self.rows = np.arange(sources)[:, None]
        shape = (sources, width, self.length + 1)
        self.texts = np.full(shape, special.pad, "int32")  # Start first.
        self.texts[:, :, 0] = special.start
        self.sums = np.full((sources, width), NOBODY, "float32")
        self.sums[:, 0] = 0  # All beams are one at first.
        self.pool = Pool(sources, width, self.length)
        self.open = np.ones(sources, bool)

    @property
    def alive(self):
        """Which beams are there: bool `(B, W)`."""
        return self.sums > DEAD

    def advance(self, ids, scores, step):
        """Take a step from the scores `(B, W, C)` of what may follow.

        Returns:
            tokens and parents, int `(B, W)`: what each of the next beams has just
            written, and which of these beams it goes on with.
        """
        size = scores.shape[-1]
        sums = (scores + self.sums[:, :, None]).reshape(len(scores), -1)  # (B, W * C)
        top = best(sums, min(self.count, sums.shape[1]))  # (B, count)
        sums = sums[self.rows, top]
        parents, places = np.divmod(top, size)
        tokens = places if ids is None else ids[self.rows, parents, places]
        ended = (tokens[:, :, None] == self.ends).any(axis=-1)
        last = step == self.length - 1
        self._keep_ended(parents, tokens, sums, ended | last, step)
        # In a stable order those that go on come first, the better before the worse.
        going = np.argsort(ended, axis=1, kind="stable")[:, : self.width]
        self.sums = sums[self.rows, going]
        self.sums = np.where(ended[self.rows, going], NOBODY, self.sums)
        parents, tokens = parents[self.rows, going], tokens[self.rows, going]
        self.texts = self.texts[self.rows, parents]
        self.texts[:, :, step + 1] = tokens
        self._close(step + 1)
        return tokens, parents

    def _keep_ended(self, parents, tokens, sums, ended, step):
        """Put the texts that ended among the first into the pool."""
        first = slice(0, self.width)
        real = sums[:, first] > DEAD
        new = ended[:, first] & real & self.open[:, None]
        if new.any():
            texts = self.texts[self.rows, parents[:, first]]
            texts[:, :, step + 1] = tokens[:, first]
            self.pool.add(
                texts, sums[:, first] / (step + 1) ** self.power, new, step + 1
            )
        stuck = self.open & ~real[:, 0]
        if stuck.any():  # The rules left nothing: what is written is the text.
            bare = stuck & ~self.pool.filled.any(axis=1)
            new = bare[:, None] & self.alive
            scores = self.sums / max(step, 1) ** self.power
            self.pool.add(self.texts, scores, new, step)
            self.open &= ~stuck

    def _close(self, written):
        """Close the sources that no beam of theirs can make better."""
        longest = self.stopping == "never" and self.power > 0
        length = self.length if longest else written
        hope = self.sums[:, 0] / length**self.power
        self.open &= hope > self.pool.worst
        if self.stopping is True:
            self.open &= ~self.pool.filled.all(axis=1)


def best(scores, count):
    """Places of the `count` best of each row, best first, of equal ones the first."""
    if scores.shape[1] > 8 * count and scores.shape[1] > 512:
        some = np.argpartition(-scores, count - 1, axis=1)[:, :count]
        some.sort(axis=1)
        order = np.argsort(-np.take_along_axis(scores, some, 1), axis=1, kind="stable")
        return np.take_along_axis(some, order, 1)
    return np.argsort(-scores, axis=1, kind="stable")[:, :count]


def _times(ids, tokens, scores):
    """How often each candidate is among `tokens` `(B, n)`: float32, as `scores`."""
    if ids is not None:
        same = ids[..., None] == tokens[:, None, None, :]  # (B, W, C, n)
        return same.sum(axis=-1, dtype="float32")
    counts = np.zeros((len(tokens), scores.shape[-1] + 1), "float32")  # Last: no token.
    np.add.at(counts, (np.arange(len(tokens))[:, None], tokens), 1)
    return counts[:, None, :-1]


def _best(groups, count, ends):
    """The `count` best hypotheses of each source among all groups."""
    answers = []
    for source in range(len(groups[0].open)):
        found = [one for group in groups for one in group.pool.of(source)]
        found.sort(key=lambda one: -one[1])
        answers.append([hypothesis(*one, ends) for one in found[:count]])
    return answers
