"""JSONL of tagged words whose keys have other names than those asked for."""

import json

import pytest
from kzoo_recipes import KzooError

from kzoo.data.tagged import read_tagged


@pytest.mark.parametrize(
    "row, options, sentence",
    [
        (
            {"text": "a", "spans": []},
            {"text": "txt"},
            'no key "txt"; did you mean "text"? The keys are "text", "spans"; choose '
            "one with --set data.text=KEY.",
        ),
        (
            {"sentence": "a", "spans": []},
            {},
            'no key "text"; the keys are "sentence", "spans"; choose one with --set '
            "data.text=KEY.",
        ),
        (
            {"texts": "a", "span": []},
            {},
            'no key "text"; did you mean "texts"? The keys are "texts", "span"; choose '
            "one with --set data.text=KEY.",
        ),
        (
            {"text": "a", "span": []},
            {},
            'no key "spans"; did you mean "span"? The keys are "text", "span"; choose '
            "one with --set data.spans=KEY.",
        ),
        (
            {"token": ["a"], "tags": ["O"]},
            {},
            'no key "tokens"; did you mean "token"? The keys are "token", "tags"; '
            "choose one with --set data.words=KEY.",
        ),
        (
            {"tokens": ["a"], "tag": ["O"]},
            {},
            'no key "tags"; did you mean "tag"? The keys are "tokens", "tag"; choose '
            "one with --set data.tags=KEY.",
        ),
        (
            {"sentence": "a b", "labels": ["O", "O"]},
            {},
            'no key "tokens", a list of words, and no "text", a text; the keys are '
            '"sentence", "labels"; choose one with --set data.words=KEY or --set '
            "data.text=KEY.",
        ),
        (
            {"body": "a b"},
            {"tagged": False, "text": "txt", "option": "--{flag} "},
            'no key "txt"; the keys are "body"; choose one with --text KEY.',
        ),
    ],
)
def test_keys_that_are_not_there(tmp_path, row, options, sentence):
    file = tmp_path / "rows.jsonl"
    file.write_text(json.dumps(row))
    with pytest.raises(KzooError) as refusal:
        read_tagged(file, **options)
    assert str(refusal.value) == f"{file}, line 1: the object has {sentence}"
