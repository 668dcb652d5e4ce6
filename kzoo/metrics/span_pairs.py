"""Which predicted entity was meant for which gold one, and what is wrong with it."""

from collections import Counter
from dataclasses import dataclass

from kzoo.metrics.entities import overlaps

MISSED, SPURIOUS = "missed", "spurious"
# What can be wrong with an entity, as a person would say it.
KINDS = (
    "wrong type",
    "wrong borders",
    "wrong type and borders",
    MISSED,
    SPURIOUS,
)


@dataclass(frozen=True)
class Pair:
    """A gold entity and the predicted one that answers it; one of them may be `None`.

    Attributes:
        gold: `(type, start, end)` or `None`.
        predicted: `(type, start, end)` or `None`.
    """

    gold: tuple | None
    predicted: tuple | None

    @property
    def start(self):
        """The first word of the pair."""
        return min(one[1] for one in (self.gold, self.predicted) if one)

    @property
    def kind(self):
        """One of `KINDS`; `None` if nothing is wrong."""
        if self.gold is None:
            return SPURIOUS
        if self.predicted is None:
            return MISSED
        types = self.gold[0] == self.predicted[0]
        borders = self.gold[1:] == self.predicted[1:]
        if types and borders:
            return None
        if borders:
            return "wrong type"
        return "wrong borders" if types else "wrong type and borders"


def pair_up(gold, predicted):
    """The pairs of one sentence, in order.

    Two entities that share a word can be a pair, and no entity is in two. Pairs of the
    same words come first, then those of the same type, then those that share most
    words, then the earlier.

    Args:
        gold: list of `(type, start, end)` in order, none of which overlap.
        predicted: list of the same form.

    Returns:
        List of `Pair`.
    """
    close = sorted(
        (
            gold[at][1:] != predicted[place][1:],
            gold[at][0] != predicted[place][0],
            -shared,
            at,
            place,
        )
        for place, near in enumerate(overlaps(gold, predicted))
        for at, shared in near
    )
    answer, taken = {}, set()
    for *_, at, place in close:
        if at not in answer and place not in taken:
            answer[at] = place
            taken.add(place)
    pairs = [
        Pair(one, predicted[answer[at]] if at in answer else None)
        for at, one in enumerate(gold)
    ]
    pairs += [
        Pair(None, one) for place, one in enumerate(predicted) if place not in taken
    ]
    return sorted(pairs, key=lambda pair: pair.start)


def confusion(pairs, types):
    """How often gold entities of one type were answered by predicted ones of another.

    Args:
        pairs: iterable of `Pair`, of all sentences.
        types: list of str.

    Returns:
        list of lists of int, `(types + 1, types + 1)`: a row per gold type and a last
        one for spurious entities; a column per predicted type and a last one for missed
        ones. The diagonal holds pairs of the same type, whatever their borders. Where
        the last row and column meet is always 0.
    """
    place = {name: at for at, name in enumerate(types)}
    last = len(types)
    counts = [[0] * (last + 1) for _ in range(last + 1)]
    for pair in pairs:
        row = last if pair.gold is None else place[pair.gold[0]]
        column = last if pair.predicted is None else place[pair.predicted[0]]
        counts[row][column] += 1
    return counts


def kinds_of_errors(pairs):
    """How many pairs are wrong in which way: dict of int by each of `KINDS`."""
    counted = Counter(pair.kind for pair in pairs)
    return {kind: counted[kind] for kind in KINDS}
