"""predict, of a tagger: entities in their texts, or a tag for each word."""

import csv
import json

import pytest
from kzoo_cli.tagging import kinds_of, painted

ZOO = "zoo:token_tagger"


def lines_of(result):
    assert result.exit_code == 0, result.output
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_entities_are_marked_in_their_texts(kzoo, tagger):
    result = kzoo(
        "predict", ZOO, "met Anna in\nUSA\x1b[31m", "", "nobody", "--batch-size", 2
    )
    assert result.exit_code == 0
    assert result.stdout == "met [Anna](PER) in [USA [31m](LOC)\n\nnobody\n"
    texts = ["met Anna in\nUSA\x1b[31m", "", "nobody"]
    assert tagger.calls == [("words", texts, 2)]
    assert result.stderr == (
        "1 of 3 texts is longer than the 10 tokens that the model reads at once and "
        "was read in windows.\n1 of 3 texts is blank.\n"
    )


def test_colours_are_those_of_types(kzoo, tagger, monkeypatch):
    result = kzoo("predict", ZOO, "Anna and Jo in USA", color=True)
    assert result.stdout == (
        "\x1b[35m[\x1b[0m\x1b[35m\x1b[1mAnna\x1b[0m\x1b[35m](PER)\x1b[0m and "
        "\x1b[35m[\x1b[0m\x1b[35m\x1b[1mJo\x1b[0m\x1b[35m](PER)\x1b[0m in "
        "\x1b[34m[\x1b[0m\x1b[34m\x1b[1mUSA\x1b[0m\x1b[34m](LOC)\x1b[0m\n"
    )
    monkeypatch.setenv("NO_COLOR", "1")
    result = kzoo("predict", ZOO, "Anna", color=True)
    assert result.stdout == "[Anna](PER)\n"


def test_marks_that_share_a_character_are_written_once():
    marks = [(0, 2, "A", 1.0), (1, 3, "B", 1.0), (1, 2, "C", 1.0)]
    assert painted("xyz!", marks, {}).count("y") == 1


def test_kinds_are_numbered_as_the_labels_stand():
    labels = ("O", "B-X-Y", "I-X-Y", "B-Z")
    assert kinds_of(labels, "iob2") == {"X-Y": 0, "Z": 1}
    assert kinds_of(("-LRB-", "NN", "B-NN"), "plain") == {
        "-LRB-": 0,
        "NN": 1,
        "B-NN": 2,
    }


def test_json(kzoo, tagger):
    result = kzoo("predict", ZOO, "--json", input="Jo 😀 USA\n\n")
    place = {"word": "jo", "start": 0, "end": 2}
    assert lines_of(result) == [
        {
            "line": 1,
            "text": "Jo 😀 USA",
            "entities": [
                {"entity_group": "PER", "score": 0.75, **place},
                {
                    "entity_group": "LOC",
                    "score": 0.75,
                    "word": "usa",
                    "start": 5,
                    "end": 8,
                },
            ],
            "windows": 1,
        },
        {"line": 2, "text": "", "entities": [], "windows": 1},
    ]


@pytest.mark.parametrize("aggregation", ["none", "simple", "first", "average", "max"])
def test_aggregation(kzoo, tagger, aggregation):
    result = kzoo("predict", ZOO, "Jo", "--json", "--aggregation", aggregation)
    [entity] = lines_of(result)[0]["entities"]
    key, tag = ("entity", "B-PER") if aggregation == "none" else ("entity_group", "PER")
    assert entity[key] == tag
    assert tagger.calls == [(aggregation, ["Jo"], 64)]
    shown = kzoo("predict", ZOO, "Jo", "--aggregation", aggregation)
    assert shown.stdout == "[Jo](PER)\n"


@pytest.mark.parametrize("ending, delimiter", [("csv", ","), ("tsv", "\t")])
def test_csv_has_a_row_for_each_entity(kzoo, tagger, tmp_path, ending, delimiter):
    tmp_path.joinpath("in.csv").write_text('id,text\n7,"Jo, 2"\n8,no\n9,In USA\n')
    target = f"out.{ending}"
    options = ["--input", "in.csv", "--keep", "id", "--output", target]
    result = kzoo("predict", ZOO, *options)
    assert result.exit_code == 0
    assert result.stderr == (
        "1 of 3 texts has no row: nothing was found there.\n"
        f"Wrote 3 answers to {target}\n"
    )
    with tmp_path.joinpath(target).open(newline="") as file:
        rows = [
            tuple(row.values()) for row in csv.DictReader(file, delimiter=delimiter)
        ]
    assert rows == [
        ("7", "1", "2", "PER", "Jo,", "0.75", "0", "3"),
        ("9", "3", "4", "PER", "In", "0.75", "0", "2"),
        ("9", "3", "4", "LOC", "USA", "0.75", "3", "6"),
    ]


@pytest.mark.parametrize(
    "options, name", [([], "entity_group"), (["--aggregation", "none"], "entity")]
)
def test_csv_without_entities_has_its_header(kzoo, tagger, options, name):
    result = kzoo("predict", ZOO, "--as", "csv", *options, input="none\n")
    assert result.stdout == f"number,line,{name},surface,score,start,end\n"
    assert "1 of 1 text has no row: nothing was found there.\n" in result.stderr


WORDS = "In USA 7 , x\n\n Jo \u00a0 2\n"


def test_by_word(kzoo, tagger):
    result = kzoo("predict", ZOO, "--by-word", "--as", "conll", input=WORDS)
    assert result.exit_code == 0
    assert result.stdout == (
        "In\tB-PER\nUSA\tB-LOC\n7\tI-LOC\n,\tO\nx\tO\n\n\nJo\tB-PER\n2\tI-PER\n\n"
    )
    shown = kzoo("predict", ZOO, "--by-word", input=WORDS)
    assert shown.stdout == "[In](PER) [USA 7](LOC) , x\n\n[Jo 2](PER)\n"
    first, _, last = lines_of(kzoo("predict", ZOO, "--by-word", "--json", input=WORDS))
    assert first["words"] == ["In", "USA", "7", ",", "x"]
    assert last == {
        "line": 3,
        "words": ["Jo", "2"],
        "tags": ["B-PER", "I-PER"],
        "scores": [0.75, 0.75],
    }
    rows = kzoo("predict", ZOO, "--by-word", "--as", "csv", "Jo 2").stdout
    assert rows == "number,word,tag,score\n1,Jo,B-PER,0.75\n1,2,I-PER,0.75\n"


CONLL = "-DOCSTART- -X- O\n\nJo NNP B-PER\r\n2 CD I-PER\n \t\n# USA\nx NN O"


@pytest.mark.parametrize(
    "name, options",
    [
        ("rows.conll", []),
        ("rows.txt", ["--format", "conll"]),
        ("-", ["--format", "conll"]),
    ],
)
def test_conll(kzoo, tagger, tmp_path, name, options):
    tmp_path.joinpath(name).write_text(CONLL)
    options = ["--input", name, *options]
    result = kzoo("predict", ZOO, *options, "--as", "conll", input=CONLL)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == "Jo\tB-PER\n2\tI-PER\n\nx\tO\n\n"
    [one, _] = lines_of(kzoo("predict", ZOO, *options, "--json", input=CONLL))
    assert (one["line"], one["words"], one["tags"]) == (
        3,
        ["Jo", "2"],
        ["B-PER", "I-PER"],
    )
    second = kzoo("predict", ZOO, *options, "--words", 2, "--json", input=CONLL)
    assert [line["words"] for line in lines_of(second)] == [["NNP", "CD"], ["NN"]]


def test_a_broken_line_costs_its_sentence(kzoo, tagger, tmp_path):
    tmp_path.joinpath("rows.conll").write_text("a O\n\nb\nc O\n\nd O\n")
    result = kzoo("predict", ZOO, "--input", "rows.conll", "--as", "conll")
    assert (result.exit_code, result.stdout) == (0, "a\tO\n\nd\tO\n\n")
    skipped, counted = result.stderr.splitlines()
    assert skipped.startswith("Skipped: rows.conll, line 4: ")
    assert counted.startswith("1 of 3 rows cannot be read and was skipped")


def test_rows_of_tokens(kzoo, tagger, tmp_path):
    rows = [{"tokens": ["Jo", "2"], "id": 7}, {"text": "USA  x", "id": 8}]
    tmp_path.joinpath("rows.jsonl").write_text("\n".join(map(json.dumps, rows)))
    options = ["--input", "rows.jsonl", "--json", "--keep", "id"]
    tmp_path.joinpath("model.keras").touch()
    tmp_path.joinpath("recipe.toml").write_text(
        'schema = 1\ntask = "token_tagger"\nname = "t"\n[data]\ntrain = "rows.jsonl"\n'
        "[model.encoder]\nnum_layers = 1\nnum_heads = 1\nhidden_dim = 4\n"
        "intermediate_dim = 4\n[training]\nepochs = 1\n"
    )
    found = lines_of(kzoo("predict", "model.keras", *options))
    assert [(one["id"], one["text"]) for one in found] == [(7, "Jo 2"), (8, "USA  x")]
    assert tagger.calls == [("words", [["Jo", "2"], "USA  x"], 64)]
    found = lines_of(kzoo("predict", "model.keras", *options, "--by-word"))
    assert [one["words"] for one in found] == [["Jo", "2"], ["USA", "x"]]
    found = lines_of(kzoo("predict", ZOO, *options, "--words", "tokens"))
    assert [one["text"] for one in found] == ["Jo 2"]


def test_plain_tags_are_shown_with_their_words(kzoo, tagger, monkeypatch):
    monkeypatch.setattr(type(tagger), "scheme", "plain")
    monkeypatch.setattr(
        type(tagger),
        "_tags",
        lambda self, words: [{"tag": "N", "score": 1.0} for _ in words],
    )
    result = kzoo("predict", ZOO, "--by-word", "a b")
    assert result.stdout == "[a](N) [b](N)\n"


@pytest.mark.parametrize(
    "arguments, sentence",
    [
        (
            ["--as", "conll"],
            "conll has a word a line, so say with --by-word that texts are words with "
            "white space in between; or read a file of words.",
        ),
        (
            ["--by-word", "--aggregation", "first"],
            "--aggregation makes entities of texts; with --by-word, or a file of "
            "words, each word has a tag of its own.",
        ),
    ],
)
def test_options_that_do_not_fit(kzoo, tagger, arguments, sentence):
    result = kzoo("predict", ZOO, "a", *arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == f"Error: {sentence} `kzoo predict --help` says more.\n"


@pytest.mark.parametrize(
    "option", [["--aggregation", "first"], ["--by-word"], ["--html", "a.html"]]
)
def test_a_classifier_has_no_entities(kzoo, fake, tmp_path, option):
    result = kzoo("predict", "zoo:text_classifier", "a", *option)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == (
        f"Error: zoo:text_classifier labels whole texts; {option[0]} is for models "
        "that tag words.\n"
    )
    assert list(tmp_path.iterdir()) == []


def test_a_classifier_reads_no_conll(kzoo, fake, tmp_path):
    tmp_path.joinpath("rows.conll").write_text("a O\n")
    result = kzoo("predict", "zoo:text_classifier", "--input", "rows.conll")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == (
        "Error: zoo:text_classifier labels whole texts; CoNLL is for models that tag "
        "words.\n"
    )


def test_a_classifier_has_no_words_to_write(kzoo, fake, tmp_path):
    result = kzoo("predict", "zoo:text_classifier", "a", "--output", "a.conll")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == (
        "Error: zoo:text_classifier labels whole texts, so it cannot write conll, a "
        "word a line; choose one of table, jsonl, csv, tsv.\n"
    )
    assert list(tmp_path.iterdir()) == []


def test_html(kzoo, tagger, tmp_path):
    tmp_path.joinpath("in.txt").write_text("<b>x</b> & Jo\nnone\n")
    options = ["--input", "in.txt", "--html", "page.html"]
    result = kzoo("predict", ZOO, *options, "--json")
    assert [line["line"] for line in lines_of(result)] == [1, 2]
    assert result.stderr.endswith("Wrote page.html\n")
    page = tmp_path.joinpath("page.html").read_text()
    assert "&lt;b&gt;x&lt;/b&gt; &amp; <mark" in page
    assert '<mark class="kind-1" title="0.750">Jo<b>PER</b></mark>' in page
    assert '<div class="place">line 2</div><p dir="auto">none</p>' in page
    assert page.endswith("2 texts, 1 entity: PER 1</p></main></body></html>\n")
    again = kzoo("predict", ZOO, *options)
    assert again.exit_code == 2
    assert again.stderr == "Error: page.html is there already; --force replaces it.\n"
    assert kzoo("predict", ZOO, *options, "--force").exit_code == 0


def test_a_reader_that_leaves_leaves_no_page(kzoo, tagger, tmp_path, monkeypatch):
    def leaves(texts, batch_size):
        raise BrokenPipeError

    monkeypatch.setattr(tagger, "tag_words", leaves)
    result = kzoo("predict", ZOO, "a", "--by-word", "--html", "page.html")
    assert (result.exit_code, result.output) == (141, "")
    assert list(tmp_path.iterdir()) == []


def test_what_conll_cannot_hold(kzoo, tagger, tmp_path, monkeypatch):
    words = ["a\tb", "New  York", "-DOCSTART-", "\n"]
    tmp_path.joinpath("rows.jsonl").write_text(json.dumps({"tokens": words}))
    tags = ["B-x\ty", "O", "O", "O"]
    answer = [{"tag": tag, "score": 1.0} for tag in tags]
    monkeypatch.setattr(tagger, "tag_words", lambda *_, **__: [answer])
    options = ["--words", "tokens", "--by-word", "--as", "conll"]
    result = kzoo("predict", ZOO, "--input", "rows.jsonl", *options)
    assert result.exit_code == 0
    assert result.stdout == "a b\tB-x y\nNew York\tO\n-DOCSTART-\tO\n \tO\n\n"
    assert result.stderr == (
        "CoNLL cannot hold the white space of 4 words or tags; single spaces stand "
        "there.\n"
        "1 word will be passed over by whoever reads the CoNLL: -DOCSTART- begins a "
        "document there; JSONL keeps them.\n"
    )
