"""All that is known of texts before a language model learns from them."""

from kzoo.data.checks import check_texts, check_tokens
from kzoo.data.readers import Origin
from kzoo.data.report import NAMES, finding_report


def text_report(splits, tokenizer, sequence_length, most=None):
    """What `kzoo check-data` says of texts without labels.

    Args:
        splits: dict of `kzoo.data.texts.TextRows`, "train" first.
        tokenizer: `kzoo.text.Tokenizer`.
        sequence_length: int. Tokens of a window; nothing of a longer text is lost.
        most: int. How many groups of rows to give of each finding; `None` gives all.

    Returns:
        dict as `kzoo.data.report.data_report` gives it, but for labels and what is
        cut; "longer" is how many texts are longer than a window, "total" the tokens
        of all texts, and "notes" what was left out.
    """
    facts, more = check_tokens(splits, tokenizer, 1 << 30)
    windows, _ = check_tokens(splits, tokenizer, sequence_length)
    found, _ = check_texts(splits)
    return {
        "sequence_length": sequence_length,
        "vocabulary_size": tokenizer.vocabulary_size,
        "splits": {
            split: {
                "path": rows.path,
                "hashed": rows.hashed,
                "notes": list(rows.notes),
                "rows": len(rows),
                "tokens": {NAMES[p]: n for p, n in facts[split].lengths.items()},
                "total": facts[split].tokens,
                "longer": windows[split].truncated,
                "unknown_share": facts[split].unknown_share,
            }
            for split, rows in splits.items()
        },
        "findings": [
            finding_report(finding, most, lambda place: _row(splits, *place))
            for finding in found + more
        ],
    }


def _row(splits, split, row):
    rows = splits[split]
    origin = Origin(rows.path) if rows.origins is None else rows.origins[row]
    return {
        "split": split,
        "file": origin.path,
        origin.unit: rows.lines[row],
        "text": rows.texts[row],
    }
