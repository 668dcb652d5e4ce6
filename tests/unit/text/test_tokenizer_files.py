"""Tokenizers from files: BERT's vocab.txt, any tokenizer.json, and broken ones."""

import json

import numpy as np
import pytest
import tokenizers
from kzoo_recipes import KzooError

from kzoo.text import Tokenizer
from kzoo.text.training import KINDS

TEXTS = [
    "The staff were lovely, but the food was cold.",
    "Not bad at all! A café I'd recommend to anyone.",
    "Broke after two days; asked for my money back.",
    "Still going strong after three years, 10/10.",
    "naïve Ünïcode straße 東京 Москва café 🎉 Ελλάδα",
] * 3
STRANGE = [
    "",
    " \t\u2003",
    "a" * 1000,
    "good " * 300,
    "🎉👍🏽 ",
    "a\x00b\x07\u200b",
    "[PAD] [SEP]",
]


@pytest.fixture(scope="module")
def trained():
    return {kind: Tokenizer.train(TEXTS, kind, 400, min_frequency=1) for kind in KINDS}


@pytest.fixture(scope="module")
def vocabulary_file(tmp_path_factory, trained):
    path = tmp_path_factory.mktemp("bert") / "vocab.txt"
    path.write_text("\n".join(pieces_of(trained["wordpiece"])), encoding="utf-8")
    return path


def pieces_of(tokenizer):
    return [tokenizer.id_to_token(i) for i in range(tokenizer.vocabulary_size)]


def test_agrees_with_transformers_bert(trained, vocabulary_file):
    from transformers import BertTokenizer

    vocabulary = {piece: i for i, piece in enumerate(pieces_of(trained["wordpiece"]))}
    bert = BertTokenizer(vocab=vocabulary)
    ours = Tokenizer.load(vocabulary_file)
    texts = [
        *TEXTS,
        *STRANGE,
        "don't [MASK] me 東京!",
    ]
    for length in (None, 16):
        theirs = bert(texts, truncation=length is not None, max_length=length)
        for actual, expected in zip(
            ours.encode(texts, length).token_ids, theirs["input_ids"], strict=True
        ):
            assert actual.tolist() == expected
    places = bert(TEXTS, return_offsets_mapping=True)["offset_mapping"]
    for actual, expected in zip(ours.encode(TEXTS).offsets, places, strict=True):
        assert [tuple(pair) for pair in actual] == expected


def test_a_cased_vocabulary_is_not_lowered(tmp_path):
    path = tmp_path / "vocab.txt"
    path.write_text(
        "\ufeff[PAD]\r\n[UNK]\r\n[CLS]\r\n[SEP]\r\nFilm\r\nfilm\r\n", "utf-8"
    )
    assert Tokenizer.load(path).encode(["Film film"]).token_ids[0].tolist()[1:3] == [
        4,
        5,
    ]
    lowered = Tokenizer.load(path, lowercase=True)
    assert lowered.encode(["Film film"]).token_ids[0].tolist()[1:3] == [5, 5]
    assert lowered.mask_id is None


def edited(tokenizer, **changes):
    return json.dumps({**json.loads(tokenizer.to_json()), **changes})


def test_a_files_truncation_and_padding_are_switched_off(trained):
    backend = tokenizers.Tokenizer.from_str(trained["wordpiece"].to_json())
    backend.enable_truncation(4)
    backend.enable_padding(length=4)
    loaded = Tokenizer.from_json(backend.to_str())
    assert loaded.encode([TEXTS[0], "a"]).lengths.tolist() == (
        trained["wordpiece"].encode([TEXTS[0], "a"]).lengths.tolist()
    )


def test_a_files_dropout_is_switched_off(trained):
    backend = tokenizers.Tokenizer.from_str(trained["byte_bpe"].to_json())
    backend.model.dropout = 0.9
    loaded = Tokenizer.from_json(backend.to_str())
    np.testing.assert_array_equal(
        loaded.encode(TEXTS).lengths, trained["byte_bpe"].encode(TEXTS).lengths
    )


def test_a_files_own_post_processor_stays(trained):
    closing = tokenizers.processors.TemplateProcessing(
        single="$A [SEP]", special_tokens=[("[SEP]", 3)]
    )
    backend = tokenizers.Tokenizer.from_str(trained["unigram"].to_json())
    backend.post_processor = closing
    loaded = Tokenizer.from_json(backend.to_str())
    ids = loaded.encode(["the food was cold"], sequence_length=2).token_ids[0]
    assert ids[0] != 2 and ids[1] == 3 and len(ids) == 2


def test_a_file_without_post_processor_gets_one(trained):
    loaded = Tokenizer.from_json(edited(trained["wordpiece"], post_processor=None))
    assert loaded.encode([""]).token_ids[0].tolist() == [2, 3]


def test_names_of_roberta_and_t5():
    vocabulary = {"<s>": 0, "<pad>": 1, "</s>": 2, "<unk>": 3, "a": 4, "<mask>": 5}
    backend = tokenizers.Tokenizer(
        tokenizers.models.WordPiece(vocabulary, unk_token="<unk>")
    )
    loaded = Tokenizer(backend)
    assert (loaded.pad_id, loaded.unk_id, loaded.mask_id) == (1, 3, 5)
    assert loaded.encode(["a", "?"]).token_ids[0].tolist() == [0, 4, 2]


def test_no_special_tokens_still_gives_a_token():
    vocabulary = {"<|endoftext|>": 0, "a": 1}
    backend = tokenizers.Tokenizer(tokenizers.models.BPE(vocabulary, []))
    encoded = Tokenizer(backend).encode(["", "b", "a"])
    assert [ids.tolist() for ids in encoded.token_ids] == [[0], [0], [1]]
    assert encoded.offsets[0].tolist() == [[0, 0]]


BERT = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n"
WORDPIECE = {
    "type": "WordPiece",
    "unk_token": "[UNK]",
    "continuing_subword_prefix": "##",
    "max_input_chars_per_word": 100,
}


@pytest.mark.parametrize(
    "name, content, message",
    [
        ("tokenizer.json", "not json", "this is not plain JSON: Expecting value"),
        ("tokenizer.json", "{}", "this describes no tokenizer: it has no model"),
        (
            "tokenizer.json",
            json.dumps({"model": WORDPIECE | {"vocab": {"[UNK]": 0}}}),
            r"no padding token; add one of \[PAD\], <pad>",
        ),
        (
            "tokenizer.json",
            json.dumps({"model": WORDPIECE | {"vocab": {"[PAD]": 0}}}),
            r"no unknown token; add one of \[UNK\], <unk>",
        ),
        (
            "tokenizer.json",
            json.dumps(
                {"model": {"type": "Unigram", "vocab": [["<pad>", 0], ["<unk>", 0]]}}
            ),
            "fails on a text it has not seen .*; give its model an unknown token",
        ),
        (
            "tokenizer.json",
            json.dumps(
                {
                    "model": WORDPIECE
                    | {"vocab": {"[PAD]": 0, "<unk>": 1, "a": 2}, "unk_token": "?"}
                }
            ),
            "fails on a text it has not seen .*; give its model an unknown token",
        ),
        ("vocab.txt", "the\nfilm\n", r"the vocabulary lacks \[PAD\]"),
        ("vocab.txt", "", r"the vocabulary lacks \[PAD\]"),
        ("vocab.txt", BERT.replace("[CLS]\n", ""), r"the vocabulary lacks \[CLS\]"),
        ("vocab.txt", BERT + "a\nb\na\n", "txt, line 7: 'a' already stands in line 5"),
        ("vocab.txt", b"\x89PNG\xff", "byte 0 is not UTF-8, so this is no tokenizer"),
        ("model.bin", "", "a tokenizer is a tokenizer.json or a vocab.txt"),
        ("vocab.txt", None, "there is no such tokenizer file"),
    ],
)
def test_loading_says_what_is_wrong(tmp_path, name, content, message):
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(KzooError, match=message) as caught:
        Tokenizer.load(path)
    assert str(path) in str(caught.value)


def test_a_folder_is_not_a_tokenizer(tmp_path):
    folder = tmp_path / "vocab.txt"
    folder.mkdir()
    with pytest.raises(KzooError, match="cannot be read: Is a directory"):
        Tokenizer.load(folder)


class PanicException(BaseException):
    """What a panic inside `tokenizers` becomes: no `Exception`."""


@pytest.mark.parametrize(
    "raised, expected",
    [(PanicException, KzooError), (KeyboardInterrupt, KeyboardInterrupt)],
)
def test_a_panic_is_an_unreadable_file(monkeypatch, raised, expected):
    class Broken:
        @staticmethod
        def from_str(content):
            raise raised("index out of range")

    monkeypatch.setattr(tokenizers, "Tokenizer", Broken)
    with pytest.raises(expected, match="index out of range"):
        Tokenizer.from_json(json.dumps({"model": WORDPIECE | {"vocab": {"a": 0}}}))


def test_an_error_does_not_quote_half_the_file(tmp_path):
    written = json.loads(Tokenizer.train(["a b", "a"], "word").to_json())
    written["added_tokens"][0]["lstrip"] = "a" * 5000
    with pytest.raises(KzooError, match="cannot read this") as caught:
        Tokenizer.from_json(json.dumps(written))
    assert len(str(caught.value)) < 450
    assert "expected a boolean" in str(caught.value)
