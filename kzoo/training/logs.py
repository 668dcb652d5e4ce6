"""Where the records of a run go: `history.jsonl` always, and what the recipe names.

Every log has `write(record)`, a flat dict with `split` and `step`, and `close()`.
"""

import csv
import importlib.util
import json
import os
import shutil
import uuid

from kzoo_recipes import KzooError, dict_of
from kzoo_recipes.histories import read_history

from kzoo.training.history import History, plain, rewrite_history

EXTRAS = ("tensorboard", "wandb")


class Logs:
    """Every log of a run as one.

    Args:
        folder: `Path` of the folder in which the run lies.
        recipe: `Recipe`. Its `[training] logs` says which there are.
        last_step: int. Records of later steps are forgotten: a run that goes on from
            a checkpoint writes them again.
    """

    def __init__(self, folder, recipe, last_step=0):
        path = folder / "history.jsonl"
        records = read_history(path, last_step)
        rewrite_history(path, records)
        self._logs = [History(path)]
        for name in recipe.training.logs or ():
            log = LOGS[name](folder, recipe)
            for record in records if log.starts_anew else ():
                log.write(record)
            self._logs.append(log)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for log in self._logs:
            log.close()

    def write(self, **record):
        record = plain(record)
        for log in self._logs:
            try:
                log.write(record)
            except OSError as error:
                raise KzooError(
                    f"The log {type(log).__name__.lower()} of the run cannot be "
                    f"written: {error.strerror}."
                ) from None


def check_logs(settings):
    """Raise a `KzooError` if a log of `[training]` needs a package that is not here."""
    for name in settings.logs or ():
        if name in EXTRAS and importlib.util.find_spec(name) is None:
            raise KzooError(
                f'[training] logs: "{name}" needs a package that is not installed; '
                f'`pip install "kzoo[{name}]"` brings it.'
            )


def numbers_of(record):
    """What of a record can be drawn: `{"train/loss": 0.5}`."""
    left_out = ("split", "step", "best")
    return {
        f"{record['split']}/{name}": value
        for name, value in record.items()
        if name not in left_out and value is not None
    }


class Csv:
    """`history.csv`: a row for each record; a column that it lacks stays empty."""

    starts_anew = True

    def __init__(self, folder, recipe):
        self._path, self._columns = folder / "history.csv", []
        self._path.unlink(missing_ok=True)

    def write(self, record):
        new = [name for name in record if name not in self._columns]
        if new:
            self._widen(new)
        with self._path.open("a", encoding="utf-8", newline="") as file:
            csv.DictWriter(file, self._columns).writerow(record)

    def _widen(self, new):
        rows = []
        if self._columns:
            with self._path.open(encoding="utf-8", newline="") as file:
                rows = list(csv.DictReader(file))
        self._columns += new
        with self._path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, self._columns)
            writer.writeheader()
            writer.writerows(rows)

    def close(self):
        """Nothing is open."""


class TensorBoard:
    """`tensorboard/`: event files, written without any framework."""

    starts_anew = True

    def __init__(self, folder, recipe):
        from tensorboard.summary import Writer

        path = folder / "tensorboard"
        shutil.rmtree(path, ignore_errors=True)
        self._writer = Writer(str(path))

    def write(self, record):
        for name, value in numbers_of(record).items():
            self._writer.add_scalar(name, value, record["step"])
        self._writer.flush()

    def close(self):
        self._writer.close()


class Wandb:
    """Weights & Biases; its own variables, as WANDB_MODE and WANDB_PROJECT, count.

    A resumed run goes on under the same id, which `wandb.json` keeps.
    """

    starts_anew = False

    def __init__(self, folder, recipe):
        import wandb

        try:
            self._run = wandb.init(
                id=_id_of(folder / "wandb.json"),
                resume="allow",
                dir=str(folder),
                project=os.environ.get("WANDB_PROJECT") or "kzoo",
                name=f"{recipe.name or recipe.task}/{recipe.backend}",
                config=dict_of(recipe),
                settings=wandb.Settings(silent=True, console="off"),
            )
        except wandb.Error as error:
            reason = str(error).strip().split("\n")[0].rstrip(".")
            raise KzooError(
                f"[training] logs: Weights & Biases did not start: {reason}; "
                "`wandb login` once, or set WANDB_MODE=offline."
            ) from None

    def write(self, record):
        self._run.log(numbers_of(record), step=record["step"])

    def close(self):
        self._run.finish()


def _id_of(path):
    if not path.is_file():
        path.write_text(json.dumps({"id": uuid.uuid4().hex[:8]}) + "\n")
    return json.loads(path.read_text())["id"]


LOGS = {"csv": Csv, "tensorboard": TensorBoard, "wandb": Wandb}
