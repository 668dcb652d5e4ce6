"""Training: one loop over one small stepper per backend."""

from kzoo.training.comparison import compare
from kzoo.training.evaluation import evaluate
from kzoo.training.run import RunResult, train

__all__ = ["RunResult", "compare", "evaluate", "train"]
