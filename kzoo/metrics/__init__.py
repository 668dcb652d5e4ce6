"""What is measured on a split: thin over scikit-learn, seqeval and rouge-score.

No Keras.
"""

from kzoo.metrics.classification import classification_metrics
from kzoo.metrics.multi_label import multi_label_metrics
from kzoo.metrics.summaries import summary_metrics
from kzoo.metrics.tagging import tagging_metrics
from kzoo.metrics.thresholds import tuned_thresholds

__all__ = [
    "classification_metrics",
    "multi_label_metrics",
    "summary_metrics",
    "tagging_metrics",
    "tuned_thresholds",
]
