"""All that is known of rows before they train, as plain numbers and words."""

from kzoo.data.checks import check_rows, check_tokens, count_labels
from kzoo.data.readers import Origin

NAMES = {50: "median", 90: "p90", 95: "p95", 99: "p99", 100: "longest"}


def data_report(splits, tokenizer, sequence_length, most=None):
    """What `kzoo check-data` says.

    Args:
        splits: dict of `Rows` with labels, "train" first.
        tokenizer: `kzoo.text.Tokenizer`.
        sequence_length: int. Tokens that the model reads of a text.
        most: int. How many groups of rows to give of each finding; `None` gives all.

    Returns:
        dict of what JSON can say: "sequence_length"; "vocabulary_size"; "splits", by
        name "path", "hashed" (whether split off train by a hash), "rows", "labels"
        (rows by label), "tokens" (percentiles of the lengths, special tokens counted),
        "truncated" and "truncated_share" of the texts, "unknown_share" of the tokens
        the model reads; "findings", each with the attributes of `Finding`, its rows as
        "split", "file", "line", "label" and "text", and "left_out", how many groups
        `most` left out.
    """
    facts, more = check_tokens(splits, tokenizer, sequence_length)
    return {
        "sequence_length": sequence_length,
        "vocabulary_size": tokenizer.vocabulary_size,
        "splits": {split: _split(rows, facts[split]) for split, rows in splits.items()},
        "findings": [
            finding_report(finding, most, lambda place: _row(splits, *place))
            for finding in check_rows(splits) + more
        ],
    }


def _split(rows, facts):
    return {
        "path": rows.path,
        "hashed": rows.hashed,
        "rows": len(rows),
        "labels": count_labels(rows),
        "tokens": {NAMES[place]: length for place, length in facts.lengths.items()},
        "truncated": facts.truncated,
        "truncated_share": facts.truncated / len(rows),
        "unknown_share": facts.unknown_share,
    }


def finding_report(finding, most, row):
    """A finding as JSON says it, with `most` groups of what `row` makes of a place."""
    shown = finding.groups if most is None else finding.groups[:most]
    return {
        "kind": finding.kind,
        "splits": list(finding.splits),
        "count": finding.count,
        "exact": finding.exact,
        "fault": finding.fault,
        "message": finding.message,
        "groups": [[row(place) for place in group] for group in shown],
        "left_out": len(finding.groups) - len(shown),
    }


def _row(splits, split, row):
    rows = splits[split]
    origin = Origin(rows.path) if rows.origins is None else rows.origins[row]
    label = rows.labels[row]
    return {
        "split": split,
        "file": origin.path,
        origin.unit: rows.lines[row],
        "label": label if isinstance(label, str) else list(label),
        "text": rows.texts[row],
    }
