"""The checkpoints of a run on the disk, and what a killed process leaves of them."""

import json

import numpy as np
import pytest
from kzoo_recipes import KzooError

from kzoo.training.checkpoints import Checkpoints
from kzoo.training.plan import Best, Plan
from kzoo.training.pursuit import part
from kzoo.training.standing import Standing

STATE = {"dense/kernel": np.arange(4, dtype="float32")}


def standing(step, best=None):
    return Standing(step, best=best and Best(best, {"accuracy": 0.5, "loss": None}))


@pytest.fixture
def checkpoints(tmp_path):
    return Checkpoints(
        tmp_path / "checkpoints",
        keep=2,
        data={"train": {"rows": 1, "sha256": "0"}},
        parts=[part(0)],
        metric="accuracy",
    )


def test_keeps_the_newest_and_what_they_call_the_best(checkpoints):
    for step, best in ((1, 1), (2, 1), (3, 3), (4, 3), (5, 3), (6, 6)):
        checkpoints.save(standing(step, best), STATE)
    # 6 calls itself the best, 5 calls 3 the best: if 6 is damaged, 3 is needed.
    assert checkpoints.steps() == [3, 5, 6]


def test_gives_back_where_the_run_stood(checkpoints):
    saved = standing(7, 7)
    saved.waited, saved.reference, saved.seconds = 2, 0.5, 60.0
    saved.window.examples, saved.window.epoch = 12, [1.5, 2]
    saved.window.steps, saved.window.settled = [[6, 0.1, 0.25, 8, 0.5]], 1
    checkpoints.save(saved, STATE)
    state, found, manifest = checkpoints.newest(pytest.fail)
    np.testing.assert_array_equal(state["dense/kernel"], STATE["dense/kernel"])
    assert (found.step, found.waited, found.reference) == (7, 2, 0.5)
    assert found.best == saved.best
    assert found.window.steps == saved.window.steps
    assert (found.window.examples, found.window.epoch) == (12, [1.5, 2])
    assert found.seconds >= 60
    assert manifest["parts"] == [part(0)]


def test_without_its_best_a_checkpoint_is_not_used(checkpoints):
    checkpoints.keep = 3
    for step, best in ((1, 1), (2, 2), (3, 2)):
        checkpoints.save(standing(step, best), STATE)
    (checkpoints.path(2) / "state.safetensors").write_bytes(b"")
    said = []
    _, found, _ = checkpoints.newest(said.append)
    assert found.step == 1
    assert len(said) == 2 and "0 of" in said[0]
    checkpoints.forget_after(1)
    assert checkpoints.steps() == [1]


def test_none_at_all_is_none(checkpoints):
    assert checkpoints.newest(pytest.fail) is None


def test_what_a_killed_process_left_is_put_in_order(checkpoints):
    checkpoints.save(standing(1, 1), STATE)
    folder = checkpoints.folder
    checkpoints.path(1).rename(folder / ".step-00000001.77.old")
    (folder / ".step-00000002.77.partial").mkdir()
    checkpoints.tidy()
    assert [p.name for p in folder.iterdir()] == ["step-00000001"]
    (folder / ".step-00000001.78.old").mkdir()  # It was already replaced.
    checkpoints.tidy()
    assert [p.name for p in folder.iterdir()] == ["step-00000001"]
    assert checkpoints.newest(pytest.fail)[1].step == 1


@pytest.mark.parametrize("content", ["[]", '{"format": 1}', "{"])
def test_a_manifest_of_another_kind_is_refused(checkpoints, content):
    checkpoints.save(standing(1, 1), STATE)
    (checkpoints.path(1) / "manifest.json").write_text(content)
    with pytest.raises(KzooError, match="not a checkpoint's manifest"):
        checkpoints.newest(pytest.fail)


@pytest.mark.parametrize(
    "path, value",
    [
        (("data",), None),
        (("data",), []),
        (("data", "train"), {}),
        (("parts",), None),
        (("parts",), [{}]),
        (("metric",), 3),
        (("files", "state.safetensors", "bytes"), {}),
        (("files", "state.safetensors", "bytes"), float("inf")),
        (("standing",), []),
        (("standing", "step"), "17"),
        (("standing", "step"), -5),
        (("standing", "step"), 3),
        (("standing", "best", "step"), "8"),
        (("standing", "best", "step"), 8),
        (("standing", "best", "step"), []),
        (("standing", "best", "metrics"), {}),
        (("standing", "best", "metrics", "loss"), "low"),
        (("standing", "waited"), None),
        (("standing", "window", "steps"), [[1]]),
        (("standing", "window", "more"), 1),
        (("standing", "more"), 1),
    ],
)
def test_a_damaged_manifest_is_passed_over_and_said(checkpoints, path, value):
    for step in (1, 2):
        checkpoints.save(standing(step, step), STATE)
    file = checkpoints.path(2) / "manifest.json"
    manifest = json.loads(file.read_text())
    table = manifest
    for key in path[:-1]:
        table = table[key]
    table[path[-1]] = value
    file.write_text(json.dumps(manifest))
    said = []
    assert checkpoints.newest(said.append)[1].step == 1
    assert said == [
        f"{file}: not a checkpoint's manifest. The checkpoint of step 1 is tried "
        "instead."
    ]
    checkpoints.save(standing(3, 3), STATE)  # What it calls the best is not asked.
    assert checkpoints.steps() == [2, 3]


def test_a_folder_that_cannot_be_written_is_one_sentence(checkpoints):
    checkpoints.folder.write_text("a file where the folder should be")
    with pytest.raises(KzooError, match=r"step-00000001 cannot be written: "):
        checkpoints.save(standing(1, 1), STATE)


def test_a_metric_that_is_no_number_waits(checkpoints):
    plan, found = Plan(9, 1, patience=2), Standing(1)
    nothing = {"accuracy": float("nan"), "loss": 1.0}
    found.look(nothing, plan)
    checkpoints.save(found, STATE)
    _, again, _ = checkpoints.newest(pytest.fail)
    again.look(nothing, plan)
    assert (again.waited, again.stopped) == (2, "patience")
