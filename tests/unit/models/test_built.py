"""Every layer of a model is built, so that Keras computes an answer once.

On JAX, `predict_on_batch` first calls a model of which any layer is unbuilt, operation
by operation, and then computes its answer.
"""

import pytest

from kzoo import TextClassifier, TokenTagger
from kzoo.layers import LearnedPositions, TransformerEncoder

CHOICES = [
    {"position": "none", "feed_forward": "relu"},
    {"position": "sinusoidal", "norm_placement": "post"},
    {"position": "rotary", "feed_forward": "swiglu", "norm": "rms_norm"},
    {"position": "alibi", "norm_placement": "sandwich"},
    {"position": "relative", "attention": {"num_key_value_heads": 1}},
    {"position": "neighbours", "embedding": {"bigram_buckets": 8}},
    {"position": LearnedPositions(8, 128), "embedding": {"norm": "layer_norm"}},
]


@pytest.mark.parametrize("place", range(len(CHOICES)))
def test_all_layers_are_built(place):
    encoder = TransformerEncoder(20, 1, 2, 8, 8, **CHOICES[place])
    head = {} if place else {"head": "crf"}
    model = (
        TextClassifier(encoder, 3) if place == 1 else TokenTagger(encoder, 3, **head)
    )
    assert [x.path for x in model._flatten_layers() if not x.built] == []
