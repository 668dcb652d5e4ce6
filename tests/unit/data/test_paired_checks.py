"""What is found in documents and summaries: counted by hand, in a few lines."""

import json
from types import SimpleNamespace

from kzoo_recipes import SummarizerData

from kzoo.data.paired_checks import check_pairs, check_sides, pair_notes
from kzoo.data.paired_report import paired_report
from kzoo.data.pairs import PairedRows, read_paired
from kzoo.text import Tokenizer


def rows(*pairs, path="rows.jsonl"):
    """`PairedRows` of documents and summaries, each on a line of its own."""
    documents, summaries = zip(*pairs, strict=True)
    references = [[summary] for summary in summaries]
    lines = [*range(1, len(pairs) + 1)]
    return PairedRows([*documents], [*summaries], references, lines, path)


def found(splits, kind):
    return [finding for finding in check_pairs(splits) if finding.kind == kind]


def said(splits, kind):
    return [finding.message for finding in found(splits, kind)]


def places(finding):
    return [[(p.split, p.row, p.detail) for p in group] for group in finding.groups]


TRAIN = (("It rained in Hexby all day.", "Rain in Hexby"), ("A dog barks.", "A dog"))


def test_nothing_is_found_where_nothing_is():
    test = rows(("The bridge is open again.", "Bridge open"))
    assert check_pairs({"train": rows(*TRAIN), "test": test}) == []
    assert pair_notes({"train": rows(*TRAIN), "test": test}) == []


def test_rows_that_repeat_and_documents_with_several_summaries():
    more = ("it RAINED, in hexby all day", "Rain in Hexby!")
    other = (TRAIN[0][0], "A wet day for the whole of Hexby, twice")
    splits = {"train": rows(*TRAIN, more, other, TRAIN[0])}
    [repeated] = found(splits, "repeated")
    assert repeated.message == (
        "train: 2 rows repeat document and summary of an earlier one"
    )
    assert places(repeated) == [[("train", row, "") for row in (0, 2, 4)]]
    [several] = found(splits, "several_summaries")
    assert several.message == (
        "train: 1 document has several rows with different summaries; one row with "
        "data.references holds them all"
    )
    assert places(several) == [
        [
            ("train", 0, '"Rain in Hexby"'),
            ("train", 3, '"A wet day for the whole of He…"'),
        ]
    ]
    assert repeated.fault and several.fault


def test_documents_in_two_parts():
    test = rows(TRAIN[0], (TRAIN[1][0], "Barking"), ("New.", "Nw"), TRAIN[0])
    dev = rows(("Other things.", "Things"))
    splits = {"train": rows(*TRAIN), "dev": dev, "test": test}
    [shared] = found(splits, "shared")
    assert shared.splits == ("train", "test") and shared.fault
    assert shared.message == (
        "test: 3 documents are in train too, 2 of them with the same summary"
    )
    assert places(shared)[0] == [("train", 0, ""), ("test", 0, ""), ("test", 3, "")]


def test_summaries_that_shorten_nothing():
    splits = {
        "train": rows(
            *TRAIN,
            ("Rain again.", "rain again"),
            ("Two words", "Three words here"),
            *((f"Text {n}", f"{n} is a long summary") for n in range(2)),
        )
    }
    assert said(splits, "whole_document") == ["train: 1 summary is the whole document"]
    [longer] = found(splits, "longer")
    assert longer.message == "train: 3 summaries have more words than the document"
    assert places(longer)[0] == [("train", 3, "(3 words of 2)")]
    assert longer.groups[0][0].text == "Three words here"
    swapped = rows(*((summary, document) for document, summary in TRAIN))
    assert said({"train": swapped}, "longer") == [
        "train: 2 summaries have more words than the document; are data.document and "
        "data.summary each other's columns?"
    ]
    notes = pair_notes(splits)
    assert "train: 1 summary is the whole document (`kzoo check-data` lists them)" in (
        notes
    )


def test_summaries_that_stand_with_several_documents_are_no_fault():
    pairs = [(f"Text number {n}.", "Hi") for n in range(3)]
    splits = {"train": rows(*TRAIN, *pairs, ("Text number 0", "hi"), ("x y", "A dog"))}
    [frequent] = found(splits, "repeated_summary")
    assert frequent.message == "train: 2 summaries stand with several documents"
    assert places(frequent)[0] == [("train", row, "") for row in (2, 3, 4)]
    assert not frequent.fault and frequent.groups[1][0].text == "A dog"
    assert not any("stand" in note for note in pair_notes(splits))


def test_rows_that_were_left_out_are_listed_with_their_lines(tmp_path):
    lines = [
        {"document": " ", "summary": "a"},
        *({"document": document, "summary": summary} for document, summary in TRAIN),
    ]
    for name in ("a.jsonl", "b.jsonl"):
        tmp_path.joinpath(name).write_text("\n".join(map(json.dumps, lines)))
        lines.append(lines.pop(0))
    splits = {"train": read_paired([tmp_path / "a.jsonl", tmp_path / "b.jsonl"])}
    [empty] = found(splits, "empty")
    assert empty.message == "train: 2 rows have an empty document and are left out"
    assert empty.fault and not any("empty" in note for note in pair_notes(splits))
    report = paired_report(
        splits, Tokenizer.train(["a"]), SummarizerData(), lambda d, s: {}, most=None
    )
    [listed] = [f for f in report["findings"] if f["kind"] == "empty"]
    assert [[row["line"] for row in group] for group in listed["groups"]] == [[1], [3]]
    assert [group[0]["file"][-7:] for group in listed["groups"]] == [
        "a.jsonl",
        "b.jsonl",
    ]
    assert listed["groups"][0][0]["summary"] is None


def words(*texts):
    return Tokenizer.train(texts, kind="word", min_frequency=1)


def test_what_a_tokenizer_makes_of_both_sides():
    tokenizer = words("one two three four five six seven eight nine ten")
    splits = {
        "train": rows(
            ("one two three four five six", "one two"),
            ("one two", "one two three"),
            ("xx yy", "zz"),
            ("one zz", "four"),
        )
    }
    data = SummarizerData(sequence_length=6, summary_length=3)
    facts, findings = check_sides(splits, tokenizer, data)
    documents, summaries = facts["train"]["documents"], facts["train"]["summaries"]
    assert documents.lengths == {50: 4, 90: 8, 95: 8, 99: 8, 100: 8}
    assert summaries.lengths == {50: 3, 90: 4, 95: 4, 99: 4, 100: 4}
    assert (documents.truncated, summaries.truncated) == (1, 1)
    assert (documents.tokens, documents.unknown) == (10, 3)
    assert (summaries.tokens, summaries.unknown) == (6, 1)
    assert [(f.kind, f.message, places(f), f.fault) for f in findings] == [
        (
            "truncated",
            "train: 1 of 4 documents is longer than 6 tokens and is cut",
            [[("train", 0, "(8 tokens)")]],
            False,
        ),
        (
            "unknown",
            "train: 1 of 4 documents holds no token that is known",
            [[("train", 2, "")]],
            False,
        ),
        (
            "truncated_summary",
            "train: 1 of 4 summaries is longer than 3 tokens and is cut",
            [[("train", 1, "(4 tokens)")]],
            False,
        ),
        (
            "unknown",
            "train: 1 of 4 summaries holds no token that is known",
            [[("train", 2, "")]],
            False,
        ),
    ]
    assert findings[2].groups[0][0].text == "one two three"


def test_unknown_tokens_are_those_of_what_is_kept():
    tokenizer = words("one two three")
    splits = {"train": rows(("xx one two three", "one"))}
    for truncate, unknown in (("head", 1), ("tail", 0)):
        data = SummarizerData(sequence_length=4, truncate=truncate)
        facts, _ = check_sides(splits, tokenizer, data)
        assert facts["train"]["documents"].unknown == unknown


def test_a_report_is_what_json_can_say():
    splits = {"train": rows(*TRAIN), "test": rows(TRAIN[0])}
    splits["test"].references[0].append("Wet")
    traits = SimpleNamespace(calls=[])

    def look(documents, summaries):
        traits.calls.append((documents, summaries))
        return {"compression": 2.0}

    report = paired_report(splits, words("a"), SummarizerData(), look, most=0)
    assert json.loads(json.dumps(report)) == report
    assert traits.calls[1] == ([TRAIN[0][0]], [TRAIN[0][1]])
    test = report["splits"]["test"]
    assert (test["rows"], test["references"], test["several_references"]) == (1, 2, 1)
    assert test["documents"]["truncated_share"] == 0.0
    [shared] = [f for f in report["findings"] if f["kind"] == "shared"]
    assert (shared["groups"], shared["left_out"]) == ([], 1)
