"""What kzoo writes, transformers' AutoTokenizer reads: the same ids, the same roles."""

import json

import pytest

from kzoo.interop.tokenizers import read_limits, read_tokenizer, write_tokenizer
from kzoo.text import Tokenizer
from kzoo.text.training import KINDS
from tests.helpers.tricky import CORPUS, TEXTS, ids, their_ids

transformers = pytest.importorskip("transformers")

BERT = {"model_type": "bert", "max_position_embeddings": 40, "type_vocab_size": 2}


def written(folder, tokenizer, config, *limits):
    """Write, and what AutoTokenizer makes of it."""
    folder.joinpath("config.json").write_text(json.dumps(config), encoding="utf-8")
    names = write_tokenizer(tokenizer, folder, config, *limits)
    files = {path.name for path in folder.iterdir()} - {"config.json"}
    assert files == set(names)
    return transformers.AutoTokenizer.from_pretrained(folder)


@pytest.mark.parametrize("lowercase", [True, False])
@pytest.mark.parametrize("kind", KINDS)
def test_trained_by_kzoo(tmp_path, kind, lowercase):
    ours = Tokenizer.train(CORPUS, kind, 400, lowercase, min_frequency=1)
    theirs = written(tmp_path, ours, BERT)
    assert ids(ours) == their_ids(theirs)
    assert (theirs.pad_token_id, theirs.unk_token_id) == (ours.pad_id, ours.unk_id)
    assert (theirs.cls_token_id, theirs.sep_token_id) == (ours.start_id, ours.end_id)
    assert theirs.mask_token_id == ours.mask_id
    assert theirs.model_max_length == 40
    cut = theirs(TEXTS, truncation=True)["input_ids"]
    assert [row.tolist() for row in ours.encode(TEXTS, 40).token_ids] == cut
    assert "token_type_ids" in theirs("a", "b")
    for row in ids(ours):
        assert theirs.decode(row, skip_special_tokens=True) == ours.decode(row)
    assert ids(read_tokenizer(tmp_path, BERT)) == ids(ours)


def test_vocab_txt_alone_says_the_same(tmp_path):
    ours = Tokenizer.train(CORPUS, "wordpiece", 400, False, min_frequency=1)
    written(tmp_path, ours, BERT)
    tmp_path.joinpath("tokenizer.json").unlink()
    for kind in (transformers.BertTokenizer, transformers.DistilBertTokenizer):
        assert ids(ours) == their_ids(kind.from_pretrained(tmp_path))


@pytest.mark.parametrize(
    "config, longest",
    [
        ({"model_type": "roberta", "max_position_embeddings": 514}, 512),
        ({"model_type": "bart", "max_position_embeddings": 1024}, 1024),
        ({"model_type": "t5", "n_positions": 512}, 512),
    ],
)
def test_longest_text(tmp_path, config, longest):
    ours = Tokenizer.train(CORPUS, "byte_bpe", 400, min_frequency=1)
    config = {"pad_token_id": 1, **config}
    theirs = written(tmp_path, ours, config)
    assert theirs.model_max_length == longest
    assert list(theirs("a")) == ["input_ids", "attention_mask"]


@pytest.mark.parametrize("truncate", ["head", "tail"])
def test_texts_are_cut_where_kzoo_cuts_them(tmp_path, truncate):
    ours = Tokenizer.train(CORPUS, "wordpiece", 400, min_frequency=1)
    config = {**BERT, "max_position_embeddings": 64}
    theirs = written(tmp_path, ours, config, 9, truncate)
    cut = theirs(TEXTS, truncation=True)["input_ids"]
    rows = ours.encode(TEXTS, 9, truncate=truncate).token_ids
    assert [row.tolist() for row in rows] == cut
    assert read_limits(tmp_path, config) == (9, truncate)


@pytest.mark.parametrize(
    "settings, config, limits",
    [
        ({}, {}, (None, "head")),
        ({"model_max_length": 10**30}, {"n_positions": 512}, (512, "head")),
        ({"truncation_side": "left"}, {"model_type": "deberta-v2"}, (None, "tail")),
        (
            {"model_max_length": 1024},
            {
                "model_type": "roberta",
                "max_position_embeddings": 514,
                "pad_token_id": 1,
            },
            (512, "head"),
        ),
    ],
    ids=["nothing", "t5", "left", "roberta"],
)
def test_limits_of_other_checkpoints(tmp_path, settings, config, limits):
    tmp_path.joinpath("tokenizer_config.json").write_text(json.dumps(settings))
    assert read_limits(tmp_path, config) == limits


def test_roles_of_a_writer(tmp_path):
    ours = Tokenizer.train(CORPUS, "unigram", 300, min_frequency=1)
    theirs = written(tmp_path, ours, {"model_type": "bart", "is_encoder_decoder": True})
    assert (theirs.bos_token_id, theirs.eos_token_id) == (ours.start_id, ours.end_id)


def test_what_a_token_takes_along_survives(tmp_path):
    """MPNet's mask takes the space before it; its padding is not BERT's."""
    vocabulary = [
        "<s>",
        "<pad>",
        "</s>",
        "[PAD]",
        "[UNK]",
        "[MASK]",
        "a",
        "b",
        "<mask>",
    ]
    first, second = tmp_path / "first", tmp_path / "second"
    first.mkdir(), second.mkdir()
    first.joinpath("vocab.txt").write_text("\n".join(vocabulary), encoding="utf-8")
    config = {"model_type": "mpnet", "max_position_embeddings": 20, "pad_token_id": 1}
    ours = read_tokenizer(first, config)
    theirs = written(second, ours, config)
    assert ids(ours) == their_ids(theirs)
    assert theirs.pad_token_id == ours.pad_id == 1
    assert theirs.mask_token_id == ours.mask_id == 8
    assert theirs.model_max_length == 18
    again = read_tokenizer(second, config)
    assert ids(again) == ids(ours) and again.pad_id == 1
