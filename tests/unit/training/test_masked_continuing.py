"""Masked language models that go on learning, and encoders that go on into others."""

import shutil

import keras
import numpy as np
import pytest
from helpers.checkpoints import answers, saved
from helpers.layers import array
from kzoo_recipes import KzooError

import kzoo
from kzoo.tasks import TASKS
from kzoo.training import resume, train
from tests.helpers.interrupted import Crash, assert_equal_bits
from tests.helpers.masked_toys import WORDS, toy_masked
from tests.helpers.pretrained import SPECIAL, tiny_bert, training, tuned
from tests.helpers.rounding import assert_alike
from tests.helpers.toys import once, toy_recipe

VOCABULARY = [*SPECIAL, *WORDS]


@pytest.fixture(scope="module")
def bert(tmp_path_factory):
    """A checkpoint of transformers with the head of a masked language model."""
    folder = tmp_path_factory.mktemp("bert")
    sizes = {"hidden_size": 16, "intermediate_size": 20, "hidden_act": "relu"}
    module = saved(
        folder, "BertForMaskedLM", "BertConfig", vocab_size=len(VOCABULARY), **sizes
    )
    (folder / "vocab.txt").write_text("\n".join(VOCABULARY), "utf-8")
    return folder, module


def built(recipe):
    task = TASKS[recipe.task]()
    prepared = task.prepare(recipe)
    return task.build(recipe, prepared), prepared


def head_of(model):
    return {w.path: array(w) for w in model.weights if "encoder/" not in w.path}


def test_it_begins_with_the_checkpoints_own_head(bert, tmp_path):
    folder, module = bert
    model, prepared = built(tuned(toy_masked(tmp_path), folder))
    token_ids = np.array([prepared.splits["dev"].token_ids[0]], "int32")
    mask = np.ones(token_ids.shape, bool)
    places = np.arange(token_ids.shape[1], dtype="int32")[None]
    inputs = {"token_ids": token_ids, "padding_mask": mask, "places": places}
    ours = array(model(inputs, training=False))
    np.testing.assert_allclose(ours, answers(module, token_ids, mask), atol=1e-4)
    assert model.activation == "relu" and model.masking["share"] == 0.15
    assert any(note.startswith(f"encoder: {folder} (bert)") for note in prepared.notes)


@once
def test_a_resumed_run_needs_the_checkpoint_no_more(bert, tmp_path):
    folder = tmp_path / "bert"
    shutil.copytree(bert[0], folder)
    recipe = training(tuned(toy_masked(tmp_path), folder), evaluate_every=2, epochs=2)
    whole = train(recipe, tmp_path / "whole", progress=False)
    with pytest.raises(ZeroDivisionError):
        train(recipe, tmp_path / "cut", progress=False, callbacks=[Crash()])
    shutil.rmtree(folder)
    backend = keras.backend.backend()
    resumed = resume(tmp_path / "cut" / recipe.name / backend, progress=False)
    last = max(int(p.name[5:]) for p in (whole.folder / "checkpoints").iterdir())
    assert_equal_bits(whole, resumed, last)
    assert kzoo.load_model(resumed.folder).activation == "relu"


@once
def test_a_run_goes_on_with_its_head_and_into_another_task(tmp_path):
    recipe = training(toy_masked(tmp_path, model={"activation": "tanh"}), epochs=1)
    first = train(recipe, tmp_path / "first", progress=False)
    before = kzoo.load_model(first.folder)
    model, prepared = built(tuned(toy_masked(tmp_path), first.folder))
    assert model.activation == "tanh"
    for path, values in head_of(before).items():
        np.testing.assert_array_equal(head_of(model)[path], values, err_msg=path)
    assert_alike(model.fill("cat [MASK] hill"), before.fill("cat [MASK] hill"))
    classifier, _ = built(tuned(toy_recipe(tmp_path), first.folder))
    table = array(classifier.encoder.embedding.table)
    np.testing.assert_array_equal(table, array(before.encoder.embedding.table))
    assert prepared.tokenizer.to_json() == classifier.tokenizer.to_json()


@once
def test_where_there_is_no_head_it_begins_anew_and_says_so(tmp_path):
    folder = tmp_path / "encoder"
    folder.mkdir()
    tiny_bert(folder)
    model, prepared = built(tuned(toy_masked(tmp_path), folder))
    new = [note for note in prepared.notes if "new, and to be trained" in note]
    assert len(new) == 1 and "head/kernel" in new[0]
    assert np.abs(head_of(model)["head/kernel"]).max() > 0
    one = training(toy_recipe(tmp_path), steps=1)
    run = train(one, tmp_path / "runs", progress=False)
    _, prepared = built(tuned(toy_masked(tmp_path), run.folder))
    assert any("head: begins with new weights" in note for note in prepared.notes)


@once
def test_a_checkpoint_that_hides_nothing_is_refused(bert, tmp_path):
    folder = tmp_path / "bert"
    shutil.copytree(bert[0], folder)
    words = (folder / "vocab.txt").read_text().replace("[MASK]", "[HIDE]")
    (folder / "vocab.txt").write_text(words)
    with pytest.raises(KzooError, match="bert: the tokenizer has no token that hides"):
        TASKS["masked_lm"]().prepare(tuned(toy_masked(tmp_path), folder))
