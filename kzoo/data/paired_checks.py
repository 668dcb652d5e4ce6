"""What is wrong with documents and summaries before they train.

`check_pairs` is one pass over the rows. `check_sides` looks at what a tokenizer makes
of them.
"""

import itertools

import numpy as np

from kzoo.data import paired_findings
from kzoo.data.checks import digest, equal_groups, places_in, token_facts
from kzoo.data.paired_findings import Place
from kzoo.data.readers.values import shown

SHOWN = 30  # characters of a summary beside its row


def check_pairs(splits):
    """What can be said of documents and summaries without a tokenizer.

    Args:
        splits: dict of `PairedRows`, "train" first.

    Returns:
        list of `Finding`; its groups are of `kzoo.data.paired_findings.Place`.
    """
    found = []
    documents = {s: [*map(digest, rows.documents)] for s, rows in splits.items()}
    summaries = {s: [*map(digest, rows.summaries)] for s, rows in splits.items()}
    groups = equal_groups(documents)
    for split, rows in splits.items():
        if rows.empty:
            lost = [Place(split, None, "", "", *place) for place in rows.empty]
            found.append(paired_findings.empty(split, lost))
        found += _repeated(split, rows, groups, summaries)
        found += _odd(split, rows, documents[split], summaries[split])
    for first, second in itertools.combinations(splits, 2):
        found += _shared(first, second, groups, summaries)
    for split, rows in splits.items():
        found += _frequent(split, rows, documents[split], summaries[split])
    return found


def pair_notes(splits):
    """Notes on what a cheap look finds at fault, but for what the readers said."""
    return [
        f"{finding.message} (`kzoo check-data` lists them)"
        for finding in check_pairs(splits)
        if finding.fault and finding.kind != "empty"
    ]


def check_sides(splits, tokenizer, data):
    """What a tokenizer makes of documents and of summaries.

    Args:
        splits: dict of `PairedRows`.
        tokenizer: `kzoo.text.Tokenizer`.
        data: `kzoo_recipes.SummarizerData`, for how much is read and written.

    Returns:
        dict by split of `{"documents": TokenFacts, "summaries": TokenFacts}`, and a
        list of `Finding`.
    """
    facts, found = {}, []
    for split, rows in splits.items():
        facts[split] = {}
        for what, texts, own in (
            ("documents", rows.documents, None),
            ("summaries", rows.summaries, rows.summaries),
        ):
            side, long, blank = _SIDES[what](texts, tokenizer, data)
            facts[split][what] = side
            if long:
                places = [
                    Place(split, row, f"({length:,} tokens)", own and own[row])
                    for row, length in long
                ]
                limit = _LIMITS[what](data)
                found.append(paired_findings.cut(split, places, len(rows), what, limit))
            if blank:
                places = [Place(split, row, "", own and own[row]) for row in blank]
                found.append(paired_findings.unknown(split, places, len(rows), what))
    return facts, found


def _documents(texts, tokenizer, data):
    length, kept = data.sequence_length, data.truncate
    encoded = tokenizer.encode(texts, length, offsets=False, truncate=kept)
    return _side(encoded, encoded.lengths, length, tokenizer)


def _summaries(texts, tokenizer, data):
    """A target has no special token but its end."""
    others = tokenizer.num_special - 1
    room = max(data.summary_length + others, tokenizer.num_special + 1)
    encoded = tokenizer.encode(texts, room, offsets=False)
    return _side(encoded, encoded.lengths - others, data.summary_length, tokenizer)


_SIDES = {"documents": _documents, "summaries": _summaries}
_LIMITS = {
    "documents": lambda data: data.sequence_length,
    "summaries": lambda data: data.summary_length,
}


def _side(encoded, lengths, limit, tokenizer):
    """`TokenFacts`, the rows that are longer than `limit`, and those all unknown."""
    facts, blank = token_facts(encoded, lengths, lengths > limit, tokenizer)
    order = np.argsort(-lengths, kind="stable")
    long = [(int(row), int(lengths[row])) for row in order if lengths[row] > limit]
    return facts, long, blank


def _repeated(split, rows, groups, summaries):
    """Rows that are there twice, and documents that have several summaries."""
    twice, several, count = [], [], 0
    for group in groups:
        by_summary = {}
        for place in places_in(group, split):
            by_summary.setdefault(summaries[split][place[1]], []).append(place)
        equal = [places for places in by_summary.values() if len(places) > 1]
        twice += [[Place(*place) for place in places] for places in equal]
        count += sum(len(places) - 1 for places in equal)
        if len(by_summary) > 1:
            places = [places[0] for places in by_summary.values()]
            several.append(
                [
                    Place(split, row, f'"{shown(rows.summaries[row], SHOWN)}"')
                    for _, row in places
                ]
            )
    found = []
    if twice:
        found.append(paired_findings.repeated(split, twice, count))
    if several:
        found.append(paired_findings.several(split, several))
    return found


def _shared(first, second, groups, summaries):
    both, count, alike = [], 0, 0
    for group in groups:
        ours, theirs = places_in(group, first), places_in(group, second)
        if ours and theirs:
            both.append([Place(*place) for place in (*ours, *theirs)])
            count += len(theirs)
            known = {summaries[first][row] for _, row in ours}
            alike += sum(summaries[second][row] in known for _, row in theirs)
    return [paired_findings.shared(first, second, both, count, alike)] if both else []


def _odd(split, rows, documents, summaries):
    """Summaries that shorten nothing."""
    whole, longer = [], []
    for row, (document, summary) in enumerate(zip(documents, summaries, strict=True)):
        if document == summary:
            whole.append(Place(split, row))
            continue
        sizes = len(rows.summaries[row].split()), len(rows.documents[row].split())
        if sizes[0] > sizes[1]:
            detail = f"({sizes[0]:,} words of {sizes[1]:,})"
            longer.append(Place(split, row, detail, rows.summaries[row]))
    found = []
    if whole:
        found.append(paired_findings.whole(split, whole))
    if longer:
        found.append(paired_findings.longer(split, longer, len(rows)))
    return found


def _frequent(split, rows, documents, summaries):
    """Summaries that stand with more than one document, the most frequent first."""
    places = {}
    for row, pair in enumerate(zip(documents, summaries, strict=True)):
        places.setdefault(pair[1], {}).setdefault(pair[0], row)
    groups = [[*of.values()] for of in places.values() if len(of) > 1]
    if not groups:
        return []
    groups.sort(key=lambda group: (-len(group), group[0]))
    ordered = [
        [Place(split, row, "", rows.summaries[row]) for row in group]
        for group in groups
    ]
    return [paired_findings.frequent(split, ordered, len(groups))]
