"""Train, dev and test: files, hashes, the bundled corpus; and the names of classes."""

import hashlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kzoo_recipes import ClassifierData, KzooError

from kzoo.data import LabelSet, Rows, hashed_split, load_splits


def rows_of(texts, labels=None):
    labels = labels or ["a"] * len(texts)
    return Rows(list(texts), list(labels), list(range(2, len(texts) + 2)), "rows.csv")


def many(count):
    return rows_of([f"review {n}" for n in range(count)], ["a", "b"] * (count // 2))


def saved(tmp_path, name, rows):
    lines = [f"{t},{y}" for t, y in zip(rows.texts, rows.labels, strict=True)]
    (tmp_path / name).write_text("\n".join(["text,label", *lines]))
    return str(tmp_path / name)


def test_the_split_is_the_documented_hash():
    digest = hashlib.blake2b("Qualité".encode(), digest_size=8).hexdigest()
    share = int(digest, 16) / 16**16
    for text in ("Qualité", "Qualite\u0301"):
        parts = hashed_split(rows_of([text]), test_share=share + 1e-9)
        assert [len(parts[s]) for s in ("train", "dev", "test")] == [0, 0, 1]
        parts = hashed_split(rows_of([text]), dev_share=0.5, test_share=share - 1e-9)
        assert len(parts["test"]) == 0 and len(parts["dev"]) == 1


def test_shares_are_met():
    parts = hashed_split(many(20_000), dev_share=0.1, test_share=0.2)
    assert len(parts["dev"]) == pytest.approx(2_000, rel=0.1)
    assert len(parts["test"]) == pytest.approx(4_000, rel=0.1)


@given(
    texts=st.lists(st.text(max_size=3), max_size=30),
    more=st.lists(st.text(max_size=3), max_size=30),
    dev_share=st.floats(0, 0.5),
    test_share=st.floats(0, 0.5),
)
def test_equal_texts_stay_together_and_old_rows_stay(
    texts, more, dev_share, test_share
):
    before = hashed_split(rows_of(texts), dev_share, test_share)
    after = hashed_split(rows_of(more + texts), dev_share, test_share)
    seen = {}
    for split, part in after.items():
        for text in part.texts:
            assert seen.setdefault(text, split) == split
    for split, part in before.items():
        assert all(seen[text] == split for text in part.texts)
        assert part.lines == sorted(part.lines)
    assert sum(map(len, after.values())) == len(texts) + len(more)


def test_bundled_reviews():
    splits = load_splits(ClassifierData(source="kzoo:reviews"))
    assert list(splits) == ["train", "dev", "test"]
    texts = [set(part.texts) for part in splits.values()]
    assert not (texts[0] & texts[1] or texts[0] & texts[2] or texts[1] & texts[2])
    for split, part in splits.items():
        assert set(part.labels) == {"positive", "negative"}
        assert part.where(0) == f"kzoo:reviews/{split}.csv, line 2"
        assert min(map(len, part.texts)) > 0


def test_files_are_taken_as_they_are(tmp_path):
    train, dev, test = many(6), rows_of(["d"]), rows_of(["t", "review 1"])
    files = {"train": train, "dev": dev, "test": test}
    paths = {name: saved(tmp_path, f"{name}.csv", rows) for name, rows in files.items()}
    splits = load_splits(ClassifierData(**paths))
    assert {name: part.texts for name, part in splits.items()} == {
        name: rows.texts for name, rows in files.items()
    }


@pytest.mark.parametrize("given, missing", [("test", "dev"), ("dev", "test")])
def test_only_what_is_missing_is_split_off(tmp_path, given, missing):
    whole = many(200)
    paths = {"train": saved(tmp_path, "train.csv", whole)}
    paths[given] = saved(tmp_path, "other.csv", rows_of(["x"]))
    splits = load_splits(ClassifierData(**paths, dev_share=0.3, test_share=0.3))
    assert splits[given].texts == ["x"]
    assert set(splits["train"].texts) | set(splits[missing].texts) == set(whole.texts)
    assert len(splits[missing]) == pytest.approx(60, abs=20)
    assert len(splits["train"]) + len(splits[missing]) == 200


def test_columns_and_format_reach_the_reader(tmp_path):
    lines = "\n".join(f"{n}\tgood {n}" for n in range(2)) + "\n9\tso so"
    path = tmp_path / "rows.txt"
    path.write_text("y\tx\n" + lines)
    data = {"train": str(path), "dev": str(path), "test": str(path)}
    splits = load_splits(ClassifierData(**data, text="x", label="y", format="tsv"))
    assert splits["dev"].labels == ["0", "1", "9"]


def test_no_data_at_all():
    with pytest.raises(
        KzooError, match=r"\[data\] names no training rows; .*--set data"
    ):
        load_splits(ClassifierData())


@pytest.mark.parametrize(
    "source", ["kzoo:review", "reviews", "kzoo:../layers", "hub:x"]
)
def test_an_unknown_source(source):
    with pytest.raises(KzooError, match=f'no rows are called "{source}"; .*kzoo:'):
        load_splits(ClassifierData(source=source))


def test_one_label_is_not_enough(tmp_path):
    path = saved(tmp_path, "rows.csv", rows_of(["x", "y"]))
    message = r'rows.csv: every training row has the label "a"; a classifier needs two'
    with pytest.raises(KzooError, match=message):
        load_splits(ClassifierData(train=path, dev=path, test=path))


@pytest.mark.parametrize(
    "shares, split",
    [
        ({"dev_share": 1e-9}, "dev"),
        ({"test_share": 1e-9}, "test"),
        ({"dev_share": 0.5, "test_share": 0.5}, "train"),
    ],
)
def test_an_empty_part_is_named(tmp_path, shares, split):
    path = saved(tmp_path, "rows.csv", many(60))
    message = f"rows.csv: splitting 60 rows by their hash left none for {split}; "
    with pytest.raises(KzooError, match=message + f".*--set data.{split}=FILE"):
        load_splits(ClassifierData(train=path, **shares))


def test_labels_are_sorted():
    rows = rows_of("xyz", ["b", "a", "b"])
    labels = LabelSet.from_rows(rows)
    assert (labels.names, len(labels), list(labels)) == (["a", "b"], 2, ["a", "b"])
    assert repr(labels) == "LabelSet(['a', 'b'])"
    ids = labels.ids(rows)
    assert ids.tolist() == [1, 0, 1] and ids.dtype == np.int32


def test_numbers_are_sorted_as_numbers():
    rows = rows_of("xyzw", ["10", "9", "-1", "9"])
    assert LabelSet.from_rows(rows).names == ["-1", "9", "10"]
    assert LabelSet.from_rows(rows_of("xyz", ["10", "9", "a"])).names == [
        "10",
        "9",
        "a",
    ]


@pytest.mark.parametrize(
    "label, hint", [("Good", 'did you mean "good"? The'), ("???", "the")]
)
def test_an_unknown_label_is_named(label, hint):
    with pytest.raises(KzooError) as caught:
        LabelSet(["bad", "good"]).ids(rows_of("xy", ["good", label]))
    assert str(caught.value) == (
        f'rows.csv, line 3: the label "{label}" does not occur in the training rows; '
        f'{hint} labels are "bad", "good".'
    )


def test_many_labels_are_not_all_listed():
    with pytest.raises(KzooError, match=r'"l19" and 11 more\.'):
        LabelSet([f"l{n}" for n in range(31)]).ids(rows_of("x", ["?"]))


def test_label_names_differ():
    with pytest.raises(KzooError, match=r"must differ. Received: names=\['a', 'a'\]"):
        LabelSet(["a", "a"])


def test_labels_are_renamed_in_every_split(tmp_path):
    whole = rows_of([f"review {n}" for n in range(90)], ["1", "2", "3"] * 30)
    path = saved(tmp_path, "train.csv", whole)
    names = {"1": "bad", "2": "bad", "3": "good"}
    splits = load_splits(ClassifierData(train=path, labels=names))
    for rows in splits.values():
        assert {"bad", "good"} >= set(rows.labels)
    both = [*zip(splits["train"].texts, splits["train"].labels, strict=True)]
    original = dict(zip(whole.texts, whole.labels, strict=True))
    assert all(names[original[text]] == label for text, label in both)
    kept = load_splits(ClassifierData(train=path, labels={"3": "good"}))["train"]
    assert set(kept.labels) == {"1", "2", "good"}


@pytest.mark.parametrize(
    "old, hint", [("B", 'did you mean "b"?'), ("x", "there are a, b.")]
)
def test_renaming_a_label_that_is_not_there(tmp_path, old, hint):
    path = saved(tmp_path, "train.csv", many(100))
    with pytest.raises(KzooError) as caught:
        load_splits(ClassifierData(train=path, labels={old: "good"}))
    assert str(caught.value) == (
        f'[data.labels] renames the label "{old}", which no row has; {hint}'
    )


def test_weights_are_those_of_training_rows(tmp_path):
    lines = [f"review {n},{'ab'[n % 2]},{n / 2}" for n in range(100)]
    train, dev = tmp_path / "train.csv", tmp_path / "dev.csv"
    train.write_text("\n".join(["text,label,trust", *lines]))
    dev.write_text("text,label\nx,a\n")
    splits = load_splits(ClassifierData(train=str(train), dev=str(dev), weight="trust"))
    assert splits["dev"].weights is None
    rows = splits["train"]
    for text, weight in zip(rows.texts, rows.weights, strict=True):
        assert weight == int(text.removeprefix("review ")) / 2


def test_weights_that_are_all_nothing(tmp_path):
    path = tmp_path / "train.csv"
    path.write_text("text,label,w\nx,a,0\ny,b,0\n")
    data = ClassifierData(train=str(path), dev=str(path), test=str(path), weight="w")
    with pytest.raises(
        KzooError, match=r"train.csv: every training row has the wei.*w"
    ):
        load_splits(data)


def test_patterns_lists_and_encodings_reach_the_reader(tmp_path):
    for name in ("a", "b"):
        rows = f"text,label\n{name}é,{name}\n"
        tmp_path.joinpath(f"{name}.csv").write_bytes(rows.encode("latin-1"))
    pattern = str(tmp_path / "*.csv")
    data = ClassifierData(
        train=pattern, dev=pattern, test=[pattern, pattern], encoding="latin-1"
    )
    splits = load_splits(data)
    assert splits["train"].texts == ["aé", "bé"]
    assert splits["test"].texts == ["aé", "bé"] * 2
    assert splits["train"].where(1) == f"{tmp_path / 'b.csv'}, line 2"
