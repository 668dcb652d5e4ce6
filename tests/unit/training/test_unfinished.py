"""A run's folder when the process ends, or another one comes, at a bad moment."""

import shutil
from pathlib import Path

import keras
import pytest
from helpers.toys import once, toy_recipe
from kzoo_recipes import KzooError, Terminated
from kzoo_recipes.folders import replace_folder

from kzoo.training import resume, resuming, run, train
from kzoo.training.unfinished import Unfinished

BACKEND = keras.backend.backend()

pytestmark = once


@pytest.fixture
def recipe(tmp_path):
    return toy_recipe(tmp_path, training={"steps": 3, "evaluate_every": 1})


@pytest.fixture
def complete(recipe, tmp_path):
    return train(recipe, tmp_path / "runs", progress=False).folder


def running(folder):
    return folder.with_name(f".{folder.name}.running")


def names(folder):
    return sorted(path.name for path in folder.parent.iterdir())


def end_at_rename(monkeypatch, number, after):
    """End the process at a rename of a folder, before or after it is made."""
    rename, seen = Path.rename, []

    def ends(path, target):
        seen.append(path)
        if len(seen) == number and not after:
            raise Terminated("now")
        rename(path, target)
        if len(seen) == number:
            raise Terminated("now")

    monkeypatch.setattr(Path, "rename", ends)


@pytest.mark.parametrize(
    "number, after, content",
    [
        (1, False, "old"),
        (1, True, "old"),
        (2, False, "old"),
        (2, True, "new"),
    ],
)
def test_a_folder_is_never_hidden(tmp_path, monkeypatch, number, after, content):
    for name in ("old", "new"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_text(name)
    end_at_rename(monkeypatch, number, after)
    with pytest.raises(Terminated):
        replace_folder(tmp_path / "new", tmp_path / "old", replace=True)
    assert (tmp_path / "old" / "file").read_text() == content
    assert names(tmp_path / "old") == (["new", "old"] if content == "old" else ["old"])


@pytest.mark.parametrize("number, after", [(1, False), (2, False), (2, True)])
def test_a_signal_while_a_run_is_completed(
    recipe, complete, tmp_path, monkeypatch, number, after
):
    with monkeypatch.context() as patch, pytest.raises(Terminated):
        # Its checkpoints are renamed, too, before.
        whole = Unfinished.complete

        def completes(unfinished):
            end_at_rename(patch, number, after)
            whole(unfinished)

        patch.setattr(Unfinished, "complete", completes)
        train(recipe, tmp_path / "runs", force=True, progress=False)
    assert (complete / "model.keras").is_file()
    assert not (complete / "replaces").exists()
    if after:
        assert names(complete) == [BACKEND]
    else:
        assert names(complete) == [f".{BACKEND}.running", BACKEND]
        assert resume(complete, progress=False).metrics["steps"] == 3
        assert names(complete) == [BACKEND]


def test_a_kill_before_a_complete_run_is_copied_is_as_if_nothing_was(complete, capsys):
    running(complete).mkdir()
    (running(complete) / "lock").touch()
    shutil.copytree(complete / "checkpoints", running(complete) / "checkpoints")
    with pytest.raises(KzooError, match="is complete; to train on, raise"):
        resume(complete)
    result = resume(complete, overrides=["training.steps=4"])
    assert (result.metrics["steps"], names(complete)) == (4, [BACKEND])
    said = " ".join(capsys.readouterr().err.split())
    assert f".{BACKEND}.running has no recipe: it is no run yet, and is written" in said


def test_a_kill_after_a_complete_run_was_copied(recipe, tmp_path):
    small = toy_recipe(
        tmp_path,
        training={"epochs": 9, "evaluate_every": 1, "patience": 2, "min_delta": 2.0},
    )
    first = train(small, tmp_path / "runs", progress=False)
    assert (first.metrics["steps"], first.metrics["stopped"]) == (3, "patience")
    unfinished = Unfinished(first.folder)
    longer = toy_recipe(
        tmp_path,
        backend=BACKEND,
        training={"epochs": 10, "evaluate_every": 1, "patience": 2, "min_delta": 2.0},
    )
    with unfinished.held():
        unfinished.reopen(3)
        assert not unfinished.exists
        unfinished.write_recipe(longer)
    assert unfinished.exists
    result = resume(first.folder, progress=False)  # It trains on, as was asked.
    assert (result.metrics["steps"], result.metrics["stopped"]) == (5, "patience")
    assert names(first.folder) == [BACKEND]


def test_patience_that_was_used_up_is_counted_anew(tmp_path, capsys):
    changes = {"steps": 8, "evaluate_every": 1, "patience": 2, "min_delta": 2.0}
    small = toy_recipe(tmp_path, training=changes)
    folder = train(small, tmp_path / "runs", progress=False).folder
    result = resume(folder, overrides=["training.steps=9"])
    assert (result.metrics["steps"], result.metrics["stopped"]) == (5, "patience")
    assert "patience was used up; it is counted anew: 2" in capsys.readouterr().err
    result = resume(folder, overrides=["training.patience=3"])
    assert (result.metrics["steps"], result.metrics["stopped"]) == (6, "patience")
    assert "counted anew" not in capsys.readouterr().err


@pytest.mark.parametrize(
    "override, sentence",
    [
        ("training.epochs=9", "the recipe has training.steps = 3, which wins; change"),
        ("training.min_delta=0.5", "has made all 3 steps of its recipe: give it more"),
    ],
)
def test_a_duration_that_changes_nothing_is_refused(complete, override, sentence):
    overrides = [override, "training.patience=2"]
    with pytest.raises(KzooError) as raised:
        resume(complete, overrides=overrides, progress=False)
    assert sentence in str(raised.value)
    assert names(complete) == [BACKEND]


def meanwhile(monkeypatch, module, do):
    """Do something after the state of a run was looked at, before its lock is taken."""
    real, done = module.set_up, []

    def set_up(recipe):
        if not done:
            done.append(True)
            do()
        return real(recipe)

    monkeypatch.setattr(module, "set_up", set_up)


def test_a_run_that_another_process_completed_is_not_begun_anew(
    recipe, tmp_path, monkeypatch
):
    def fails(epoch, logs):
        raise ZeroDivisionError

    stop = keras.callbacks.LambdaCallback(on_epoch_end=fails)
    with pytest.raises(ZeroDivisionError):
        train(
            toy_recipe(tmp_path, training={"epochs": 1, "evaluate_every": 1}),
            tmp_path / "runs",
            progress=False,
            callbacks=[stop],
        )
    folder = tmp_path / "runs" / "toy" / BACKEND
    assert running(folder).is_dir()
    meanwhile(monkeypatch, resuming, lambda: resume(folder, progress=False))
    with pytest.raises(KzooError, match="by another process in the meantime: look"):
        resume(folder, progress=False)
    assert names(folder) == [BACKEND]

    # Likewise one that another process trained further.
    longer = ["training.epochs=2"]
    other = lambda: resume(folder, overrides=longer, progress=False)
    meanwhile(monkeypatch, resuming, other)
    with pytest.raises(KzooError, match="by another process in the meantime: look"):
        resume(folder, overrides=["training.epochs=3"], progress=False)
    assert names(folder) == [BACKEND]


def test_a_run_that_another_process_trained_first(recipe, tmp_path, monkeypatch):
    output = tmp_path / "runs"
    other = lambda: train(recipe, output, progress=False)
    meanwhile(monkeypatch, run, other)
    with pytest.raises(KzooError, match="is there already"):
        train(recipe, output, progress=False)
    assert names(output / "toy" / BACKEND) == [BACKEND]


def test_a_lock_that_moved_with_its_folder_is_none(complete, monkeypatch):
    unfinished = Unfinished(complete.with_name("other"))
    monkeypatch.setattr(
        "kzoo.training.unfinished._lock",
        lambda handle: running(unfinished.folder).rename(unfinished.folder),
    )
    with (
        pytest.raises(KzooError, match="by another process in the meantime"),
        unfinished.held(),
    ):
        pytest.fail("it does not hold it")
    assert unfinished.folder.is_dir()


def test_what_may_not_be_replaced_is_said_before_it_trains(complete):
    shutil.copytree(complete, running(complete))
    with pytest.raises(KzooError, match="may not replace it: move one of them away"):
        resume(complete, progress=False)
    assert running(complete).is_dir()
