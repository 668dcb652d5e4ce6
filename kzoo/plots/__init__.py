"""Pictures that explain: attention, positions, runs, errors and data.

Each plot is a function that gives the numbers, and one that makes a Matplotlib figure
of them. Importing this room imports neither Matplotlib nor Keras.
"""

from kzoo.plots.attention_figures import attention_figure
from kzoo.plots.attention_page import attention_page
from kzoo.plots.attention_weights import Attention, attention, rollout
from kzoo.plots.costs import complexity, complexity_figure
from kzoo.plots.curves import history, history_figure
from kzoo.plots.evaluations import (
    calibration,
    calibration_figure,
    confusion,
    confusion_figure,
)
from kzoo.plots.position_figures import positions_figure
from kzoo.plots.position_panels import named_positions, positions
from kzoo.plots.token_lengths import lengths, lengths_figure

__all__ = [
    "Attention",
    "attention",
    "attention_figure",
    "attention_page",
    "calibration",
    "calibration_figure",
    "complexity",
    "complexity_figure",
    "confusion",
    "confusion_figure",
    "history",
    "history_figure",
    "lengths",
    "lengths_figure",
    "named_positions",
    "positions",
    "positions_figure",
    "rollout",
]
