"""Words, pieces and characters: no word without a piece, no letter without a word."""

import re
import unicodedata
from itertools import pairwise

import numpy as np
import pytest
import tokenizers
from hypothesis import given, settings
from hypothesis import strategies as st

from kzoo.text import Tokenizer
from kzoo.text.alignment import align, joined, piece_labels
from kzoo.text.training import KINDS

TEXTS = [
    "The staff were lovely, but the food was cold.",
    "Mr. O'Brien's co-founder moved to São Paulo in 1999-2000 (see §4.2).",
    "naïve Ünïcode straße 東京 Москva café 🎉 Ελλάδα שלום العربية हिन्दी 한국어",
] * 3
FAMILY = "👩\u200d👩\u200d👧"
ARRAYS = {"token_ids", "offsets", "raw_offsets", "word_of", "first", "spans", "filled"}
letters = st.one_of(
    st.sampled_from("the staff café naïve İß½ﬁ東京Ως🎉👍🏽שלםعرب각'’-.,#▁Ġ"),
    st.sampled_from(
        "\u0301\u0308\u0903\u11a8\u200b\u200d\u200e\u202e\ufeff\u00ad\x00\x07"
    ),
    st.characters(),
)
written = st.text(letters, max_size=12).map(
    lambda text: unicodedata.normalize("NFD", text) if len(text) % 2 else text
)
word = written.filter(lambda text: text and not re.search(r"[\s\x1c-\x1f]", text))


@pytest.fixture(scope="module")
def trained():
    return {
        (kind, lowercase): Tokenizer.train(TEXTS, kind, 400, lowercase, 1)
        for kind in KINDS
        for lowercase in (True, False)
    }


every_kind = pytest.mark.parametrize("kind", KINDS)
both_cases = pytest.mark.parametrize("lowercase", [True, False])


def aligned_words(tokenizer, words):
    text, spans = joined(words)
    [aligned] = align(tokenizer, [text], [spans])
    return aligned


def check(tokenizer, aligned):
    """What holds for every text and every division into words."""
    text, spans = aligned.text, aligned.spans.tolist()
    assert len(aligned) == len(aligned.token_ids) == len(aligned.offsets)
    assert aligned.first.shape == (len(spans),)
    for number, (start, end) in enumerate(spans):
        own = np.flatnonzero(aligned.word_of == number)
        assert len(own) and aligned.first[number] == own[0]
        covered = {p for piece in own for p in range(*aligned.offsets[piece])}
        for place in sorted({*range(start, end)} - covered):
            letter = re.sub("[\ud800-\udfff]", "\ufffd", text[place])
            left = tokenizer._backend.normalizer.normalize_str(letter)
            dropped = not left.strip() or letter.isspace()
            before = aligned.offsets[: own[0]]  # A piece that straddles covers it.
            straddled = (before[:, 1] > place).any()
            assert dropped or straddled, (text, place)
    for number, (start, end) in zip(aligned.word_of, aligned.offsets, strict=True):
        assert 0 <= start <= end <= len(text)
        part = text[start:end]
        assert part == part.strip() or [start, end] == spans[number]  # All white.
        if number >= 0 and part:
            assert spans[number][0] <= start < max(spans[number][1], start + 1)
        if number < 0 and part:
            assert not any(first <= start < last for first, last in spans)
    for name in ARRAYS:
        assert getattr(aligned, name).dtype == np.int32


@every_kind
@both_cases
@settings(max_examples=60, deadline=None)
@given(words=st.lists(written, max_size=8))
def test_every_word_has_its_pieces(trained, kind, lowercase, words):
    """Empty words and words with white space, too, which no file should hold."""
    tokenizer = trained[kind, lowercase]
    aligned = aligned_words(tokenizer, words)
    assert [aligned.text[start:end] for start, end in aligned.spans] == words
    check(tokenizer, aligned)
    ends = aligned.spans[np.maximum(aligned.word_of, 0), 1] if words else []
    assert (aligned.offsets[:, 1] <= ends)[aligned.word_of >= 0].all()


@every_kind
@both_cases
@settings(max_examples=60, deadline=None)
@given(words=st.lists(word, min_size=1, max_size=8))
def test_pieces_are_those_of_pre_split_words(trained, kind, lowercase, words):
    """Against `tokenizers`, which encodes a list of words one by one."""
    tokenizer = trained[kind, lowercase]
    aligned = aligned_words(tokenizer, words)
    clean = [re.sub("[\ud800-\udfff]", "\ufffd", w) for w in words]
    reference = tokenizer._backend.encode(clean, is_pretokenized=True)
    expected = {number: [] for number in range(len(words))}
    for number, token_id in zip(reference.word_ids, reference.ids, strict=True):
        if number is not None:
            expected[number].append(token_id)
    for number in range(len(words)):
        own = aligned.token_ids[aligned.word_of == number].tolist()
        assert own == (expected[number] or [tokenizer.unk_id])
        assert (number in aligned.filled) == (not expected[number])
    assert (aligned.word_of >= 0).all()


@pytest.mark.parametrize("kind", ["unigram", "byte_bpe"])
@settings(max_examples=60, deadline=None)
@given(words=st.lists(st.text("thesafécnïvЯ東🎉ß½'-.", min_size=1), min_size=1))
def test_pieces_of_tokenizers_that_point_at_white_space(trained, kind, words):
    """As T5's and GPT-2's do: a gap mark is the word's that follows, as they say."""
    backend = tokenizers.Tokenizer.from_str(trained[kind, True].to_json())
    if kind == "unigram":
        backend.pre_tokenizer = tokenizers.pre_tokenizers.Metaspace()
    else:
        surrounded = tokenizers.processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
        backend.post_processor = surrounded
    aligned = aligned_words(Tokenizer(backend), words)
    reference = backend.encode(words, is_pretokenized=True)
    assert aligned.token_ids.tolist() == reference.ids[1:-1]
    assert aligned.word_of.tolist() == reference.word_ids[1:-1]
    if len(words) > 1:
        starts = [start for start, _ in aligned.raw_offsets[aligned.first].tolist()]
        assert any(aligned.text[start] == " " for start in starts)


@every_kind
@settings(max_examples=60, deadline=None)
@given(text=written, cuts=st.lists(st.integers(0, 12), max_size=6))
def test_words_that_touch(trained, kind, text, cuts):
    """Words cut anywhere, with gaps: each piece is the word's in which it starts."""
    places = sorted({min(cut, len(text)) for cut in cuts})
    spans = list(pairwise(places))
    spans = [span for place, span in enumerate(spans) if place % 3 != 2]
    tokenizer = trained[kind, True]
    [aligned] = align(tokenizer, [text], [spans])
    assert aligned.spans.tolist() == [list(span) for span in spans]
    check(tokenizer, aligned)


@every_kind
@settings(max_examples=60, deadline=None)
@given(texts=st.lists(written, min_size=1, max_size=3))
def test_own_words_are_the_pre_tokenizers(trained, kind, texts):
    tokenizer = trained[kind, True]
    for text, aligned in zip(texts, align(tokenizer, texts), strict=True):
        reference = tokenizer.encodings([text])[0]
        inner = slice(1, -1)
        assert aligned.token_ids.tolist() == reference.ids[inner]
        assert aligned.raw_offsets.tolist() == [*map(list, reference.offsets[inner])]
        whole = tokenizer.encode([text]).offsets[0]
        np.testing.assert_array_equal(aligned.offsets, whole[inner])
        found = {}  # The offsets of each word that is more than white space.
        for number, (start, end) in zip(
            reference.word_ids[inner], aligned.offsets.tolist(), strict=True
        ):
            found.setdefault(number, []).append((start, end))
        spans = {
            number: [min(start for start, _ in pairs), max(end for _, end in pairs)]
            for number, pairs in found.items()
            if any(end > start for start, end in pairs)
        }
        names = {number: place for place, number in enumerate(spans)}
        numbers = [names.get(number, -1) for number in reference.word_ids[inner]]
        assert aligned.word_of.tolist() == numbers
        assert aligned.spans.tolist() == list(spans.values())
        assert aligned.first.tolist() == [numbers.index(n) for n in range(len(names))]


@every_kind
def test_texts_do_not_depend_on_their_neighbours(trained, kind, monkeypatch):
    tokenizer = trained[kind, True]
    words = [["\x00"], ["\u0301a", "\u0301"], ["🎉"], ["", "b\u0301"], [FAMILY, "x"]]
    texts, spans = zip(*map(joined, words), strict=True)
    alone = [align(tokenizer, [t], [s])[0] for t, s in zip(texts, spans, strict=True)]
    monkeypatch.setattr("kzoo.text.alignment.AT_ONCE", 3)
    together = align(tokenizer, list(texts), list(spans))
    own = align(tokenizer, list(texts))
    for a, b, text, c in zip(together, alone, texts, own, strict=True):
        assert a.text == b.text == text
        for name in ARRAYS:
            np.testing.assert_array_equal(getattr(a, name), getattr(b, name))
        np.testing.assert_array_equal(c.word_of, align(tokenizer, [text])[0].word_of)


@pytest.mark.parametrize(
    "kind, pieces, word_of",
    [
        ("wordpiece", "the [UNK] [UNK] staff [SEP]", [0, 1, 2, 3, 4]),
        ("word", "the [UNK] [UNK] staff [SEP]", [0, 1, 2, 3, 4]),
        (
            "unigram",
            "▁t h e [UNK] ▁ [UNK] ▁st af f [SEP]",
            [0, 0, 0, 1, 2, 2, 3, 3, 3, 4],
        ),
    ],
)
def test_by_hand(trained, kind, pieces, word_of):
    """A bell is nothing, a zero-width space is a letter for unigram, "[SEP]" itself."""
    tokenizer = trained[kind, True]
    aligned = aligned_words(tokenizer, ["The", "\x07", "\u200b", "staff", "[SEP]"])
    found = [tokenizer.id_to_token(token_id) for token_id in aligned.token_ids]
    assert " ".join(found) == pieces and aligned.word_of.tolist() == word_of
    assert aligned.spans[-2:].tolist() == [[8, 13], [14, 19]]
    assert aligned.offsets[-1].tolist() == [14, 19]


@every_kind
@pytest.mark.parametrize(
    "word",
    ["a" * 100_000, FAMILY * 1000, "e" + "\u0301" * 1000, "\u200b", "\ud800", "\u202e"],
    ids=["long", "family", "marks", "nothing", "surrogate", "control"],
)
def test_hostile_words(trained, kind, word):
    tokenizer = trained[kind, False]
    aligned = aligned_words(tokenizer, ["staff", word, "food"])
    check(tokenizer, aligned)
    first = aligned.first[[0, 2]]
    assert aligned.offsets[first, 0].tolist() == [0, len(word) + 7]


def test_a_piece_that_straddles_belongs_to_the_word_in_which_it_starts(trained):
    """WordPiece reads "staff" as one; the second word gets a piece of its own."""
    tokenizer = trained["wordpiece", True]
    [aligned] = align(tokenizer, ["the staff"], [[(0, 3), (4, 7), (7, 9)]])
    found = [tokenizer.id_to_token(token_id) for token_id in aligned.token_ids]
    assert found == ["the", "staff", "[UNK]"]
    assert aligned.word_of.tolist() == [0, 1, 2]
    assert aligned.offsets.tolist() == [[0, 3], [4, 9], [7, 9]]


@pytest.mark.parametrize("kind, mark", [("byte_bpe", "Ġ"), ("unigram", "▁")])
def test_a_lone_gap_mark_is_its_words_first_piece(trained, kind, mark):
    tokenizer = trained[kind, True]
    aligned = aligned_words(tokenizer, ["the", "ᚠ"])
    second = aligned.token_ids[aligned.first[1]]
    assert tokenizer.id_to_token(second) == mark
    assert aligned.offsets[aligned.first[1]].tolist() == [4, 4]


def test_a_text_of_nothing(trained):
    for aligned in align(trained["wordpiece", True], ["", " \n"], [[], []]):
        assert (len(aligned), len(aligned.spans)) == (0, 0)
    assert align(trained["wordpiece", True], []) == []
    assert joined([])[0] == "" and joined([])[1].shape == (0, 2)


@pytest.mark.parametrize(
    "spans, message",
    [
        ([[(0, 3)]], "2 texts, 1 lists of spans"),
        ([[], [(0, 3), (2, 4)]], r"text 1 of 5 characters, span=\[2, 4\]"),
        ([[], [(3, 1)]], r"text 1 of 5 characters, span=\[3, 1\]"),
        ([[(0, 4)], []], r"text 0 of 3 characters, span=\[0, 4\]"),
        ([[(-1, 2)], []], r"text 0 of 3 characters, span=\[-1, 2\]"),
        ([[], [(-2, -1)]], r"text 1 of 5 characters, span=\[-2, -1\]"),
    ],
)
def test_spans_that_cannot_be(trained, spans, message):
    with pytest.raises(ValueError, match=message):
        align(trained["word", True], ["the", "staff"], spans)


def test_labels_of_pieces(trained):
    aligned = aligned_words(trained["wordpiece", True], ["cold", "zzz", "colds"])
    assert aligned.word_of.tolist() == [0, 1, 2, 2]
    labels, weights = piece_labels(aligned, [3, 1, 2])
    assert labels.tolist() == [3, 1, 2, 0]
    assert weights.tolist() == (labels > 0).astype(float).tolist()
    assert (labels.dtype, weights.dtype) == (np.int32, np.float32)
    labels, weights = piece_labels(aligned, [3, 1, 2], "all", [0, 1, 9, 3])
    assert weights.tolist() == [1.0] * len(aligned)
    assert labels[aligned.first].tolist() == [3, 1, 2]
    assert set(labels[aligned.first[2] + 1 :].tolist()) == {9}
    same, _ = piece_labels(aligned, [3, 1, 2], "all")
    assert same.tolist() == np.array([3, 1, 2])[aligned.word_of].tolist()
    with pytest.raises(ValueError, match="Received: pieces='last'"):
        piece_labels(aligned, [3, 1, 2], "last")


def test_labels_leave_white_space_alone(trained):
    [aligned] = align(trained["byte_bpe", True], ["the\n\nfood"], [[(0, 3), (5, 9)]])
    assert (aligned.word_of < 0).any()
    _, weights = piece_labels(aligned, [1, 2], "all")
    assert weights.tolist() == (aligned.word_of >= 0).astype(float).tolist()
