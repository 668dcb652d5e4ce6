"""A `tokenizer.json` that would hurt `tokenizers` does not reach it.

All of them are read in one process of their own: some would abort it.
"""

import base64
import json
import subprocess
import sys

import pytest
from helpers.processes import WITHOUT_KERAS
from kzoo_recipes import KzooError

from kzoo.text.checking import check_tokenizer

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
IDS = {token: number for number, token in enumerate((*SPECIAL, "a", "b"))}
WORDS = {"type": "WordLevel", "vocab": IDS, "unk_token": "[UNK]"}
BPE = {
    "type": "BPE",
    "dropout": None,
    "unk_token": "[UNK]",
    "continuing_subword_prefix": None,
    "end_of_word_suffix": None,
    "fuse_unk": False,
    "vocab": {**IDS, "ab": 7},
    "merges": [["a", "b"]],
}
UNIGRAM = {"type": "Unigram", "unk_id": 1, "vocab": [[t, 0.0] for t in IDS]}
ADDED = {
    **{"id": 7, "content": "c", "single_word": False, "lstrip": False},
    **{"rstrip": False, "normalized": False, "special": False},
}


def charsmap(content):
    return {
        "type": "Precompiled",
        "precompiled_charsmap": base64.b64encode(content).decode(),
    }


def replace(content, **pattern):
    return {"type": "Replace", "pattern": pattern, "content": content}


def template(**changes):
    sequence = {"Sequence": {"id": "A", "type_id": 0}}
    special = {"SpecialToken": {"id": "[CLS]", "type_id": 0}}
    token = {"id": "[CLS]", "ids": [2], "tokens": ["[CLS]"]}
    return {
        "type": "TemplateProcessing",
        "single": [special, sequence],
        "pair": [sequence],
        "special_tokens": {"[CLS]": token},
        **changes,
    }


def nested(depth):
    part = {"type": "Lowercase"}
    for _ in range(depth):
        part = {"type": "Sequence", "normalizers": [part]}
    return part


REFUSED = {
    "a part unknown": (
        {"normalizer": {"type": "Exec"}},
        "normalizer.type is 'Exec'; kzoo knows BertNormalizer, ByteLevel, Lowercase, ",
    ),
    "a key unknown": ({"code": 1}, "there is a key 'code' that kzoo does not know."),
    "a model unknown": (
        {"model": {**WORDS, "type": "Neural"}},
        "model.type is 'Neural'; kzoo knows BPE, Unigram, WordLevel, WordPiece.",
    ),
    "an id beyond int32": (
        {"model": {**WORDS, "vocab": {**IDS, "x": 2**32 - 1}}},
        "model.vocab, 'x', has the id 4294967295; ids are in [0, 2147483647).",
    ),
    "an id below zero": (
        {"added_tokens": [{**ADDED, "id": -1}]},
        "added_tokens[0] has the id -1; ids are in [0, 2147483647).",
    ),
    "no pieces": ({"model": {**WORDS, "vocab": {}}}, "model.vocab holds no pieces."),
    "a table of characters that says it has 4 GB": (
        {"normalizer": charsmap(b"\xff\xff\xff\x7f" + bytes(8))},
        "normalizer.precompiled_charsmap is cut off or altered.",
    ),
    "a table of characters that is none": (
        {"normalizer": {"type": "Precompiled", "precompiled_charsmap": "@"}},
        "normalizer.precompiled_charsmap is not base64.",
    ),
    "a table of characters that is empty": (
        {"normalizer": charsmap(bytes(4))},
        "normalizer.precompiled_charsmap is cut off or altered.",
    ),
    "a table of characters that leads out of itself": (
        {"normalizer": charsmap(b"\x04\0\0\0\xff\xff\xff\xffab\0c")},
        "this tokenizer fails on a text it has not seen ",
    ),
    "texts that grow without end": (
        {
            "normalizer": {
                "type": "Sequence",
                "normalizers": [replace("a" * 10, String="a")] * 10,
            }
        },
        "normalizer may make a text 10,000,000,000 times as long; 64 times is the ",
    ),
    "a pattern that is empty": (
        {"normalizer": replace("b", String="")},
        "normalizer.pattern is no String and no Regex, or empty.",
    ),
    "too many parts": (
        {"normalizer": {"type": "Sequence", "normalizers": [nested(0)] * 1000}},
        "normalizer has more than 64 parts.",
    ),
    "parts too deep": ({"normalizer": nested(200)}, "values are nested more than 64"),
    "a length of nothing": (
        {"pre_tokenizer": {"type": "FixedLength", "length": 0}},
        "length must be in [1, 2147483647], not 0.",
    ),
    "a decoder that strips beyond the end": (
        {"decoder": {"type": "Strip", "content": "a", "start": 2**62, "stop": 0}},
        "start must be in [0, 64], not 4611686018427387904.",
    ),
    "a merge of what is no piece": (
        {"model": {**BPE, "merges": [["a", "x"]]}},
        "model.merges[0] needs the piece 'x', which model.vocab lacks.",
    ),
    "a merge that lacks its prefix": (
        {"model": {**BPE, "continuing_subword_prefix": "##"}},
        "model.merges[0] joins 'b' without the prefix '##'.",
    ),
    "a score that is no number": (
        {"model": {**UNIGRAM, "vocab": [*UNIGRAM["vocab"], ["x", 1e308]]}},
        "model.vocab[7] is not a piece and its score.",
    ),
    "an unknown token that is not there": (
        {"model": {**UNIGRAM, "unk_id": 99}},
        "unk_id must be in [0, 6], not 99.",
    ),
    "a template of a million tokens": (
        {"post_processor": template(single=template()["single"] * 500_000)},
        "post_processor.single is no list of at most 64 tokens.",
    ),
    "a template with an id that no token has": (
        {
            "post_processor": template(
                special_tokens={"[CLS]": {"id": "[CLS]", "ids": [99], "tokens": ["x"]}}
            )
        },
        "post_processor.special_tokens, '[CLS]', has the id 99, which no token has.",
    ),
    "a template without the text": (
        {"post_processor": template(single=[])},
        "post_processor.single does not hold the text once.",
    ),
    "a regular expression that gives up": (
        {
            "pre_tokenizer": {
                "type": "Split",
                "pattern": {"Regex": "(a+)+$"},
                "behavior": "Isolated",
                "invert": False,
            }
        },
        "this tokenizer fails on one of the texts: ",
    ),
}
READ = """
import json, sys
from kzoo.text import Tokenizer
from kzoo_recipes import KzooError
for content in json.load(sys.stdin):
    try:
        tokenizer = Tokenizer.from_json(content, source="file")
        encoded = tokenizer.encode(["a" * 40 + " b", "", "ab " * 100], 64)
        tokenizer.decode(encoded.token_ids[0])
        print(json.dumps("read"))
    except KzooError as error:
        print(json.dumps(str(error)))
"""


def described(**changes):
    return json.dumps(
        {
            **{"version": "1.0", "truncation": None, "padding": None},
            **{"added_tokens": [], "normalizer": None, "pre_tokenizer": None},
            **{"post_processor": None, "decoder": None, "model": WORDS},
            **changes,
        }
    )


@pytest.fixture(scope="module")
def sentences():
    """What is said of each, in the order of `REFUSED`, and of good ones after them."""
    good = [{}, {"model": BPE}, {"model": UNIGRAM}, {"post_processor": template()}]
    files = [described(**changes) for changes, _ in REFUSED.values()]
    files += [described(**changes) for changes in good]
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_KERAS + READ],
        input=json.dumps(files),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.parametrize("name", REFUSED)
def test_refused_before_it_hurts(sentences, name):
    said = sentences[list(REFUSED).index(name)]
    assert said.startswith(f"file: {REFUSED[name][1]}")


def test_good_ones_are_read(sentences):
    assert sentences[len(REFUSED) :] == ["read"] * 4


def test_a_list_where_a_word_belongs():
    """Values of any kind stand anywhere: found by `python -m tests.fuzz`."""
    for changes in (
        {"model": {**WORDS, "type": ["BPE"]}},
        {"normalizer": {"type": ["BPE"]}},
        {"post_processor": template(special_tokens={"[CLS]": {"ids": [[2]]}})},
        {"post_processor": {"type": "BertProcessing", "sep": ["a", [2]], "cls": 1}},
    ):
        with pytest.raises(KzooError):
            check_tokenizer(described(**changes), "file")
