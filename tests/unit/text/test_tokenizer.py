"""The tokenizer: always an answer, offsets into the original, the same vocabulary."""

import os
import re
import subprocess
import sys
import unicodedata

import numpy as np
import pytest
import tokenizers
from helpers.processes import WITHOUT_KERAS
from hypothesis import given, settings
from hypothesis import strategies as st
from kzoo_recipes import KzooError

from kzoo.text import Tokenizer
from kzoo.text.training import KINDS, SPECIAL_TOKENS, _settled

TEXTS = [
    "The staff were lovely, but the food was cold.",
    "Not bad at all! A café I'd recommend to anyone.",
    "Broke after two days; asked for my money back.",
    "Still going strong after three years, 10/10.",
    "naïve Ünïcode straße 東京 Москва café 🎉 Ελλάδα",
] * 3
HOSTILE = [
    "",
    " \t\n\u2003",
    "a",
    "a" * 100_000,
    "good film " * 10_000,
    "🎉👍🏽👩‍👩‍👧" * 500,
    "\ud800",
    "bad \udfff\ud800 food",
    "\x00",
    "a\x00b\x07\u200b\u202e",
    "[PAD] [UNK] [CLS] [SEP] [MASK]",
    "e" + "\u0301" * 1000,
    "\u0301start",
    "\U0010ffff\uffff\ufffd",
]
written = st.text(
    st.one_of(
        st.sampled_from("the staff café naïve İß½ﬁ東京Ως🎉'\u0301\u0308\u200d \t\n▁Ġ#"),
        st.characters(),
    ),
    max_size=40,
).map(lambda text: unicodedata.normalize("NFD", text) if len(text) % 2 else text)


@pytest.fixture(scope="module")
def trained():
    return {kind: Tokenizer.train(TEXTS, kind, 400, min_frequency=1) for kind in KINDS}


def pieces_of(tokenizer):
    return [tokenizer.id_to_token(i) for i in range(tokenizer.vocabulary_size)]


@pytest.mark.parametrize("kind", KINDS)
def test_special_tokens_come_first(trained, kind):
    tokenizer = trained[kind]
    assert pieces_of(tokenizer)[:5] == list(SPECIAL_TOKENS)
    assert (tokenizer.pad_id, tokenizer.unk_id, tokenizer.mask_id) == (0, 1, 4)
    ids = tokenizer.encode(["the staff"]).token_ids[0]
    assert (ids[0], ids[-1]) == (2, 3) and ids.dtype == np.int32
    assert tokenizer.token_to_id("[SEP]") == 3
    assert tokenizer.token_to_id("never seen") is None


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("offsets", [True, False])
def test_every_text_gets_its_tokens_in_order(trained, kind, offsets):
    tokenizer = trained[kind]
    together = tokenizer.encode(HOSTILE, sequence_length=64, offsets=offsets)
    assert len(together) == len(HOSTILE)
    for row, text in enumerate(HOSTILE):
        alone = tokenizer.encode([text], sequence_length=64, offsets=offsets)
        np.testing.assert_array_equal(together.token_ids[row], alone.token_ids[0])
        assert 2 <= len(alone.token_ids[0]) <= 64
        assert alone.token_ids[0][-1] == 3
        assert alone.token_ids[0].max() < tokenizer.vocabulary_size
    assert (together.offsets is not None) == offsets


@pytest.mark.parametrize("kind", KINDS)
def test_more_texts_than_fit_at_once(trained, kind, monkeypatch):
    expected = trained[kind].encode(TEXTS)
    monkeypatch.setattr("kzoo.text.tokenizer.AT_ONCE", 4)
    for actual, wanted in zip(
        trained[kind].encode(TEXTS).token_ids, expected.token_ids, strict=True
    ):
        np.testing.assert_array_equal(actual, wanted)


@pytest.mark.parametrize("kind", KINDS)
def test_truncation_keeps_the_closing_token_and_is_counted(trained, kind):
    texts = ["the staff were lovely but the food was cold", "cold"]
    whole = trained[kind].encode(texts)
    cut = trained[kind].encode(texts, sequence_length=6)
    np.testing.assert_array_equal(cut.lengths, whole.lengths)
    assert not whole.truncated.any() and cut.truncated[0]
    np.testing.assert_array_equal(cut.token_ids[0][:5], whole.token_ids[0][:5])
    np.testing.assert_array_equal(cut.offsets[0][:5], whole.offsets[0][:5])
    assert cut.token_ids[0][5] == 3 and len(cut.token_ids[0]) == 6
    exact = trained[kind].encode(texts[:1], sequence_length=int(whole.lengths[0]))
    assert not exact.truncated[0]


@pytest.mark.parametrize(
    "part, kept", {"head": [0, 1, 2], "tail": [6, 7, 8], "both": [0, 1, 8]}.items()
)
def test_what_is_kept_of_a_long_text(trained, part, kept):
    text = "the staff were lovely but the food was cold"
    words = trained["word"].encode([text])
    cut = trained["word"].encode([text], sequence_length=5, truncate=part)
    places = [0, *(place + 1 for place in kept), len(words.token_ids[0]) - 1]
    np.testing.assert_array_equal(cut.token_ids[0], words.token_ids[0][places])
    np.testing.assert_array_equal(cut.offsets[0], words.offsets[0][places])
    assert cut.truncated[0]
    with pytest.raises(ValueError, match="Received: truncate='middle'"):
        trained["word"].encode([text], sequence_length=5, truncate="middle")


def test_a_summary_begins_and_ends_with_tokens_of_the_tokenizer(trained):
    tokenizer = trained["wordpiece"]
    ends = [tokenizer.id_to_token(i) for i in (tokenizer.start_id, tokenizer.end_id)]
    assert ends == ["[CLS]", "[SEP]"]


@pytest.mark.parametrize("length", [0, 2])
def test_a_sequence_length_without_room(trained, length):
    with pytest.raises(KzooError, match=f"at least 3.*Received: sequence_.*={length}"):
        trained["wordpiece"].encode(["a"], sequence_length=length)


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=150, deadline=None)
@given(text=written)
def test_offsets_cover_what_the_token_stands_for(trained, kind, text):
    tokenizer = trained[kind]
    encoded = tokenizer.encode([text])
    offsets, ids = encoded.offsets[0], encoded.token_ids[0]
    assert offsets.shape == (len(ids), 2)
    assert offsets[[0, -1]].tolist() == [[0, 0], [0, 0]]
    inner = offsets[1:-1]
    assert (inner >= 0).all() and (inner <= len(text)).all()
    assert (inner[:, 0] <= inner[:, 1]).all()
    assert (np.diff(inner, axis=0) >= 0).all()
    for token_id, (start, end) in zip(ids[1:-1], inner, strict=True):
        part = text[start:end]
        assert part == part.strip()
        if token_id > 4 and part:
            assert surface(tokenizer, token_id) in seen(tokenizer, part)
    if kind == "byte_bpe":  # It drops nothing, so everything visible is covered.
        covered = {place for start, end in inner for place in range(start, end)}
        assert covered >= {p for p, letter in enumerate(text) if not letter.isspace()}


def surface(tokenizer, token_id):
    """The bytes of a piece without the marks of its kind."""
    piece = tokenizer.id_to_token(token_id)
    if isinstance(tokenizer._backend.model, tokenizers.models.BPE):
        return bytes(BYTES[letter] for letter in piece).strip()
    return piece.removeprefix("##").removeprefix("▁").encode()


def seen(tokenizer, part):
    """The bytes of a part of the text, normalised; a lone surrogate is U+FFFD."""
    whole = re.sub("[\ud800-\udfff]", "\ufffd", part)
    return tokenizer._backend.normalizer.normalize_str(whole).encode()


def _bytes_of_letters():
    """GPT-2's table, from its paper's code: printable bytes stand for themselves."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in plain]
    moved = {chr(256 + place): byte for place, byte in enumerate(others)}
    return {chr(byte): byte for byte in plain} | moved


BYTES = _bytes_of_letters()


@pytest.mark.parametrize("kind", KINDS)
def test_no_accent_of_a_decomposed_text_is_left_out(trained, kind):
    text = unicodedata.normalize("NFD", "  café 각 naïve")
    offsets = trained[kind].encode([text]).offsets[0]
    covered = {place for start, end in offsets for place in range(start, end)}
    assert covered == {place for place, c in enumerate(text) if not c.isspace()}


@pytest.mark.parametrize("kind", KINDS)
def test_json_keeps_everything(trained, kind):
    again = Tokenizer.from_json(trained[kind].to_json())
    assert again.to_json() == trained[kind].to_json()
    expected, actual = trained[kind].encode(HOSTILE), again.encode(HOSTILE)
    for name in ("token_ids", "offsets"):
        for a, b in zip(getattr(actual, name), getattr(expected, name), strict=True):
            np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize(
    "kind, expected",
    [
        ("wordpiece", "the staff were cold, cafe"),
        ("byte_bpe", "the staff were cold, café"),
        ("unigram", "the staff were cold, café"),
    ],
)
def test_decode(trained, kind, expected):
    ids = trained[kind].encode(["The staff  were cold, café"]).token_ids[0]
    assert " ".join(trained[kind].decode(ids).split()) == expected


def test_byte_bpe_gives_any_text_back():
    tokenizer = Tokenizer.train(TEXTS, "byte_bpe", 300, lowercase=False)
    for text in ("Hello  World\n\ttabs", "🎉 x", "trailing ", "\x00"):
        assert tokenizer.decode(tokenizer.encode([text]).token_ids[0]) == text


TRAIN = """
import csv, hashlib, sys
from kzoo.text import Tokenizer
words = [f"{a}{b}{c}" for a in "bdgkmprst" for b in "aeiou" for c in ("n", "ta", "x")]
texts = [" ".join(words[i * j % len(words)] for j in range(9)) for i in range(500)]
for kind in ("wordpiece", "byte_bpe", "unigram", "word"):
    tokenizer = Tokenizer.train(texts + ["¡é/@", "ü*"], kind, 330)
    print(hashlib.sha256(tokenizer.to_json().encode()).hexdigest())
"""


def test_training_is_the_same_in_every_process():
    printed = set()
    for seed, parallel in (("1", "true"), ("2", "false")):
        env = os.environ | {"PYTHONHASHSEED": seed, "TOKENIZERS_PARALLELISM": parallel}
        run = [sys.executable, "-c", WITHOUT_KERAS + TRAIN]
        printed.add(
            subprocess.run(run, env=env, check=True, capture_output=True).stdout
        )
    assert len(printed) == 1


def test_unigram_scores_do_not_depend_on_the_order_of_rare_letters():
    """What two runs of the library's trainer gave, cut short."""
    one = [["▁a", -2.0], ["b", -9.00005], ["x", -9.1], ["y", -9.0999], ["z", -9.0998]]
    two = [["▁a", -2.0 + 1e-11], ["b", -9.00005], ["z", -9.1], ["x", -9.0999]]
    two.append(["y", -9.0998])
    expected = [("▁a", -2.0), ("b", -9.0), ("x", -9.1), ("y", -9.1), ("z", -9.1)]
    assert _settled(one) == _settled(two) == expected


def test_a_mark_of_a_word_alone_is_empty(trained):
    encoded = trained["unigram"].encode(["cold  🤡"])
    assert trained["unigram"].id_to_token(encoded.token_ids[0][-3]) == "▁"
    assert encoded.offsets[0][-3:-1].tolist() == [[6, 6], [6, 7]]


@pytest.mark.parametrize("kind", KINDS)
def test_order_of_the_texts_does_not_matter(trained, kind):
    again = Tokenizer.train(TEXTS[::-1], kind, 400, min_frequency=1)
    assert again.to_json() == trained[kind].to_json()


@pytest.mark.parametrize("kind", KINDS)
def test_little_text_gives_fewer_pieces(kind):
    tokenizer = Tokenizer.train(["good film", "good film"], kind, 8000)
    assert 5 < tokenizer.vocabulary_size < 300
    assert f"vocabulary_size={tokenizer.vocabulary_size})" in repr(tokenizer)


@pytest.mark.parametrize("kind", ["wordpiece", "unigram"])
def test_a_large_alphabet_fits(kind):
    texts = ["".join(map(chr, range(0x4E00 + i, 0x4E00 + i + 30))) for i in range(400)]
    tokenizer = Tokenizer.train(texts * 2, kind, 100)
    assert tokenizer.vocabulary_size <= 100
    assert len(tokenizer.encode(texts)) == 400


def test_lowercase_can_be_off():
    tokenizer = Tokenizer.train(TEXTS, "wordpiece", 400, lowercase=False)
    assert "The" in tokenizer.decode(tokenizer.encode(["The café"]).token_ids[0])


@pytest.mark.parametrize(
    "arguments, message",
    [
        (([""], "wordpiece", 100), "nothing to learn from"),
        (([], "unigram", 100), "nothing to learn from"),
        ((["a"], "byte_bpe", 260), "at least 261.*Received: vocabulary_size=260"),
        ((["a"], "wordpiece", 5), "at least 6.*Received: vocabulary_size=5"),
        (
            (["a"], "bpe", 100),
            "wordpiece, byte_bpe, unigram, word. Received: kind='bpe'",
        ),
        (("a b", "wordpiece", 100), "list of strings. Received: 'a b'"),
        ((["a", 3], "wordpiece", 100), r"list of strings. Received: texts\[1\]=3"),
    ],
)
def test_training_says_what_is_wrong(arguments, message):
    with pytest.raises(KzooError, match=message):
        Tokenizer.train(*arguments)


FORK = """
import os
from kzoo.text import Tokenizer
tokenizer = Tokenizer.train(["good film", "bad film"] * 50)
expected = tokenizer.encode(["a good film"] * 500).lengths.tolist()
child = os.fork()
if child == 0:
    os._exit(tokenizer.encode(["a good film"] * 500).lengths.tolist() != expected)
raise SystemExit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_encodes_after_a_fork():
    run = [sys.executable, "-c", WITHOUT_KERAS + FORK]
    assert subprocess.run(run, timeout=300, capture_output=True).returncode == 0


def test_whole_words_are_the_most_frequent_and_all_others_unknown():
    texts = ["the film, the book", "The book was dull", "a film"]
    tokenizer = Tokenizer.train(texts, "word", 8, min_frequency=2)
    assert pieces_of(tokenizer) == [*SPECIAL_TOKENS, "the", "book", "film"]
    ids = tokenizer.encode(["The dull FILM"]).token_ids[0].tolist()
    assert ids == [2, 5, 1, 7, 3]


def test_words_that_are_all_too_rare_are_refused():
    with pytest.raises(KzooError, match="no word occurs 3 times or more; lower"):
        Tokenizer.train(["one two", "two"], "word", 100, min_frequency=3)
