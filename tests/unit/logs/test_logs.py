"""What the logs beside history.jsonl hold, read by other people's readers."""

import csv
import json
import time

import msgspec
import numpy as np
import pytest
from kzoo_recipes import ClassifierTraining, KzooError, load

from kzoo.training import logs as logs_module
from kzoo.training.logs import Logs, check_logs

RECORDS = [
    {"split": "train", "epoch": 0.5, "step": 10, "loss": 0.75, "learning_rate": 0.001},
    {"split": "train", "epoch": 1.0, "step": 20, "loss": 0.5, "learning_rate": 0.002},
    {"split": "dev", "step": 20, "accuracy": 0.5, "loss": float("nan"), "best": True},
    {"split": "train", "epoch": 1.5, "step": 30, "loss": 0.25, "learning_rate": 0.001},
]
KEPT = {"train/loss": [(10, 0.75), (20, 0.5), (30, 0.25)], "dev/accuracy": [(20, 0.5)]}


def recipe(*names):
    recipe = load("text_classifier")
    training = msgspec.structs.replace(recipe.training, logs=list(names))
    return msgspec.structs.replace(recipe, training=training)


def write(folder, recipe, records=RECORDS, last_step=0):
    with Logs(folder, recipe, last_step) as logs:
        for record in records:
            logs.write(**record)


def history(folder):
    return [json.loads(s) for s in (folder / "history.jsonl").read_text().splitlines()]


def test_history_goes_on_after_the_step_of_a_checkpoint(tmp_path):
    write(tmp_path, recipe())
    with (tmp_path / "history.jsonl").open("a") as file:
        file.write('{"split": "train", "st')  # The process was killed.
    write(tmp_path, recipe(), RECORDS[3:], last_step=20)
    expected = [dict(r) for r in RECORDS]
    expected[2]["loss"] = None  # JSON has no NaN.
    assert history(tmp_path) == expected


@pytest.mark.parametrize("resumed", [False, True])
def test_csv(tmp_path, resumed):
    if resumed:
        write(tmp_path, recipe("csv"), [*RECORDS[:3], {**RECORDS[3], "loss": 9.0}])
        write(tmp_path, recipe("csv"), RECORDS[3:], last_step=20)
    else:
        write(tmp_path, recipe("csv"))
    with (tmp_path / "history.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    columns = ("split", "epoch", "step", "loss", "learning_rate", "accuracy", "best")
    assert tuple(rows[0]) == columns
    assert [row["step"] for row in rows] == ["10", "20", "20", "30"]
    assert [row["loss"] for row in rows] == ["0.75", "0.5", "", "0.25"]
    assert [row["accuracy"] for row in rows] == ["", "", "0.5", ""]


@pytest.mark.parametrize("resumed", [False, True])
def test_tensorboard(tmp_path, resumed):
    loader = pytest.importorskip(
        "tensorboard.backend.event_processing.event_file_loader"
    )
    if resumed:
        write(tmp_path, recipe("tensorboard"), RECORDS[:2])
        write(tmp_path, recipe("tensorboard"), RECORDS[2:], last_step=20)
    else:
        write(tmp_path, recipe("tensorboard"))
    [file] = (tmp_path / "tensorboard").glob("events*")
    found = {}
    for event in loader.EventFileLoader(str(file)).Load():
        for value in event.summary.value:
            number = value.tensor.float_val[0]
            found.setdefault(value.tag, []).append((event.step, number))
    assert KEPT.items() <= found.items()
    assert "dev/loss" not in found  # A NaN is no point of a curve.
    np.testing.assert_allclose(found["train/learning_rate"][1], (20, 0.002))


def leveldb_records(content, header=7, block=32768):
    """The records of a LevelDB log, the form of the files that `wandb sync` sends."""
    place, record = header, b""
    while place + 7 <= len(content):
        left = block - place % block
        if left < 7:
            place += left
            continue
        length = int.from_bytes(content[place + 4 : place + 6], "little")
        kind = content[place + 6]  # 1 all of it, 2 its beginning, 3 middle, 4 end
        record += content[place + 7 : place + 7 + length]
        place += 7 + length
        if kind in (1, 4):
            yield record
            record = b""


def wandb_records(file):
    """What a file of wandb holds: numbers by name, each with its step, and the run."""
    from wandb.proto import wandb_internal_pb2

    found, run = {}, None
    for data in leveldb_records(file.read_bytes()):
        record = wandb_internal_pb2.Record()
        record.ParseFromString(data)
        if record.HasField("run"):
            run = record.run
        if record.HasField("history"):
            items = {
                item.key or "/".join(item.nested_key): json.loads(item.value_json)
                for item in record.history.item
            }
            for name, value in items.items():
                found.setdefault(name, []).append((items["_step"], value))
    return found, run


def test_wandb_offline(tmp_path, monkeypatch):
    pytest.importorskip("wandb")
    monkeypatch.setenv("WANDB_MODE", "offline")
    monkeypatch.setenv("WANDB_PROJECT", "mine")
    monkeypatch.setenv("WANDB_CONFIG_DIR", str(tmp_path / "config"))
    monkeypatch.setenv("WANDB_CACHE_DIR", str(tmp_path / "cache"))
    write(tmp_path, recipe("wandb"))
    [file] = tmp_path.glob("wandb/offline-run-*/run-*.wandb")
    # A process of wandb's own writes the file; on a busy machine it may lag behind.
    for _ in range(100):
        found, run = wandb_records(file)
        if KEPT.items() <= found.items():
            break
        time.sleep(0.1)
    assert KEPT.items() <= found.items()
    assert (run.project, run.display_name) == ("mine", "text_classifier/jax")
    assert run.run_id == json.loads((tmp_path / "wandb.json").read_text())["id"]


@pytest.mark.parametrize("name", ["tensorboard", "wandb"])
def test_a_log_without_its_package_says_how_to_get_it(name, monkeypatch):
    monkeypatch.setattr(logs_module.importlib.util, "find_spec", lambda name: None)
    check_logs(ClassifierTraining(logs=["csv"]))
    with pytest.raises(KzooError) as raised:
        check_logs(ClassifierTraining(logs=["csv", name]))
    assert str(raised.value) == (
        f'[training] logs: "{name}" needs a package that is not installed; '
        f'`pip install "kzoo[{name}]"` brings it.'
    )
