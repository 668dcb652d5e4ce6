"""Tagged words out of JSONL, Parquet and texts with spans, in one scheme."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kzoo_recipes import KzooError

from kzoo.data import iterate, schemes
from kzoo.data.readers.segments import words_at, words_of
from kzoo.data.tagged import TaggedLayout, TaggedRows, read_tagged


@pytest.fixture
def jsonl(tmp_path):
    """Write rows and read them."""

    def reading(*rows, **options):
        lines = [json.dumps(row) for row in rows]
        tmp_path.joinpath("rows.jsonl").write_text("\n".join(lines))
        return read_tagged(tmp_path / "rows.jsonl", **options)

    return reading


def refused(read, *arguments, **options):
    with pytest.raises(KzooError) as refusal:
        read(*arguments, **options)
    return str(refusal.value).split("/")[-1]


TOKENS = {"tokens": ["EU", "left"], "tags": ["B-ORG", "O"]}


def test_tokens_and_tags(jsonl):
    rows = jsonl(TOKENS, {"tokens": ["so", "\n", "New York"], "tags": ["O"] * 3})
    assert rows.words == [["EU", "left"], ["so", "\n", "New York"]]
    assert rows.tags == [["B-ORG", "O"], ["O", "O", "O"]]
    assert rows.texts == ["EU left", "so \n New York"]
    assert rows.lines == [[1, 1], [2, 2, 2]]
    assert (rows.scheme, rows.source_scheme, rows.notes) == ("iob2", "iob2", [])


def test_columns_have_other_names(jsonl):
    other = {"words": ["EU"], "ner_tags": ["B-ORG"]}
    assert jsonl(other).tags == [["B-ORG"]]
    named = {"w": ["EU"], "t": ["B-ORG"], "tags": ["O"], "importance": 2}
    rows = jsonl(named, words="w", tags="t", weight="importance")
    assert (rows.tags, rows.weights) == ([["B-ORG"]], [2.0])


def test_the_text_of_tokens_is_theirs_if_it_holds_nothing_else(jsonl):
    rows = jsonl({**TOKENS, "text": " EU  left"}, {**TOKENS, "text": "The EU left"})
    assert rows.texts == [" EU  left", "EU left"]
    assert rows.spans == [[(1, 3), (5, 9)], [(0, 2), (3, 7)]]


def test_rows_without_words_are_left_out_and_counted(jsonl):
    rows = jsonl({"tokens": [], "tags": []}, TOKENS, {"text": " \n", "spans": []})
    assert len(rows) == 1
    assert rows.notes == ["2 rows without a word were left out (lines 1, 3)"]


def span(start, end, label="person"):
    return {"start": start, "end": end, "label": label}


def test_texts_with_spans(jsonl):
    text = "Ana-Lucía  flew (Air France)."
    rows = jsonl({"text": text, "spans": [span(17, 27, "firm"), [0, 9, "person"]]})
    words = ["Ana", "-", "Lucía", "flew", "(", "Air", "France", ")", "."]
    assert (rows.words, rows.texts) == ([words], [text])
    assert [text[slice(*place)] for place in rows.spans[0]] == words
    assert schemes.entities(rows.tags[0], rows.scheme) == [
        ("person", 0, 3),
        ("firm", 5, 7),
    ]
    assert rows.notes == []


def test_spans_are_trimmed_and_words_parted_and_both_are_counted(jsonl):
    rows = jsonl(
        {"text": "see Paris now", "spans": [span(3, 10, "place")]},
        {"text": "10kg of rice", "spans": [span(0, 2, "amount"), span(2, 4, "unit")]},
    )
    assert rows.tags == [
        ["O", "B-place", "O"],
        ["B-amount", "B-unit", "O", "O"],
    ]
    assert rows.notes == [
        "1 span was trimmed of white space at its ends (line 1)",
        "1 word was parted where a span begins or ends inside it (line 2)",
    ]
    assert [(r.kind, r.detail) for row in rows.remarks for r in row] == [
        ("trimmed", "Paris"),
        ("split_word", "10kg"),
    ]


@pytest.mark.parametrize(
    "row, sentence",
    [
        (
            {"tokens": ["a", "b"], "tags": ["O"]},
            '"tokens" has 2 words and "tags" 1 tag; give each word one tag.',
        ),
        (
            {"tokens": "a b", "tags": ["O"]},
            '"tokens" is a string; words must be a list of strings.',
        ),
        (
            {"tokens": ["a", 1], "tags": ["O", "O"]},
            'word 2 in "tokens" is a number; a word must be a string.',
        ),
        (
            {"tokens": ["a", ""], "tags": ["O", "O"]},
            'word 2 in "tokens" is empty; fill it in or remove it.',
        ),
        (
            {"tokens": ["a"], "tags": [0]},
            'tag 1 in "tags" is a number; write the names of the tags, as numbers do '
            "not say what they stand for.",
        ),
        (
            {"tokens": ["a"]},
            'the object has no key "tags"; the keys are "tokens"; choose one with '
            "--set data.tags=KEY.",
        ),
        (
            {"text": "a"},
            'the object has no key "spans"; the keys are "text"; choose one with '
            "--set data.spans=KEY.",
        ),
        (
            {"text": "a", "spans": {}},
            '"spans" is an object; spans must be a list of objects like {"start": 0, '
            '"end": 5, "label": "person"}, [] if there are none.',
        ),
        (
            {"text": "a", "spans": [3]},
            'span 1 in "spans" is a number; a span must be an object like '
            '{"start": 0, "end": 5, "label": "person"}.',
        ),
        (
            {"text": "a", "spans": [{"start": 0, "end": 1}]},
            'span 1 in "spans" has no "label"; a span has start, end and label.',
        ),
        (
            {"text": "a", "spans": [span(0, 1.5)]},
            'the "end" of span 1 in "spans" is a number; it must be whole.',
        ),
        (
            {"text": "a", "spans": [span(0, 1, " ")]},
            'the label of span 1 in "spans" is empty; it must be a string.',
        ),
        (
            {"text": "a b", "spans": [span(0, 1), span(2, 9)]},
            'span 2 in "spans" goes from 2 to 9, which is not in the text of 3 '
            "characters; count characters from 0, and end after the last one.",
        ),
        (
            {"text": "a b", "spans": [span(1, 2)]},
            'span 1 in "spans" from 1 to 2 holds no word; remove it.',
        ),
        (
            {"text": "a b c", "spans": [span(2, 5), span(0, 3)]},
            'spans 2 and 1 in "spans" overlap, "a b" and "b c"; a word has one tag, so '
            "keep one of them.",
        ),
        (
            {"text": 5, "spans": []},
            '"text" is a number; a text must be a string.',
        ),
        (
            {"text": "a", "spans": [span(0, 1, "half \ud83d")]},
            'the label of span 1 in "spans" is not Unicode text: it holds half a '
            "character.",
        ),
    ],
)
def test_what_is_wrong_with_a_row(jsonl, row, sentence):
    assert refused(jsonl, TOKENS, row) == f"rows.jsonl, line 2: {sentence}"


def test_broken_rows_cost_no_others(jsonl, tmp_path):
    refused(jsonl, TOKENS, {"text": "a"}, TOKENS)
    broken = []
    rows = [*iterate(tmp_path / "rows.jsonl", TaggedLayout(), broken=broken.append)]
    assert [row.line for row in rows] == [1, 3]
    assert [error.line for error in broken] == [2]


def test_parquet(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    rows = [TOKENS, {"tokens": ["it"], "tags": ["O"]}]
    parquet.write_table(pyarrow.Table.from_pylist(rows), tmp_path / "rows.parquet")
    rows = read_tagged(tmp_path / "rows.parquet")
    assert rows.tags == [["B-ORG", "O"], ["O"]]
    assert rows.where(1) == f"{tmp_path}/rows.parquet, row 2"
    text = [{"text": "Ana flew", "spans": [span(0, 3)]}]
    parquet.write_table(pyarrow.Table.from_pylist(text), tmp_path / "text.parquet")
    assert read_tagged(tmp_path / "text.parquet").tags == [["B-person", "O"]]


@pytest.mark.parametrize(
    "text, words",
    [
        ("don't stop_it.", "don ' t stop _ it ."),
        ("3,5 kg", "3 , 5 kg"),
        ("cafe\u0301s e\u0301t", "cafe\u0301s e\u0301t"),  # combining marks
        ("हिन्दी है", "हिन्दी है"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("👩\u200d💻👍🏽!", "👩\u200d💻 👍🏽 !"),
        ("I❤\ufe0fNY", "I ❤\ufe0f NY"),
        ("東京へ行く", "東 京 へ 行 く"),
        ("서울에서", "서울에서"),
        ("\u0301a", "\u0301 a"),  # a mark on nothing
        (" \u00a0\t", ""),
    ],
)
def test_words_of_a_text(text, words):
    found = [text[start:end] for start, end in words_of(text)]
    assert found == (words.split(" ") if words else [])


@given(st.text(st.characters(exclude_categories=["Cs"])), st.data())
def test_words_hold_all_that_is_seen_and_part_at_borders(text, data):
    borders = data.draw(st.lists(st.integers(0, len(text))))
    words, _ = words_at(text, borders)
    seen = {place for start, end in words for place in range(start, end)}
    assert all(place in seen for place, c in enumerate(text) if not c.isspace())
    assert all(not text[place].isspace() for place in seen)
    assert words == sorted(words) and len(seen) == sum(b - a for a, b in words)
    for border in borders:
        assert not any(start < border < end for start, end in words)


@given(st.data())
def test_spans_come_back(tmp_path_factory, data):
    """The entities of the rows, in characters, are the spans that were written."""
    seen = st.characters(exclude_categories=["Cs", "Z", "Cc"])
    text = data.draw(st.text(st.one_of(seen, st.sampled_from(" \n")), min_size=1))
    borders = sorted(data.draw(st.sets(st.integers(0, len(text)), max_size=8)))
    spans = [
        span(start, end, data.draw(st.sampled_from("ab")))
        for start, end in zip(borders[::2], borders[1::2], strict=False)
        if text[start:end].strip() == text[start:end] != ""
    ]
    path = tmp_path_factory.mktemp("spans") / "rows.jsonl"
    more = {"text": "x", "spans": []}
    rows = [{"text": text, "spans": spans}, more]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    rows = read_tagged(path, learn_scheme="bioes")
    if text.strip():
        found = [
            span(rows.spans[0][start][0], rows.spans[0][end - 1][1], kind)
            for kind, start, end in schemes.entities(rows.tags[0], "bioes", strict=True)
        ]
        assert found == spans


@pytest.mark.parametrize("learned", ["iob2", "bioes", "io", "bilou", "iob1"])
def test_tags_are_converted_and_that_is_said(jsonl, learned):
    tags = ["B-a", "E-a", "S-a", "O", "S-b"]
    rows = jsonl({"tokens": ["x"] * 5, "tags": tags}, learn_scheme=learned)
    assert (rows.scheme, rows.source_scheme) == (learned, "bioes")
    assert rows.tags == [schemes.convert(tags, "bioes", learned)]
    said = [f"tags are written in bioes and were converted to {learned}"]
    if learned == "io":
        said.append(
            "1 entity became one with the entity of its type before it, as IO has it "
            "(line 1)"
        )
    assert rows.notes == ([] if learned == "bioes" else said)


BROKEN = {"tokens": ["a", "b", "c", "d"], "tags": ["I-x", "O", "I-x", "B-x"]}
WHOLE = {"tokens": ["a", "b", "c", "d"], "tags": ["B-x", "O", "B-x", "B-x"]}


def test_invalid_tags_are_repaired_and_counted(jsonl):
    rows = jsonl(WHOLE, BROKEN, WHOLE)
    assert rows.tags == [WHOLE["tags"]] * 3
    assert rows.notes == [
        "2 tags cannot stand where they stand and were repaired, as the scorer "
        "conlleval reads them (line 2)"
    ]
    assert [remark.detail for remark in rows.remarks[1]] == [
        '"a" I-x after the beginning, read as B-x',
        '"c" I-x after O, read as B-x',
    ]


@pytest.mark.parametrize(
    "scheme, tags, details",
    [
        ("bioes", ["B-x", "O"], ['"w1" O after "w0" B-x, the latter read as S-x']),
        ("bioes", ["B-x", "I-x"], ['the end after "w1" I-x, the latter read as E-x']),
        ("bioes", ["O", "E-x"], ['"w1" E-x after O, read as S-x']),
        ("iob1", ["O", "B-x"], ['"w1" B-x after O, read as I-x']),
        (
            "bioes",
            ["B-x", "B-x", "E-x"],
            ['"w1" B-x after "w0" B-x, the latter read as S-x'],
        ),
    ],
)
def test_it_is_said_what_a_repaired_tag_became(jsonl, scheme, tags, details):
    words = [f"w{place}" for place in range(len(tags))]
    options = {"scheme": scheme, "learn_scheme": scheme}
    rows = jsonl({"tokens": words, "tags": tags}, **options)
    assert [remark.detail for remark in rows.remarks[0]] == details


def test_invalid_tags_are_refused_if_one_says_so(jsonl):
    assert refused(jsonl, WHOLE, BROKEN, WHOLE, invalid="refuse") == (
        'rows.jsonl, line 2: the tag "I-x" cannot be the first of a sentence in iob2; '
        "mend it, or read it as conlleval does with --set data.invalid=repair."
    )
    last = {"tokens": ["a", "b"], "tags": ["S-x", "B-x"]}
    assert refused(jsonl, last, invalid="refuse") == (
        'rows.jsonl, line 1: the tag "B-x" cannot be the last of a sentence in bioes; '
        "mend it, or read it as conlleval does with --set data.invalid=repair."
    )
    within = {"tokens": ["a", "b"], "tags": ["B-x", "I-y"]}
    assert "cannot follow" in refused(jsonl, within, invalid="refuse")


def test_entities_without_a_type_get_one(jsonl):
    rows = jsonl({"tokens": ["a", "b", "c"], "tags": ["B", "I", "O"]})
    assert rows.tags == [["B-ENTITY", "I-ENTITY", "O"]]
    assert rows.notes == [
        '2 tags have no type and were given the type "ENTITY" (line 1)'
    ]


def test_rows_can_be_made_by_hand():
    rows = TaggedRows([["a"]], [["O"]], ["a"], [[(0, 1)]], [[7]], "f", origins=None)
    assert rows.take([0, 0]).where(1, word=5) == "f, line 7"
    assert (rows.scheme, rows.notes, len(rows)) == ("iob2", [], 1)
