"""Tags read as entities, by seqeval: as conlleval reads them, or by the scheme."""

from dataclasses import dataclass

import numpy as np

from kzoo.data.schemes import PREFIXES, canonical, split

# The class of each scheme in seqeval. IO is IOB1 without B; seqeval reads L and U in
# strict mode only, so BILOU is read as BIOES.
CLASSES = {
    "iob1": "IOB1",
    "iob2": "IOB2",
    "bioes": "IOBES",
    "bilou": "IOBES",
    "io": "IOB1",
}
AS_BIOES = {"L": "E", "U": "S"}


@dataclass(frozen=True)
class Entities:
    """The entities of some sentences, gold and predicted.

    Attributes:
        types: list of str, all that occur, sorted.
        gold: list of lists of `(type, start, end)`, by sentence and in order; words
            from `start` up to `end`, which is not one of them.
        predicted: list of lists of such.
    """

    types: list
    gold: list
    predicted: list

    def counts(self, names=None):
        """By sentence and type: found, gold and predicted, int64 `(3, rows, names)`.

        An entity is found if one of the same type and words is predicted.

        Args:
            names: list of str, which holds all types. `None` for `types`.
        """
        names = self.types if names is None else names
        place = {name: at for at, name in enumerate(names)}
        counted = np.zeros((3, len(self.gold), len(place)), "int64")
        for row, (gold, said) in enumerate(zip(self.gold, self.predicted, strict=True)):
            for entity in gold:
                counted[1, row, place[entity[0]]] += 1
            for entity in said:
                counted[2, row, place[entity[0]]] += 1
            for entity in set(gold).intersection(said):
                counted[0, row, place[entity[0]]] += 1
        return counted


def read_entities(gold, predicted, scheme, strict=False):
    """`Entities` of tagged sentences.

    Args:
        gold: list of lists of str. A tag is `"O"` or `PREFIX-TYPE`.
        predicted: list of lists of str, as long as those of `gold`.
        scheme: str, one of `kzoo.data.schemes`, but not `"plain"`.
        strict: bool. Whether only what the scheme allows is an entity. Otherwise the
            reading is conlleval's, in which an `I-` without its `B-` begins one.

    Raises:
        ValueError: if a tag is none of the scheme, or lengths differ.
    """
    check_lengths(gold, predicted)
    scheme = canonical(scheme)
    plain, types = _numbered(gold, predicted, scheme)
    read = _strict_reader(scheme) if strict else _lenient
    found = [
        [
            [(types[int(kind)], start, end) for kind, start, end in read(tags)]
            for tags in ([plain[tag] for tag in tags] for tags in side)
        ]
        for side in (gold, predicted)
    ]
    occurring = {kind for side in found for row in side for kind, _, _ in row}
    return Entities(sorted(occurring), *found)


def overlaps(gold, predicted):
    """For each predicted entity of a sentence the gold ones that share a word with it.

    Args:
        gold: list of `(type, start, end)` in order, none of which overlap.
        predicted: list of the same form.

    Returns:
        List of lists of pairs: the place of a gold entity, and how many words are
        shared.
    """
    found, first = [], 0
    for _, start, end in predicted:
        while first < len(gold) and gold[first][2] <= start:
            first += 1
        found.append([])
        for place in range(first, len(gold)):
            shared = min(end, gold[place][2]) - max(start, gold[place][1])
            if shared <= 0:
                break
            found[-1].append((place, shared))
    return found


def check_lengths(gold, predicted):
    """Raise a `ValueError` where gold and predicted tags are not of the same words."""
    lengths = [[len(tags) for tags in side] for side in (gold, predicted)]
    if lengths[0] != lengths[1]:
        sizes = [f"{len(own)} rows of {sum(own)} tags" for own in lengths]
        raise ValueError(
            "Every word needs one gold and one predicted tag. "
            f"Received: gold={sizes[0]}, predicted={sizes[1]}"
        )


def type_of(tag):
    """The type of a tag, `None` of `"O"`; `"_"`, as in seqeval, if it has no name."""
    prefix, name = split(tag)
    return None if prefix == "O" else name or "_"


def _numbered(gold, predicted, scheme):
    """Each tag with its type's number in place of its name; and the types' names.

    seqeval would take hyphens off the ends of a name.
    """
    tags = {tag for side in (gold, predicted) for row in side for tag in row} - {"O"}
    for tag in sorted(tags):
        if split(tag)[0] not in PREFIXES[scheme]:
            raise ValueError(
                f"a prefix in {scheme} is one of {', '.join(PREFIXES[scheme])}. "
                f"Received: tag={tag!r}"
            )
    types = sorted({type_of(tag) for tag in tags})
    number = {name: at for at, name in enumerate(types)}
    plain = {"O": "O"}
    for tag in tags:
        plain[tag] = f"{AS_BIOES.get(tag[0], tag[0])}-{number[type_of(tag)]}"
    return plain, types


def _lenient(tags):
    from seqeval.metrics.sequence_labeling import get_entities

    return [(kind, first, last + 1) for kind, first, last in get_entities(tags)]


def _strict_reader(scheme):
    from seqeval import scheme as schemes

    kind = getattr(schemes, CLASSES[scheme])
    return lambda tags: [
        (one.tag, one.start, one.end) for one in schemes.Tokens(tags, kind).entities
    ]
