"""What is found in rows before they train, and how it is said."""

import dataclasses

from kzoo_recipes import nearest


@dataclasses.dataclass(frozen=True)
class Finding:
    """One kind of thing that was found.

    Attributes:
        kind: str. "empty", "repeated", "shared", "conflict", "unseen_label",
            "absent_label", "truncated" or "unknown"; of tagged words also "invalid",
            "spaces", "untyped", "split_word", "ambiguous", "windowed", "no_token" or
            "unknown_character", and no "truncated"; of documents with summaries also
            "several_summaries", "whole_document", "longer", "repeated_summary" or
            "truncated_summary".
        splits: tuple of str. Where; of "shared", the rows of the last are in the first.
        count: int. How many rows; of "conflict", how many texts.
        message: str. The finding as a sentence without its full stop.
        groups: list of lists of `(split, row)`: rows that belong together. Places in
            tagged words are `kzoo.data.tagged_findings.Place`, in documents with
            summaries `kzoo.data.paired_findings.Place`.
        exact: int. How many of `count` are equal to the letter. `None` where nothing
            is compared.
        fault: bool. Whether it is probably a mistake, rather than worth knowing.
    """

    kind: str
    splits: tuple
    count: int
    message: str
    groups: list = dataclasses.field(default_factory=list)
    exact: int | None = None
    fault: bool = True


def empty(split, rows, of):
    is_are = "is" if len(rows) == 1 else "are"
    return Finding(
        "empty",
        (split,),
        len(rows),
        f"{split}: {len(rows):,} of {_texts(of)} {is_are} empty",
        [[(split, row)] for row in rows],
    )


def repeated(split, groups, count, exact):
    what = f"{_texts(count)} {'repeats' if count == 1 else 'repeat'} an earlier one"
    message = f"{split}: {what}{_exactly(count, exact)}"
    return Finding("repeated", (split,), count, message, groups, exact)


def shared(first, second, groups, count, exact):
    message = (
        f"{second}: {_texts(count)} {'is' if count == 1 else 'are'} in {first} too"
        f"{_exactly(count, exact)}"
    )
    return Finding("shared", (first, second), count, message, groups, exact)


def conflict(splits, groups, exact):
    count = len(groups)
    message = (
        f"{', '.join(splits)}: {_texts(count)} {'has' if count == 1 else 'have'} "
        f"different labels{_exactly(count, exact)}"
    )
    return Finding("conflict", tuple(splits), count, message, groups, exact)


def unseen_label(split, label, rows, labels):
    near = nearest(label, labels)
    hint = f'; did you mean "{near}"?' if near else ""
    count = "1 row" if len(rows) == 1 else f"{len(rows):,} rows"
    message = f'{split}: the label "{label}" ({count}) does not occur in train{hint}'
    return Finding(
        "unseen_label", (split,), len(rows), message, [[(split, row)] for row in rows]
    )


def absent_labels(split, labels):
    shown = ", ".join(f'"{label}"' for label in labels[:10])
    more = f" and {len(labels) - 10} more" if len(labels) > 10 else ""
    which = f"label {shown}" if len(labels) == 1 else f"labels {shown}{more}"
    message = f"{split}: no row has the {which}, which train has"
    return Finding("absent_label", (split,), len(labels), message, fault=False)


def truncated(split, rows, of, sequence_length):
    is_are = "is" if len(rows) == 1 else "are"
    message = (
        f"{split}: {len(rows):,} of {_texts(of)} {is_are} longer than "
        f"{sequence_length} tokens and {is_are} cut"
    )
    groups = [[(split, row)] for row in rows]
    return Finding("truncated", (split,), len(rows), message, groups, fault=False)


def unknown(split, rows, of):
    hold = "holds" if len(rows) == 1 else "hold"
    message = f"{split}: {len(rows):,} of {_texts(of)} {hold} no token that is known"
    groups = [[(split, row)] for row in rows]
    return Finding("unknown", (split,), len(rows), message, groups, fault=False)


def _texts(count):
    return "1 text" if count == 1 else f"{count:,} texts"


def _exactly(count, exact):
    """How alike: to the letter unless it says so."""
    if exact == count:
        return ""
    but = "but for case, spacing and punctuation"
    return f" {but}" if not exact else f", {count - exact:,} of them {but}"
