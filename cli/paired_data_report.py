"""The table that `kzoo check-data` prints of a summarizer's rows."""

from .data_report import percent, token_lines

KEPT = {"head": "head kept", "tail": "tail kept", "both": "ends kept"}


def paired_lines(report):
    """Yield the name of each line of the table and its cell for each split."""
    splits = list(report["splits"].values())
    yield "rows", [f"{split['rows']:,}" for split in splits]
    if any(split["several_references"] for split in splits):
        yield "references", [f"{split['references']:,}" for split in splits]
    documents = [split["documents"] for split in splits]
    cut = f"{report['sequence_length']:,}, {KEPT[report['truncate']]}"
    yield from _side("document", documents, cut)
    summaries = [split["summaries"] for split in splits]
    yield from _side("summary", summaries, f"{report['summary_length']:,}")
    traits = [split["traits"] for split in splits]
    yield "words for a summary's word", [f"{one['compression']:.1f}" for one in traits]
    for n, name in enumerate(("new words", "new pairs", "new triples")):
        yield name, [percent(one["novel_ngrams"][n]) for one in traits]
    yield "copied at a stretch", [f"{one['density']:.1f} words" for one in traits]
    yield "F1 of first sentence", [percent(one["first_sentence"]) for one in traits]


def _side(noun, sides, cut):
    for name, cells in token_lines(sides):
        yield name.replace("tokens, median", f"{noun} tokens, median"), cells
    shares = [percent(side["truncated_share"]) for side in sides]
    yield f"  cut at {cut}", shares
    yield "  unknown", [percent(side["unknown_share"]) for side in sides]
