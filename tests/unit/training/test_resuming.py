"""A run that was interrupted ends like one that was not, to the last bit."""

import functools
import json
import os
import signal
from pathlib import Path

import keras
import pytest
from helpers.toys import once, toy_recipe, write_rows
from kzoo_recipes import KzooError, Terminated, load, to_toml

from kzoo.training import resume, train
from kzoo.training.unfinished import Unfinished
from tests.helpers.interrupted import TIMES, assert_equal_bits, records

BACKEND = keras.backend.backend()


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    return tmp_path_factory.mktemp("runs")


@pytest.fixture(scope="module")
def recipe(shared):
    return functools.partial(toy_recipe, shared)


@pytest.fixture(scope="module")
def whole(shared, recipe):
    """The run that was never interrupted: nine steps, three to an epoch."""
    return train(recipe(), shared / "whole", progress=False)


class Stop(keras.callbacks.Callback):
    """Does something to the process after a step."""

    def __init__(self, after, do):
        super().__init__()
        self.after, self.do, self.seen = after, do, 0

    def on_train_batch_end(self, batch, logs=None):
        self.seen += 1
        if self.seen == self.after:
            self.do()


def crash():
    raise ZeroDivisionError


def interrupted(recipe, output, after, do=crash, expected=ZeroDivisionError, **options):
    """Train until something happens after a step; return the run's folder."""
    with pytest.raises(expected) as raised:
        train(recipe, output, progress=False, callbacks=[Stop(after, do)], **options)
    interrupted.error = raised.value
    return output / "toy" / BACKEND


def assert_same(result, whole):
    for step in {result.metrics["best_step"], result.metrics["steps"]}:
        assert_equal_bits(result, whole, step)
    assert records(result.folder) == records(whole.folder)
    kept = {k: v for k, v in whole.metrics.items() if k not in TIMES}
    assert kept == {k: v for k, v in result.metrics.items() if k not in TIMES}


INT, TERM = (signal.SIGINT, KeyboardInterrupt, None), (signal.SIGTERM, Terminated, 143)


@pytest.mark.parametrize(
    "after, number, expected, code",
    [
        (5, *TERM),
        pytest.param(1, *TERM, marks=once),
        pytest.param(3, *INT, marks=once),  # the end of an epoch
        pytest.param(9, *INT, marks=once),  # the end of all
    ],
)
def test_a_signal_saves_and_resuming_gives_equal_bits(
    recipe, whole, tmp_path, after, number, expected, code
):
    before = signal.getsignal(number)
    send = functools.partial(signal.raise_signal, number)
    folder = interrupted(recipe(), tmp_path, after, send, expected)
    assert signal.getsignal(number) is before
    assert not folder.exists()
    error = interrupted.error
    assert getattr(error, "code", None) == code
    text = getattr(error, "text", str(error))
    word = "interrupted" if code is None else "terminated"
    how = f"`kzoo resume {folder}` continues it."
    assert text == f"{word} at step {after} of 9; it is saved; {how}"
    result = resume(folder, progress=False)
    assert result.folder == folder
    assert_same(result, whole)
    assert [p.name for p in folder.parent.iterdir()] == [BACKEND]


@once
@pytest.mark.parametrize("after", [4, 8])
def test_a_crash_goes_back_to_the_last_checkpoint(recipe, whole, tmp_path, after):
    folder = interrupted(recipe(), tmp_path, after)
    running = folder.with_name(f".{BACKEND}.running")
    with (running / "history.jsonl").open("a") as history:
        history.write('{"split": "train", "step": 99}\n{"split": "tr')  # torn
    assert_same(resume("toy", output=tmp_path, progress=False), whole)


@once
def test_interrupted_again_and_again(recipe, whole, tmp_path):
    small = recipe(training={"checkpoint_every": 2, "keep_checkpoints": 1})
    folder = interrupted(small, tmp_path, 3)
    for after in (2, 1, 4):
        with pytest.raises(ZeroDivisionError):
            resume(folder, progress=False, callbacks=[Stop(after, crash)])
    assert_same(resume(folder, progress=False), whole)


@once
def test_a_crash_before_the_first_checkpoint_leaves_nothing(recipe, tmp_path):
    interrupted(recipe(), tmp_path / "runs", 2)
    assert not (tmp_path / "runs").exists()


@once
def test_a_kill_before_the_first_checkpoint_starts_at_the_first_step(
    recipe, whole, tmp_path, capsys
):
    folder = tmp_path / "toy" / BACKEND
    unfinished = Unfinished(folder)
    with unfinished.held():  # What kill -9 leaves behind.
        unfinished.begin(recipe(backend=BACKEND), replaces=False)
        os.makedirs(unfinished.checkpoints / ".step-00000003.77.partial")
        (unfinished.path / "history.jsonl").write_text(
            '{"split": "train", "step": 1}\n'
        )
        (unfinished.checkpoints / "step-00000001").mkdir()  # So that it stays.
    (unfinished.checkpoints / "step-00000001").rmdir()
    assert_same(resume(folder), whole)
    assert "there is no checkpoint yet, so it starts" in capsys.readouterr().err


def spoil(folder, step):
    file = folder.with_name(f".{BACKEND}.running") / "checkpoints"
    file = file / f"step-{step:08}" / "state.safetensors"
    content = bytearray(file.read_bytes())
    content[-1] ^= 1
    file.write_bytes(content)
    return file


@once
def test_a_damaged_checkpoint_is_passed_over_and_said(recipe, whole, tmp_path, capsys):
    folder = interrupted(recipe(), tmp_path, 7)  # After the checkpoints of 3 and 6.
    damaged = spoil(folder, 6)
    assert_same(resume(folder), whole)
    said = " ".join(capsys.readouterr().err.split())
    assert f"{damaged}: the file is not the one that was saved" in said
    assert "The checkpoint of step 3 is tried instead." in said
    assert f"continues {folder} after step 3 of 9" in said


@once
def test_no_intact_checkpoint_is_an_error(recipe, tmp_path):
    folder = interrupted(recipe(), tmp_path, 4)
    spoil(folder, 3)
    with pytest.raises(KzooError, match="No other checkpoint of the run is intact"):
        resume(folder, progress=False)


@once
def test_train_says_that_there_is_an_interrupted_run(recipe, whole, tmp_path):
    folder = interrupted(recipe(), tmp_path, 5)
    sentence = f"an interrupted run of it is kept, as of step 3: `kzoo resume {folder}`"
    with pytest.raises(KzooError, match=sentence) as raised:
        train(recipe(), tmp_path, progress=False)
    assert str(raised.value).endswith("continues it, --force discards it.")
    assert_same(train(recipe(), tmp_path, force=True, progress=False), whole)


@once
def test_an_interrupted_replacement_keeps_the_old_run(recipe, whole, tmp_path):
    folder = interrupted(recipe(), tmp_path, 5)
    first = resume(folder, progress=False)
    interrupted(recipe(), tmp_path, 5, force=True)
    assert (folder / "model.keras").is_file()
    second = resume(folder, progress=False)
    assert first.folder == second.folder
    assert_same(second, whole)


@once
@pytest.mark.parametrize(
    "overrides, sentence",
    [
        (
            ["training.learning_rate=0.5", "model.pooling=max"],
            "another recipe (model.pooling was 'mean', is 'max'; "
            "training.learning_rate was 0.02, is 0.5)",
        ),
        (["seed=4"], "another recipe (seed was 3, is 4)"),
        (
            ["training.steps=2"],
            "has made 3 steps already, and its recipe now asks for 2",
        ),
    ],
)
def test_another_recipe_is_refused(recipe, tmp_path, overrides, sentence):
    folder = interrupted(recipe(), tmp_path, 4)
    with pytest.raises(KzooError) as raised:
        resume(folder, overrides=overrides, progress=False)
    assert sentence in str(raised.value)
    assert folder.with_name(f".{BACKEND}.running").exists()


@once
def test_duration_and_logging_may_change(recipe, tmp_path, capsys):
    folder = interrupted(recipe(), tmp_path, 4)
    changed = recipe(training={"epochs": 4, "evaluation_batch_size": 16})
    file = tmp_path / "other_name.toml"
    file.write_text(to_toml(changed).replace("log_every = 10", "log_every = 5"))
    result = resume(folder, recipe=file)
    assert result.metrics["steps"] == 12
    assert load(folder / "recipe.toml").training.epochs == 4
    assert load(folder / "recipe.toml").name == "toy"
    said = " ".join(capsys.readouterr().err.split())
    assert "9 steps in all became 12; the schedule is laid out anew" in said
    assert "step 4 has the learning rate" in said


@once
def test_a_complete_run_trains_on(recipe, shared, whole, tmp_path):
    result = train(recipe(), tmp_path, progress=False)
    with pytest.raises(KzooError, match="is complete; to train on, raise its duration"):
        resume(result.folder, progress=False)
    longer = resume(result.folder, overrides=["training.epochs=5"], progress=False)
    assert (longer.folder, longer.metrics["steps"]) == (result.folder, 15)
    assert records(longer.folder)[:6] == records(whole.folder)
    environment = json.loads((longer.folder / "environment.json").read_text())
    assert [part["from_step"] for part in environment["parts"]] == [0, 9]
    assert [p.name for p in tmp_path.glob("toy/*")] == [BACKEND]


@once
def test_changed_rows_are_refused_with_their_file(tmp_path):
    small = toy_recipe(tmp_path)
    folder = interrupted(small, tmp_path / "runs", 4)
    write_rows(tmp_path / "dev.csv", 12, 1)
    with pytest.raises(
        KzooError, match=r"dev\.csv: the rows of dev .*11 rows then, 12"
    ):
        resume(folder, progress=False)
    write_rows(tmp_path / "dev.csv", 11, 5)
    with pytest.raises(KzooError, match="still 11 rows, but not the same"):
        resume(folder, progress=False)
    write_rows(tmp_path / "dev.csv", 11, 1)
    assert resume(folder, progress=False).metrics["steps"] == 9


@once
def test_two_processes_do_not_train_one_run(recipe, tmp_path):
    folder = interrupted(recipe(), tmp_path, 4)
    with Unfinished(folder).held():
        for call in (
            lambda: resume(folder, progress=False),
            lambda: train(recipe(), tmp_path, progress=False, force=True),
        ):
            with pytest.raises(KzooError, match="is being trained by another process"):
                call()


@once
def test_patience_is_remembered(recipe, tmp_path):
    changes = {"patience": 2, "epochs": 9, "min_delta": 2.0}  # Nothing gains that.
    small = recipe(training=changes)
    straight = train(small, tmp_path / "straight", progress=False)
    assert (straight.metrics["steps"], straight.metrics["stopped"]) == (9, "patience")
    folder = interrupted(small, tmp_path, 7)
    result = resume(folder, progress=False)
    assert (result.metrics["steps"], result.metrics["stopped"]) == (9, "patience")


@once
def test_a_disk_that_takes_no_more_is_one_sentence(recipe, tmp_path, capsys):
    resource = pytest.importorskip("resource")  # Not on Windows.
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)

    def fill():
        resource.setrlimit(resource.RLIMIT_FSIZE, (2_000, limits[1]))

    try:
        with pytest.raises(KzooError, match="cannot be written: File too large"):
            train(recipe(), tmp_path, callbacks=[Stop(5, fill)])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    folder = tmp_path / "toy" / BACKEND
    said = capsys.readouterr().err
    assert f"The run is kept as of step 3; `kzoo resume {folder}` continues it." in said
    assert resume(folder, progress=False).metrics["steps"] == 9


@once
def test_what_is_not_there_to_resume(tmp_path):
    with pytest.raises(KzooError, match="there is no such run; name its folder"):
        resume("nothing", output=tmp_path)
    with pytest.raises(KzooError, match="there is no such run"):
        resume(Path("saved_models/nothing/jax"), output=tmp_path)
