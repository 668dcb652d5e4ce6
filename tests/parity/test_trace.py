"""The comparison itself: it must name the layer that is wrong."""

import numpy as np

from tests.parity import cases
from tests.parity.trace import first_difference, recorded


def trace_of(model):
    with recorded(model) as trace:
        model(cases.batch("llama", 0).inputs, training=False)
    return trace


def test_the_first_wrong_layer_is_named():
    model = cases.build("llama")
    expected = trace_of(model)
    weight = model.encoder.blocks[1].feed_forward.gate_dense.kernel
    weight.assign(np.asarray(weight) * 1.01)
    sentence = first_difference(trace_of(model), expected)
    assert sentence.startswith(
        "first differing activation: encoder/block_1/feed_forward/gate (by up to "
    )


def test_equal_traces_have_no_difference():
    model = cases.build("llama")
    assert first_difference(trace_of(model), trace_of(model)) is None


def test_nan_is_a_difference():
    values = {"layer": np.zeros(3)}
    broken = {"layer": np.array([0.0, np.nan, 0.0])}
    assert first_difference(broken, values) is not None
