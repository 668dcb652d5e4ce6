import keras
import numpy as np
import pytest
from keras import ops

from kzoo.training.averaging import Average
from kzoo.training.losses import make_loss
from kzoo.training.optimizer import AdamW
from kzoo.training.steppers import make_stepper


def weights_of(model):
    return [ops.convert_to_numpy(w).copy() for w in model.weights]


def train(stepper, batches, learning_rate=1e-2):
    return [float(stepper.train(batch, learning_rate)) for batch in batches]


def test_learns_and_leaves_the_weights_in_the_model(small):
    model = small.model()
    before = weights_of(model)
    stepper = small.stepper(model)
    losses = train(stepper, [small.batch()] * 60, 3e-2)
    assert losses[-1] < 0.2 * losses[0]
    stepper.sync()
    inputs = small.batch().inputs
    by_model = ops.convert_to_numpy(model(inputs, training=False))
    np.testing.assert_allclose(stepper.predict(inputs), by_model, rtol=1e-5, atol=1e-6)
    assert not np.array_equal(before[0], weights_of(model)[0])


def test_the_model_stays_usable_after_sync_while_training_goes_on(small):
    model = small.model()
    stepper = small.stepper(model)
    train(stepper, [small.batch()])
    stepper.sync()
    train(stepper, [small.batch()])
    assert all(np.isfinite(w).all() for w in weights_of(model))


def test_one_update_is_the_gradient_of_the_weighted_sum(small):
    """Against softmax minus target, the gradient of the last bias."""
    stepper = small.stepper(weight_decay=0.0, clip_norm=None, epsilon=1e8)
    batch = small.batch()
    batch.weights = np.array([0.5, 0.3, 0.2, 0, 0, 0], "float32")
    before = stepper.state()
    stepper.train(batch, 1e8)  # A huge epsilon: a plain gradient step of size one.
    after = stepper.state()
    moved = before["logits/bias"] - after["logits/bias"]

    other = small.stepper()
    other.load_state({**before})
    logits = other.predict(batch.inputs).astype("float64")
    shares = np.exp(logits) / np.exp(logits).sum(-1, keepdims=True)
    errors = shares - np.eye(3)[batch.labels]
    np.testing.assert_allclose(moved, batch.weights @ errors, rtol=1e-4, atol=1e-6)


def test_counters_advance_once_per_training_step_and_not_in_prediction(small):
    stepper = small.stepper()
    train(stepper, [small.batch(), small.batch()])
    stepper.predict(small.batch().inputs)
    assert stepper.state()["counter/calls"].tolist() == [2, 2]
    stepper.sync()
    counts = ops.convert_to_numpy(stepper.model.get_layer("counter").calls)
    assert counts.tolist() == [2, 2]


def test_measuring_is_the_loss_of_what_it_predicts(small):
    loss, batch = make_loss("cross_entropy"), small.batch()
    smooth = make_loss("cross_entropy", label_smoothing=0.3)
    stepper = make_stepper(small.model(), smooth, AdamW(), Average(0.9), loss)
    train(stepper, [batch] * 3, 3e-2)
    before = stepper.state()
    measured = float(stepper.measure(batch))
    logits = stepper.predict(batch.inputs).astype("float64")
    norm = np.log(np.exp(logits).sum(axis=-1))
    surprise = norm - logits[np.arange(len(logits)), batch.labels]
    assert measured == pytest.approx(batch.weights @ surprise, rel=1e-5)
    for name, values in stepper.state().items():
        np.testing.assert_array_equal(values, before[name])
    built = stepper.compilations
    stepper.measure(batch)
    assert stepper.compilations == built


def test_an_unused_weight_gets_a_zero_gradient(small):
    stepper = small.stepper(small.model(unused=True), weight_decay=0.1)
    before = stepper.state()
    stepper.train(small.batch(), 1e-2)
    after = stepper.state()
    shrunk = before["spare/kernel"] * (1 - 1e-2 * 0.1)
    np.testing.assert_allclose(after["spare/kernel"], shrunk, rtol=1e-6)
    assert not after["optimizer/first_moment/spare/kernel"].any()


def test_state_names_weights_slots_and_the_step(small):
    stepper = small.stepper()
    train(stepper, [small.batch()] * 3)
    state = stepper.state()
    assert set(state) >= {
        "tokens/embeddings",
        "inner/bias",
        "counter/calls",
        "optimizer/first_moment/inner/bias",
        "optimizer/second_moment/tokens/embeddings",
    }
    assert state["optimizer/step"] == 3
    assert state["optimizer/step"].shape == ()
    assert state["counter/calls"].dtype == "int32"


def test_state_names_do_not_depend_on_what_the_process_built_before(small):
    def names():
        inputs = keras.Input((3,))
        hidden = keras.layers.Dense(2)(keras.layers.Dense(2)(inputs))
        return set(small.stepper(keras.Model(inputs, hidden)).state())

    assert names() == names()
    assert "dense_1/kernel" in names()


def test_resumed_training_gives_equal_bits(small):
    batches = [small.batch(step) for step in range(8)]
    straight = small.stepper()
    train(straight, batches)
    first = small.stepper()
    train(first, batches[:4])
    second = small.stepper()
    second.load_state(first.state())
    train(second, batches[4:])
    expected, actual = straight.state(), second.state()
    for name in expected:
        np.testing.assert_array_equal(actual[name], expected[name], err_msg=name)


def test_state_is_a_copy(small):
    stepper = small.stepper()
    state = stepper.state()
    kept = state["inner/kernel"].copy()
    train(stepper, [small.batch()] * 2)
    np.testing.assert_array_equal(state["inner/kernel"], kept)


@pytest.mark.parametrize(
    "spoil, message",
    [
        (lambda s: s.pop("inner/kernel"), "missing=.*inner/kernel"),
        (lambda s: s.update(more=np.zeros(1)), "foreign=.*more"),
        (lambda s: s.update({"inner/bias": np.zeros(3)}), r"'inner/bias'.*\(3,\)"),
    ],
)
def test_a_foreign_state_is_refused_by_name(small, spoil, message):
    state = small.stepper().state()
    spoil(state)
    with pytest.raises(ValueError, match=message):
        small.stepper().load_state(state)


def test_compiles_once_per_batch_shape(small):
    if keras.backend.backend() == "torch":
        pytest.skip("torch runs eagerly: nothing is compiled")
    stepper = small.stepper()
    for step in range(6):
        stepper.train(small.batch(step, length=5 + step % 2), 1e-2 / (step + 1))
    assert stepper.compilations == 2
    for _ in range(3):
        stepper.predict(small.batch().inputs)
    assert stepper.compilations == 3


def test_compiles_nothing_after_a_state_was_loaded(small):
    stepper = small.stepper()
    train(stepper, [small.batch()])
    before = stepper.compilations
    stepper.load_state(stepper.state())
    train(stepper, [small.batch()] * 2)
    assert stepper.compilations == before


def test_gradients_are_clipped_by_their_global_norm(small):
    free = small.stepper(clip_norm=None)
    cut = small.stepper(clip_norm=1e-3)
    for stepper in (free, cut):
        stepper.train(small.batch(), 1e-3)
    slots = [
        {k: v for k, v in s.state().items() if k.startswith("optimizer/first")}
        for s in (free, cut)
    ]
    norms = [np.sqrt(sum((v**2).sum() for v in s.values())) * 10 for s in slots]
    assert norms[0] > 1e-2  # 1 - beta_1 = 0.1, hence the ten.
    np.testing.assert_allclose(norms[1], 1e-3, rtol=1e-3)
    ratio = norms[1] / norms[0]
    for name, value in slots[0].items():
        np.testing.assert_allclose(slots[1][name], value * ratio, rtol=1e-3, atol=1e-9)


def test_a_model_that_is_not_built_is_refused():
    model = keras.Sequential([keras.layers.Dense(2)], name="unfinished")
    with pytest.raises(ValueError, match="model='unfinished'"):
        make_stepper(model)


def test_predicts_without_an_optimizer(small):
    stepper = make_stepper(small.model())
    assert stepper.predict(small.batch().inputs).shape == (6, 3)
    assert "optimizer/step" not in stepper.state()
    stepper.load_state(small.stepper().state())  # Slots are left aside.


def test_bfloat16_trains(small):
    keras.config.set_dtype_policy("mixed_bfloat16")
    try:
        model = small.model()
    finally:
        keras.config.set_dtype_policy("float32")
    stepper = small.stepper(model)
    losses = train(stepper, [small.batch()] * 60, 3e-2)
    assert losses[-1] < 0.3 * losses[0]
    assert stepper.state()["inner/kernel"].dtype == "float32"
    assert stepper.predict(small.batch().inputs).dtype == "float32"


def test_a_stepper_is_the_optimizer_over_the_backends_own_gradients(small):
    """Steps of the stepper against `AdamW.update` on gradients read from its slots."""
    optimizer = AdamW(beta_1=0.0, clip_norm=None, weight_decay=0.3)
    stepper = make_stepper(small.model(), make_loss("cross_entropy"), optimizer)
    before = stepper.state()
    stepper.train(small.batch(), 1e-2)
    after = stepper.state()
    gradient = ops.convert_to_tensor(after["optimizer/first_moment/inner/kernel"])
    zeros = [ops.zeros_like(gradient)]
    expected, _, _ = optimizer.update(
        [ops.convert_to_tensor(before["inner/kernel"])],
        [gradient],
        zeros,
        zeros,
        [optimizer.manner("inner/kernel", (8, 8))],
        optimizer.scalars(1, 1e-2),
    )
    actual = after["inner/kernel"]
    np.testing.assert_allclose(
        actual, ops.convert_to_numpy(expected[0]), rtol=1e-5, atol=1e-6
    )
