"""What is found in tagged words before they train, and how it is said."""

from typing import NamedTuple

from kzoo_recipes import nearest

from kzoo.data.findings import Finding


class Place(NamedTuple):
    """Where something was found, and what.

    Attributes:
        split: str.
        row: int.
        line: int, from 1; `None` is that of the row.
        detail: str. What stands there, beside the place.
        text: str. What is shown in place of the whole row's text, if not `None`.
    """

    split: str
    row: int
    line: int | None = None
    detail: str = ""
    text: str | None = None


# Kind of a remark: kind of the finding, what is said of one and of several, whether it
# is probably a mistake.
REMARKED = {
    "repaired": (
        "invalid",
        "1 tag cannot stand where it stands; it is repaired, as the scorer conlleval "
        "reads it",
        "{} tags cannot stand where they stand; they are repaired, as the scorer "
        "conlleval reads them",
        True,
    ),
    "trimmed": (
        "spaces",
        "1 span begins or ends with white space, which is left out",
        "{} spans begin or end with white space, which is left out",
        True,
    ),
    "untyped": (
        "untyped",
        '1 tag has no type; it is given the type "ENTITY"',
        '{} tags have no type; they are given the type "ENTITY"',
        False,
    ),
    "split_word": (
        "split_word",
        "1 word is parted where a span begins or ends inside it",
        "{} words are parted where a span begins or ends inside them",
        False,
    ),
    "wordless": (
        "empty",
        "1 row has no word and is left out",
        "{} rows have no word and are left out",
        True,
    ),
}


def remarked(kind, split, places):
    """What readers remarked: a list of `Place`, all of one kind and split."""
    kind, one, several, fault = REMARKED[kind]
    said = one if len(places) == 1 else several.format(f"{len(places):,}")
    groups = [[place] for place in places]
    return Finding(kind, (split,), len(places), f"{split}: {said}", groups, fault=fault)


def conflict(splits, groups):
    """Equal sentences whose words have different tags, a group each."""
    said = _number(len(groups), "sentence", "is tagged", "are tagged")
    message = f"{', '.join(splits)}: {said} in different ways"
    return Finding("conflict", tuple(splits), len(groups), message, groups)


def ambiguous(splits, groups):
    """Entities of one text and several types, a group each."""
    said = _number(len(groups), "entity", "has", "have", "entities")
    message = f"{', '.join(splits)}: {said} different types in different places"
    return Finding(
        "ambiguous", tuple(splits), len(groups), message, groups, fault=False
    )


def unseen_type(split, kind, places, known, plain):
    near = nearest(kind, known)
    hint = f'; did you mean "{near}"?' if near else ""
    what = _number(len(places), "word") if plain else _entities(len(places))
    called = "tag" if plain else "type"
    message = f'{split}: the {called} "{kind}" ({what}) does not occur in train{hint}'
    groups = [[place] for place in places]
    return Finding("unseen_label", (split,), len(places), message, groups)


def absent_types(split, kinds, plain):
    shown = ", ".join(f'"{kind}"' for kind in kinds[:10])
    more = f" and {len(kinds) - 10} more" if len(kinds) > 10 else ""
    called = "tag" if plain else "type"
    which = f"{called} {shown}" if len(kinds) == 1 else f"{called}s {shown}{more}"
    what = "word" if plain else "entity"
    message = f"{split}: no {what} has the {which}, which train has"
    return Finding("absent_label", (split,), len(kinds), message, fault=False)


def few_words(split, groups, of):
    """Words that are hardly those of texts, a group for each that differs."""
    message = (
        f"{split}: {of:,} words, and only {_number(len(groups), 'different one')}; is "
        "data.words the right column?"
    )
    return Finding("few_words", (split,), len(groups), message, groups)


def swapped(split, tags, words):
    message = (
        f"{split}: there are more tags than words that differ ({tags:,} and "
        f"{words:,}); are data.words and data.tags each other's columns?"
    )
    return Finding("swapped", (split,), tags, message, [])


def windowed(split, places, of, sequence_length):
    said = _share(len(places), of, "text", "is", "are")
    many = "is" if len(places) == 1 else "are"
    message = (
        f"{split}: {said} longer than {sequence_length} tokens and {many} read in "
        "windows that overlap"
    )
    groups = [[place] for place in places]
    return Finding("windowed", (split,), len(places), message, groups, fault=False)


def unknown_words(split, groups, count, of):
    """Words with a token that is not known, a group for each that differs."""
    said = _share(count, of, "word", "holds", "hold")
    message = f"{split}: {said} a token that is not known"
    return Finding("unknown", (split,), count, message, groups, fault=False)


def unknown_characters(split, groups):
    said = _number(len(groups), "character", "is", "are")
    message = f"{split}: {said} unknown to the tokenizer"
    return Finding(
        "unknown_character", (split,), len(groups), message, groups, fault=False
    )


def no_tokens(split, groups, count):
    """Words for which a tokenizer has nothing, a group for each that differs."""
    said = _number(count, "word", "has", "have")
    many = "is" if count == 1 else "are"
    message = f"{split}: {said} no token of its own and {many} read as unknown"
    if count > 1:
        message = message.replace("its own", "their own")
    return Finding("no_token", (split,), count, message, groups, fault=False)


def _number(count, one, verb=None, verbs=None, several=None):
    what = one if count == 1 else several or f"{one}s"
    does = verb if count == 1 else verbs
    return f"{count:,} {what}" + (f" {does}" if does else "")


def _entities(count):
    return _number(count, "entity", several="entities")


def _share(count, of, what, verb, verbs):
    does = verb if count == 1 else verbs
    return f"{count:,} of {_number(of, what)} {does}"
