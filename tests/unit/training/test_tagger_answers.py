"""A saved tagger asked about rows whose tags are known."""

import json

import pytest
from kzoo_recipes import KzooError

import kzoo
from kzoo.metrics import tagging_metrics
from kzoo.training import train
from kzoo.training.answers import ask, rows_for
from tests.helpers.tagged_toys import toy_tagger
from tests.helpers.toys import once

pytestmark = once


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tagger")
    recipe = toy_tagger(folder, training={"steps": 4}, data={"learn_scheme": "bioes"})
    return train(recipe, folder / "runs", progress=False).folder


def test_it_is_asked_about_its_own_test_rows(run):
    model = kzoo.load_model(run)
    rows, source = rows_for(run, "test", None, {}, "token_tagger")
    found = ask(model, run, rows, source, 4)
    assert (found.source, found.scheme) == ("test split", "bioes")
    assert found.gold == rows.tags
    said = model.tag_words(rows.words)
    assert found.predicted == [[word["tag"] for word in row] for row in said]
    for scores, row in zip(found.scores, said, strict=True):
        assert scores == pytest.approx([word["score"] for word in row], rel=1e-5)


def test_other_rows_are_read_in_its_scheme(run, tmp_path):
    file = tmp_path / "other.conll"
    file.write_text("Ada\tI-PER\nLee\tI-PER\nsang\tO\n\nMars\tI-GPE\n")
    told = {"learn_scheme": "bioes", "scheme": "iob1"}
    rows, source = rows_for(run, None, file, told, "token_tagger")
    found = ask(kzoo.load_model(run), run, rows, source, 4)
    assert found.gold == [["B-PER", "E-PER", "O"], ["S-GPE"]]
    assert any("a tag that no training row has" in note for note in found.notes)


def test_tags_without_entities_are_not_those_of_a_tagger_of_entities(run, tmp_path):
    file = tmp_path / "pos.conll"
    file.write_text("Ada\tPROPN\n")
    told = {"learn_scheme": "plain", "scheme": "plain"}
    rows, source = rows_for(run, None, file, told, "token_tagger")
    with pytest.raises(KzooError, match="only one of the two marks entities"):
        ask(kzoo.load_model(run), run, rows, source, 4)


def refused(measure, *arguments, **told):
    with pytest.raises(KzooError) as refusal:
        measure(*arguments, **told)
    return str(refusal.value)


@pytest.mark.parametrize("scheme", ["plain", "iob2"])
def test_a_scheme_that_the_tagger_has_none_of_is_refused(run, tmp_path, scheme):
    file = tmp_path / "pos.conll"
    file.write_text("Ada\tPROPN\n")
    said = refused(kzoo.evaluate, run, data=file)
    assert said.endswith("write one of these, or name another column.")
    if scheme == "iob2":
        data = {"scheme": "plain", "learn_scheme": "plain"}
        recipe = toy_tagger(tmp_path, name="pos", training={"steps": 1}, data=data)
        run = train(recipe, tmp_path / "runs", progress=False).folder
        kinds = "has a plain tag for each word", "mark entities"
        hint = "leave --scheme out, so that tags are read as they are"
        assert kzoo.evaluate(run, data=file, scheme="auto", resamples=0)["words"] == 1
    else:
        kinds, hint = ("finds entities", "mark none"), "name rows with entities"
    for measure, runs in ((kzoo.evaluate, [run]), (kzoo.compare, [run, run])):
        assert refused(measure, *runs, data=file, scheme=scheme) == (
            f"{run} {kinds[0]}: tags in --scheme {scheme} {kinds[1]}, so it cannot be "
            f"measured on them; {hint}, or name another model."
        )


def test_what_the_reader_did_is_said(run, tmp_path):
    file = tmp_path / "other.conll"
    file.write_text("-DOCSTART- O\n\nAda\tI-PER\nsang\tO\n\nRome\tB-LOC\n")
    passed = f"{file}: 1 -DOCSTART- line was passed over (line 1)"
    found = kzoo.evaluate(run, data=file, scheme="iob2", resamples=0)
    converted, repaired, last = found["notes"][:3]
    assert converted.endswith("tags are written in iob2 and were converted to bioes")
    assert repaired.startswith(f"{file}: 1 tag cannot stand where it stands")
    assert repaired.endswith("(line 3)") and last == passed
    both = kzoo.compare(run, run, data=file, scheme="iob2", resamples=0)
    assert both["notes"][:3] == [converted, repaired, last]


def test_it_is_measured(run):
    found = kzoo.evaluate(run, resamples=20)
    rows, _ = rows_for(run, "test", None, {}, "token_tagger")
    said = kzoo.load_model(run).tag_words(rows.words)
    said = [[word["tag"] for word in row] for row in said]
    expected = tagging_metrics(rows.tags, said, "bioes")
    expected.pop("per_class")
    assert {name: found[name] for name in expected} == expected
    assert (found["task"], found["source"]) == ("token_tagger", "test split")
    assert (found["rows"], found["words"]) == (7, sum(map(len, rows.words)))
    assert found["labels"] == ["LOC", "ORG", "PER"]
    assert json.loads(json.dumps(found, allow_nan=False)) == found


def test_entities_of_types_that_it_does_not_know_are_missed(run, tmp_path):
    file = tmp_path / "other.conll"
    file.write_text("Ada\tB-PER\n\nMars\tB-GPE\nRome\tB-LOC\n")
    found = kzoo.evaluate(run, data=file, resamples=0)
    assert found["unknown"] == {"GPE": 1}
    assert found["per_class"]["GPE"]["f1"] == 0.0
    missed = [row[-1] for row in found["confusion"]]
    assert sum(found["confusion"][0]) == 1 and len(missed) == 5
    assert [note for note in found["notes"] if 'does not know the type "GPE"' in note]


def test_two_are_compared(run, tmp_path):
    recipe = toy_tagger(tmp_path, name="other", training={"steps": 12})
    other = train(recipe, tmp_path / "runs", progress=False).folder
    found = kzoo.compare(run, other, resamples=20)
    assert (found["task"], found["scheme"], found["rows"]) == (
        "token_tagger",
        "iob2",
        7,
    )
    assert any("bioes and iob2" in note for note in found["notes"])
    alone = kzoo.evaluate(other, resamples=0)
    for name in ("f1", "macro_f1", "precision"):
        assert found["metrics"][name]["second"] == pytest.approx(alone[name])
    back = kzoo.compare(other, run, resamples=20)
    assert back["found"]["only_first"] == found["found"]["only_second"]
    with pytest.raises(KzooError, match="tags words, zoo:text_classifier labels texts"):
        kzoo.compare(run, "zoo:text_classifier")


def test_what_is_told_of_texts_does_not_fit_it(run, tmp_path):
    with pytest.raises(KzooError, match="tags words: --label says nothing about its"):
        kzoo.evaluate(run, data=tmp_path / "other.conll", label="kind")
