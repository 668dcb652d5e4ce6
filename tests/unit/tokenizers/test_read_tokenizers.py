"""Tokenizers of checkpoints give the ids that transformers gives."""

import json
import os
from pathlib import Path

import pytest
import tokenizers
from kzoo_recipes import KzooError

from kzoo.interop.tokenizers import read_tokenizer
from kzoo.text import Tokenizer
from tests.helpers.tricky import CORPUS, TEXTS, ids, their_ids

transformers = pytest.importorskip("transformers")

FAIRSEQ = {
    "[PAD]": "<pad>",
    "[UNK]": "<unk>",
    "[CLS]": "<s>",
    "[SEP]": "</s>",
    "[MASK]": "<mask>",
}


@pytest.fixture(scope="module")
def pieces():
    """A cased WordPiece vocabulary, list of str."""
    tokenizer = Tokenizer.train(CORPUS, "wordpiece", 500, False, min_frequency=1)
    return [tokenizer.id_to_token(i) for i in range(tokenizer.vocabulary_size)]


@pytest.fixture(scope="module")
def pairs():
    """A byte-level vocabulary with RoBERTa's names, and its merges."""
    learnt = Tokenizer.train(CORPUS, "byte_bpe", 450, False, min_frequency=1)
    model = json.loads(learnt.to_json())["model"]
    vocabulary = {FAIRSEQ.get(piece, piece): i for piece, i in model["vocab"].items()}
    return vocabulary, [tuple(pair) for pair in model["merges"]]


def write(folder, config=None, **files):
    """Files of a checkpoint; dicts as JSON."""
    folder.mkdir(exist_ok=True)
    files = {"config.json": config or {}, **files}
    for name, content in files.items():
        text = content if isinstance(content, str) else json.dumps(content)
        folder.joinpath(name).write_text(text, encoding="utf-8")
    return folder


def lines(pieces):
    return "".join(f"{piece}\n" for piece in pieces)


def merges_txt(merges):
    return "#version: 0.2\n" + lines(" ".join(pair) for pair in merges)


@pytest.mark.parametrize("model_type", ["bert", "distilbert", "electra"])
@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"do_lower_case": False},
        {"do_lower_case": True, "strip_accents": False},
        {"do_lower_case": False, "strip_accents": True},
        {"tokenize_chinese_chars": False},
    ],
    ids=lambda settings: " ".join(settings) or "plain",
)
def test_vocab_txt(tmp_path, pieces, model_type, settings):
    config = {"model_type": model_type}
    files = {"vocab.txt": lines(pieces), "tokenizer_config.json": settings}
    folder = write(tmp_path / "model", config, **files)
    theirs = transformers.AutoTokenizer.from_pretrained(folder)
    assert ids(read_tokenizer(folder, config)) == their_ids(theirs)


def test_vocab_txt_of_mpnet(tmp_path, pieces):
    """It has all of BERT's names as well, which must not be taken for its own."""
    vocabulary = ["<s>", "<pad>", "</s>", "<unk>", *pieces, "<mask>"]
    config = {"model_type": "mpnet"}
    folder = write(tmp_path / "model", config, **{"vocab.txt": lines(vocabulary)})
    theirs = transformers.AutoTokenizer.from_pretrained(folder)
    ours = read_tokenizer(folder, config)
    assert ids(ours) == their_ids(theirs)
    for tokenizer in (ours, Tokenizer.from_json(ours.to_json())):
        assert tokenizer.pad_id == theirs.pad_token_id == 1
        assert tokenizer.unk_id == theirs.unk_token_id == 5
        assert tokenizer.mask_id == theirs.mask_token_id == len(vocabulary) - 1
        assert tokenizer.start_id == 0 and tokenizer.end_id == 2


@pytest.mark.parametrize("spaced", [False, True])
@pytest.mark.parametrize("model_type", ["roberta", "bart"])
def test_vocab_json_and_merges_txt(tmp_path, pairs, model_type, spaced):
    vocabulary, merges = pairs
    config = {"model_type": model_type}
    folder = write(
        tmp_path / "model",
        config,
        **{
            "vocab.json": vocabulary,
            "merges.txt": merges_txt(merges),
            "tokenizer_config.json": {"add_prefix_space": spaced},
        },
    )
    theirs = transformers.AutoTokenizer.from_pretrained(folder)
    ours = read_tokenizer(folder, config)
    assert ids(ours) == their_ids(theirs)
    assert ours.pad_id == theirs.pad_token_id and ours.mask_id == theirs.mask_token_id


def test_added_tokens_keep_their_ids(tmp_path, pairs):
    vocabulary, merges = pairs
    size = len(vocabulary)
    config = {"model_type": "roberta", "vocab_size": size + 2}
    files = {"vocab.json": vocabulary, "merges.txt": merges_txt(merges)}
    added = {"<user>": size, "Köln": size + 1}
    folder = write(tmp_path / "model", config, **files, **{"added_tokens.json": added})
    theirs = transformers.AutoTokenizer.from_pretrained(folder)
    texts = ["<user> in Köln", "x<user>Kölner"]
    found = ids(read_tokenizer(folder, config), texts)
    assert found == their_ids(theirs, texts)
    assert size in found[0] and size + 1 in found[0]


@pytest.mark.parametrize("settings", [{}, {"do_lower_case": True}])
def test_a_tokenizer_json_obeys_tokenizer_config(tmp_path, pieces, settings):
    """Where transformers lowers by its own default, kzoo believes the file."""
    config = {"model_type": "bert"}
    vocabulary = {piece: i for i, piece in enumerate(pieces)}
    bert = transformers.BertTokenizer(vocab=vocabulary, do_lower_case=False)
    bert.save_pretrained(tmp_path)
    write(tmp_path, config, **{"tokenizer_config.json": settings})
    cased = ids(read_tokenizer(tmp_path, config)) == their_ids(bert)
    assert cased == (not settings)
    if settings:
        theirs = transformers.AutoTokenizer.from_pretrained(tmp_path)
        assert ids(read_tokenizer(tmp_path, config)) == their_ids(theirs)


def test_a_tokenizer_json_of_modernbert(tmp_path, pairs):
    """Byte-level pieces, BERT's names, and runs of spaces that are tokens."""
    vocabulary, merges = pairs
    names = {theirs: ours for ours, theirs in FAIRSEQ.items()}
    vocabulary = {names.get(piece, piece): i for piece, i in vocabulary.items()}
    made = tokenizers.Tokenizer(tokenizers.models.BPE(vocabulary, merges))
    made.normalizer = tokenizers.normalizers.NFC()
    made.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = tokenizers.decoders.ByteLevel()
    made.add_special_tokens(list(FAIRSEQ))
    made.add_tokens(["  ", "   "])
    around = [(name, made.token_to_id(name)) for name in ("[CLS]", "[SEP]")]
    made.post_processor = tokenizers.processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=around
    )
    config = {"model_type": "modernbert"}
    settings = {"tokenizer_class": "PreTrainedTokenizerFast", "pad_token": "[PAD]"}
    files = {"tokenizer.json": made.to_str(), "tokenizer_config.json": settings}
    folder = write(tmp_path / "model", config, **files)
    theirs = transformers.AutoTokenizer.from_pretrained(folder)
    assert ids(read_tokenizer(folder, config)) == their_ids(theirs)


def test_a_tokenizer_json_that_does_not_name_its_model(tmp_path):
    """As `tokenizers` wrote them in 2020, when T5's were made."""
    pieces = [["<pad>", 0.0], ["</s>", 0.0], ["<unk>", 0.0], ["▁a", -1.0], ["b", -2.0]]
    described = {
        "version": "1.0",
        "added_tokens": [],
        "pre_tokenizer": {
            "type": "Metaspace",
            "replacement": "▁",
            "str_rep": "▁",
            "add_prefix_space": True,
        },
        "model": {"unk_id": 2, "vocab": pieces},
    }
    folder = write(tmp_path / "model", **{"tokenizer.json": described})
    [row] = ids(read_tokenizer(folder, {"model_type": "t5"}), ["a ab x"])
    assert row == [3, 3, 4, 2]


@pytest.mark.parametrize("name", ["all-MiniLM-L6-v2", "bert-tiny-splade"])
def test_real_checkpoints(name):
    if "KZOO_CHECKPOINTS" not in os.environ:
        pytest.skip("KZOO_CHECKPOINTS names no folder")
    folder = Path(os.environ["KZOO_CHECKPOINTS"], name)
    config = json.loads(folder.joinpath("config.json").read_text("utf-8"))
    theirs = transformers.AutoTokenizer.from_pretrained(folder)
    ours = read_tokenizer(folder, config)
    assert ids(ours, TEXTS + CORPUS) == their_ids(theirs, TEXTS + CORPUS)
    assert ids(Tokenizer.from_json(ours.to_json())) == ids(ours)


def test_a_vocabulary_without_a_mask(tmp_path, pieces):
    """The usual mask is not put behind the last piece where no vector is for it."""
    kept = [piece for piece in pieces if piece != "[MASK]"]
    folder = write(tmp_path / "model", **{"vocab.txt": lines(kept)})
    config = {"model_type": "bert", "vocab_size": len(kept)}
    assert read_tokenizer(folder, config).mask_id is None
    with_room = {**config, "vocab_size": len(kept) + 1}
    assert read_tokenizer(folder, with_room).mask_id == len(kept)


def test_roles_that_are_null_are_the_usual_ones(tmp_path, pieces):
    settings = {"cls_token": None, "pad_token": None, "mask_token": None}
    files = {"vocab.txt": lines(pieces), "tokenizer_config.json": settings}
    config = {"model_type": "bert"}
    ours = read_tokenizer(write(tmp_path / "model", config, **files), config)
    assert (ours.pad_id, ours.start_id, ours.mask_id) == (0, 2, 4)


def test_without_a_tokenizer(tmp_path):
    with pytest.raises(KzooError) as refused:
        read_tokenizer(tmp_path, {})
    assert str(refused.value).startswith(
        f"{tmp_path}: there is no tokenizer here: neither tokenizer.json nor vocab.txt,"
    )


def test_a_vocabulary_of_a_kind_that_nobody_names(tmp_path):
    write(tmp_path, **{"vocab.txt": "[PAD]\n[UNK]\n"})
    with pytest.raises(KzooError, match="do not say which tokenizer this is"):
        read_tokenizer(tmp_path, {"model_type": "wav2vec2"})


BROKEN = {
    "vocab.txt, line 3: 'x' already stands in line 2": {"vocab.txt": "a\nx\nx\n"},
    "vocab.txt: byte 0 is not UTF-8": {"vocab.txt": b"\xff"},
    "tokenizer_config.json: this is no table": {
        "vocab.txt": "a\n",
        "tokenizer_config.json": "[]",
    },
    "tokenizer_config.json: {'content': 1} is no token": {
        "vocab.txt": "a\n",
        "tokenizer_config.json": '{"unk_token": {"content": 1}}',
    },
    "the token '[X]' is said to have the id 7, but the vocabulary gives it 1": {
        "vocab.txt": "a\n",
        "added_tokens.json": '{"[X]": 7}',
    },
    "tokenizer_config.json: extra_special_tokens is no list": {
        "vocab.txt": "a\n",
        "tokenizer_config.json": '{"extra_special_tokens": "abc"}',
    },
    "tokenizer_config.json: added_tokens_decoder has the id 'x'": {
        "vocab.txt": "a\n",
        "tokenizer_config.json": '{"added_tokens_decoder": {"x": "[X]"}}',
    },
    "vocab.json: 'a' has the id 'b'": {
        "vocab.json": '{"a": "b"}',
        "merges.txt": "",
        "tokenizer_config.json": '{"tokenizer_class": "RobertaTokenizerFast"}',
    },
    "a BertTokenizer is made of vocab.txt, and there is only spiece.model; ": {
        "spiece.model": "",
    },
    "tokenizer.json: this is not plain JSON": {"tokenizer.json": "{"},
    "tokenizer.json: this describes no tokenizer": {"tokenizer.json": "{}"},
    "merges.txt, line 2: 'a b c' is not two pieces": {
        "vocab.json": '{"a": 0}',
        "merges.txt": "#version\na b c\n",
        "tokenizer_config.json": '{"tokenizer_class": "RobertaTokenizerFast"}',
    },
}


@pytest.mark.parametrize("sentence", BROKEN, ids=range(len(BROKEN)))
def test_says_what_is_broken(tmp_path, sentence):
    for name, content in BROKEN[sentence].items():
        content = content if isinstance(content, bytes) else content.encode()
        tmp_path.joinpath(name).write_bytes(content)
    with pytest.raises(KzooError) as refused:
        read_tokenizer(tmp_path, {"model_type": "bert"})
    assert sentence in str(refused.value)


def test_more_tokens_than_vectors(tmp_path, pieces):
    write(tmp_path, **{"vocab.txt": lines(pieces)})
    config = {"model_type": "bert", "vocab_size": len(pieces) - 1}
    with pytest.raises(KzooError) as refused:
        read_tokenizer(tmp_path, config)
    assert (
        f"has the id {len(pieces) - 1}, but config.json's vocab_size is "
        f"{len(pieces) - 1}: the tokenizer and the weights do not belong together"
    ) in str(refused.value)
