"""What is wrong with rows before they train: repeats, leaks, contradictions, gaps.

`check_rows` is one pass over the texts, cheap enough for every run. `check_tokens`
looks at what a tokenizer makes of them.
"""

import dataclasses
import hashlib
import itertools
from collections import Counter

import numpy as np

from kzoo.data import findings
from kzoo.data.comparison import normal_form

PERCENTILES = (50, 90, 95, 99, 100)


@dataclasses.dataclass(frozen=True)
class TokenFacts:
    """The lengths of a split's texts, and what is lost.

    Attributes:
        lengths: dict from percentile to tokens, special ones counted, of what a model
            writes their end; 100 is the longest text.
        truncated: int, texts that are longer than the model reads or writes.
        tokens: int, tokens that the model sees, special ones left out.
        unknown: int, how many of them the tokenizer does not know.
    """

    lengths: dict
    truncated: int
    tokens: int
    unknown: int

    @property
    def unknown_share(self):
        return self.unknown / self.tokens if self.tokens else 0.0


def check_rows(splits):
    """What can be said of rows without a tokenizer.

    Args:
        splits: dict of `Rows` with labels, "train" first.

    Returns:
        list of `Finding`.
    """
    found, groups = check_texts(splits)
    found += _conflicts(splits, groups)
    return found + list(_labels(splits))


def check_texts(splits):
    """What can be said of texts alone: those that are empty, repeated or shared.

    Args:
        splits: dict of rows with `texts`, "train" first.

    Returns:
        list of `Finding`; and lists of `(split, row)` whose texts are one but for
        writing, two or more each.
    """
    found = []
    forms = {
        split: [digest(text) for text in getattr(rows, "comparable", rows.texts)]
        for split, rows in splits.items()
    }
    for split, rows in splits.items():
        nothing = [row for row, form in enumerate(forms[split]) if form is None]
        if nothing:
            found.append(findings.empty(split, nothing, len(rows)))
    groups = equal_groups(forms)
    for split in splits:
        found += _repeated(splits, groups, split)
    for first, second in itertools.combinations(splits, 2):
        found += _shared(splits, groups, first, second)
    return found, groups


def check_tokens(splits, tokenizer, sequence_length):
    """What a tokenizer makes of rows.

    Args:
        splits: dict of `Rows`.
        tokenizer: `kzoo.text.Tokenizer`.
        sequence_length: int. Tokens that the model reads of a text.

    Returns:
        dict of `TokenFacts` by split, and a list of `Finding`.
    """
    facts, found = {}, []
    for split, rows in splits.items():
        encoded = tokenizer.encode(rows.texts, sequence_length, offsets=False)
        facts[split], blank = token_facts(
            encoded, encoded.lengths, encoded.truncated, tokenizer
        )
        cut = np.flatnonzero(encoded.truncated).tolist()
        if cut:
            found.append(findings.truncated(split, cut, len(rows), sequence_length))
        if blank:
            found.append(findings.unknown(split, blank, len(rows)))
    return facts, found


def token_facts(encoded, lengths, truncated, tokenizer):
    """What a tokenizer makes of texts.

    Args:
        encoded: `kzoo.text.Encoded`.
        lengths: int `(texts,)`, the tokens to tell of.
        truncated: bool `(texts,)`, whether a model reads less.
        tokenizer: `kzoo.text.Tokenizer`.

    Returns:
        `TokenFacts`, and a list of the texts that hold no token that is known.
    """
    kept = np.array([len(ids) for ids in encoded.token_ids])
    kept = np.maximum(kept - tokenizer.num_special, 0)
    unknown = np.array(
        [np.count_nonzero(ids == tokenizer.unk_id) for ids in encoded.token_ids]
    )
    values = np.percentile(lengths, PERCENTILES, method="higher").astype(int)
    facts = TokenFacts(
        dict(zip(PERCENTILES, values.tolist(), strict=True)),
        int(truncated.sum()),
        int(kept.sum()),
        int(unknown.sum()),
    )
    return facts, np.flatnonzero((unknown >= kept) & (unknown > 0)).tolist()


def names_of(label):
    """The label of a row, or its labels where it may have several, as a tuple."""
    return (label,) if isinstance(label, str) else tuple(label)


def count_labels(rows):
    """How many rows each label has, the most frequent first."""
    counts = Counter(name for label in rows.labels for name in names_of(label))
    return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))


def digest(text):
    """The normal form of a text in 16 bytes, or None if there is nothing to see."""
    form = normal_form(text)
    if not form:
        return None
    written = form.encode("utf-8", "surrogatepass")
    return hashlib.blake2b(written, digest_size=16).digest()


def equal_groups(forms):
    """Lists of `(split, row)` whose texts have one normal form, two rows or more."""
    first, groups = {}, {}
    for split, digests in forms.items():
        for row, form in enumerate(digests):
            if form is None:
                continue
            earlier = first.setdefault(form, (split, row))
            if earlier != (split, row):
                groups.setdefault(form, [earlier]).append((split, row))
    return list(groups.values())


def places_in(group, split):
    return [place for place in group if place[0] == split]


def _texts(splits, places):
    return [splits[split].texts[row] for split, row in places]


def _repeated(splits, groups, split):
    own = [places for group in groups if len(places := places_in(group, split)) > 1]
    count = sum(len(places) - 1 for places in own)
    exact = sum(len(places) - len(set(_texts(splits, places))) for places in own)
    return [findings.repeated(split, own, count, exact)] if own else []


def _shared(splits, groups, first, second):
    both, count, exact = [], 0, 0
    for group in groups:
        ours, theirs = places_in(group, first), places_in(group, second)
        if ours and theirs:
            both.append([*ours, *theirs])
            count += len(theirs)
            known = set(_texts(splits, ours))
            exact += sum(text in known for text in _texts(splits, theirs))
    return [findings.shared(first, second, both, count, exact)] if both else []


def _conflicts(splits, groups):
    unlike, exact = [], 0
    for group in groups:
        labels = [frozenset(names_of(splits[s].labels[row])) for s, row in group]
        if len(set(labels)) > 1:
            unlike.append(group)
            pairs = set(zip(_texts(splits, group), labels, strict=True))
            exact += len({text for text, _ in pairs}) < len(pairs)
    if not unlike:
        return []
    where = [s for s in splits if any(places_in(group, s) for group in unlike)]
    return [findings.conflict(where, unlike, exact)]


def _labels(splits):
    counts = {split: count_labels(rows) for split, rows in splits.items()}
    first, *others = splits
    for split in others:
        for label in counts[split]:
            if label not in counts[first]:
                rows = [
                    row
                    for row, given in enumerate(splits[split].labels)
                    if label in names_of(given)
                ]
                yield findings.unseen_label(split, label, rows, counts[first])
        absent = [label for label in counts[first] if label not in counts[split]]
        if absent:
            yield findings.absent_labels(split, absent)
