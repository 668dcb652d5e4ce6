"""Tags read as entities, by seqeval: as conlleval reads them, or by the scheme."""

from dataclasses import dataclass

import numpy as np

# Scheme: its class in seqeval, and the prefixes that it knows. IO is IOB1 without B;
# seqeval reads L and U in strict mode only, so BILOU is read as BIOES.
SCHEMES = {
    "iob1": ("IOB1", "BI"),
    "iob2": ("IOB2", "BI"),
    "bioes": ("IOBES", "BIES"),
    "bilou": ("IOBES", "BILU"),
    "io": ("IOB1", "I"),
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

    def counts(self):
        """By sentence and type: found, gold and predicted, int64 `(3, rows, types)`.

        An entity is found if one of the same type and words is predicted.
        """
        place = {name: at for at, name in enumerate(self.types)}
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
        scheme: str, a key of `SCHEMES`.
        strict: bool. Whether only what the scheme allows is an entity. Otherwise the
            reading is conlleval's, in which an `I-` without its `B-` begins one.

    Raises:
        ValueError: if a tag is none of the scheme, or lengths differ.
    """
    check_lengths(gold, predicted)
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
    """The type of a tag, `None` of `"O"`; a type may hold hyphens."""
    return None if tag == "O" else tag.partition("-")[2]


def _numbered(gold, predicted, scheme):
    """Each tag with its type's number in place of its name; and the types' names.

    seqeval takes hyphens off the ends of a name, and `_` for a missing one.
    """
    if scheme not in SCHEMES:
        raise ValueError(
            f"`scheme` must be one of {', '.join(SCHEMES)}. Received: scheme={scheme!r}"
        )
    prefixes = SCHEMES[scheme][1]
    tags = {tag for side in (gold, predicted) for row in side for tag in row} - {"O"}
    for tag in sorted(tags):
        prefix, hyphen, kind = tag.partition("-")
        if not (hyphen and kind) or prefix not in prefixes or len(prefix) != 1:
            raise ValueError(
                f"A tag of the scheme {scheme} is O, or one of {', '.join(prefixes)}, "
                f"a hyphen and a type. Received: {tag!r}"
            )
    types = sorted({type_of(tag) for tag in tags})
    number = {name: at for at, name in enumerate(types)}
    plain = {"O": "O"}
    for tag in tags:
        prefix = AS_BIOES.get(tag[0], tag[0])
        plain[tag] = f"{prefix}-{number[type_of(tag)]}"
    return plain, types


def _lenient(tags):
    from seqeval.metrics.sequence_labeling import get_entities

    return [(kind, first, last + 1) for kind, first, last in get_entities(tags)]


def _strict_reader(scheme):
    from seqeval import scheme as schemes

    kind = getattr(schemes, SCHEMES[scheme][0])
    return lambda tags: [
        (one.tag, one.start, one.end) for one in schemes.Tokens(tags, kind).entities
    ]
