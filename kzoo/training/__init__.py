"""Training: one loop over one small stepper per backend."""

from kzoo.training.comparison import compare
from kzoo.training.evaluation import evaluate
from kzoo.training.pursuit import RunResult
from kzoo.training.resuming import resume
from kzoo.training.run import train

__all__ = ["RunResult", "compare", "evaluate", "resume", "train"]
