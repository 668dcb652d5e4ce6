"""Training: one loop over one small stepper per backend."""

from kzoo.training.comparison import compare
from kzoo.training.dry_run import dry_run
from kzoo.training.evaluation import evaluate
from kzoo.training.pursuit import RunResult
from kzoo.training.resuming import resume
from kzoo.training.run import train
from kzoo.training.seeds import SeedsResult, train_seeds

__all__ = [
    "RunResult",
    "SeedsResult",
    "compare",
    "dry_run",
    "evaluate",
    "resume",
    "train",
    "train_seeds",
]
