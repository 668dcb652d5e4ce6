"""All that is known of documents and summaries before they train, in plain words."""

from kzoo.data.paired_checks import check_pairs, check_sides
from kzoo.data.report import NAMES, finding_report


def paired_report(splits, tokenizer, data, traits, most=None):
    """What `kzoo check-data` says of a summarizer's rows.

    Args:
        splits: dict of `PairedRows`, "train" first.
        tokenizer: `kzoo.text.Tokenizer`.
        data: `kzoo_recipes.SummarizerData`.
        traits: function of a list of documents and one of summaries, as
            `kzoo.metrics.traits.traits`.
        most: int. How many groups of rows to give of each finding; `None` gives all.

    Returns:
        dict of what JSON can say: "sequence_length", "summary_length" and "truncate";
        "vocabulary_size"; "splits", by name "path", "hashed" (whether split off train
        by a hash), "notes", "rows", "references" (all of them, the summaries too) and
        "several_references" (rows with more than one), "documents" and "summaries",
        each with "tokens" (percentiles of the lengths), "truncated" and
        "truncated_share", and "unknown_share" of the tokens; "traits", what the
        summaries are like; "findings", each with the attributes of `Finding`, its rows
        as "split", "file", "line", "detail", "text" and "summary" (`None` where a row
        was left out), and "left_out", how many groups `most` left out.
    """
    facts, more = check_sides(splits, tokenizer, data)
    return {
        "sequence_length": data.sequence_length,
        "summary_length": data.summary_length,
        "truncate": data.truncate,
        "vocabulary_size": tokenizer.vocabulary_size,
        "splits": {
            split: {
                **_split(rows, facts[split]),
                "traits": traits(rows.documents, rows.summaries),
            }
            for split, rows in splits.items()
        },
        "findings": [
            finding_report(finding, most, lambda place: _place(splits, place))
            for finding in check_pairs(splits) + more
        ],
    }


def _split(rows, facts):
    counts = [len(references) for references in rows.references]
    return {
        "path": rows.path,
        "hashed": rows.hashed,
        "notes": rows.notes,
        "rows": len(rows),
        "references": sum(counts),
        "several_references": sum(count > 1 for count in counts),
        **{
            what: {
                "tokens": {NAMES[place]: n for place, n in side.lengths.items()},
                "truncated": side.truncated,
                "truncated_share": side.truncated / len(rows),
                "unknown_share": side.unknown_share,
            }
            for what, side in facts.items()
        },
    }


def _place(splits, place):
    rows, row = splits[place.split], place.row
    lost = row is None
    origin = place.origin if lost else rows.origin(row)
    text = rows.documents[row] if place.text is None else place.text
    return {
        "split": place.split,
        "file": origin.path,
        origin.unit: place.line if lost else rows.lines[row],
        "detail": place.detail,
        "text": text,
        "summary": None if lost else rows.summaries[row],
    }
