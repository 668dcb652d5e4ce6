"""What is wrong with tagged words before they train.

`check_tagged` is one pass over the rows. `check_pieces` looks at what a tokenizer makes
of them.
"""

import dataclasses
import itertools
from collections import Counter

import numpy as np

from kzoo.data import schemes, tagged_findings
from kzoo.data.checks import PERCENTILES, check_texts
from kzoo.data.tagged_findings import REMARKED, Place

ENOUGH = 100  # words of a split, to say whether they are words at all
FEW, SHARE = 50, 1 / 20  # different ones that are too few: of any number, of all


@dataclasses.dataclass(frozen=True)
class PieceFacts:
    """What a tokenizer makes of a split.

    Attributes:
        lengths: dict from percentile to tokens of a text, special ones counted; 100 is
            the longest text.
        windowed: int, texts that are longer than the model reads at once.
        tokens: int, special ones left out.
        unknown: int, how many of them the tokenizer does not know.
    """

    lengths: dict
    windowed: int
    tokens: int
    unknown: int

    @property
    def unknown_share(self):
        return self.unknown / self.tokens if self.tokens else 0.0


def check_tagged(splits):
    """What can be said of tagged words without a tokenizer.

    Args:
        splits: dict of `TaggedRows` with tags, "train" first.

    Returns:
        list of `Finding`; its groups are of `(split, row)` or of `Place`.
    """
    found = []
    for split, rows in splits.items():
        found += _remarked(split, rows)
        found += _columns(split, rows)
    of_texts, groups = check_texts(splits)
    found += [*of_texts, *_conflicts(splits, groups)]
    if next(iter(splits.values())).scheme != "plain":
        found += _ambiguous(splits)
    return found + list(_types(splits))


def check_pieces(splits, aligned, tokenizer, sequence_length):
    """What a tokenizer makes of tagged words.

    Args:
        splits: dict of `TaggedRows`.
        aligned: dict of lists of `kzoo.text.alignment.Aligned`, one for each row.
        tokenizer: `kzoo.text.Tokenizer`.
        sequence_length: int. Tokens that the model reads at once.

    Returns:
        dict of `PieceFacts` by split, and a list of `Finding`.
    """
    facts, found = {}, []
    for split, rows in splits.items():
        texts = aligned[split]
        lengths = np.array([len(text) for text in texts]) + tokenizer.num_special
        values = np.percentile(lengths, PERCENTILES, method="higher")
        unknown = [np.flatnonzero(t.token_ids == tokenizer.unk_id) for t in texts]
        cut = np.flatnonzero(lengths > sequence_length).tolist()
        facts[split] = PieceFacts(
            dict(zip(PERCENTILES, values.astype(int).tolist(), strict=True)),
            len(cut),
            int(sum(map(len, texts))),
            int(sum(map(len, unknown))),
        )
        if cut:
            places = [
                Place(split, row, detail=f"({lengths[row]:,} tokens)")
                for row in sorted(cut, key=lambda row: (-lengths[row], row))
            ]
            found.append(
                tagged_findings.windowed(split, places, len(rows), sequence_length)
            )
        found += _unknown(split, rows, texts, unknown, tokenizer)
    return facts, found


def count_types(rows):
    """How many entities each type has, the most frequent first; words of plain tags."""
    counts = Counter(kind for _, _, kind in found_in(rows))
    return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))


def found_in(rows):
    """Yield `(row, (start, end), type)` for all entities, or words of plain tags."""
    for row, tags in enumerate(rows.tags):
        if rows.scheme == "plain":
            yield from ((row, (word, word + 1), tag) for word, tag in enumerate(tags))
        else:
            for kind, start, end in schemes.entities(tags, rows.scheme):
                yield row, (start, end), kind


def _remarked(split, rows):
    places = {}
    for row, remarks in enumerate(rows.remarks or ()):
        for remark in remarks:
            place = Place(split, row, remark.line, remark.detail)
            if remark.kind == "wordless":
                place = place._replace(text="")
            places.setdefault(remark.kind, []).append(place)
    return [
        tagged_findings.remarked(kind, split, places[kind])
        for kind in REMARKED
        if kind in places
    ]


def _columns(split, rows):
    """Findings about words that are none, as of a column of tags."""
    places, of = {}, sum(map(len, rows.words))
    if of < ENOUGH:
        return
    for row, words in enumerate(rows.words):
        for word, line in zip(words, rows.lines[row], strict=True):
            places.setdefault(word, []).append((row, line))
    tags = {tag for row in rows.tags for tag in row}
    if len(tags) > len(places):
        yield tagged_findings.swapped(split, len(tags), len(places))
    if len(places) < min(FEW, of * SHARE):
        table = {
            word: [Place(split, *place) for place in found]
            for word, found in places.items()
        }
        yield tagged_findings.few_words(split, _by_frequency(table), of)


def _conflicts(splits, groups):
    """Sentences that are equal word by word, but for writing, with different tags."""
    unlike = []
    for group in groups:
        differ = _first_difference(splits, group)
        if differ is not None:
            unlike.append([_at(splits, *place, differ) for place in group])
    if not unlike:
        return []
    where = [s for s in splits if any(p.split == s for group in unlike for p in group)]
    return [tagged_findings.conflict(where, unlike)]


def _first_difference(splits, group):
    """The first word that has different tags; `None` if there is none.

    Sentences that are split into words in different ways are not compared.
    """
    tags = [splits[split].tags[row] for split, row in group]
    if len({len(one) for one in tags}) > 1:
        return None
    for word, given in enumerate(zip(*tags, strict=True)):
        if len(set(given)) > 1:
            return word
    return None


def _at(splits, split, row, word):
    rows = splits[split]
    return Place(
        split,
        row,
        rows.lines[row][word],
        f'"{rows.words[row][word]}" {rows.tags[row][word]}',
    )


def _ambiguous(splits):
    """Entities of one text, to the letter, with several types."""
    seen, where = {}, {}
    for split, rows in splits.items():
        for row, (start, end), kind in found_in(rows):
            text = _text_of(rows, row, start, end)
            place = Place(split, row, rows.lines[row][start], text=text)
            first, count = seen.setdefault(text, {}).get(kind, (place, 0))
            seen[text][kind] = (first, count + 1)
            where.setdefault(text, set()).add(split)
    several = [text for text, kinds in seen.items() if len(kinds) > 1]
    several.sort(key=lambda text: -sum(count for _, count in seen[text].values()))
    groups = [
        [
            place._replace(detail=f"{kind} ({count:,})")
            for kind, (place, count) in sorted(
                seen[text].items(), key=lambda item: -item[1][1]
            )
        ]
        for text in several
    ]
    if not groups:
        return []
    found = set().union(*(where[text] for text in several))
    return [tagged_findings.ambiguous([s for s in splits if s in found], groups)]


def _text_of(rows, row, start, end):
    """What stands in a text from one word up to, not with, another."""
    spans = rows.spans[row]
    return rows.texts[row][spans[start][0] : spans[end - 1][1]]


def _types(splits):
    counts = {split: count_types(rows) for split, rows in splits.items()}
    first, *others = splits
    for split in others:
        rows = splits[split]
        plain = rows.scheme == "plain"
        for kind in counts[split]:
            if kind not in counts[first]:
                places = [
                    Place(
                        split,
                        row,
                        rows.lines[row][start],
                        f'"{_text_of(rows, row, start, end)}"',
                    )
                    for row, (start, end), own in found_in(rows)
                    if own == kind
                ]
                yield tagged_findings.unseen_type(
                    split, kind, places, counts[first], plain
                )
        absent = [kind for kind in counts[first] if kind not in counts[split]]
        if absent:
            yield tagged_findings.absent_types(split, absent, plain)


def _unknown(split, rows, texts, unknown, tokenizer):
    """Findings about words that the tokenizer does not know, wholly or in part."""
    words, nothing = {}, {}
    for row, (text, pieces) in enumerate(zip(texts, unknown, strict=True)):
        filled = {*text.filled.tolist()}
        for word in dict.fromkeys(text.word_of[pieces].tolist()):
            if word >= 0:
                table = nothing if word in filled else words
                place = Place(split, row, rows.lines[row][word])
                table.setdefault(rows.words[row][word], []).append(place)
    if nothing:
        count = sum(map(len, nothing.values()))
        yield tagged_findings.no_tokens(split, _by_frequency(nothing, _named), count)
    if not words:
        return
    count, of = sum(map(len, words.values())), sum(map(len, rows.words))
    yield tagged_findings.unknown_words(split, _by_frequency(words), count, of)
    characters = {}
    for word, places in words.items():
        for character in dict.fromkeys(word):
            characters.setdefault(character, []).extend(places)
    lone = tokenizer.encode([*characters], offsets=False).token_ids
    strange = {
        character: places
        for (character, places), ids in zip(characters.items(), lone, strict=True)
        if tokenizer.unk_id in ids
    }
    if strange:
        groups = _by_frequency(strange, _named)
        yield tagged_findings.unknown_characters(split, groups)


def _by_frequency(table, named=None):
    """A group for each text, the most frequent first, with its first place."""
    ordered = sorted(table.items(), key=lambda item: (-len(item[1]), item[0]))
    groups = []
    for text, places in ordered:
        times = "(once)" if len(places) == 1 else f"({len(places):,} times)"
        called = f"{named(text)} {times}" if named else times
        groups.append([places[0]._replace(detail=called, text=text)])
    return groups


def _named(text):
    """The numbers of the characters of a text, as Unicode writes them."""
    numbers = [f"U+{ord(character):04X}" for character in itertools.islice(text, 4)]
    return " ".join(numbers) + (" …" if len(text) > 4 else "")
