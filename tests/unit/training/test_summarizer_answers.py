"""A saved summarizer asked about rows whose summaries are known."""

import json

import pytest
from kzoo_recipes import KzooError

import kzoo
from kzoo.metrics import summary_metrics
from kzoo.tasks import TASKS
from kzoo.training import train
from kzoo.training.answers import rows_for
from kzoo.training.summaries import notes_on
from tests.helpers.paired_toys import toy_summarizer
from tests.helpers.toys import once

pytestmark = once
ROWS = """\
{"document": "ada sang in rome", "summary": "ada sang", "more": ["rome", "ada"]}
{"document": "", "summary": "nothing"}
{"document": "lee left", "summary": "lee went", "more": []}
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("summarizer")
    recipe = toy_summarizer(folder, training={"steps": 4})
    return train(recipe, folder / "runs", progress=False).folder


@pytest.fixture(scope="module")
def other(tmp_path_factory):
    folder = tmp_path_factory.mktemp("other")
    recipe = toy_summarizer(folder, name="other", training={"steps": 5})
    return train(recipe, folder / "runs", progress=False).folder


@pytest.fixture
def rows(tmp_path):
    file = tmp_path / "rows.jsonl"
    file.write_text(ROWS)
    return file


def test_it_is_measured_on_its_own_test_rows_as_it_was_after_training(run):
    found = kzoo.evaluate(run, resamples=9)
    metrics = json.loads((run / "metrics.json").read_text())["test"]
    own = {name: found[name] for name in metrics if name in found}
    assert own == pytest.approx(metrics, rel=1e-5)
    assert {"rouge1", "rougeLsum", "copy_rate", "loss"} <= own.keys()
    assert (found["task"], found["source"]) == ("summarizer", "test split")
    assert found["intervals"] == {} and "too few rows" in found["notes"][-1]
    found = kzoo.evaluate(run, split="dev", resamples=9)
    assert "loss" not in found["intervals"] and "rouge2" in found["intervals"]
    settings = kzoo.load_model(run).settings()
    assert found["generation"]["beams"] == settings.beams > 1
    assert json.loads(json.dumps(found, allow_nan=False)) == found


def test_other_rows_and_other_settings(run, rows):
    told = {"beams": 1, "max_new_tokens": 2}
    found = kzoo.evaluate(
        run, data=rows, references="more", generation=told, resamples=0, every_row=True
    )
    model = kzoo.load_model(run)
    said = model.summarize(["ada sang in rome", "lee left"], **told)
    assert [one["prediction"] for one in found["every_row"]] == said
    references = [["ada sang", "rome", "ada"], ["lee went"]]
    assert [one["references"] for one in found["every_row"]] == references
    assert [one["line"] for one in found["every_row"]] == [1, 3]
    expected = summary_metrics(references, said, ["ada sang in rome", "lee left"])
    assert {name: found[name] for name in expected} == expected
    assert found["generation"] == {"beams": 1, "max_new_tokens": 2}
    left_out = f"{rows}: 1 row with an empty document was left out (line 2)"
    assert found["notes"][0] == left_out


def test_how_rouge_is_computed(run, rows, tmp_path):
    found = kzoo.evaluate(run, data=rows, resamples=0)
    assert found["scoring"]["tokenizer"] == "rouge-score"
    assert found["scoring"]["stemmer"] == "porter"
    told = {"rouge_tokenizer": "unicode", "stemmer": True}
    found = kzoo.evaluate(run, data=rows, resamples=0, **told)
    assert found["scoring"]["tokenizer"] == "unicode"
    assert found["scoring"]["stemmer"] == "porter"
    file = tmp_path / "russian.jsonl"
    file.write_text('{"document": "ada", "summary": "да"}\n')
    with pytest.raises(KzooError, match=r"russian\.jsonl, line 1: the reference summ"):
        kzoo.evaluate(run, data=file)


@pytest.mark.parametrize(
    "generation, sentence",
    [
        ({"beams": 3, "beam_groups": 2}, "`beam_groups` must divide `beams`"),
        ({"beams": 2, "nbest": 2}, "One summary of each document is measured"),
        ({"beams": 10**6}, "beams=1000000"),
    ],
)
def test_settings_that_do_not_go_together(run, rows, generation, sentence):
    with pytest.raises(KzooError) as refused:
        kzoo.evaluate(run, data=rows, generation=generation)
    assert str(refused.value).startswith(f"{run} cannot be asked so: ")
    assert sentence in str(refused.value)


def test_what_is_told_of_other_models(run, rows):
    with pytest.raises(
        KzooError, match="zoo:text_classifier labels texts: `beams` and"
    ):
        kzoo.evaluate("zoo:text_classifier", generation={"beams": 2}, stemmer=False)
    with pytest.raises(KzooError, match="summarizes texts: --label says nothing about"):
        kzoo.evaluate(run, data=rows, label="kind")


def test_two_are_compared(run, other):
    told = {"generation": {"beams": 1}}
    found = kzoo.compare(run, other, resamples=9, **told)
    assert (found["task"], found["source"]) == ("summarizer", "test split")
    alone = kzoo.evaluate(other, resamples=0, **told)
    assert found["generation"]["second"] == alone["generation"]
    assert found["generation"]["first"]["beams"] == 1
    for name in ("rouge1", "rougeL", "length_ratio"):
        assert found["metrics"][name]["second"] == pytest.approx(alone[name])
    assert "loss" not in found["metrics"]
    assert found["scoring"]["tokenizer"] == "rouge-score"
    with pytest.raises(KzooError, match="summarizes texts, zoo:text_classifier labels"):
        kzoo.compare(run, "zoo:text_classifier")


def test_runs_of_other_references_are_not_compared(run, other, tmp_path):
    rows, _ = rows_for(other, "test", None, {}, "summarizer")
    file = tmp_path / "test.jsonl"
    changed = [
        {"document": document, "summary": summary, "references": ["another"]}
        for document, summary in zip(rows.documents, rows.summaries, strict=True)
    ]
    file.write_text("".join(json.dumps(row) + "\n" for row in changed))
    text = (other / "recipe.toml").read_text()
    key = next(line for line in text.splitlines() if line.startswith("test = "))
    (other / "recipe.toml").write_text(text.replace(key, f'test = "{file}"'))
    with pytest.raises(KzooError, match="row 1 has other references in each"):
        kzoo.compare(run, other)


def test_letters_that_rouge_does_not_know_are_refused_before_training(tmp_path):
    file = tmp_path / "russian.jsonl"
    file.write_text('{"document": "ada", "summary": "да", "references": ["да"]}\n')
    recipe = toy_summarizer(tmp_path, data={"test": str(file)})
    with pytest.raises(
        KzooError, match=r"russian\.jsonl, line 1: .*rouge_tokenizer = "
    ):
        TASKS["summarizer"]().prepare(recipe)
    told = {"rouge_tokenizer": "unicode"}
    recipe = toy_summarizer(tmp_path, data={"test": str(file)}, training=told)
    prepared = TASKS["summarizer"]().prepare(recipe)
    assert prepared.rouge_tokenizer == "unicode"


def test_what_is_said_of_what_was_written():
    answers = [
        {"finished": finished, "unknown": unknown}
        for finished, unknown in [(True, False), (False, True), (False, False)]
    ]
    assert notes_on(answers[:1], 9) == []
    assert notes_on(answers[:2], 9) == [
        "1 summary did not end within 9 tokens",
        "1 document has no token that the model knows",
    ]
    assert notes_on(answers * 2, 1000) == [
        "4 summaries did not end within 1,000 tokens",
        "2 documents have no token that the model knows",
    ]
