"""Tagged words as numbers: what a tagger and its training need of the data."""

import dataclasses
from collections import Counter

import numpy as np
from kzoo_recipes import KzooError

from kzoo.data import LabelSet
from kzoo.data.schemes import convert, label_names, split
from kzoo.data.tagged_checks import check_tagged
from kzoo.data.tagged_findings import REMARKED
from kzoo.interop.pretrained import PretrainedEncoder
from kzoo.tasks.parts import share
from kzoo.text import Tokenizer
from kzoo.text.raw_words import holds_punctuation
from kzoo.text.windows import cut

PUNCTUATED = 1000  # a word in so many has punctuation inside, or it is an accident
UNKNOWN = -1  # the label of a word whose tag no training row has


@dataclasses.dataclass(frozen=True)
class EncodedWords:
    """One split as numbers.

    Attributes:
        documents: list of `kzoo.text.alignment.Aligned`.
        labels: list of int32 `(W,)`, the class of each word; -1 for one that the model
            has not.
        tags: list of list of str. The same in words, those of no class too.
        weights: list of float, what each row counts. `None` where all count alike.
    """

    documents: list
    labels: list
    tags: list
    weights: list | None = None

    def __len__(self):
        return len(self.documents)

    def numbers(self):
        """All that a run depends on: arrays, lists of arrays and `None`."""
        return [text.token_ids for text in self.documents], self.labels, self.weights


@dataclasses.dataclass(frozen=True)
class PreparedWords:
    """All that a tagger and its training need of the data.

    Attributes:
        tokenizer: `kzoo.text.Tokenizer`.
        labels: `kzoo.data.LabelSet`, the tags.
        splits: dict of `EncodedWords`.
        sequence_length: int. Longest window in tokens.
        overlap: int. Tokens that neighbouring windows share; `None` is a quarter.
        scheme: str. How the tags mark entities.
        notes: list of str. What was done to the data, for the person who runs it.
        class_weights: float64 `(C,)`. `None` where all tags count alike.
        split_punctuation: bool. Whether no words hold punctuation inside, so that there
            are none to be told apart in raw text.
        pretrained: `kzoo.interop.pretrained.PretrainedEncoder`, or `None`.
    """

    tokenizer: Tokenizer
    labels: LabelSet
    splits: dict
    sequence_length: int
    overlap: int | None
    scheme: str
    notes: list
    class_weights: np.ndarray | None = None
    split_punctuation: bool = True
    pretrained: PretrainedEncoder | None = None

    def windows(self, name):
        """Every window of a split with its row: list of `(row, Window)`."""
        return [
            (row, window)
            for row, text in enumerate(self.splits[name].documents)
            for window in cut(text, self.tokenizer, self.sequence_length, self.overlap)
        ]


def tag_names(rows, scheme):
    """The tags of a model: every one that the scheme has for the types of `rows`."""
    found = {tag for tags in tags_in(rows, scheme) for tag in tags}
    types = found if scheme == "plain" else {split(tag)[1] for tag in found} - {""}
    return label_names(types, scheme)


def tags_in(rows, scheme):
    """The tags of rows in a scheme, list of list of str.

    Raises:
        KzooError: if either scheme marks no entities and the other does.
    """
    if rows.scheme == scheme:
        return rows.tags
    if "plain" in (rows.scheme, scheme):
        raise KzooError(
            f'{rows.path}: the tags are written as "{rows.scheme}" and the model\'s as '
            f'"{scheme}", and only one of the two marks entities.'
        )
    return [convert(tags, rows.scheme, scheme) for tags in rows.tags]


def punctuated(rows):
    """Whether at least a word in a thousand holds punctuation inside, as `Jean-Luc`.

    Args:
        rows: `TaggedRows`, those of training.

    Returns:
        bool, and a list of one note that says so, or of none.
    """
    counts = Counter(word for words in rows.words for word in words)
    held = {word: times for word, times in counts.items() if holds_punctuation(word)}
    if sum(held.values()) * PUNCTUATED < counts.total():
        return False, []
    shown = ", ".join(f'"{word}"' for word in sorted(held, key=held.get)[:-4:-1])
    return True, [
        f"{counted(sum(held.values()), 'word', 'words')} of train with punctuation "
        f"inside, as {shown}: in raw text, too, the model keeps such words whole"
    ]


def row_notes(splits):
    """What a cheap look at the rows found, but for what their readers said of them."""
    said = {kind for kind, *_ in REMARKED.values()}
    found = [f for f in check_tagged(splits) if f.fault and f.kind not in said]
    return [f"{finding.message} (`kzoo check-data` lists them)" for finding in found]


def seen(prepared, name):
    """Notes on a split: what is cut, what became nothing, what cannot be learnt."""
    rows = prepared.splits[name]
    windows = prepared.windows(name)
    counts = np.bincount([row for row, _ in windows])
    long = int((counts > 1).sum())
    if long:
        is_are = "is" if long == 1 else "are"
        yield (
            f"{share(long, len(rows), 'texts')} longer than "
            f"{prepared.sequence_length} tokens and {is_are} read "
            f"in {counts[counts > 1].sum():,} windows that overlap"
        )
    broken = sum(window.cuts_word for _, window in windows)
    if broken:
        yield (
            f"{counted(broken, 'window ends', 'windows end')} within a word, which is "
            f"longer than {prepared.sequence_length} tokens"
        )
    filled = sum(len(text.filled) for text in rows.documents)
    if filled:
        yield (
            f"{counted(filled, 'word has', 'words have')} no piece of the tokenizer's "
            "(control characters, or part of another word's piece), and "
            f"{'is' if filled == 1 else 'are'} read as [UNK]"
        )
    unknown = {}
    for labels, tags in zip(rows.labels, rows.tags, strict=True):
        for place in np.flatnonzero(labels == UNKNOWN):
            unknown[tags[place]] = unknown.get(tags[place], 0) + 1
    if unknown:
        shown = ", ".join(f'"{tag}"' for tag in sorted(unknown)[:10])
        words = counted(sum(unknown.values()), "word has", "words have")
        yield (
            f"{words} a tag that no training row has, which counts as wrong: {shown}"
            + (", …" if len(unknown) > 10 else "")
        )


def counted(number, one, more):
    """A number with its words: `1 word is`, `2 words are`."""
    return f"{number:,} {one if number == 1 else more}"
