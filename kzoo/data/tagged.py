"""Words with tags in one scheme, out of files that may be in any."""

import dataclasses
import itertools

from kzoo_recipes import KzooError

from kzoo.data import schemes
from kzoo.data.detection import detected, evidence
from kzoo.data.readers import called, iterate
from kzoo.data.readers.rows import place
from kzoo.data.readers.sentences import Remark
from kzoo.data.readers.tagged_layout import TaggedLayout
from kzoo.data.readers.tagged_rows import Sentences, TaggedRows
from kzoo.data.readers.values import shown
from kzoo.data.splits import check_weights, read_splits, split_off
from kzoo.data.tagged_notes import notes_of

__all__ = ["TaggedLayout", "TaggedRows", "load_tagged_splits", "read_tagged"]

UNTYPED = "ENTITY"  # the type of entities that have none


def load_tagged_splits(data):
    """Read the three parts that the `[data]` of a tagger's recipe describes.

    Args:
        data: `kzoo_recipes.TaggerData`.

    Returns:
        dict of `TaggedRows`: `train`, `dev` and `test`, none of them empty, in the
        scheme `data.learn_scheme`. Whatever of dev and test has no file is split off
        train by a hash of the text.

    Raises:
        KzooError: about the first row that cannot be read; if tags are in no scheme; or
            if there is nothing to learn.
    """
    layout = TaggedLayout.of(data)
    parts = _settled(read_splits(data, layout), layout)
    splits = split_off(parts, data)
    train = splits["train"]
    kinds = {tag for tags in train.tags for tag in tags}
    if kinds == {"O"} or (train.scheme == "plain" and len(kinds) == 1):
        [tag] = kinds
        raise KzooError(
            f'{train.path}: every training word has the tag "{shown(tag)}", so there '
            f"is nothing to learn; look at the column, {layout.ask('tags', 'COLUMN')}."
        )
    check_weights(train, data.weight)
    return splits


def read_tagged(path, layout=None, **options):
    """All sentences of files, in memory.

    Args:
        path: as for `kzoo.data.iterate`.
        layout: `TaggedLayout`.
        **options: fields of the `TaggedLayout` to set, such as `words="form"`.

    Returns:
        `TaggedRows`, at least one, in the scheme `layout.learn_scheme`.

    Raises:
        KzooError: as of `load_tagged_splits`.
    """
    layout = dataclasses.replace(layout or TaggedLayout(), **options)
    found = layout.gathered(iterate(path, layout), called(path))
    if not len(found):
        raise KzooError(f"{found.path}: the file has no rows; give it at least one.")
    return _settled({"train": found}, layout)["train"]


def _settled(splits, layout):
    """`Sentences` of each split as `TaggedRows`, in the scheme that is learnt."""
    splits = {split: _with_words(found) for split, found in splits.items()}
    if not layout.tagged:
        return {
            split: _rows(found, None, remarks, layout, None)
            for split, (found, remarks) in splits.items()
        }
    usual, settled = None, {}
    for split, (found, remarks) in splits.items():
        scheme = _scheme(found, layout, usual)
        usual = usual or scheme
        tags = [
            _tags(sentence, sentence.scheme or scheme, layout, more)
            for sentence, more in zip(found.found, remarks, strict=True)
        ]
        settled[split] = _rows(found, tags, remarks, layout, scheme)
    return settled


def _with_words(found):
    """The sentences that have words, and what is to be remarked of each."""
    kept, remarks, left = [], [], []
    for sentence in found.found:
        if not sentence.words:
            left.append(Remark("wordless", sentence.line))
            continue
        kept.append(sentence)
        remarks.append([*left, *sentence.remarks])
        left = []
    if not kept:
        raise KzooError(f"{found.path}: no row has a word; give it at least one.")
    remarks[-1] += left
    return Sentences(found.path, kept), remarks


def _rows(found, tags, remarks, layout, source):
    sentences = found.found
    plain = all((found.path, "line") == s.origin for s in sentences)
    remarks = [tuple(more) for more in remarks]
    target = layout.learn_scheme
    return TaggedRows(
        words=[s.words for s in sentences],
        tags=tags,
        texts=[s.text for s in sentences],
        spans=[s.spans for s in sentences],
        lines=[s.lines for s in sentences],
        path=found.path,
        scheme=target,
        notes=notes_of(remarks, source, target),
        origins=None if plain else [s.origin for s in sentences],
        weights=None if layout.weight is None else [s.weight for s in sentences],
        remarks=remarks,
        source_scheme=source,
    )


def _scheme(found, layout, usual):
    """The scheme of a split: as said, else as found, of the first split if it fits."""
    if layout.scheme != "auto":
        scheme = schemes.canonical(layout.scheme)
        if scheme != "plain":
            _check_tags(found)
        return scheme
    given = [sentence.tags for sentence in found.found if sentence.scheme is None]
    if not given:
        return next(s.scheme for s in found.found)
    try:
        scheme = detected(evidence(given))
    except ValueError as error:
        _check_tags(found, _plain(layout, "to learn tags as they are, say"))
        raise KzooError(f"{found.path}: {error}.") from None
    if scheme == "plain":
        _check_tags(found, _plain(layout, "if these are parts of speech, say"))
    if usual in (None, scheme):
        return scheme
    wrong = {
        name: sum(len(schemes.invalid(tags, name)) for tags in given)
        for name in (usual, scheme)
    }
    return usual if wrong[usual] <= wrong[scheme] else scheme


MARKED = "; write one of these, or name another column"


def _plain(layout, if_so):
    """A model of entities that is there learns no plain tags; a recipe may."""
    return f"; {if_so} {layout.ask('scheme', 'plain')}" if layout.by_recipe else MARKED


def _check_tags(found, more=MARKED):
    """Refuse the first tag that is of no scheme of entities."""
    for sentence in found.found:
        for word, tag in enumerate(sentence.tags):
            if not schemes.is_tag(tag):
                raise KzooError(
                    f"{place(sentence.origin, sentence.lines[word])}: the tag "
                    f'"{shown(tag)}" of "{shown(sentence.words[word])}" is neither O '
                    f"nor a prefix with a type, as in B-person{more}."
                )


def _tags(sentence, source, layout, remarks):
    """The tags of a sentence in the scheme that is learnt."""
    tags, target = sentence.tags, layout.learn_scheme
    if source == "plain":
        return tags
    if not all("-" in tag or tag == "O" for tag in tags):
        for word, tag in enumerate(tags):
            if tag != "O" and "-" not in tag:
                remarks.append(Remark("untyped", sentence.lines[word], tag))
        tags = [t if "-" in t or t == "O" else f"{t}-{UNTYPED}" for t in tags]
    wrong = schemes.invalid(tags, source)
    if not wrong and source == target:
        return tags
    if wrong and layout.invalid == "refuse":
        raise KzooError(_invalid(sentence, tags, wrong[0], source, layout))
    repaired = schemes.repair(tags, source) if wrong else tags
    for word in wrong:
        at = min(word, len(tags) - 1)
        detail = _repair(sentence.words, tags, repaired, word)
        remarks.append(Remark("repaired", sentence.lines[at], detail))
    found = schemes.entities(tags, source)
    if target == "io" and source != "io":
        for one, other in itertools.pairwise(found):
            if one[0] == other[0] and one[2] == other[1]:
                remarks.append(Remark("merged", sentence.lines[other[1]]))
    return schemes.written(found, len(tags), target)


def _repair(words, tags, repaired, word):
    """What stood where it cannot, and which of the two tags became what."""
    before = tags[word - 1] if word else "the beginning"
    said = f'"{shown(words[word])}" {tags[word]}' if word < len(tags) else "the end"
    if word < len(tags) and repaired[word] != tags[word]:
        return f"{said} after {before}, read as {repaired[word]}"
    if word and repaired[word - 1] != tags[word - 1]:
        before = f'"{shown(words[word - 1])}" {before}'
        return f"{said} after {before}, the latter read as {repaired[word - 1]}"
    return f"{said} after {before}"


def _invalid(sentence, tags, word, scheme, layout):
    where = place(sentence.origin, sentence.lines[min(word, len(tags) - 1)])
    if word == len(tags):
        what = f'the tag "{shown(tags[-1])}" cannot be the last of a sentence'
    elif word:
        what = f'the tag "{shown(tags[word])}" cannot follow "{shown(tags[word - 1])}"'
    else:
        what = f'the tag "{shown(tags[0])}" cannot be the first of a sentence'
    return (
        f"{where}: {what} in {scheme}; mend it, or read it as conlleval does with "
        f"{layout.ask('invalid', 'repair')}."
    )
