"""Recipes that begin with a checkpoint keep as much of its head as is of their kind."""

import numpy as np
import pytest
from kzoo_recipes import KzooError

import kzoo
from kzoo.data.schemes import label_names
from kzoo.interop.names.engine import weights_of
from kzoo.tasks import TASKS
from kzoo.training import dry_run
from tests.helpers.checkpoints import answers, transformers
from tests.helpers.layers import array
from tests.helpers.pretrained import tiny_bert, tuned
from tests.helpers.tagged_toys import toy_tagger
from tests.helpers.toys import once, toy_recipe, write_rows

POOLER = {"pooling": "first", "activation": "tanh"}
TAGS = label_names(["LOC", "ORG", "PER"], "iob2")  # as the toy's rows have them
LAYER = "head: its inner layer begins as the checkpoint's, its logits with new weights"
ALL = "head: begins as the checkpoint's, whose labels are the same"
NEW = "head: begins with new weights"


def named(*labels):
    return {"id2label": dict(enumerate(labels)), "num_labels": len(labels)}


@pytest.fixture(scope="module")
def checkpoints(tmp_path_factory):
    """Function from a kind to a folder and its module of transformers."""
    kinds = {
        "bare": {},
        "sentiment": {
            "architecture": "BertForSequenceClassification",
            **named("good", "bad"),
        },
        "tags": {
            "architecture": "BertForTokenClassification",
            **named(*reversed(TAGS)),
        },
    }
    made = {}

    def of(kind):
        if kind not in made:
            folder = tmp_path_factory.mktemp(kind)
            made[kind] = folder, tiny_bert(folder, **kinds[kind])
        return made[kind]

    return of


def built(recipe):
    """A recipe's model, what is said of its head, and all that is said."""
    task = TASKS[recipe.task]()
    prepared = task.prepare(recipe)
    model = task.build(recipe, prepared)
    [said] = [note for note in prepared.notes if note.startswith("head: ")]
    return model, said, prepared.notes


def asked(model, text="a fine film in Rome"):
    """What a model says of a text, and the ids and mask that it was asked."""
    ids = model.tokenizer.encode([text]).token_ids[0][None]
    mask = np.ones_like(ids, bool)
    logits = array(model({"token_ids": ids, "padding_mask": mask}, training=False))
    return logits, ids, mask


def parts(model, start):
    """Weights whose paths begin so, as arrays."""
    found = weights_of(model).items()
    return {path: array(weight) for path, weight in found if path.startswith(start)}


def assert_equal(ours, theirs):
    assert ours.keys() == theirs.keys() and ours
    for path, value in ours.items():
        np.testing.assert_array_equal(value, theirs[path], err_msg=path)


def test_the_pooler_goes_on_as_in_transformers(checkpoints, tmp_path):
    folder, _ = checkpoints("bare")
    model, said, notes = built(tuned(toy_recipe(tmp_path), folder, **POOLER))
    assert said == LAYER
    assert not any("pooler" in note for note in notes)
    theirs = transformers.BertForSequenceClassification.from_pretrained(folder)
    kernel, bias = (array(weight) for weight in model.get_layer("logits").weights)
    with transformers.modeling_utils.torch.no_grad():
        theirs.classifier.weight.copy_(theirs.classifier.weight.new_tensor(kernel.T))
        theirs.classifier.bias.copy_(theirs.classifier.bias.new_tensor(bias))
    logits, *batch = asked(model)
    np.testing.assert_allclose(logits, answers(theirs.eval(), *batch), atol=1e-5)


@once
def test_another_head_begins_anew_and_says_what_the_checkpoints_goes_with(
    checkpoints, tmp_path
):
    folder, _ = checkpoints("bare")
    recipe = toy_recipe(tmp_path)
    _, said, notes = built(tuned(recipe, folder, pooling="mean"))
    assert said == f'{NEW}; the checkpoint\'s goes with pooling = "first"'
    assert any("not read: the pooler" in note for note in notes)
    _, said, _ = built(tuned(recipe, folder, **POOLER, head_dim=7))
    assert said == f'{NEW}; the checkpoint\'s goes with head_dim = "16"'
    _, said, _ = built(tuned(recipe, folder, **POOLER, head_dim=16))
    assert said == LAYER


@once
def test_a_checkpoint_without_a_head_is_no_other_kind(tmp_path):
    folder = tmp_path / "bert"
    tiny_bert(folder, "BertForMaskedLM")  # It has no pooler.
    assert built(tuned(toy_recipe(tmp_path), folder))[1] == NEW
    assert built(tuned(toy_recipe(tmp_path), folder, **POOLER))[1] == NEW
    assert built(tuned(toy_tagger(tmp_path), folder))[1] == NEW


@once
@pytest.mark.parametrize("kind", ["sentiment", "tags"])
def test_the_same_labels_keep_the_head_in_the_order_of_the_rows(
    checkpoints, tmp_path, kind
):
    folder, module = checkpoints(kind)
    if kind == "sentiment":
        recipe = tuned(toy_recipe(tmp_path), folder, **POOLER)
    else:
        recipe = tuned(toy_tagger(tmp_path), folder)
    model, said, notes = built(recipe)
    assert said == ALL
    assert not any("not read" in note for note in notes)
    theirs = list(module.config.id2label.values())
    assert sorted(theirs) == sorted(model.labels) and theirs != list(model.labels)
    logits, *batch = asked(model)
    order = [theirs.index(label) for label in model.labels]
    expected = answers(module, *batch)[..., order]
    np.testing.assert_allclose(logits, expected, atol=1e-5)


@once
def test_other_labels_begin_anew_and_are_named(checkpoints, tmp_path):
    folder, module = checkpoints("sentiment")
    labels = ("bad", "fair", "good")
    data = {"train": write_rows(tmp_path / "three.csv", 40, labels=labels)}
    recipe = tuned(toy_recipe(tmp_path, data=data), folder, **POOLER)
    model, said, notes = built(recipe)
    assert said == f'{LAYER}, for the checkpoint\'s labels are "good", "bad"'
    assert any("not read: the head of a fine-tuned model" in note for note in notes)
    kernel = parts(model, "head/")["head/kernel"]
    pooler = module.bert.pooler.dense.weight.detach().numpy()
    np.testing.assert_array_equal(kernel, pooler.T)
    # Of a tagger all that its labels know is the head.
    _, said, _ = built(tuned(toy_tagger(tmp_path), folder))
    assert said == f"{NEW}, for the checkpoint's are those of a {type(module).__name__}"


@once
def test_logits_of_another_question_begin_anew(checkpoints, tmp_path):
    folder = tmp_path / "bert"
    several = {"problem_type": "multi_label_classification", **named("bad", "good")}
    tiny_bert(folder, "BertForSequenceClassification", **several)
    _, said, _ = built(tuned(toy_recipe(tmp_path), folder, **POOLER))
    assert said == f"{LAYER}, for the checkpoint's give a text any number of labels"
    _, said, _ = built(tuned(toy_tagger(tmp_path), checkpoints("tags")[0], head="crf"))
    assert said == f'{NEW}; the checkpoint\'s goes with head = "linear"'


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    """Models of kzoo that were never trained, as files, by task."""
    folder = tmp_path_factory.mktemp("own")
    found = {}
    crf = {"head": "crf"}
    for recipe in (toy_recipe(folder), toy_tagger(folder, model=crf)):
        task = TASKS[recipe.task]()
        model = task.build(recipe, task.prepare(recipe))
        for path, weight in weights_of(model).items():
            if not path.startswith("encoder/"):  # Biases begin as zeros.
                noise = np.random.default_rng(len(path)).normal(size=weight.shape)
                weight.assign(noise)
        model.save(folder / f"{recipe.task}.keras")
        found[recipe.task] = folder / f"{recipe.task}.keras", model
    return found


@once
def test_a_head_of_kzoos_goes_on_too(own, tmp_path):
    file, before = own["text_classifier"]
    model, said, _ = built(tuned(toy_recipe(tmp_path), file))
    assert said == ALL
    assert_equal(parts(model, "head/"), parts(before, "head/"))
    assert_equal(parts(model, "logits/"), parts(before, "logits/"))
    _, said, _ = built(tuned(toy_recipe(tmp_path), file, pooling="max"))
    assert said == f'{NEW}; the checkpoint\'s goes with pooling = "mean"'
    assert built(tuned(toy_tagger(tmp_path), file))[1] == NEW


@once
def test_a_crf_goes_on_with_all_its_steps(own, tmp_path):
    file, before = own["token_tagger"]
    model, said, _ = built(tuned(toy_tagger(tmp_path), file, head="crf"))
    assert said == ALL
    assert_equal(parts(model, "crf/"), parts(before, "crf/"))
    fewer = tmp_path / "fewer.conll"
    fewer.write_text("Ada\tB-PER\nRay\tI-PER\nwent\tO\n\n" * 9)
    data = dict.fromkeys(("train", "dev", "test"), str(fewer))
    recipe = toy_tagger(tmp_path, data=data)
    model, said, _ = built(tuned(recipe, file, head="crf"))
    assert said == (
        f'{NEW}, for the checkpoint\'s labels are "O", "B-LOC", "I-LOC", "B-ORG" and '
        "3 more"
    )


@once
def test_labels_are_found_by_their_names(own, tmp_path):
    """A CRF that has them in another order says the same of the same words."""
    from kzoo.interop.pretrained_heads import _reorder

    file, before = own["token_tagger"]
    model = kzoo.load_model(file)
    ours = list(model.labels)
    theirs = [ours[0], *ours[3:], *ours[1:3]]
    for path, weight in weights_of(before).items():
        if path.startswith(("logits/", "crf/")):
            order = [ours.index(label) for label in theirs]
            value = array(weight)[..., order]
            weights_of(model)[path].assign(
                value[order] if path == "crf/transitions" else value
            )
    _reorder(model, theirs, ours)
    assert_equal(parts(model, "logits/"), parts(before, "logits/"))
    assert_equal(parts(model, "crf/"), parts(before, "crf/"))


@once
def test_a_run_may_not_begin_with_a_head_that_is_broken(checkpoints, tmp_path):
    folder = tmp_path / "bert"
    wide = {"num_labels": 2, "id2label": {0: "bad", 1: "good"}}
    tiny_bert(folder, "BertForSequenceClassification", **wide)
    config = folder / "config.json"
    config.write_text(config.read_text().replace('"good"', '"bad"'))
    recipe = tuned(toy_recipe(tmp_path), folder, **POOLER)
    _, said, _ = built(recipe)
    assert said.endswith("config.json does not name its labels")
    config.write_text(
        config.read_text().replace('"hidden_size": 16', '"hidden_size": 8')
    )
    with pytest.raises(KzooError, match="not of one model"):
        dry_run(recipe)
