"""The checkpoints of one run: the newest few and those that are best."""

import json
import re
import shutil

from kzoo_recipes import KzooError

from kzoo.training import checkpoint
from kzoo.training.manifest import LEFT_OUT, is_sound
from kzoo.training.standing import Standing


class Checkpoints:
    """A folder `step-00000120` for each, complete or absent.

    Args:
        folder: `Path` of the folder that holds them.
        keep: int. How many of the newest to keep. The best of each stays, too.
        left_out: `LeftOut`, what they need not hold; `None` for nothing.
        facts: what every manifest says of the run.
    """

    def __init__(self, folder, keep=2, left_out=None, **facts):
        self.folder, self.keep, self.facts = folder, keep, facts
        self.left_out = left_out

    def path(self, step):
        return self.folder / f"step-{step:08}"

    def steps(self):
        """The steps that have a checkpoint, ascending."""
        if not self.folder.is_dir():
            return []
        names = (re.fullmatch(r"step-(\d+)", p.name) for p in self.folder.iterdir())
        return sorted(int(name[1]) for name in names if name)

    def save(self, standing, state):
        """Write the checkpoint of `standing.step`; drop those that are not needed.

        Raises:
            KzooError: if the disk does not take it. Older ones are as they were.
        """
        folder, facts = self.path(standing.step), self.facts
        if self.left_out is not None:
            state, facts = self.left_out.without(state), facts | self.left_out.facts
        try:
            checkpoint.save(folder, state, standing=standing.facts(), **facts)
            self._prune()
        except OSError as error:
            kept = self.steps()
            left = f"the run is kept as of step {kept[-1]}" if kept else "nothing is"
            raise KzooError(
                f"{folder}: the checkpoint cannot be written: {error.strerror}; {left}."
            ) from None

    def are_whole(self):
        """Whether each holds all weights, as far as their manifests can be read."""
        return all(self._manifest(step).get(LEFT_OUT) is None for step in self.steps())

    def load(self, step):
        """The state of a checkpoint as it was saved, its `Standing` and its manifest.

        Raises:
            KzooError: if it, or the best one it speaks of, is not as it was saved.
        """
        state, manifest = checkpoint.load(self.path(step))
        if not is_sound(manifest, step):
            file = self.path(step) / checkpoint.MANIFEST
            raise KzooError(f"{file}: not a checkpoint's manifest.")
        return state, Standing.from_facts(manifest["standing"]), manifest

    def newest(self, say):
        """What `load` gives of the newest intact one; `None` if there is none at all.

        An intact one has its best checkpoint, too. `say` is told what was passed over.

        Raises:
            KzooError: if there are some and none is intact.
        """
        steps = self.steps()
        while steps:
            step = steps.pop()
            try:
                state, standing, manifest = self.load(step)
                if standing.best is not None and standing.best.step != step:
                    checkpoint.load(self.path(standing.best.step))
            except KzooError as error:
                if not steps:
                    raise KzooError(
                        f"{error} No other checkpoint of the run is intact: train it "
                        "anew, with --force."
                    ) from None
                say(f"{error} The checkpoint of step {steps[-1]:,} is tried instead.")
            else:
                return state, standing, manifest
        return None

    def forget_after(self, step):
        """Remove the checkpoints of later steps: the run makes them again."""
        for later in self.steps():
            if later > step:
                shutil.rmtree(self.path(later))

    def tidy(self):
        """Undo what a killed process left half done."""
        if not self.folder.is_dir():
            return
        for path in self.folder.glob(".step-*.old"):
            own = self.folder / path.name.split(".")[1]
            if not own.exists():
                path.rename(own)  # It was about to be replaced.
        for path in self.folder.glob(".step-*"):
            shutil.rmtree(path, ignore_errors=True)

    def _prune(self):
        steps = self.steps()
        needed = set(steps[-self.keep :])
        for step in tuple(needed):
            needed.add(self._best_of(step))
        for step in set(steps) - needed:
            shutil.rmtree(self.path(step))

    def _best_of(self, step):
        """The step whose checkpoint the one of `step` calls the best."""
        try:
            best = self._manifest(step)["standing"]["best"]
            return int(best["step"]) if best else step
        except (ValueError, KeyError, TypeError):
            return step  # Whatever is wrong with it, `newest` will say.

    def _manifest(self, step):
        """The manifest of a checkpoint, a dict; empty if it cannot be read."""
        try:
            text = (self.path(step) / checkpoint.MANIFEST).read_text("utf-8")
            found = json.loads(text)
        except (OSError, ValueError, RecursionError):
            return {}
        return found if isinstance(found, dict) else {}
