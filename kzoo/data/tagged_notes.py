"""What readers of tags found and did, counted and said."""

# Kind of a remark: what is said of one, and of several, with their number.
KINDS = {
    "repaired": (
        "1 tag cannot stand where it stands and was repaired, as the scorer conlleval "
        "reads it",
        "{} tags cannot stand where they stand and were repaired, as the scorer "
        "conlleval reads them",
    ),
    "merged": (
        "1 entity became one with the entity of its type before it, as IO has it",
        "{} entities became one with the entity of their type before them, as IO has "
        "it",
    ),
    "untyped": (
        '1 tag has no type and was given the type "ENTITY"',
        '{} tags have no type and were given the type "ENTITY"',
    ),
    "trimmed": (
        "1 span was trimmed of white space at its ends",
        "{} spans were trimmed of white space at their ends",
    ),
    "split_word": (
        "1 word was parted where a span begins or ends inside it",
        "{} words were parted where a span begins or ends inside them",
    ),
    "wordless": (
        "1 row without a word was left out",
        "{} rows without a word were left out",
    ),
    "range": (
        "1 range of words of CoNLL-U was passed over; its words follow it",
        "{} ranges of words of CoNLL-U were passed over; their words follow them",
    ),
    "empty": (
        "1 empty node of CoNLL-U was passed over",
        "{} empty nodes of CoNLL-U were passed over",
    ),
    "document": (
        "1 -DOCSTART- line was passed over",
        "{} -DOCSTART- lines were passed over",
    ),
}
SHOWN = 3  # lines


def notes_of(remarks, source, target):
    """Remarks as sentences without a full stop, each kind counted.

    Args:
        remarks: list of tuples of `Remark`.
        source: str. The scheme of the files.
        target: str. The scheme that tags are in now.

    Returns:
        list of str.
    """
    notes = []
    if source not in (None, target):
        notes.append(f"tags are written in {source} and were converted to {target}")
    by_kind = {}
    for row in remarks:
        for remark in row:
            by_kind.setdefault(remark.kind, []).append(remark.line)
    for kind, (one, several) in KINDS.items():
        lines = by_kind.get(kind)
        if lines:
            said = one if len(lines) == 1 else several.format(f"{len(lines):,}")
            notes.append(f"{said} ({_lines(lines)})")
    return notes


def _lines(lines):
    lines = [*dict.fromkeys(lines)]
    more = f" and {len(lines) - SHOWN:,} more" if len(lines) > SHOWN else ""
    listed = ", ".join(str(line) for line in lines[:SHOWN])
    return f"line{'s' if len(lines) > 1 else ''} {listed}{more}"
