"""predict, of a summarizer: what it writes, how it is told to, and what it refuses."""

import csv
import json

import click
import pytest
from kzoo_cli.group import group

ZOO = "zoo:summarizer"
LONG = "one two three four five six"


def lines_of(result):
    assert result.exit_code == 0, result.output
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_a_summary_is_a_line(kzoo, summarizer):
    result = kzoo("predict", ZOO, "Some\nwords.", "", "\x1b[31mred", "--batch-size", 2)
    assert (result.exit_code, result.stdout) == (0, "Some words\n\n31mred\n")
    assert summarizer.calls == [(["Some\nwords.", "", "\x1b[31mred"], {}, 2)]
    assert result.stderr == (
        "1 of 3 texts was longer than the 10 tokens that the model reads: only its "
        "beginning was read.\n1 of 3 texts is blank.\n"
    )


def test_what_is_odd_is_counted(kzoo, summarizer, monkeypatch):
    monkeypatch.setattr(type(summarizer), "truncate", "both")
    texts = [LONG, LONG, "123 45", "?!", "!", "", "fine"]
    assert kzoo("predict", ZOO, *texts).stderr == (
        "2 of 7 texts were longer than the 10 tokens that the model reads: their "
        "middles were left out.\n"
        "2 of 7 texts hold no character that the model reads, so their summaries are "
        "empty.\n"
        "1 of 7 texts holds no token that the model knows, so its summary is a guess.\n"
        "2 of 7 summaries had not ended after 3 tokens; --max-new-tokens allows more.\n"
        "1 of 7 texts is blank.\n"
    )


def test_json(kzoo, summarizer):
    one, two = lines_of(kzoo("predict", ZOO, "--json", input=f"{LONG}\n\n"))
    assert one == {
        "line": 1,
        "text": LONG,
        "summary": "one two three",
        "score": -1.5,
        "tokens": 3,
        "finished": False,
        "truncated": True,
        "empty": False,
        "unknown": False,
    }
    assert (two["line"], two["summary"], two["empty"]) == (2, "", True)
    [several] = lines_of(kzoo("predict", ZOO, "a b", "--json", "--nbest", 2))
    assert several["summaries"] == ["a b", "a b"]
    assert several["scores"] == [-1.0, -1.0]


def test_of_several_summaries_a_line_says_which_text_they_are_of(kzoo, summarizer):
    alone = kzoo("predict", ZOO, "a b", "--nbest", 2)
    assert alone.stdout == "1  -1.000  a b\n2  -1.000  a b\n"
    both = kzoo("predict", ZOO, "--nbest", 2, input="a b\nc\n")
    assert both.stdout == (
        "1  a b\n1  -1.000  a b\n2  -1.000  a b\n\n2  c\n1  -0.500  c\n2  -0.500  c\n"
    )
    plain = kzoo("predict", ZOO, input="a b\nc\n")
    assert plain.stdout == "a b\nc\n"


@pytest.mark.parametrize("ending, delimiter", [("csv", ","), ("tsv", "\t")])
@pytest.mark.parametrize("nbest", [1, 2])
def test_csv(kzoo, summarizer, tmp_path, ending, delimiter, nbest):
    tmp_path.joinpath("in.csv").write_text("id,document\n7,a b\n8,\n")
    target = f"out.{ending}"
    options = ["--input", "in.csv", "--keep", "id", "--nbest", nbest]
    assert kzoo("predict", ZOO, *options, "--output", target).exit_code == 0
    with tmp_path.joinpath(target).open(newline="") as file:
        rows = list(csv.DictReader(file, delimiter=delimiter))
    several = nbest > 1
    own = {"summary": "a b", "score": "-1.0", "tokens": "2", "finished": "true"}
    first = {"number": "1", "rank": "1"} if several else {}
    assert rows[0] == {
        "id": "7", **first, "line": "2", "text": "a b", **own, "truncated": "false",
    }  # fmt: skip
    assert [row["id"] for row in rows] == ["7"] * nbest + ["8"] * nbest
    tmp_path.joinpath("in.csv").write_text("id,document\n")
    kzoo("predict", ZOO, *options, "--output", "none.csv")
    header = [name for name in rows[0] if name != "id"]
    assert tmp_path.joinpath("none.csv").read_text().strip() == ",".join(header)


@pytest.mark.parametrize(
    "options, told",
    [
        (["--beams", 2], {"beams": 2}),
        (["--beam-groups", 2], {"beam_groups": 2}),
        (["--diversity-penalty", 0.5], {"diversity_penalty": 0.5}),
        (["--length-penalty", -1], {"length_penalty": -1.0}),
        (["--early-stopping", "true"], {"early_stopping": True}),
        (["--early-stopping", "false"], {"early_stopping": False}),
        (["--early-stopping", "never"], {"early_stopping": "never"}),
        (["--nbest", 3], {"nbest": 3}),
        (["--min-new-tokens", 0], {"min_new_tokens": 0}),
        (["--no-repeat-ngram", 0], {"no_repeat_ngram": 0}),
        (["--repetition-penalty", 1.5], {"repetition_penalty": 1.5}),
        (["--sample"], {"sample": True}),
        (
            ["--sample", "--temperature", 0.5, "--top-k", 0, "--top-p", 1, "--seed", 0],
            {"sample": True, "temperature": 0.5, "top_k": 0, "top_p": 1.0, "seed": 0},
        ),
        (["--sample", "--min-p", 0.25], {"sample": True, "min_p": 0.25}),
    ],
)
def test_settings_are_handed_on(kzoo, summarizer, options, told):
    assert kzoo("predict", ZOO, "a", *options).exit_code == 0
    assert summarizer.calls == [(["a"], told, 64)]


@pytest.mark.parametrize(
    "options, sentence",
    [
        (
            ["--temperature", 2],
            "--temperature says how tokens are drawn; add --sample, which draws them. "
            "`kzoo predict --help` says more.",
        ),
        (
            ["--min-new-tokens", 5, "--max-new-tokens", 2],
            "--min-new-tokens must not be above --max-new-tokens. Received: "
            "max_new_tokens=2, min_new_tokens=5",
        ),
        (
            ["--length-penalty", "nan"],
            "Invalid value for '--length-penalty': nan is not a finite number. "
            "`kzoo predict --help` says more.",
        ),
        (
            ["--beams", 0],
            "Invalid value for '--beams': 0 is not in the range 1<=x<=2147483647. "
            "`kzoo predict --help` says more.",
        ),
        (
            ["--max-new-tokens", 100_000],
            "Invalid value for '--max-new-tokens': 100000 is not in the range "
            "1<=x<=65536. `kzoo predict --help` says more.",
        ),
        (
            ["--by-word"],
            "zoo:summarizer summarizes texts; --by-word is for models that tag words.",
        ),
        (
            ["--html", "a.html"],
            "zoo:summarizer summarizes texts; --html is for models that tag words.",
        ),
        (
            ["--as", "conll"],
            "zoo:summarizer summarizes texts, so it cannot write conll, a word a line; "
            "choose one of table, jsonl, csv, tsv.",
        ),
    ],
)
def test_what_does_not_go_together(kzoo, summarizer, options, sentence):
    result = kzoo("predict", ZOO, "a", *options)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == f"Error: {sentence}\n"
    assert summarizer.calls == []


OWN = {
    **dict.fromkeys(("--beams", "--nbest", "--max-new-tokens", "--beam-groups"), 2),
    **dict.fromkeys(("--min-new-tokens", "--no-repeat-ngram", "--length-penalty"), 0),
    **{"--repetition-penalty": 1, "--diversity-penalty": 0},
    **{"--early-stopping": "true", "--sample": None, "--scores": None},
}


@pytest.mark.parametrize("option", OWN)
@pytest.mark.parametrize(
    "name, does", [("fake", "labels whole texts"), ("tagger", "tags words")]
)
def test_other_models_do_not_write(kzoo, request, name, does, option):
    request.getfixturevalue(name)
    value = [] if OWN[option] is None else [OWN[option]]
    result = kzoo("predict", "zoo:other", "a", option, *value)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == (
        f"Error: zoo:other {does}; {option} is for models that summarize.\n"
    )


def test_every_option_of_a_summarizer_is_refused_elsewhere():
    command = group.get_command(click.Context(group), "predict")
    options = [p for p in command.params if isinstance(p, click.Option)]
    own = {p.opts[0] for p in options if (p.help or "").startswith("Of a summarizer")}
    drawn = {"--temperature", "--top-k", "--top-p", "--min-p", "--seed"}
    assert own - drawn == OWN.keys()


def test_a_screen_is_wrapped(kzoo, summarizer, screen, monkeypatch):
    monkeypatch.setenv("COLUMNS", "24")
    result = kzoo("predict", ZOO, LONG, "--max-new-tokens", 6, "--scores")
    assert result.stdout == "-3.000  one two three\n        four five six\n"


def test_on_a_screen_one_sees_what_a_summary_is_of(kzoo, summarizer, screen):
    result = kzoo("predict", ZOO, "a b\nc", "", "--nbest", 2)
    assert result.stdout == (
        "a b c\n1  -1.500  a b c\n2  -1.500  a b c\n\n(blank)\n1  0.000\n2  0.000\n"
    )
    result = kzoo("predict", ZOO, input="a\nb\n")
    assert result.stdout == "1  a\na\n\n2  b\nb\n"


def test_a_summary_appears_while_it_is_written(kzoo, summarizer, screen, monkeypatch):
    monkeypatch.setenv("COLUMNS", "8")
    result = kzoo("predict", ZOO, "one two three", "four", "--beams", 1, "--scores")
    shown = "one two…\none two\nthree\nscore -1.500\n\nfour\n-0.500  four\n"
    assert result.stdout == shown
    pieces = [text for text in screen if text.strip()]
    assert pieces[:5] == ["one two…\n", "one", " two", "\nthree", "score -1.500\n"]


def test_a_summary_that_was_torn_ends_its_line(kzoo, summarizer, screen, monkeypatch):
    def torn(texts, settings, batch_size, on_text, rows):
        on_text(0, "half a ")
        raise KeyboardInterrupt

    monkeypatch.setattr(summarizer, "answers", torn)
    result = kzoo("predict", ZOO, "a", "--beams", 1)
    assert (result.exit_code, result.stdout) == (130, "half a\n")


def test_what_was_shown_and_is_another_is_shown_anew(
    kzoo, summarizer, screen, monkeypatch
):
    answers = summarizer.answers

    def changed(texts, settings, batch_size, on_text, rows):
        on_text(0, "first thou")
        return answers(texts, settings, batch_size, None, rows)

    monkeypatch.setattr(summarizer, "answers", changed)
    assert kzoo("predict", ZOO, "a", "--beams", 1).stdout == "first\na\n"


def test_a_whole_file_is_one_text(kzoo, summarizer, tmp_path):
    tmp_path.joinpath("a.txt").write_text("one\n\ntwo\n")
    tmp_path.joinpath("b.txt").write_bytes(b"one\n\xe9\n")
    tmp_path.joinpath("c.txt").touch()
    [one] = lines_of(kzoo("predict", ZOO, "--whole", "--json", "--input", "a.txt"))
    assert (one["text"], list(one)[:2]) == ("one\n\ntwo", ["text", "summary"])
    [one] = lines_of(kzoo("predict", ZOO, "--whole", "--json", input="one\n\ntwo\n"))
    assert one["text"] == "one\n\ntwo"
    result = kzoo("predict", ZOO, "--whole", "--json", "--input", "*.txt")
    found = [(line["file"], line["text"]) for line in lines_of(result)]
    assert found == [("a.txt", "one\n\ntwo"), ("c.txt", "")]
    assert "Skipped: b.txt, line 2: the byte 0xe9 is not UTF-8" in result.stderr
    for arguments, sentence in (
        (["a"], "--whole says how a file is read, and the texts are given; leave"),
        (["--input", "a.csv"], "--whole takes the lines of a file for one text, and a"),
    ):
        tmp_path.joinpath("a.csv").touch()
        result = kzoo("predict", ZOO, "--whole", *arguments)
        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr.startswith(f"Error: {sentence}")


def test_documents_are_found_as_in_the_recipe(kzoo, summarizer, tmp_path):
    tmp_path.joinpath("model.keras").touch()
    tmp_path.joinpath("recipe.toml").write_text(
        'schema = 1\ntask = "summarizer"\nname = "s"\n[data]\ntrain = "rows.jsonl"\n'
        'document = "body"\n'
        "[model.encoder]\nnum_layers = 1\nnum_heads = 1\nhidden_dim = 4\n"
        "intermediate_dim = 4\n[training]\nepochs = 1\n"
    )
    rows = [{"body": "a b", "id": 7}, {"body": ["c.", "d."], "id": 8}]
    tmp_path.joinpath("rows.jsonl").write_text("\n".join(map(json.dumps, rows)))
    options = ["--input", "rows.jsonl", "--json"]
    found = lines_of(kzoo("predict", "model.keras", *options, "--keep", "id"))
    assert [(one["id"], one["text"]) for one in found] == [(7, "a b"), (8, "c. d.")]
    tmp_path.joinpath("rows.csv").write_text("body,other\na,b\n")
    options = ["--input", "rows.csv", "--json"]
    for name in ("--text", "--document"):
        [one] = lines_of(kzoo("predict", "model.keras", *options, name, "other"))
        assert one["text"] == "b"
    result = kzoo("predict", "model.keras", *options, "--document", "othr")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == (
        'Error: rows.csv, line 1: there is no column "othr"; did you mean "other"? The '
        'columns are "body", "other"; choose one with --document COLUMN.\n'
    )


def test_few_texts_are_summarized_at_a_time(kzoo, summarizer, tmp_path):
    tmp_path.joinpath("rows.txt").write_text("x\n" * 20)
    options = ["--input", "rows.txt", "--batch-size", 2, "--json"]
    assert len(lines_of(kzoo("predict", ZOO, *options))) == 20
    assert [len(texts) for texts, _, _ in summarizer.calls] == [8, 8, 4]
    assert summarizer.rows == [*range(20)], "draws would be those of other chunks"
