"""Where a run stands: all that a resume needs beside the stepper's state."""

import dataclasses
import time

from kzoo.training.history import plain
from kzoo.training.plan import Best
from kzoo.training.window import Window


@dataclasses.dataclass
class Standing:
    """The loop's own state. Data, dropout and schedule follow from `step`.

    Attributes:
        step: int. Updates made.
        evaluated: bool. Whether the look at dev that was due then was taken.
        best: `Best` or `None`.
        waited: int. Evaluations since the metric last gained.
        reference: float or `None`. The value that counted as a gain then.
        stopped: str or `None`. Why training ended before its last step: `"patience"`
            or `"callback"`.
        seconds: float. Of the whole run, before `began`.
        began: float. When this process took over, by `time.perf_counter`.
        window: `Window`.
    """

    step: int = 0
    evaluated: bool = True
    best: Best | None = None
    waited: int = 0
    reference: float | None = None
    stopped: str | None = None
    seconds: float = 0.0
    began: float = dataclasses.field(default_factory=time.perf_counter)
    window: Window = dataclasses.field(default_factory=Window)

    def look(self, metrics, plan):
        """Take in an evaluation; return whether it is the best one yet."""
        improved = plan.improves(metrics, self.best)
        if improved:
            self.best = Best(self.step, metrics)
        value = plan.value(metrics)
        if plan.gains(value, self.reference):
            self.waited, self.reference = 0, value
        else:
            self.waited += 1
        lost = plan.patience is not None and self.waited >= plan.patience
        if lost and self.step < plan.total_steps and not self.stopped:
            self.stopped = "patience"
        self.evaluated = True
        return improved

    def elapsed(self):
        """Seconds of the whole run until now."""
        return self.seconds + time.perf_counter() - self.began

    def facts(self):
        """All of it as JSON takes it."""
        own = {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}
        del own["began"]
        own |= {
            "seconds": self.elapsed(),
            "best": self.best and dataclasses.asdict(self.best),
            "window": self.window.facts(),
        }
        return plain(own)

    @classmethod
    def from_facts(cls, facts):
        best = facts["best"] and Best(**facts["best"])
        window = Window.from_facts(facts["window"])
        return cls(**{**facts, "best": best, "window": window})
