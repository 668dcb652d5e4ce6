"""A caller's Keras callbacks in kzoo's loop."""

import csv
import functools
from importlib.util import find_spec

import keras
import numpy as np
import pytest
from helpers.loops import accuracies, run_loop
from helpers.toys import once, toy_recipe
from kzoo_recipes import KzooError

from kzoo.training import train
from kzoo.training.plan import Plan

HOOKS = (
    *("on_train_begin", "on_train_end", "on_epoch_begin", "on_epoch_end"),
    *("on_train_batch_begin", "on_train_batch_end", "on_test_begin", "on_test_end"),
)


class Diary(keras.callbacks.Callback):
    """Writes down what it is told."""

    def __init__(self):
        super().__init__()
        self.lines = []
        for hook in HOOKS:
            setattr(self, hook, functools.partial(self.note, hook))

    def note(self, hook, *arguments, **named):
        *where, logs = (*arguments, *named.values())
        assert isinstance(logs, dict)
        self.lines.append((hook.removeprefix("on_"), *where, *sorted(logs)))


@once
def test_hooks_come_in_the_order_of_fit(small, tmp_path):
    diary = Diary()
    run_loop(small, tmp_path, Plan(3, 2), accuracies(0.5, 0.6), callbacks=[diary])
    batch = lambda n: [("train_batch_begin", n), ("train_batch_end", n, "loss")]
    test = [("test_begin",), ("test_end", "accuracy", "loss")]
    logs = ("loss", "val_accuracy", "val_loss")
    assert diary.lines == [
        ("train_begin",),
        *[("epoch_begin", 0), *batch(0), *batch(1), *test, ("epoch_end", 0, *logs)],
        *[("epoch_begin", 1), *batch(0), *test, ("epoch_end", 1, *logs)],
        ("train_end", *logs),
    ]


def test_fit_of_keras_comes_in_the_same_order(small, tmp_path):
    """The reference: what Keras itself calls for one epoch of two batches."""
    diary, model = Diary(), small.model()
    model.compile(loss="sparse_categorical_crossentropy")
    batch = small.batch(0, rows=12)
    model.fit(
        batch.inputs,
        batch.labels,
        batch_size=6,
        validation_data=(batch.inputs, batch.labels),
        callbacks=[diary],
        verbose=0,
    )
    theirs = [line[0] for line in diary.lines]
    ours = Diary()
    run_loop(small, tmp_path, Plan(2, 2), accuracies(0.5), callbacks=[ours])
    assert theirs == [line[0] for line in ours.lines]


@once
def test_losses_are_those_of_the_steps(small, tmp_path):
    reference = small.stepper()
    losses = [float(reference.train(small.batches.at(s), 1e-2)) for s in range(4)]
    seen, means = [], []
    watch = keras.callbacks.LambdaCallback(
        on_train_batch_end=lambda batch, logs: seen.append(logs["loss"]),
        on_epoch_end=lambda epoch, logs: means.append(logs["loss"]),
    )
    run_loop(small, tmp_path, Plan(4, 2), accuracies(0.1, 0.2), callbacks=[watch])
    np.testing.assert_allclose(seen, losses, rtol=1e-6)
    np.testing.assert_allclose(means, [np.mean(losses[:2]), np.mean(losses[2:])])


def test_a_callback_sees_the_weights_of_the_step(small, tmp_path):
    reference, seen = small.stepper(), []

    class Look(keras.callbacks.Callback):
        def on_train_batch_end(self, batch, logs=None):
            kernel = self.model.get_layer("inner").kernel
            seen.append(keras.ops.convert_to_numpy(kernel).copy())

    run_loop(small, tmp_path, Plan(3, 3), accuracies(0.1), callbacks=[Look()])
    for step in range(3):
        reference.train(small.batches.at(step), 1e-2)
        np.testing.assert_array_equal(seen[step], reference.state()["inner/kernel"])


@once
@pytest.mark.parametrize(
    "hook, steps, evaluations",
    [
        ("on_train_batch_end", 1, 1),
        ("on_epoch_end", 2, 1),
        ("on_test_end", 2, 1),
    ],
)
@pytest.mark.parametrize("every", [2, 10])
def test_stop_training_is_honoured(small, tmp_path, hook, steps, evaluations, every):
    stop = keras.callbacks.Callback()

    def ask(*_):
        stop.model.stop_training = True

    setattr(stop, hook, ask)
    if hook == "on_test_end" and every == 10:
        steps = 10  # That is when it is first tested.
    standing, records = run_loop(
        small, tmp_path, Plan(20, every), accuracies(0.5), callbacks=[stop]
    )
    assert (standing.step, standing.stopped) == (steps, "callback")
    assert len(records.of("dev")) == evaluations
    assert records.of("train")[-1]["step"] == steps
    assert standing.best.step == steps


@once
@pytest.mark.parametrize(
    "callback, sentence",
    [
        (
            keras.callbacks.ReduceLROnPlateau(),
            "ReduceLROnPlateau works on a Keras optimizer, and kzoo's loop has none: "
            "[training] schedule says how the rate goes.",
        ),
        (
            keras.callbacks.LearningRateScheduler(lambda epoch: 1.0),
            "LearningRateScheduler works on a Keras optimizer",
        ),
        (keras.callbacks.SwapEMAWeights(), "SwapEMAWeights works on"),
        (keras.callbacks.BackupAndRestore("x"), "`kzoo resume` continues"),
        (print, "callbacks: a builtin_function_or_method is no keras.callbacks"),
    ],
)
def test_what_needs_an_optimizer_is_refused(tmp_path, callback, sentence):
    with pytest.raises(KzooError) as raised:
        train(toy_recipe(tmp_path), tmp_path / "runs", callbacks=[callback])
    assert sentence in str(raised.value)
    assert not (tmp_path / "runs").exists()


def test_the_callbacks_of_keras_itself(tmp_path):
    callbacks = [
        keras.callbacks.EarlyStopping("val_loss", mode="min", min_delta=9, patience=1),
        keras.callbacks.ModelCheckpoint(
            tmp_path / "best.keras", "val_loss", save_best_only=True
        ),
        keras.callbacks.CSVLogger(tmp_path / "log.csv"),
        keras.callbacks.TerminateOnNaN(),
        keras.callbacks.History(),
    ]
    if find_spec("tensorflow") is not None:  # Keras' own writes through it.
        callbacks.append(keras.callbacks.TensorBoard(tmp_path / "board"))
    result = train(
        toy_recipe(tmp_path), tmp_path / "runs", progress=False, callbacks=callbacks
    )
    assert (result.metrics["steps"], result.metrics["stopped"]) == (6, "callback")
    model = keras.saving.load_model(tmp_path / "best.keras")
    assert model.classify("a lovely film")["label"] in ("good", "bad")
    with open(tmp_path / "log.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["epoch"] for row in rows] == ["0", "1"]
    assert float(rows[0]["val_loss"]) == pytest.approx(
        callbacks[4].history["val_loss"][0]
    )
    if find_spec("tensorflow") is not None:
        assert list((tmp_path / "board").rglob("events.out.tfevents.*"))
    saved = keras.saving.load_model(result.folder / "model.keras")
    assert not saved.compiled
