"""The moving average of the weights, and who sees it when."""

import keras
import numpy as np
import pytest
from keras import ops

from kzoo.training.averaging import Average
from kzoo.training.steppers import make_stepper


def train(stepper, small, steps, rate=3e-2):
    for step in steps:
        stepper.train(small.batch(step), rate)


def names(state):
    return [name.removeprefix("ema/") for name in state if name.startswith("ema/")]


def test_equals_torchs_averaged_model(small):
    """With a decay below the warm-up's first, torch's own rule holds from the start."""
    torch = pytest.importorskip("torch", reason="the reference is PyTorch's average")
    swa = torch.optim.swa_utils
    stepper = small.stepper(average=Average(0.15))
    state = stepper.state()
    shadow = torch.nn.ParameterList(
        [torch.tensor(state[name]) for name in names(state)]
    )
    averaged = swa.AveragedModel(shadow, multi_avg_fn=swa.get_ema_multi_avg_fn(0.15))
    averaged.update_parameters(shadow)  # The first one copies.
    for step in range(20):
        train(stepper, small, [step])
        state = stepper.state()
        with torch.no_grad():
            for parameter, name in zip(shadow, names(state), strict=True):
                parameter.copy_(torch.tensor(state[name]))
        averaged.update_parameters(shadow)
    for name, expected in zip(names(state), averaged.module, strict=True):
        expected = expected.detach().numpy()
        np.testing.assert_allclose(state["ema/" + name], expected, rtol=1e-5, atol=1e-6)
        assert not np.allclose(state[name], expected)


def test_the_decay_warms_up():
    average = Average(0.99)
    rates = [float(average.rate(step)) for step in (1, 80, 890, 891, 10**6)]
    np.testing.assert_allclose(rates, [9 / 11, 0.1, 0.01, 0.01, 0.01], rtol=1e-6)


def test_the_average_predicts_and_is_what_the_model_gets(small):
    model = small.model()
    stepper = small.stepper(model, average=Average(0.9))
    train(stepper, small, range(5))
    state, inputs = stepper.state(), small.batch().inputs
    raw = small.stepper()
    raw.load_state({n: v for n, v in state.items() if not n.startswith("ema/")})
    averaged = stepper.predict(inputs)
    assert np.abs(averaged - raw.predict(inputs)).max() > 1e-3
    stepper.sync()
    for name in ("inner", "logits"):
        kernel = ops.convert_to_numpy(model.get_layer(name).kernel)
        np.testing.assert_array_equal(kernel, state[f"ema/{name}/kernel"])
    by_model = ops.convert_to_numpy(model(inputs, training=False))
    np.testing.assert_allclose(averaged, by_model, rtol=1e-5, atol=1e-6)


def test_looking_at_the_average_does_not_change_the_training(small):
    """Evaluations, states and syncs between the steps, against none."""
    plain, watched = (small.stepper(average=Average(0.9)) for _ in "12")
    train(plain, small, range(6))
    for step in range(6):
        train(watched, small, [step])
        watched.predict(small.batch().inputs)
        watched.sync()
        watched.state()
        watched.predict(small.batch().inputs)
    expected, actual = plain.state(), watched.state()
    for name in expected:
        np.testing.assert_array_equal(actual[name], expected[name], err_msg=name)


def test_averaging_does_not_change_the_weights(small):
    with_average, without = small.stepper(average=Average(0.9)), small.stepper()
    for stepper in (with_average, without):
        train(stepper, small, range(5))
    expected, actual = without.state(), with_average.state()
    for name in expected:
        np.testing.assert_allclose(actual[name], expected[name], rtol=1e-6, atol=1e-7)
    assert names(actual) == [n for n in expected if "ema/" + n in actual]
    assert not any(n.startswith(("optimizer", "counter")) for n in names(actual))


def test_resumed_training_has_equal_bits_after_an_evaluation(small):
    straight, first, second = (small.stepper(average=Average(0.9)) for _ in "123")
    train(straight, small, range(8))
    train(first, small, range(4))
    train(second, small, range(2))
    second.predict(small.batch().inputs)
    second.sync()  # Its parameters hold averages now.
    second.load_state(first.state())
    train(second, small, range(4, 8))
    expected, actual = straight.state(), second.state()
    assert names(expected)
    for name in expected:
        np.testing.assert_array_equal(actual[name], expected[name], err_msg=name)


def test_a_state_without_the_average_is_refused_and_the_reverse(small):
    with_average, without = small.stepper(average=Average(0.9)), small.stepper()
    with pytest.raises(ValueError, match=r"missing=.*ema/"):
        with_average.load_state(without.state())
    with pytest.raises(ValueError, match=r"foreign=.*ema/"):
        without.load_state(with_average.state())


def test_who_only_predicts_takes_the_average(small):
    stepper = small.stepper(average=Average(0.9))
    train(stepper, small, range(5))
    predictor = make_stepper(small.model())
    predictor.load_state(stepper.state())
    inputs = small.batch().inputs
    np.testing.assert_array_equal(predictor.predict(inputs), stepper.predict(inputs))


def test_bfloat16_averages_in_float32(small):
    keras.config.set_dtype_policy("mixed_bfloat16")
    try:
        model = small.model()
    finally:
        keras.config.set_dtype_policy("float32")
    stepper = small.stepper(model, average=Average(0.99))
    train(stepper, small, range(40), 1e-4)
    state = stepper.state()
    assert state["ema/inner/kernel"].dtype == "float32"
    assert stepper.predict(small.batch().inputs).dtype == "float32"
    # Steps of 1e-4 are lost between bfloat16 numbers, and must not be here.
    moved = np.abs(state["ema/inner/kernel"] - state["inner/kernel"])
    assert 0 < moved.max() < 4e-3


@pytest.mark.parametrize("decay", [0.0, 1.0, -0.1])
def test_a_decay_out_of_range_is_refused(decay):
    with pytest.raises(ValueError, match=f"Received: decay={decay}"):
        Average(decay)
