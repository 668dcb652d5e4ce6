"""A tagger's recipe, from its rows to a measured model."""

import dataclasses
import json
import re
from types import SimpleNamespace

import numpy as np
import pytest
from kzoo_recipes import KzooError

from kzoo.data import schemes
from kzoo.metrics import tagging_metrics
from kzoo.tasks import TokenTagging
from kzoo.tasks.token_tagger import inside, mean_loss
from kzoo.training import train
from kzoo.training.fingerprint import fingerprint
from tests.helpers.tagged_toys import toy_tagger
from tests.helpers.toys import once

TASK = TokenTagging()


@pytest.fixture
def toy(tmp_path):
    """`toy(training={…}, …)`: a tiny recipe, changed."""
    return lambda **changes: toy_tagger(tmp_path, **changes)


def random_answers(inputs, classes=7):
    """Logits that depend on the token alone, so that windows do not matter."""
    table = np.random.default_rng(5).normal(size=(500, classes)).astype("float32")
    return table[inputs["token_ids"]]


RANDOM = SimpleNamespace(predict=random_answers)


@once
def test_every_prefix_of_every_type_is_a_label(toy):
    prepared = TASK.prepare(toy(data={"learn_scheme": "bioes"}))
    types = ("LOC", "ORG", "PER")
    assert prepared.labels.names == schemes.label_names(types, "bioes")
    assert len(prepared.labels) == 13


@once
def test_each_word_is_trained_once_however_many_windows_see_it(toy):
    recipe = toy(training={"batch_size": 4})
    prepared = TASK.prepare(recipe)
    train = prepared.splits["train"]
    windows = prepared.windows("train")
    assert len(windows) > len(train) > 1
    batches = TASK.batches(recipe, prepared)
    counts = np.zeros(len(prepared.labels))
    for step in range(len(batches)):
        batch = batches.at(step)
        assert batch.labels.shape == batch.weights.shape == (4, 16)
        assert batch.weights.sum() == pytest.approx(1)
        labelled = batch.weights > 0
        np.testing.assert_allclose(batch.weights[labelled], 1 / labelled.sum(), 1e-5)
        counts += np.bincount(batch.labels[labelled], minlength=len(counts))
    gold = np.bincount(np.concatenate(train.labels), minlength=len(counts))
    np.testing.assert_array_equal(counts, gold)


@once
def test_all_pieces_of_a_word_may_be_trained(toy):
    pieces = {"kind": "byte_bpe", "vocabulary_size": 280}
    recipe = toy(data={"label_pieces": "all"}, tokenizer=pieces)
    prepared = TASK.prepare(recipe)
    train = prepared.splits["train"]
    batches = TASK.batches(recipe, prepared)
    trained = sum(
        int((batches.at(step).weights > 0).sum()) for step in range(len(batches))
    )
    assert trained == sum(map(len, train.documents)) > sum(map(len, train.labels))
    names = prepared.labels.names
    later = inside(names, "iob2")
    assert [names[label] for label in later[:5]] == [
        *("O", "I-LOC", "I-LOC", "I-ORG", "I-ORG"),
    ]


@once
def test_tags_and_types_are_weighed(toy):
    recipe = toy(training={"class_weights": {"PER": 3, "O": 0.5, "I-PER": 2}})
    prepared = TASK.prepare(recipe)
    weights = dict(zip(prepared.labels, prepared.class_weights, strict=True))
    assert (weights["B-PER"], weights["I-PER"], weights["O"]) == (3, 2, 0.5)
    assert weights["B-LOC"] == 1
    assert any(
        note.startswith('weights of the tags: "O" 0.5,') for note in prepared.notes
    )
    batch = TASK.batches(recipe, prepared).at(0)
    labelled = batch.weights > 0
    own = prepared.class_weights[batch.labels[labelled]]
    np.testing.assert_allclose(batch.weights[labelled], own / own.sum(), 1e-5)


@once
def test_balanced_tags_count_alike(toy):
    prepared = TASK.prepare(toy(training={"class_weights": "balanced"}))
    labels = np.concatenate(prepared.splits["train"].labels)
    counted = np.bincount(labels, prepared.class_weights[labels])
    np.testing.assert_allclose(counted, counted[0])


@once
@pytest.mark.parametrize("words, splits", [(1, True), (9, False)])
def test_what_training_holds_whole_is_not_split(toy, tmp_path, words, splits):
    """From a word in a thousand on, those of 3,009 with punctuation inside."""
    rows = ["Ada\tB-PER\nmet\tO\n.\tO\n"] * 1000
    rows += ["U.N.\tB-ORG\n"] * (words - 3) + ["Jo-Ann\tB-PER\n"] * min(words, 3)
    train = tmp_path / "whole.conll"
    train.write_text("\n".join(rows))
    recipe = toy(data={"train": str(train)})
    prepared = TASK.prepare(recipe)
    assert TASK.build(recipe, prepared).split_punctuation is splits
    said = [note for note in prepared.notes if "punctuation" in note]
    assert said == [
        '9 words of train with punctuation inside, as "U.N.", "Jo-Ann": in raw text, '
        "too, the model keeps such words whole"
    ] * (not splits)


@once
def test_a_weight_of_no_tag_is_refused(toy):
    with pytest.raises(KzooError, match='names the label "PRE", which does not occur'):
        TASK.prepare(toy(training={"class_weights": {"PRE": 3}}))


@once
def test_notes_say_what_was_done(toy, tmp_path):
    dev = tmp_path / "odd.conll"
    dev.write_text("Ada\tB-PER\n\nMars\tB-GPE\n\u200b\tO\n\nAda\tI-LOC\n")
    notes = TASK.prepare(toy(data={"dev": str(dev)})).notes
    assert any(
        re.fullmatch(
            r"train: 1 of 41 texts \(2.4%\) is longer than 16 tokens and is read in "
            r"\d+ windows that overlap",
            note,
        )
        for note in notes
    ), notes
    assert (
        'dev: 1 word has a tag that no training row has, which counts as wrong: "B-GPE"'
    ) in notes
    assert (
        "dev: 1 word has no piece of the tokenizer's (control characters, or part of "
        "another word's piece), and is read as [UNK]"
    ) in notes
    assert [note for note in notes if "conlleval" in note] == [
        "dev: 1 tag cannot stand where it stands and was repaired, as the scorer "
        "conlleval reads it (line 6)"
    ]
    assert any("`kzoo check-data` lists them" in note for note in notes), notes


@once
def test_figures_are_those_of_the_metrics_and_the_loss_of_the_words(toy):
    prepared = TASK.prepare(toy())
    rows, names = prepared.splits["dev"], prepared.labels.names
    figures = TASK.evaluate(None, RANDOM, prepared, "dev", 4)
    predicted, surprise = [], []
    for text, labels in zip(rows.documents, rows.labels, strict=True):
        ids = text.token_ids[text.first]
        logits = random_answers({"token_ids": ids}).astype("float64")
        predicted.append([names[label] for label in logits.argmax(1)])
        shares = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
        surprise += [-np.log(p[label]) for p, label in zip(shares, labels, strict=True)]
    expected = tagging_metrics(rows.tags, predicted, "iob2")
    assert figures.pop("loss") == pytest.approx(np.mean(surprise))
    assert figures == expected


@once
def test_words_of_unknown_tags_count_as_wrong_and_not_in_the_loss(toy, tmp_path):
    dev = tmp_path / "dev2.conll"
    dev.write_text("Ada\tB-PER\nMars\tB-GPE\n")
    prepared = TASK.prepare(toy(data={"dev": str(dev)}))
    figures = TASK.evaluate(None, RANDOM, prepared, "dev", 4)
    assert figures["per_class"]["GPE"]["support"] == 1
    assert np.isfinite(figures["loss"])
    alone = dataclasses.replace(prepared.splits["dev"], labels=[np.array([-1, -1])])
    prepared.splits["dev"] = alone
    said, _ = TASK.answers(random_answers, prepared, "dev", 4)
    assert np.isnan(mean_loss(said, alone.documents, alone.labels))


@once
def test_a_run_depends_on_tokens_and_tags(toy, tmp_path):
    before = fingerprint(TASK.prepare(toy()).splits)
    assert fingerprint(TASK.prepare(toy()).splits) == before
    test = tmp_path / "test.conll"
    recipe = toy()
    test.write_text(test.read_text().replace("B-PER", "B-ORG", 1))
    now = fingerprint(TASK.prepare(recipe).splits)
    assert now["test"] != before["test"] and now["train"] == before["train"]


@once
@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"model": {"head": "crf"}, "data": {"learn_scheme": "bioes"}},
        {
            "data": {"label_pieces": "all"},
            "training": {"loss": "focal", "class_weights": "balanced"},
        },
    ],
    ids=["linear", "crf", "focal"],
)
def test_it_learns(toy, tmp_path, changes):
    changes = {**changes, "training": {"epochs": 8, **changes.get("training", {})}}
    result = train(toy(**changes), tmp_path / "runs", progress=False)
    first, *_, last = history(result.folder)
    assert last["f1"] > first["f1"] + 0.1
    assert last["loss"] < 0.7 * first["loss"]
    assert {"strict_f1", "per_class"} <= set(result.metrics["dev"])


def history(folder):
    """The evaluations on dev, in order."""
    lines = folder.joinpath("history.jsonl").read_text("utf-8").splitlines()
    records = map(json.loads, lines)
    return [record for record in records if record["split"] == "dev"]
