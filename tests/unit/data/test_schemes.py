"""Schemes of tags: told apart, read as seqeval reads them, and rewritten."""

import itertools
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kzoo.data import schemes
from kzoo.data.detection import detect

SPANS = [scheme for scheme in schemes.PREFIXES if scheme != "plain"]
CLOSED = ("bioes", "bilou")
NAMES = {"iob2": "IOB2", "iob1": "IOB1", "bioes": "IOBES", "bilou": "BILOU"}


@st.composite
def sentences(draw):
    """A length and entities that fit into it: `(length, [(type, start, end)])`."""
    length = draw(st.integers(0, 12))
    borders = sorted(draw(st.sets(st.integers(0, length))))
    found = []
    for start, end in itertools.pairwise(borders):
        if draw(st.booleans()):
            found.append((draw(st.sampled_from(["a", "b-c"])), start, end))
    return length, found


@given(sentences(), st.sampled_from(SPANS))
def test_tags_spell_the_entities_that_were_written(sentence, scheme):
    length, found = sentence
    tags = schemes.written(found, length, scheme)
    assert len(tags) == length and not schemes.invalid(tags, scheme)
    if scheme == "io":
        found = merged(found)
    assert schemes.entities(tags, scheme) == found
    assert schemes.entities(tags, scheme, strict=True) == found
    assert set(tags) <= set(schemes.label_names(["a", "b-c"], scheme))


def merged(found):
    """What IO makes of entities that touch."""
    one = []
    for kind, start, end in found:
        if one and one[-1][0] == kind and one[-1][2] == start:
            start = one.pop()[1]
        one.append((kind, start, end))
    return one


@given(sentences(), st.sampled_from(SPANS), st.sampled_from(SPANS))
def test_conversion_keeps_every_entity(sentence, source, target):
    length, found = sentence
    tags = schemes.written(found, length, source)
    there = schemes.convert(tags, source, target)
    if "io" not in (source, target):
        assert schemes.convert(there, target, source) == tags
    expected = merged(found) if "io" in (source, target) else found
    assert schemes.entities(there, target) == expected


@st.composite
def any_tags(draw):
    scheme = draw(st.sampled_from(SPANS))
    names = schemes.label_names(["a", "b-c"], scheme)
    return scheme, draw(st.lists(st.sampled_from(names), max_size=8))


@given(any_tags())
def test_repair_keeps_what_conlleval_reads(case):
    scheme, tags = case
    repaired = schemes.repair(tags, scheme)
    assert not schemes.invalid(repaired, scheme)
    assert schemes.entities(repaired, scheme) == schemes.entities(tags, scheme)
    assert schemes.repair(repaired, scheme) == repaired
    if not schemes.invalid(tags, scheme):
        assert repaired == tags


@given(any_tags())
def test_what_is_allowed_is_what_is_valid(case):
    scheme, tags = case
    names = schemes.label_names(["a", "b-c"], scheme)
    start, steps, end = schemes.allowed(names, scheme)
    ids = [names.index(tag) for tag in tags]
    wrong = [0] if ids and not start[ids[0]] else []
    wrong += [i for i in range(1, len(ids)) if not steps[ids[i - 1], ids[i]]]
    wrong += [len(ids)] if ids and not end[ids[-1]] else []
    assert schemes.invalid(tags, scheme) == wrong


def random_tags(scheme, count):
    rng = random.Random(f"{scheme}/7")
    names = schemes.label_names(["a", "b-c"], scheme)
    return [[rng.choice(names) for _ in range(rng.randrange(9))] for _ in range(count)]


@pytest.mark.parametrize("scheme", SPANS)
def test_lenient_reading_is_seqevals(scheme):
    get_entities = pytest.importorskip("seqeval.metrics.sequence_labeling").get_entities
    for tags in random_tags(scheme, 2000):
        # seqeval knows L and U in its strict mode only, E and S in both.
        known = [tag.replace("L-", "E-").replace("U-", "S-") for tag in tags]
        expected = [
            (kind, first, last + 1) for kind, first, last in get_entities(known)
        ]
        assert schemes.entities(tags, scheme) == expected


@pytest.mark.parametrize("scheme", NAMES)
def test_strict_reading_is_seqevals(scheme):
    seqeval = pytest.importorskip("seqeval.scheme")
    compared = 0
    for tags in random_tags(scheme, 2000):
        if scheme == "iob1" and b_after_another_b(tags):
            continue
        [found] = seqeval.Entities([tags], getattr(seqeval, NAMES[scheme])).entities
        expected = [(entity.tag, entity.start, entity.end) for entity in found]
        assert schemes.entities(tags, scheme, strict=True) == expected
        compared += 1
    assert compared > 1000


def b_after_another_b(tags):
    """Where seqeval's IOB1 loses the entity before; its table of ends lacks this."""
    pairs = itertools.pairwise(tags)
    return any(a[0] == b[0] == "B" and a != b for a, b in pairs)


@pytest.mark.parametrize(
    "scheme, tags",
    [
        ("iob2", "B-a I-a O B-b"),
        ("iob2", "B-a O B-b"),  # of one word each
        ("iob2", "B-a I-a O I-a B-b"),  # one slip: as many speak for IOB1, fewer
        ("iob2", "O O"),
        ("iob2", "B I O B"),  # entities of one kind without a name
        ("iob1", "I-a B-a O I-b B-b I-b"),
        ("iob1", "I-a O I-a O I-a B-b"),  # one slip
        ("bioes", "B-a I-a E-a S-b O"),
        ("bioes", "S-a O S-b"),
        ("bioes", "B-a E-a O"),
        ("bilou", "B-a I-a L-a U-b O"),
        ("bilou", "U-a O"),
        ("io", "I-a I-a O I-b"),
        ("plain", "DET NOUN VERB PUNCT"),
        ("plain", "S E B FF"),  # letters alone are parts of speech in Italian treebanks
        ("plain", "PRP$ -LRB- NN-TL"),
    ],
)
def test_schemes_are_told_apart(scheme, tags):
    assert detect([tags.split()]) == scheme


@given(st.lists(sentences(), max_size=6), st.sampled_from(SPANS))
def test_any_corpus_is_read_rightly_in_the_detected_scheme(corpus, scheme):
    written = [schemes.written(found, length, scheme) for length, found in corpus]
    named = detect(written)
    for tags in written:
        assert schemes.entities(tags, named) == schemes.entities(tags, scheme)


@pytest.mark.parametrize(
    "tags, sentence",
    [
        (
            "B-a I-a BLOC O",
            "2 tags have a prefix, as those of entities do, and 1 have none. "
            "Received: tag='BLOC'",
        ),
        (
            "B-a E-a U-b",
            "no scheme has all of these prefixes: BIOES ends entities with E and S, "
            "BILOU with L and U. Received: prefixes='BEU'",
        ),
    ],
)
def test_tags_of_no_scheme_are_refused(tags, sentence):
    with pytest.raises(ValueError) as refusal:
        detect([tags.split()])
    assert str(refusal.value) == sentence


@pytest.mark.parametrize(
    "scheme, tags, places",
    [
        ("iob2", "I-a O B-a I-b", [0, 3]),
        ("iob2", "B-a I-a I-a B-a", []),
        ("iob2", "O S-a", [1]),  # a prefix that the scheme lacks
        ("iob1", "B-a I-a B-a I-b B-a", [0, 4]),
        ("bioes", "B-a O I-a E-a S-a B-a", [1, 2, 6]),
        ("bilou", "U-a L-a B-a L-a", [1]),
        ("io", "I-a I-b O B-b", [3]),
        ("plain", "NOUN I-a", []),
        ("iob2", "", []),
    ],
)
def test_invalid_places(scheme, tags, places):
    assert schemes.invalid(tags.split(), scheme) == places


@pytest.mark.parametrize(
    "scheme, tags, repaired",
    [
        ("iob2", "I-a I-b B-b", "B-a B-b B-b"),
        ("bioes", "B-a I-a O", "B-a E-a O"),
        ("iob1", "B-a B-a I-a", "I-a B-a I-a"),
    ],
)
def test_repaired_by_hand(scheme, tags, repaired):
    assert " ".join(schemes.repair(tags.split(), scheme)) == repaired


def test_names_and_arrays():
    assert schemes.label_names("bab", "BIO") == ["O", "B-a", "I-a", "B-b", "I-b"]
    assert schemes.label_names("a", "bioes") == ["O", "B-a", "I-a", "E-a", "S-a"]
    assert schemes.label_names(["VERB", "NOUN"], "plain") == ["NOUN", "VERB"]
    start, steps, end = schemes.allowed(["NOUN", "VERB"], "plain")
    assert start.all() and steps.all() and end.all()
    assert steps.dtype == np.bool_ and steps.shape == (2, 2)


def test_there_is_no_such_scheme():
    with pytest.raises(
        ValueError, match=r"did you mean .bioes.+Received: scheme='bioe'"
    ):
        schemes.entities([], "bioe")
    with pytest.raises(ValueError, match="plain tags spell no entities"):
        schemes.convert(["NOUN"], "plain", "iob2")
    with pytest.raises(ValueError, match="Received: tag='b-a'"):
        schemes.entities(["b-a"], "iob2")
