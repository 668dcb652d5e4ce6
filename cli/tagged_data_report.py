"""The table that `kzoo check-data` prints of a tagger's rows."""

from .data_report import label_lines, percent, token_lines


def tagged_lines(report):
    """Yield the name of each line of the table and its cell for each split."""
    splits = list(report["splits"].values())
    yield "sentences", [f"{split['rows']:,}" for split in splits]
    yield "words", [f"{split['words']:,}" for split in splits]
    plain = report["scheme"] == "plain"
    if not plain:
        yield "tags written in", [split["source_scheme"] for split in splits]
        yield "entities", [f"{split['entities']:,}" for split in splits]
    yield from label_lines(splits, "tags" if plain else "types")
    yield from token_lines(splits)
    length = report["sequence_length"]
    shares = [percent(split["windowed_share"]) for split in splits]
    yield f"over {length:,}, in windows", shares
    yield "unknown tokens", [percent(split["unknown_share"]) for split in splits]
