"""A saved tagger asked about rows whose tags are known."""

import pytest
from kzoo_recipes import KzooError

import kzoo
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
