"""Going on with a run: an interrupted one, or a complete one that shall train on."""

import time

import msgspec
from kzoo_recipes import KzooError, dict_of, find_run, load

from kzoo.training import backend as running
from kzoo.training.callbacks import check_callbacks
from kzoo.training.checkpoints import Checkpoints
from kzoo.training.fingerprint import check_same_rows, fingerprint
from kzoo.training.keeping import as_kept, with_its_fingerprint
from kzoo.training.left_out import LeftOut
from kzoo.training.logs import check_logs
from kzoo.training.pursuit import Pursuit, part
from kzoo.training.setup import schedule_of, set_up
from kzoo.training.standing import Standing
from kzoo.training.unfinished import Unfinished, changed_hands

DURATION = ("epochs", "steps", "patience", "min_delta")
LOGGING = (
    *("evaluate_every", "evaluate_every_epochs", "log_every", "logs"),
    *("checkpoint_every", "keep_checkpoints"),
)
MAY_CHANGE = {("training", key) for key in DURATION + LOGGING}


def resume(
    run, recipe=None, overrides=(), output="saved_models", progress=True, callbacks=()
):
    """Continue a run where its newest intact checkpoint stands.

    On the same backend, the outcome has the bits of a run that was never interrupted.
    The backend may be another one: it is the one that Keras runs on.

    Args:
        run: str or `Path`. The run's folder, or its recipe's name.
        recipe: str or `Path`. The recipe as it is now, if it changed. Only duration
            and logging may differ. `None` is the recipe that the run began with.
        overrides: iterable of `"training.epochs=9"`, as for `load`.
        output: str or `Path`. The folder for runs, for a `run` that is a name.
        progress: bool. Whether to show progress on stderr.
        callbacks: iterable of `keras.callbacks.Callback`. What they remember is not
            part of a checkpoint.

    Returns:
        `RunResult`.

    Raises:
        KzooError: if there is no such run, its recipe or rows have changed, no
            checkpoint is intact, or it is complete and no duration was changed.
        KeyboardInterrupt: after SIGINT, once the run is saved.
        Terminated: after SIGTERM, once the run is saved.
    """
    began = time.perf_counter()
    callbacks = tuple(callbacks)
    unfinished = Unfinished(find_run(run, output))
    complete = not unfinished.exists
    home = unfinished.folder if complete else unfinished.path
    before, wanted = recipes_of(home, recipe, overrides)
    changes = check_changes(unfinished.folder, before, wanted)
    longer = any(path[-1] in DURATION for path in changes)
    if complete and not longer:
        raise KzooError(
            f"{unfinished.folder} is complete; to train on, raise its duration, as in "
            "--set training.epochs=9."
        )
    check_wins(changes, wanted.training)
    check_callbacks(callbacks)
    check_logs(wanted.training)
    setup, notes = set_up(as_kept(wanted, home)), []
    if complete and unfinished.path.exists():
        notes.append(
            f"{unfinished.path} has no recipe: it is no run yet, and is written anew"
        )
    with unfinished.held():
        check_unchanged(unfinished, complete, before)
        checkpoints = Checkpoints(home / "checkpoints")
        if not complete:
            checkpoints.tidy()
        loaded = checkpoints.newest(notes.append)
        if loaded is None:
            notes.append("there is no checkpoint yet, so it starts at the first step")
            standing, parts = Standing(), []
        else:
            state, standing, manifest = loaded
            rows = fingerprint(setup.prepared.splits)
            check_same_rows(manifest["data"], rows, wanted.data)
            check_duration(
                unfinished.folder, standing.step, setup.total_steps, complete
            )
            file = checkpoints.path(standing.step)
            state = LeftOut(setup).completed(state, manifest, file)
            setup.stepper.load_state(state)
            parts = manifest["parts"]
        standing.began = began
        if longer or unfinished.reopened_at == standing.step:
            notes += set_going(standing, wanted.training)
        if complete:
            unfinished.reopen(standing.step)
        Checkpoints(unfinished.checkpoints).forget_after(standing.step)
        unfinished.write_recipe(wanted)
        notes += moved(parts)
        if changes:
            notes += changed_schedule(before, setup, wanted, standing.step)
        parts = [p for p in parts if p["from_step"] < standing.step]
        notes.append(
            f"continues {unfinished.folder} after step {standing.step:,} of "
            f"{setup.total_steps:,}"
        )
        return Pursuit(
            wanted,
            setup,
            unfinished,
            standing,
            parts=[*parts, part(standing.step)],
            notes=notes,
            progress=progress,
            callbacks=callbacks,
        ).finish()


def recipes_of(home, recipe, overrides):
    """The recipe that a run began with, and the one to go on with."""
    try:
        before = load(home / "recipe.toml")
        wanted = load(recipe or home / "recipe.toml", overrides)
    except KzooError as error:
        if recipe is not None or overrides:
            raise
        raise KzooError(f"the run cannot be resumed: {error}") from None
    # A file may be called differently; and the backend is the one that runs.
    same = {"name": before.name, "backend": running.name()}
    return before, with_its_fingerprint(before, msgspec.structs.replace(wanted, **same))


def check_changes(folder, before, wanted):
    """The keys that differ, `{path: (before, now)}`, if all of them may.

    Raises:
        KzooError: if one concerns more than duration or logging.
    """
    old, new = flat(dict_of(before)), flat(dict_of(wanted))
    changes = {
        path: (old.get(path), new.get(path))
        for path in sorted({*old, *new})
        if old.get(path) != new.get(path) and path not in (("name",), ("backend",))
    }
    serious = [path for path in changes if path not in MAY_CHANGE]
    if serious:
        shown = "; ".join(
            f"{'.'.join(path)} was {changes[path][0]!r}, is {changes[path][1]!r}"
            for path in serious
        )
        raise KzooError(
            f"{folder} was trained with another recipe ({shown}): resume it with its "
            "own, which it keeps, or train the new one under another name."
        )
    return changes


def flat(table, path=()):
    """Nested dicts as `{path: value}`."""
    found = {}
    for key, value in table.items():
        if isinstance(value, dict):
            found |= flat(value, (*path, key))
        else:
            found[*path, key] = value
    return found


def check_wins(changes, settings):
    """Raise a `KzooError` if what was changed has no effect."""
    epochs, steps = ("training", "epochs"), ("training", "steps")
    if epochs in changes and settings.steps and steps not in changes:
        raise KzooError(
            f"training.epochs changes nothing here: the recipe has training.steps = "
            f"{settings.steps}, which wins; change that, as in --set "
            f"training.steps={2 * settings.steps}."
        )


def check_unchanged(unfinished, complete, recipe):
    """Raise a `KzooError` if a run is not what it was before its lock was taken."""
    folder, path = unfinished.folder, unfinished.path
    home = folder if complete else path
    file = home / "recipe.toml"
    if unfinished.exists == complete or not file.is_file() or load(file) != recipe:
        raise KzooError(changed_hands(folder))
    if not complete and folder.exists() and not unfinished.replaces:
        raise KzooError(
            f"{folder} is there already, and the interrupted run {path} may not "
            "replace it: move one of them away."
        )


def set_going(standing, settings):
    """Let a run that had ended train on; return what to say of it."""
    standing.stopped = None
    if settings.patience is None or standing.waited < settings.patience:
        return []
    standing.waited = 0
    return [
        f"patience was used up; it is counted anew: {settings.patience} evaluations "
        "without a gain end the run"
    ]


def check_duration(folder, step, total_steps, complete):
    if complete and step == total_steps:
        raise KzooError(
            f"{folder} is complete and has made all {step:,} steps of its recipe: "
            f"give it more, as in --set training.steps={2 * step}."
        )
    if step > total_steps:
        raise KzooError(
            f"{folder} has made {step:,} steps already, and its recipe now asks for "
            f"{total_steps:,}: give it at least as many, as in --set "
            f"training.steps={step}."
        )


def moved(parts):
    """What to say if the last part ran elsewhere; bits are equal at home only."""
    if not parts:
        return []
    last, now = parts[-1], part(0)
    names = ("backend", "backend_version", "device")
    was, now = (" ".join(str(p[name]) for name in names) for p in (last, now))
    if was == now:
        return []
    return [
        f"the steps before ran on {was}, the next run on {now}: the numbers are the "
        "same within rounding, not to the last bit"
    ]


def changed_schedule(before, setup, wanted, step):
    """What to say if the learning rates are laid out over another number of steps."""
    settings = before.training
    total = settings.steps or settings.epochs * len(setup.batches)
    if total == setup.total_steps or step >= setup.total_steps:
        return []
    text = f"{total:,} steps in all became {setup.total_steps:,}"
    old, new = schedule_of(settings, total)(step), setup.schedule(step)
    if step < total and old != new:
        text += (
            f"; the schedule is laid out anew over all of them: step {step + 1:,} has "
            f"the learning rate {new:.3g} instead of {old:.3g}"
        )
    elif step >= total and wanted.training.schedule != "constant":
        text += f"; the schedule is laid out anew: the learning rate is {new:.3g} again"
    return [text]
