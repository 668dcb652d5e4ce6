"""What is found in tagged words: counted by hand here, in corpora of a few lines."""

import json

import pytest

from kzoo.data.tagged import TaggedRows, read_tagged
from kzoo.data.tagged_checks import check_pieces, check_tagged, count_types
from kzoo.data.tagged_report import tagged_report
from kzoo.text import Tokenizer
from kzoo.text.alignment import align, joined


def rows(*sentences, path="rows.conll", scheme="iob2"):
    """`TaggedRows` of `"word/tag word/tag"`, each on the lines after the last one."""
    pairs = [[pair.rsplit("/", 1) for pair in s.split()] for s in sentences]
    words = [[word for word, _ in one] for one in pairs]
    tags = [[tag for _, tag in one] for one in pairs]
    lines, line = [], 1
    for one in words:
        lines.append([*range(line, line + len(one))])
        line += len(one) + 1
    texts, spans = zip(*map(joined, words), strict=True)
    spans = [[tuple(map(int, pair)) for pair in one] for one in spans]
    return TaggedRows(words, tags, list(texts), spans, lines, path, scheme)


def found(splits, kind):
    return [finding for finding in check_tagged(splits) if finding.kind == kind]


def said(findings):
    return [finding.message for finding in findings]


def places(finding):
    return [[(p.split, p.line, p.detail) for p in group] for group in finding.groups]


def test_nothing_is_found_where_nothing_is():
    train = rows("Ana/B-person flew/O", "to/O New/B-place York/I-place")
    test = rows("Bo/B-person saw/O Rome/B-place")
    assert check_tagged({"train": train, "test": test}) == []
    assert count_types(train) == {"person": 1, "place": 1}


def test_what_readers_remarked_is_found_with_its_lines(tmp_path):
    path = tmp_path / "rows.jsonl"
    given = [
        {"tokens": ["a", "b", "c"], "tags": ["O", "I-x", "I-y"]},
        {"tokens": [], "tags": []},
        {"tokens": ["a", "b"], "tags": ["B-x", "B"]},
        {"text": " ab", "spans": [{"start": 0, "end": 2, "label": "y"}]},
        {"tokens": ["a", "b"], "tags": ["B-x", "I-x"]},
        {"tokens": ["a", "b"], "tags": ["B-x", "I-x"]},
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in given))
    splits = {"train": read_tagged(path)}
    findings = [f for f in check_tagged(splits) if f.kind not in ("repeated",)]
    kinds = {f.kind: (f.count, f.fault, places(f)) for f in findings}
    assert kinds.pop("conflict")[0] == 1
    assert kinds.pop("ambiguous")[1] is False
    invalid = [
        [("train", 1, '"b" I-x after O, read as B-x')],
        [("train", 1, '"c" I-y after I-x, read as B-y')],
    ]
    assert kinds == {
        "invalid": (2, True, invalid),
        "spaces": (1, True, [[("train", 4, "a")]]),
        "untyped": (1, False, [[("train", 3, "B")]]),
        "split_word": (1, False, [[("train", 4, "ab")]]),
        "empty": (1, True, [[("train", 2, "")]]),
    }
    assert said(found(splits, "invalid")) == [
        "train: 2 tags cannot stand where they stand; they are repaired, as the scorer "
        "conlleval reads them"
    ]


def test_repeated_and_shared_sentences():
    train = rows("So/O it/O goes/O", "so/O it/O goes/O !/O", "Rome/B-place")
    test = rows("Rome/B-place", "else/O")
    splits = {"train": train, "test": test}
    assert said(found(splits, "repeated")) == [
        "train: 1 text repeats an earlier one but for case, spacing and punctuation"
    ]
    [shared] = found(splits, "shared")
    assert shared.message == "test: 1 text is in train too"
    assert shared.groups == [[("train", 2), ("test", 0)]]


def test_sentences_that_are_tagged_in_different_ways():
    train = rows(
        "see/O Rome/B-place now/O", "See/O rome/O now/O", "a/B-x b/O", "a/O b/O"
    )
    splits = {"train": train, "dev": rows("see/O Rome/B-place now/O")}
    [conflict] = found(splits, "conflict")
    assert conflict.message == "train, dev: 2 sentences are tagged in different ways"
    assert conflict.fault and places(conflict) == [
        [
            ("train", 2, '"Rome" B-place'),
            ("train", 6, '"rome" O'),
            ("dev", 2, '"Rome" B-place'),
        ],
        [("train", 9, '"a" B-x'), ("train", 12, '"a" O')],
    ]


def test_sentences_in_other_words_are_not_compared():
    train = rows("U.S./B-place", "U/B-place S/I-place")
    assert found({"train": train}, "conflict") == []


def test_entities_with_several_types():
    train = rows("Bo/B-x", "so/O Bo/B-y", "Bo/B-y !/O", "New/B-x York/I-x")
    test = rows("New/B-y York/I-y", "york/B-y", "York/B-x")
    [ambiguous] = found({"train": train, "test": test}, "ambiguous")
    assert ambiguous.message == (
        "train, test: 2 entities have different types in different places"
    )
    assert not ambiguous.fault
    assert places(ambiguous) == [
        [("train", 4, "y (2)"), ("train", 1, "x (1)")],
        [("train", 9, "x (1)"), ("test", 1, "y (1)")],
    ]
    assert [group[0].text for group in ambiguous.groups] == ["Bo", "New York"]


def test_types_that_one_split_alone_has():
    train = rows("Bo/B-person", "Rome/B-place", "Ufa/B-place")
    test = rows("Al/B-persn", "see/O Cy/B-persn", "Jo/B-person")
    splits = {"train": train, "test": test}
    [unseen] = found(splits, "unseen_label")
    assert unseen.message == (
        'test: the type "persn" (2 entities) does not occur in train; did you mean '
        '"person"?'
    )
    assert unseen.fault and places(unseen) == [
        [("test", 1, '"Al"')],
        [("test", 4, '"Cy"')],
    ]
    [absent] = found(splits, "absent_label")
    assert (absent.message, absent.fault) == (
        'test: no entity has the type "place", which train has',
        False,
    )


def test_plain_tags():
    train = rows("a/DET dog/NOUN", "barks/VERB", scheme="plain")
    test = rows("a/NOUN cat/NOUN", "!/PUNCT", scheme="plain")
    splits = {"train": train, "test": test}
    assert count_types(test) == {"NOUN": 2, "PUNCT": 1}
    assert {finding.kind for finding in check_tagged(splits)} == {
        "unseen_label",
        "absent_label",
    }
    assert said(check_tagged(splits)) == [
        'test: the tag "PUNCT" (1 word) does not occur in train',
        'test: no word has the tags "DET", "VERB", which train has',
    ]


def test_a_column_of_words_that_holds_none():
    few = rows(*["DET/O NOUN/B-x"] * 499, "DET/O NOUN/B-x VERB/O", "PUNCT/O NOUN/B-x")
    [finding] = found({"train": few}, "few_words")
    assert finding.message == (
        "train: 1,003 words, and only 4 different ones; is data.words the right column?"
    )
    assert finding.fault
    assert [group[0].text for group in finding.groups] == [
        "NOUN",
        "DET",
        "PUNCT",
        "VERB",
    ]
    assert places(finding)[2:] == [
        [("train", 1502, "(once)")],
        [("train", 1500, "(once)")],
    ]


@pytest.mark.parametrize(
    "words, different, few",
    [
        (100, 4, True),
        (100, 5, False),
        (99, 1, False),
        (2000, 49, True),
        (2000, 50, False),
    ],
)
def test_how_few_words_are_too_few(words, different, few):
    texts = rows(*(f"w{n % different}/O" for n in range(words)))
    assert bool(found({"train": texts}, "few_words")) == few


def test_columns_that_are_swapped():
    pairs = [(f"w{n}", f"T{n % 60}") for n in range(1000)]
    right = rows(*(f"{word}/{tag}" for word, tag in pairs), scheme="plain")
    assert not found({"train": right}, "swapped")
    wrong = rows(*(f"{tag}/{word}" for word, tag in pairs), scheme="plain")
    assert said(found({"train": wrong}, "swapped")) == [
        "train: there are more tags than words that differ (1,000 and 60); are "
        "data.words and data.tags each other's columns?"
    ]


@pytest.fixture(scope="module")
def tokenizer():
    return Tokenizer.train(["abc bca cab abc"] * 9, vocabulary_size=40)


def pieces(splits, tokenizer, sequence_length):
    aligned = {
        split: align(tokenizer, rows.texts, rows.spans)
        for split, rows in splits.items()
    }
    return check_pieces(splits, aligned, tokenizer, sequence_length), aligned


def test_what_a_tokenizer_makes_of_words(tokenizer):
    words = "abc/O abcя/O 😂/O 😂/O \u200b/O"
    splits = {"train": rows("abc/O abc/O abc/O abc/O", "abc/O", words)}
    (facts, findings), _ = pieces(splits, tokenizer, 5)
    facts = facts["train"]
    assert (facts.lengths[50], facts.lengths[100]) == (6, 7)  # [CLS] and [SEP] counted
    assert (facts.windowed, facts.tokens, facts.unknown) == (2, 10, 4)
    assert facts.unknown_share == 0.4
    kinds = {f.kind: (f.message, places(f)) for f in findings}
    assert kinds == {
        "windowed": (
            "train: 2 of 3 texts are longer than 5 tokens and are read in windows that "
            "overlap",
            [[("train", None, "(7 tokens)")], [("train", None, "(6 tokens)")]],
        ),
        "no_token": (
            "train: 1 word has no token of its own and is read as unknown",
            [[("train", 12, "U+200B (once)")]],
        ),
        "unknown": (
            "train: 3 of 10 words hold a token that is not known",
            [[("train", 10, "(2 times)")], [("train", 9, "(once)")]],
        ),
        "unknown_character": (
            "train: 2 characters are unknown to the tokenizer",
            [[("train", 10, "U+1F602 (2 times)")], [("train", 9, "U+044F (once)")]],
        ),
    }
    assert not any(finding.fault for finding in findings)


def test_the_report_is_json_with_every_place(tokenizer):
    train = rows("abc/B-x cab/I-x", "bca/B-y", "a/O")
    test = rows("cab/B-x", "bca/B-z", path="test.conll")
    splits = {"train": train, "test": test}
    _, aligned = pieces(splits, tokenizer, 9)
    report = tagged_report(splits, aligned, tokenizer, 9)
    assert json.loads(json.dumps(report)) == report
    assert report["splits"]["train"] == {
        "path": "rows.conll",
        "hashed": False,
        "source_scheme": None,
        "notes": [],
        "rows": 3,
        "words": 4,
        "entities": 2,
        "labels": {"x": 1, "y": 1},
        "tokens": report["splits"]["train"]["tokens"],
        "windowed": 0,
        "windowed_share": 0.0,
        "unknown_share": 0.0,
    }
    [unseen] = [f for f in report["findings"] if f["kind"] == "unseen_label"]
    [[place]] = unseen["groups"]
    assert place == {
        "split": "test",
        "file": "test.conll",
        "line": 3,
        "detail": '"bca"',
        "text": "bca",
    }
    few = tagged_report(splits, aligned, tokenizer, 9, most=0)
    assert [f["left_out"] for f in few["findings"]] == [
        len(f["groups"]) for f in report["findings"]
    ]
