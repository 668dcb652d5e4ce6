"""All that is known of tagged words before they train, as plain numbers and words."""

from kzoo.data.report import NAMES, finding_report
from kzoo.data.tagged_checks import check_pieces, check_tagged, count_types
from kzoo.data.tagged_findings import REMARKED, Place
from kzoo.data.tagged_notes import notes_of


def tagged_report(splits, aligned, tokenizer, sequence_length, most=None):
    """What `kzoo check-data` says of a tagger's rows.

    Args:
        splits: dict of `TaggedRows` with tags, "train" first.
        aligned: dict of lists of `kzoo.text.alignment.Aligned`, one for each row.
        tokenizer: `kzoo.text.Tokenizer`.
        sequence_length: int. Tokens that the model reads at once.
        most: int. How many groups of places to give of each finding; `None` gives all.

    Returns:
        dict of what JSON can say: "sequence_length"; "vocabulary_size"; "scheme", in
        which tags are learnt; "splits", by name "path", "hashed" (whether split off
        train by a hash), "source_scheme", "notes", "rows", "words", "entities" (`None`
        if tags are plain), "labels" (entities by type, or words by tag), "tokens"
        (percentiles of the lengths, special tokens counted), "windowed" and
        "windowed_share" of the texts, "unknown_share" of the tokens; "findings", each
        with the attributes of `Finding`, its places as "split", "file", "line",
        "detail" and "text", and "left_out", how many groups `most` left out.
    """
    facts, more = check_pieces(splits, aligned, tokenizer, sequence_length)
    return {
        "sequence_length": sequence_length,
        "vocabulary_size": tokenizer.vocabulary_size,
        "scheme": splits["train"].scheme,
        "splits": {split: _split(rows, facts[split]) for split, rows in splits.items()},
        "findings": [
            finding_report(finding, most, lambda place: _place(splits, place))
            for finding in check_tagged(splits) + more
        ],
    }


def _split(rows, facts):
    labels = count_types(rows)
    said = [
        tuple(remark for remark in remarks if remark.kind not in REMARKED)
        for remarks in rows.remarks or ()
    ]
    return {
        "path": rows.path,
        "hashed": rows.hashed,
        "source_scheme": rows.source_scheme,
        "notes": notes_of(said, rows.source_scheme, rows.scheme),
        "rows": len(rows),
        "words": sum(map(len, rows.words)),
        "entities": None if rows.scheme == "plain" else sum(labels.values()),
        "labels": labels,
        "tokens": {NAMES[place]: length for place, length in facts.lengths.items()},
        "windowed": facts.windowed,
        "windowed_share": facts.windowed / len(rows),
        "unknown_share": facts.unknown_share,
    }


def _place(splits, place):
    place = Place(*place)
    rows = splits[place.split]
    origin = rows.origin(place.row)
    line = rows.lines[place.row][0] if place.line is None else place.line
    return {
        "split": place.split,
        "file": origin.path,
        origin.unit: line,
        "detail": place.detail,
        "text": rows.texts[place.row] if place.text is None else place.text,
    }
