"""What is found in rows: counted by hand here, in small corpora and in public ones."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kzoo_recipes import load

from kzoo.data import Rows, load_splits
from kzoo.data.checks import check_rows, check_tokens
from kzoo.data.comparison import normal_form
from kzoo.data.report import data_report
from kzoo.text import Tokenizer


def rows(*pairs, path="rows.csv"):
    """`Rows` of `(text, label)`, from line 2 on."""
    texts, labels = zip(*pairs, strict=True)
    return Rows(list(texts), list(labels), list(range(2, len(pairs) + 2)), path)


def plain(*texts):
    return rows(*((text, "ab"[place % 2]) for place, text in enumerate(texts)))


def found(splits, kind):
    return [finding for finding in check_rows(splits) if finding.kind == kind]


@pytest.mark.parametrize(
    "one, other",
    [
        ("Good food.", "good food"),
        ("don't", "Don’t"),
        ("  wide   space ", "wide\tspace\n"),
        ("ﬁne", "fine"),  # a ligature
        ("STRASSE", "straße"),
        ("é", "e\u0301"),
        ("ａｂｃ", "abc"),  # full width
        ("zero\u200bwidth", "zerowidth"),
        ("``quoted''", '"quoted"'),
        ("", "\u200b \u00a0"),
    ],
)
def test_the_same_but_for_writing(one, other):
    assert normal_form(one) == normal_form(other)


@pytest.mark.parametrize(
    "one, other", [("!!!", "???"), ("resume", "résumé"), ("a b", "ab"), ("5", "6")]
)
def test_another_text(one, other):
    assert normal_form(one) != normal_form(other)


@given(st.text(st.characters(exclude_categories=[])))
def test_a_normal_form_is_its_own(text):
    assert normal_form(normal_form(text)) == normal_form(text)
    assert normal_form(f" {text}\n") == normal_form(text)


def test_empty_rows():
    [finding] = found(
        {
            "train": plain("a", "", " \t", "\u200b", "!"),
        },
        "empty",
    )
    assert finding.groups == [[("train", 1)], [("train", 2)], [("train", 3)]]
    assert finding.message == "train: 3 of 5 texts are empty"


def test_repeated_within_a_split_exactly_and_otherwise():
    splits = {
        "train": plain("Cold.", "warm", "Cold.", "cold", "Cold."),
    }
    [finding] = found(splits, "repeated")
    assert (finding.count, finding.exact) == (3, 2)
    assert finding.groups == [[("train", 0), ("train", 2), ("train", 3), ("train", 4)]]
    assert finding.message == (
        "train: 3 texts repeat an earlier one, 1 of them but for case, spacing and "
        "punctuation"
    )


def test_shared_between_splits():
    splits = {
        "train": plain("one", "two", "three"),
        "dev": plain("four", "five"),
        "test": plain("two", "FOUR", "two", "six"),
    }
    shared = {f.splits: f for f in found(splits, "shared")}
    assert set(shared) == {("train", "test"), ("dev", "test")}
    leak = shared["train", "test"]
    assert (leak.count, leak.exact) == (2, 2)
    assert leak.groups == [[("train", 1), ("test", 0), ("test", 2)]]
    assert leak.message == "test: 2 texts are in train too"
    assert shared["dev", "test"].exact == 0
    assert shared["dev", "test"].message == (
        "test: 1 text is in dev too but for case, spacing and punctuation"
    )


def test_one_text_with_different_labels():
    splits = {
        "train": rows(("so so", "good"), ("so so", "bad"), ("fine", "good")),
        "test": rows(("Fine!", "bad"), ("fine", "good"), ("ok", "good")),
    }
    [finding] = found(splits, "conflict")
    assert (finding.count, finding.exact) == (2, 1)
    assert finding.splits == ("train", "test")


def test_no_conflict_where_labels_agree():
    assert not found({"train": rows(("a", "x"), ("A", "x"), ("b", "y"))}, "conflict")


def test_labels_of_test_alone_and_of_train_alone():
    splits = {
        "train": rows(("a", "good"), ("b", "bad"), ("c", "odd")),
        "test": rows(("d", "Good"), ("e", "bad"), ("f", "Good")),
    }
    [unseen] = found(splits, "unseen_label")
    assert unseen.message == (
        'test: the label "Good" (2 rows) does not occur in train; did you mean "good"?'
    )
    assert unseen.groups == [[("test", 0)], [("test", 2)]]
    [absent] = found(splits, "absent_label")
    assert (
        absent.message == 'test: no row has the labels "good", "odd", which train has'
    )
    assert unseen.fault and not absent.fault


def test_rows_with_several_labels():
    splits = {
        "train": rows(("a", ("x", "y")), ("A", ("y", "x")), ("b", ()), ("B", ("x",))),
        "test": rows(("c", ("y", "z")), ("d", ())),
    }
    assert [f.groups[0] for f in found(splits, "conflict")] == [
        [("train", 2), ("train", 3)]
    ]
    [unseen] = found(splits, "unseen_label")
    assert unseen.groups == [[("test", 0)]]


def test_clean_rows_give_nothing():
    assert check_rows({"train": plain("a", "b"), "test": plain("c", "d")}) == []


def test_tokens():
    splits = {"train": plain("a b", "a", "a b c d e"), "test": plain("a a a x", "y z")}
    tokenizer = Tokenizer.train(["a b c d e"] * 2, kind="word")
    facts, findings = check_tokens(splits, tokenizer, sequence_length=6)
    assert facts["train"].lengths == {50: 4, 90: 7, 95: 7, 99: 7, 100: 7}
    assert (facts["train"].truncated, facts["train"].tokens) == (1, 2 + 1 + 4)
    assert facts["train"].unknown_share == 0
    assert facts["test"].unknown_share == 3 / 6
    assert [(f.kind, f.groups) for f in findings] == [
        ("truncated", [[("train", 2)]]),
        ("unknown", [[("test", 1)]]),
    ]


def test_report_gives_lines_and_says_what_it_left_out():
    splits = {"train": plain("a", "b", "a", "b"), "test": plain("c", "d")}
    tokenizer = Tokenizer.train(["a b c d"] * 2, kind="word")
    report = data_report(splits, tokenizer, 8, most=1)
    assert report["splits"]["train"]["labels"] == {"a": 2, "b": 2}
    [repeated] = report["findings"]
    assert (repeated["count"], repeated["left_out"]) == (2, 1)
    assert repeated["groups"] == [
        [
            {
                "split": "train",
                "file": "rows.csv",
                "line": 2,
                "label": "a",
                "text": "a",
            },
            {
                "split": "train",
                "file": "rows.csv",
                "line": 4,
                "label": "a",
                "text": "a",
            },
        ]
    ]


@pytest.mark.parametrize(
    "name, ending, lines",
    [
        ("sst2", "csv", [154, 1452]),
        ("trec6", "jsonl", [51, 73, 188, 277, 313, 321, 330, 379, 414, 488]),
    ],
)
def test_known_leaks_of_public_corpora(corpora, name, ending, lines):
    """Test sentences that stand in train, to the letter."""
    given = [f"data.{s}={corpora}/{name}/{s}.{ending}" for s in ("train", "test")]
    splits = load_splits(load(name, given).data)
    [leak] = [f for f in found(splits, "shared") if f.splits == ("train", "test")]
    assert leak.exact == len(lines)
    texts = set(splits["train"].texts)
    leaked = [
        splits["test"].lines[row]
        for group in leak.groups
        for split, row in group
        if split == "test" and splits["test"].texts[row] in texts
    ]
    assert sorted(leaked) == lines
