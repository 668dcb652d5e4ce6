"""How tags spell entities: IOB2, IOB1, BIOES, BILOU and IO; and tags that spell none.

A tag is `O`, outside, or a prefix with a type, as in `B-person`. The type may hold
hyphens itself. The scheme says what prefixes mean:

| scheme | an entity of three words | of one | beside another of its type |
| --- | --- | --- | --- |
| `iob2`, or BIO | `B I I` | `B` | `B` begins each |
| `iob1` | `I I I` | `I` | `B` begins the second |
| `bioes` | `B I E` | `S` | each is closed |
| `bilou` | `B I L` | `U` | each is closed |
| `io` | `I I I` | `I` | the two become one |
| `plain` | the tag is the label of its word, as parts of speech are | | |

Tags that a scheme does not allow are read as `conlleval`, the program of the CoNLL
shared tasks, reads them: an entity that lacks its beginning begins where its type does.
"""

import functools
import itertools

import numpy as np
from kzoo_recipes import did_you_mean

PREFIXES = {
    "iob2": "BI",
    "iob1": "BI",
    "bioes": "BIES",
    "bilou": "BILU",
    "io": "I",
    "plain": "",
}
OTHER_NAMES = {"bio": "iob2", "iobes": "bioes"}
BEGIN, CLOSE = "BSU", "ESLU"  # prefixes of a first and of a last word
OPEN = "BI"  # prefixes of a word that is not the last, where a scheme has a last one


def canonical(scheme):
    """The name that kzoo has for a scheme: `"BIO"` is `"iob2"`.

    Raises:
        ValueError: if there is no such scheme.
    """
    name = str(scheme).lower()
    name = OTHER_NAMES.get(name, name)
    if name not in PREFIXES:
        raise ValueError(
            f"there is no scheme of tags called so{did_you_mean(name, PREFIXES)} "
            f"Received: scheme={scheme!r}"
        )
    return name


@functools.lru_cache(maxsize=4096)
def split(tag):
    """The prefix and the type of a tag; `("O", "")` outside.

    Raises:
        ValueError: if it is neither `O` nor a prefix with a type.
    """
    if tag == "O":
        return "O", ""
    prefix, hyphen, kind = tag.partition("-")
    if len(prefix) == 1 and prefix in "BIESLU" and bool(hyphen) == bool(kind):
        return prefix, kind
    raise ValueError(
        "a tag of entities must be O or a prefix of BIESLU with a type, as in "
        f"B-person. Received: tag={tag!r}"
    )


def is_tag(tag):
    """Whether `split` can take it apart."""
    try:
        split(tag)
    except ValueError:
        return False
    return True


def join(prefix, kind):
    """The tag of a prefix and a type."""
    return f"{prefix}-{kind}" if kind else prefix


def invalid(tags, scheme):
    """Places of tags that cannot stand where they stand.

    Args:
        tags: list of str.
        scheme: str.

    Returns:
        list of int, ascending: the place of each tag that its scheme does not have or
        that cannot follow the one before it; `len(tags)` if the last one cannot end.
    """
    scheme = canonical(scheme)
    if scheme == "plain":
        return []
    return [
        place
        for place, (before, tag) in enumerate(itertools.pairwise(["O", *tags, "O"]))
        if not _may_follow(before, tag, scheme)
    ]


def repair(tags, scheme):
    """The tags as the scheme writes the entities that `conlleval` reads in them."""
    if not invalid(tags, scheme):
        return list(tags)
    return written(entities(tags, scheme), len(tags), scheme)


def convert(tags, source, target):
    """Tags of one scheme as another writes the same entities.

    To `"io"`, entities of one type that touch become one. Invalid tags are repaired on
    the way.

    Args:
        tags: list of str.
        source: str. The scheme of `tags`.
        target: str.

    Returns:
        list of str, as many.

    Raises:
        ValueError: between `"plain"` and a scheme of entities.
    """
    source, target = canonical(source), canonical(target)
    if source == target:
        return repair(tags, target)
    if "plain" in (source, target):
        raise ValueError(
            "plain tags spell no entities, so they are of no other scheme. "
            f"Received: source={source!r}, target={target!r}"
        )
    return written(entities(tags, source), len(tags), target)


def entities(tags, scheme, strict=False):
    """The entities that tags spell.

    Args:
        tags: list of str.
        scheme: str.
        strict: bool. Whether only what the scheme itself spells counts: an entity that
            lacks its beginning, or its end where the scheme has one, is none. Otherwise
            all are read as `conlleval` does, which is what `seqeval` does by default.

    Returns:
        list of `(type, start, end)`, in order: the words from `start` up to, not with,
        `end`. Empty for `"plain"`.
    """
    scheme = canonical(scheme)
    if scheme == "plain":
        return []
    return _strict(tags, scheme) if strict else _lenient(tags)


def written(found, length, scheme):
    """The tags of entities.

    Args:
        found: list of `(type, start, end)` in order, without overlap.
        length: int. How many words there are.
        scheme: str.

    Returns:
        list of str, `length` of them.
    """
    scheme = canonical(scheme)
    tags = ["O"] * length
    last, only = {"bioes": "ES", "bilou": "LU"}.get(scheme, ("I", "B"))
    first, before = "I" if scheme == "io" else "B", None
    for kind, start, end in found:
        if scheme == "iob1":
            first = only = "B" if before == (kind, start) else "I"
        elif scheme == "io":
            only = "I"
        inside = [first, *"I" * (end - start - 2), last] if end - start > 1 else [only]
        tags[start:end] = [join(prefix, kind) for prefix in inside]
        before = (kind, end)
    return tags


def label_names(types, scheme):
    """All tags that a scheme has for some types.

    Args:
        types: iterable of str. For `"plain"`, the tags themselves.
        scheme: str.

    Returns:
        list of str: `"O"`, then for each type, sorted, its prefixes in the order
        `B I E S` (or `B I L U`). For `"plain"` the sorted tags alone.
    """
    scheme = canonical(scheme)
    types = sorted(set(types))
    if scheme == "plain":
        return types
    return ["O", *(join(prefix, k) for k in types for prefix in PREFIXES[scheme])]


def allowed(names, scheme):
    """Which tags may begin, follow each other and end.

    Args:
        names: list of C str.
        scheme: str.

    Returns:
        Three bool arrays, `True` where it may be: `(C,)` may be first; `(C, C)` the
        tag of the row may be followed by that of the column; `(C,)` may be last.
    """
    scheme, size = canonical(scheme), len(names)
    if scheme == "plain":
        return np.ones(size, bool), np.ones((size, size), bool), np.ones(size, bool)
    start = [_may_follow("O", name, scheme) for name in names]
    steps = [[_may_follow(one, other, scheme) for other in names] for one in names]
    end = [_may_follow(name, "O", scheme) for name in names]
    return np.array(start, bool), np.array(steps, bool), np.array(end, bool)


@functools.lru_cache(maxsize=65536)
def _may_follow(before, tag, scheme):
    (left, left_kind), (right, kind) = split(before), split(tag)
    known = PREFIXES[scheme] + "O"
    if left not in known:
        left = "O"  # Already said of it itself.
    if right not in known:
        return False
    same = left != "O" and left_kind == kind
    if scheme == "iob2":
        return right != "I" or same
    if scheme == "iob1":
        return right != "B" or same
    if scheme == "io":
        return True
    if left in OPEN:  # The entity before is not closed.
        return same and right not in BEGIN and right != "O"
    return right == "O" or right in BEGIN


def _lenient(tags):
    found, start, kind = [], None, None
    for place, tag in enumerate(tags):
        prefix, own = split(tag)
        if start is not None and (prefix == "O" or prefix in BEGIN or own != kind):
            found.append((kind, start, place))
            start = None
        if prefix == "O":
            continue
        if start is None:
            start, kind = place, own
        if prefix in CLOSE:
            found.append((kind, start, place + 1))
            start = None
    if start is not None:
        found.append((kind, start, len(tags)))
    return found


def _strict(tags, scheme):
    found, start, kind = [], None, None
    closed = scheme in ("bioes", "bilou")
    before = "O"
    for place, tag in enumerate([*tags, "O"]):
        prefix, own = split(tag)
        begins = prefix in PREFIXES[scheme] and _may_begin(before, tag, scheme)
        within = prefix in PREFIXES[scheme] and prefix not in BEGIN and own == kind
        if start is not None and not within:
            if not closed:
                found.append((kind, start, place))
            start = None
        if start is None and begins:
            start, kind = place, own
        if start is not None and closed and prefix in CLOSE:
            found.append((kind, start, place + 1))
            start = None
        before = tag
    return found


def _may_begin(before, tag, scheme):
    prefix = split(tag)[0]
    if scheme == "iob1":
        return prefix == "I" or _may_follow(before, tag, scheme)
    return prefix in ("I" if scheme == "io" else BEGIN)
