"""A run from where it stands to a complete folder."""

import dataclasses
import json
from pathlib import Path

from kzoo_recipes import Recipe
from kzoo_recipes.folders import said_by
from kzoo_recipes.layer_rates import rate_lines

from kzoo.models.adaptation import folded
from kzoo.models.sizes import count_parameters
from kzoo.training import backend as running
from kzoo.training import checkpoint
from kzoo.training.callbacks import Callbacks
from kzoo.training.checkpoints import Checkpoints
from kzoo.training.environment import environment
from kzoo.training.fingerprint import fingerprint
from kzoo.training.history import plain, write_json
from kzoo.training.interruption import Interruption
from kzoo.training.keeping import keep_adapter
from kzoo.training.left_out import LeftOut
from kzoo.training.logs import Logs
from kzoo.training.loop import Ledger, fit
from kzoo.training.manners import moved_parameters
from kzoo.training.plan import plan_of
from kzoo.training.progress import make_progress
from kzoo.training.promises import kept_promises, missed
from kzoo.training.setup import Setup, never_moved
from kzoo.training.standing import Standing
from kzoo.training.unfinished import Unfinished


@dataclasses.dataclass(frozen=True)
class RunResult:
    """What a run left behind.

    Attributes:
        folder: `Path` of the run folder.
        metrics: dict, as in its `metrics.json`: "dev" and "test" of the best
            checkpoint, "best_step", "steps" that were made, "stopped", why they are
            fewer than the recipe's, "parameters", "trained_parameters", those
            that a step moved, "groups" of weights that were moved alike, see
            `Manners`, "seconds",
            "examples_per_second", and "expect", what the recipe promised.
    """

    folder: Path
    metrics: dict


def read_result(folder):
    """The `RunResult` of a complete run."""
    metrics = json.loads((folder / "metrics.json").read_text("utf-8"))
    del metrics["notes"]
    return RunResult(folder, metrics)


@dataclasses.dataclass(frozen=True)
class Pursuit:
    """A run that is under way, held by this process.

    Args:
        recipe: `Recipe`.
        setup: `Setup` of the recipe; its stepper stands where `standing` says.
        unfinished: `Unfinished`, held.
        standing: `Standing`.
        parts: list of dict. Which backend made the steps from which one on.
        notes: list of str. What to say first.
        progress: bool. Whether to show progress.
        callbacks: iterable of Keras callbacks.
    """

    recipe: Recipe
    setup: Setup
    unfinished: Unfinished
    standing: Standing
    parts: list
    notes: list
    progress: bool = True
    callbacks: tuple = ()

    def finish(self):
        """Train to the end, measure the best weights and complete the folder."""
        setup, settings, standing = self.setup, self.recipe.training, self.standing
        total, per_epoch = setup.total_steps, len(setup.batches)
        plan = plan_of(settings, total, per_epoch)
        hooks = Callbacks(self.callbacks, setup.stepper, per_epoch, settings.epochs)
        checkpoints = Checkpoints(
            self.unfinished.checkpoints,
            settings.keep_checkpoints,
            LeftOut(setup),
            data=fingerprint(setup.prepared.splits),
            parts=self.parts,
            metric=settings.metric,
        )
        resume = f"`kzoo resume {self.unfinished.folder}` continues it"
        with (
            make_progress(total, self.progress, standing.step) as shown,
            Logs(self.unfinished.path, self.recipe, standing.step) as logs,
            Interruption(
                self.progress, f"; {resume}", checkpoints.steps
            ) as interruption,
        ):
            for note in self.notes:
                shown.note(note)
            for line in rate_lines(setup.manners.groups):
                shown.say(line)
            ledger = Ledger(checkpoints, logs, shown, interruption, hooks, starting())
            try:
                fit(
                    setup.stepper,
                    setup.batches,
                    setup.schedule,
                    lambda: setup.evaluate("dev", quick=True),
                    plan,
                    ledger,
                    standing,
                )
                metrics = self._measure(checkpoints, shown)
                if interruption.asked:
                    interruption.end("after the last step; it is saved")
                for name, promise in metrics["expect"].items():
                    if not promise["reached"]:
                        shown.say(missed(name, promise))
                self._write(metrics)
            except Exception:
                if checkpoints.steps():
                    at = checkpoints.steps()[-1]
                    shown.say(f"The run is kept as of step {at:,}; {resume}.")
                raise
        self.unfinished.complete()
        return RunResult(self.unfinished.folder, metrics)

    def _measure(self, checkpoints, shown):
        """Put the best weights into the model and measure them on test."""
        setup, standing = self.setup, self.standing
        best, window = standing.best, standing.window
        file = checkpoints.path(best.step)
        state, manifest = checkpoint.load(file)
        state = checkpoints.left_out.completed(state, manifest, file)
        setup.stepper.load_state(state)
        setup.stepper.sync()
        done = setup.finish()
        late = []
        if standing.step < setup.total_steps:  # Else it was said at the beginning.
            late = never_moved(setup.manners.groups, standing.step)
        for note in [*done, *late]:
            shown.note(note)
        setup.prepared.notes.extend([*done, *late])
        test = setup.evaluate("test")
        metrics = {
            "dev": setup.evaluate("dev") if done else best.metrics,
            "test": test,
            "best_step": best.step,
            "steps": standing.step,
            "stopped": standing.stopped,
            "parameters": count_parameters(setup.model.weights),
            "trained_parameters": moved_parameters(setup.manners.groups, standing.step),
            "groups": setup.manners.groups,
            "seconds": round(standing.elapsed(), 1),
            "examples_per_second": window.examples / max(window.seconds, 1e-9),
            "expect": kept_promises(self.recipe.expect, test),
        }
        return plain(metrics)

    def _write(self, metrics):
        path, notes = self.unfinished.path, self.setup.prepared.notes
        facts = environment(self.recipe.training.precision)
        model = folded(self.setup.model)
        with said_by(path):
            model.save(path / "model.keras")
            keep_adapter(self.recipe, model, self.setup.prepared, path)
            self.unfinished.write_recipe(self.recipe)
            write_json(path / "metrics.json", {**metrics, "notes": notes})
            write_json(path / "environment.json", {**facts, "parts": self.parts})


def starting():
    """Why a first step may take long: it is compiled, but on PyTorch."""
    if running.name() == "torch":
        return ""
    return "compiling the first step; the first of each other length takes as long"


def part(from_step):
    """Who makes the steps from `from_step` on."""
    return {
        "from_step": from_step,
        "backend": running.name(),
        "backend_version": running.version(),
        "device": running.device(),
    }
