"""Train, dev and test of tagged words: their schemes, a hash, what must be there."""

import json

import pytest
from kzoo_recipes import KzooError, TaggerData

from kzoo.data import schemes
from kzoo.data.tagged import load_tagged_splits, read_tagged

TOKENS = {"tokens": ["EU", "left"], "tags": ["B-ORG", "O"]}


def refused(read, *arguments, **options):
    with pytest.raises(KzooError) as refusal:
        read(*arguments, **options)
    return str(refusal.value).split("/")[-1]


def data_of(train, dev=None, test=None, **others):
    return TaggerData(train=train, dev=dev, test=test, **others)


def test_splits_may_be_in_several_schemes(tmp_path):
    tmp_path.joinpath("a.conll").write_text("x I-a\ny B-a\n\nz O\nx I-a\n")
    tmp_path.joinpath("b.conll").write_text("x S-a\ny B-a\nz E-a\n")
    tmp_path.joinpath("c.conll").write_text("x I-a\ny I-a\n")
    files = [str(tmp_path / f"{name}.conll") for name in "abc"]
    splits = load_tagged_splits(data_of(*files))
    assert [rows.source_scheme for rows in splits.values()] == ["iob1", "bioes", "iob1"]
    assert splits["train"].tags == [["B-a", "B-a"], ["O", "B-a"]]
    assert splits["dev"].tags == [["B-a", "B-a", "I-a"]]
    assert splits["test"].tags == [["B-a", "I-a"]]


def test_a_hash_of_the_text_splits_off_dev_and_test(tmp_path):
    sentences = [f"word{n} I-a\nmore B-a\n" for n in range(200)]
    tmp_path.joinpath("a.conll").write_text("\n".join([*sentences, sentences[0]]))
    splits = load_tagged_splits(data_of(str(tmp_path / "a.conll")))
    assert sum(map(len, splits.values())) == 201
    assert 5 < len(splits["dev"]) < 40 and splits["dev"].hashed
    assert not splits["train"].hashed
    texts = [set(rows.texts) for rows in splits.values()]
    assert sum(map(len, texts)) == 200  # Equal texts stay on one side.
    rows = splits["test"]
    assert rows.source_scheme == "iob1"
    for row, text in enumerate(rows.texts):
        assert rows.lines[row][0] == 1 + 3 * int(text.split()[0][4:])


def test_notes_go_with_their_rows(tmp_path):
    sentences = [f"word{n} {'I-a' if n % 7 else 'B-a'}\n" for n in range(100)]
    sentences += [f"x{n} B-b\ny I-b\n" for n in range(200)]
    tmp_path.joinpath("a.conll").write_text("\n".join(sentences))
    splits = load_tagged_splits(data_of(str(tmp_path / "a.conll")))
    counts = [
        sum(remark.kind == "repaired" for row in rows.remarks for remark in row)
        for rows in splits.values()
    ]
    assert sum(counts) == 85 and min(counts) > 0
    for rows, count in zip(splits.values(), counts, strict=True):
        assert rows.notes[-1].startswith(f"{count} tag")


def test_there_must_be_something_to_learn(tmp_path):
    tmp_path.joinpath("a.conll").write_text("".join(f"w{n} O\n\n" for n in range(50)))
    assert refused(load_tagged_splits, data_of(str(tmp_path / "a.conll"))) == (
        'a.conll: every training word has the tag "O", so there is nothing to learn; '
        "look at the column, --set data.tags=COLUMN."
    )
    tmp_path.joinpath("a.jsonl").write_text(json.dumps(TOKENS | {"w": 0}) + "\n")
    path = str(tmp_path / "a.jsonl")
    assert refused(load_tagged_splits, data_of(path, path, path, weight="w")) == (
        "a.jsonl: every training row has the weight 0, so there is nothing to learn "
        'from; look at the column "w".'
    )
    assert "[data] names no training rows" in refused(load_tagged_splits, TaggerData())


@pytest.mark.parametrize(
    "corpus, sentences, words, types",
    [
        ("wnut17/train.conll", 3394, 62730, 6),
        ("bc5cdr/train.tsv", 4560, 118170, 2),
    ],
)
def test_public_corpora_have_no_surprises(corpora, corpus, sentences, words, types):
    rows = read_tagged(corpora / corpus, format="conll")
    assert (len(rows), sum(map(len, rows.words))) == (sentences, words)
    names = {schemes.split(tag)[1] for tags in rows.tags for tag in tags} - {""}
    assert (len(names), rows.scheme, rows.notes) == (types, "iob2", [])
