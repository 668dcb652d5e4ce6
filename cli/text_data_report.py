"""The table that `kzoo check-data` prints of texts without labels."""

from .data_report import percent, token_lines


def text_lines(report):
    """Yield the name of each line of the table and its cell for each split."""
    splits = list(report["splits"].values())
    yield "texts", [f"{split['rows']:,}" for split in splits]
    yield "tokens in all", [f"{split['total']:,}" for split in splits]
    yield from token_lines(splits)
    length = report["sequence_length"]
    longer = [f"{split['longer']:,}" for split in splits]
    yield f"texts beyond a window of {length:,}", longer
    yield "unknown tokens", [percent(split["unknown_share"]) for split in splits]
