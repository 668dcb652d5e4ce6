"""What a run does not write over, and which of two equal checkpoints is best."""

import os

import pytest
from helpers.toys import once
from kzoo_recipes import KzooError
from kzoo_recipes.folders import written_beside

import kzoo
from kzoo.training.plan import Best, Plan
from kzoo.training.run import check_folder


def test_force_replaces_runs_only(tmp_path):
    folder = tmp_path / "notes"
    folder.mkdir()
    check_folder(folder, force=True)  # Nothing to lose.
    (folder / "thesis.txt").write_text("all of it")
    with pytest.raises(KzooError, match="is not a run of kzoo, so it is not replaced"):
        check_folder(folder, force=True)


@pytest.mark.parametrize("make", ["file", "link"])
def test_force_does_not_replace_files_and_links(tmp_path, make):
    folder = tmp_path / "run"
    if make == "file":
        folder.touch()
    else:
        (tmp_path / "elsewhere").mkdir()
        os.symlink(tmp_path / "elsewhere", folder)
    with pytest.raises(KzooError, match="is not a run of kzoo"):
        check_folder(folder, force=True)


def test_a_failed_run_leaves_no_new_folder(tmp_path):
    with pytest.raises(RuntimeError), written_beside(tmp_path / "a" / "b" / "run"):
        raise RuntimeError
    assert not (tmp_path / "a").exists()


def test_a_terminated_run_leaves_nothing(tmp_path):
    with pytest.raises(SystemExit), written_beside(tmp_path / "run"):
        raise SystemExit(143)
    assert list(tmp_path.iterdir()) == []


def test_of_equal_checkpoints_the_lower_loss_is_best():
    plan = Plan(10, 1)
    best = Best(1, {"accuracy": 1.0, "loss": 0.4})
    assert plan.improves({"accuracy": 1.0, "loss": 0.1}, best)
    assert not plan.improves({"accuracy": 1.0, "loss": 0.4}, best)
    assert not plan.improves({"accuracy": 0.9, "loss": 0.1}, best)


@once
@pytest.mark.parametrize("batch_size", [0, -1])
def test_batch_sizes_below_one_are_refused(batch_size):
    sentence = f"Received: batch_size={batch_size}"
    with pytest.raises(ValueError, match=sentence):
        kzoo.load_model("zoo:text_classifier").classify(["x"], batch_size=batch_size)
    with pytest.raises(ValueError, match=sentence):
        kzoo.evaluate("zoo:text_classifier", batch_size=batch_size)
