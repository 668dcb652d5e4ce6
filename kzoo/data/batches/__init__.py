"""Batches of few shapes: every one has as many rows and one of a few lengths.

So a compiled step is compiled a few times only.
"""

from kzoo.data.batches.batch import Batch, MicroBatches, pad
from kzoo.data.batches.buckets import length_buckets
from kzoo.data.batches.corrupted import CorruptedWindows
from kzoo.data.batches.inference import check_ids, inference_batches
from kzoo.data.batches.masked import MaskedBatches, MaskedWindows, fixed_batches
from kzoo.data.batches.pairs import PairedBatches, Pairs, measuring_batches
from kzoo.data.batches.training import TrainingBatches

__all__ = [
    "Batch",
    "CorruptedWindows",
    "MaskedBatches",
    "MaskedWindows",
    "MicroBatches",
    "PairedBatches",
    "Pairs",
    "TrainingBatches",
    "check_ids",
    "fixed_batches",
    "inference_batches",
    "length_buckets",
    "measuring_batches",
    "pad",
]
