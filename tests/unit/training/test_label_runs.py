"""What a recipe says of labels and losses arrives in training, files and answers."""

import dataclasses
import json
from types import SimpleNamespace

import numpy as np
import pytest
from helpers.toys import once
from kzoo_recipes import KzooError, from_dict

import kzoo
from kzoo.metrics import tuned_thresholds
from kzoo.tasks import TextClassification
from kzoo.training import compare, evaluate, train

pytestmark = once

WORDS = {"food": ("soup", "bread", "cake"), "room": ("bed", "lamp", "door")}
ENCODER = {"num_layers": 1, "num_heads": 2, "hidden_dim": 8, "intermediate_dim": 8}


def many_labels(path, count, seed):
    """Rows of which each has one, both or none of two labels."""
    rng = np.random.default_rng(seed)
    lines = ["text,label"]
    for row in range(count):
        held = [label for label in WORDS if rng.random() < 0.4]
        words = [str(rng.choice(WORDS[label])) for label in held]
        lines.append(f"we saw {' '.join(words)} {row % 5},{'|'.join(held)}")
    path.write_text("\n".join(lines) + "\n")
    return str(path)


def make_recipe(data, **training):
    return from_dict(
        {
            "name": "labels",
            "task": "text_classifier",
            "seed": 3,
            "data": {"sequence_length": 12, "buckets": [12], **data},
            "tokenizer": {"kind": "word", "vocabulary_size": 80, "min_frequency": 1},
            "model": {"encoder": ENCODER},
            "training": {"batch_size": 16, "learning_rate": 2e-2, **training},
        }
    )


@pytest.fixture
def several(tmp_path):
    """`several(threshold="tuned", …)`: a recipe of rows with any number of labels."""
    files = {
        "train": many_labels(tmp_path / "train.csv", 120, 0),
        "dev": many_labels(tmp_path / "dev.csv", 40, 1),
        "test": many_labels(tmp_path / "test.csv", 40, 2),
    }
    data = {**files, "multi_label": True, "label_separator": "|"}
    return lambda **training: make_recipe(data, **training)


@pytest.fixture
def single(tmp_path):
    """`single(class_weights="balanced", …)`: one label a row, one of them rare."""
    path = tmp_path / "one.csv"
    rows = [f"word{row},{'rare' if row % 8 == 0 else 'often'},2" for row in range(48)]
    path.write_text("\n".join(["text,label,weight", *rows]) + "\n")
    files = {split: str(path) for split in ("train", "dev", "test")}
    return lambda data=(), **training: make_recipe({**files, **dict(data)}, **training)


def batches_of(recipe):
    task = TextClassification()
    prepared = task.prepare(recipe)
    batches = task.batches(recipe, prepared)
    return prepared, [batches.at(step) for step in range(len(batches))]


def test_class_weights_are_in_the_weights_of_rows(single):
    prepared, batches = batches_of(single(class_weights="balanced"))
    assert 'weights of the labels: "often" 0.571, "rare" 4' in prepared.notes
    for batch in batches:
        own = np.where(batch.labels == 1, 4, 48 / (2 * 42))
        np.testing.assert_allclose(batch.weights, own / own.sum(), rtol=1e-6)
    _, tabled = batches_of(single(class_weights={"rare": 7.0}))
    for batch, other in zip(batches, tabled, strict=True):
        np.testing.assert_allclose(batch.weights, other.weights, rtol=1e-6)


def test_class_weights_multiply_the_weights_of_rows(single, tmp_path):
    rows = [f"word{row},{'ab'[row % 2]},{row % 3}" for row in range(12)]
    path = tmp_path / "weighted.csv"
    path.write_text("\n".join(["text,label,weight", *rows]) + "\n")
    data = {"train": str(path), "dev": str(path), "test": str(path), "weight": "weight"}
    _, [batch] = batches_of(single(data, class_weights={"b": 5.0}))
    assert len(batch.rows) == 8  # Those of weight 0 are in no batch.
    own = (batch.rows % 3) * np.where(batch.rows % 2, 5, 1)
    np.testing.assert_allclose(batch.weights[:8], own / own.sum(), rtol=1e-6)


def test_an_unknown_class_is_refused_before_anything_is_written(single, tmp_path):
    with pytest.raises(KzooError, match=r'names the label "rar", .* "rare"\?'):
        train(single(class_weights={"rar": 2.0}), tmp_path / "runs", progress=False)
    assert not (tmp_path / "runs").exists()


@pytest.mark.parametrize(
    "settings, name, options",
    [
        ({}, "cross_entropy", {"label_smoothing": 0.0}),
        ({"loss": "focal"}, "focal", {"label_smoothing": 0.0}),
        (
            {"loss": "focal", "focal_gamma": 0.5, "label_smoothing": 0.1},
            "focal",
            {"label_smoothing": 0.1, "focal_gamma": 0.5},
        ),
    ],
)
def test_the_recipe_names_the_loss(single, several, settings, name, options):
    task = TextClassification()
    recipe = single(**settings)
    assert task.loss(recipe, task.prepare(recipe)) == (name, options)
    recipe = several(**settings)
    expected = {**options, "class_weights": None}
    assert task.loss(recipe, task.prepare(recipe)) == (f"sigmoid_{name}", expected)


def test_weights_of_labels_are_in_the_loss(several):
    task = TextClassification()
    recipe = several(class_weights="balanced")
    prepared, batches = batches_of(recipe)
    weights = task.loss(recipe, prepared)[1]["class_weights"]
    held = prepared.splits["train"].labels
    yes = held.sum(axis=0)
    np.testing.assert_allclose(weights, [60 / (120 - yes), 60 / yes])
    assert batches[0].weights[0] == np.float32(1 / 16)


def test_a_run_with_tuned_thresholds(several, tmp_path):
    recipe = several(threshold="tuned", epochs=40, metric="loss", loss="focal")
    result = train(recipe, tmp_path / "runs", progress=False)
    model = kzoo.load_model(result.folder)
    assert model.multi_label and model.labels == ["food", "room"]
    assert result.metrics["test"]["micro_f1"] > 0.95
    saved = json.loads((result.folder / "metrics.json").read_text())
    assert any(note.startswith("thresholds tuned on 40 dev") for note in saved["notes"])

    task = TextClassification()
    prepared = task.prepare(recipe)
    logits = task.logits(
        lambda inputs: np.asarray(model.predict_on_batch(inputs)), prepared, "dev", 64
    )
    tuned = tuned_thresholds(prepared.splits["dev"].labels, logits)
    assert model.thresholds == pytest.approx(tuned.tolist(), abs=1e-5)
    per_class = result.metrics["dev"]["per_class"]
    for name, threshold in zip(model.labels, model.thresholds, strict=True):
        assert per_class[name]["threshold"] == threshold

    for split in ("dev", "test"):
        again = evaluate(result.folder, split=split, resamples=20)
        for name in ("accuracy", "micro_f1", "hamming_loss"):
            assert again[name] == result.metrics[split][name]
        loss = result.metrics[split]["loss"]
        assert again["loss"] == pytest.approx(loss, rel=1e-5)
    same = compare(result.folder, result.folder, resamples=20)
    assert same["metrics"]["micro_f1"]["first"] == result.metrics["test"]["micro_f1"]
    assert same["mcnemar"] == {"only_first": 0, "only_second": 0, "p_value": 1.0}
    with pytest.raises(KzooError, match=r"cannot be compared: .* gives any number of"):
        compare("zoo:text_classifier", result.folder)
    answers = model.classify(["we saw soup 1", "we saw soup bed 1", "we saw 1"])
    assert [answer["labels"] for answer in answers] == [["food"], ["food", "room"], []]


def test_a_fixed_threshold_is_kept(several, tmp_path):
    result = train(several(threshold=0.3, steps=2), tmp_path, progress=False)
    assert kzoo.load_model(result.folder).thresholds == (0.3, 0.3)
    assert result.metrics["dev"]["per_class"]["food"]["threshold"] == 0.3


def test_the_loss_on_dev_knows_no_weights(single):
    task = TextClassification()
    prepared = task.prepare(single(class_weights={"rare": 50.0}))
    plain = dataclasses.replace(prepared, class_weights=None)

    def predict(inputs):
        return inputs["token_ids"][:, :2].astype("float32") / 10

    stepper = SimpleNamespace(predict=predict)
    measured = [task.evaluate(None, stepper, p, "dev", 16) for p in (prepared, plain)]
    assert measured[0] == measured[1]
