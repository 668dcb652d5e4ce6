"""Steps with rates and decay of parts, and with weights that join later."""

import types

import keras
import numpy as np
import pytest
from keras import ops

from kzoo.training.averaging import Average
from kzoo.training.optimizer import AdamW, Manner

SHAPES = {"a": (5, 4), "b": (4,), "c": (3, 2, 4)}
MANNERS = {
    "times_a/w": Manner(0.25, 0.5, 0),
    "times_b/w": Manner(1.0, 0.0, 1),
    "times_c/w": Manner(3.0, 0.1, 2),
}
STARTS = (0, 6, 13)
STAGED = {
    "tokens/embeddings": Manner(0.5, 0.1, 2),
    "inner/kernel": Manner(0.7, 0.1, 1),
    "inner/bias": Manner(0.7, 0.0, 1),
    "logits/kernel": Manner(1.0, 0.3, 0),
    "logits/bias": Manner(),
}


class Product(keras.layers.Layer):
    """Sum of weights times inputs: its gradient is the input."""

    def build(self, input_shape):
        self.w = self.add_weight(shape=input_shape[1:], name="w")

    def call(self, inputs):
        return ops.sum(inputs * self.w, axis=tuple(range(1, len(inputs.shape))))  # (B,)


@pytest.mark.parametrize("clip_norm, starts", [(None, (0, 0, 0)), (2.0, STARTS)])
def test_steps_equal_those_of_torch_with_groups(small, clip_norm, starts):
    """Groups of torch's own optimizer, added to it when their time comes."""
    torch = pytest.importorskip("torch", reason="the reference is PyTorch's AdamW")
    rng = np.random.default_rng(7)
    initial = {n: rng.normal(size=s).astype("float32") for n, s in SHAPES.items()}
    inputs = {n: keras.Input(s, name=n) for n, s in SHAPES.items()}
    products = {n: Product(name=f"times_{n}") for n in SHAPES}
    logits = ops.stack([products[n](inputs[n]) for n in SHAPES], axis=-1)  # (B, 3)
    model = keras.Model(inputs, logits)
    theirs = {}
    for name, value in initial.items():
        products[name].w.assign(value)
        theirs[name] = torch.nn.Parameter(torch.tensor(value))
    options = {"clip_norm": clip_norm, "manners": MANNERS, "starts": starts}
    stepper = small.stepper(model, **options)
    stepper.loss = lambda labels, logits, weights: ops.sum(logits)
    reference = torch.optim.AdamW([theirs["a"]], weight_decay=0.5)
    for step in range(20):
        rate = 1e-2 / (1 + step / 10)
        for name, stage in (("b", 1), ("c", 2)):
            if step == starts[stage]:
                decay = MANNERS[f"times_{name}/w"].weight_decay
                reference.add_param_group(
                    {"params": [theirs[name]], "weight_decay": decay}
                )
        slopes = {n: rng.normal(size=s).astype("float32") for n, s in SHAPES.items()}
        batch = small.batch(rows=1)
        batch.inputs = {name: slope[None] for name, slope in slopes.items()}
        stepper.train(batch, rate)
        factors = (0.25, 1.0, 3.0)
        for group, factor in zip(reference.param_groups, factors, strict=False):
            group["lr"] = rate * factor
            for weight in group["params"]:
                name = next(n for n, w in theirs.items() if w is weight)
                weight.grad = torch.tensor(slopes[name])
        if clip_norm is not None:
            moved = [w for g in reference.param_groups for w in g["params"]]
            torch.nn.utils.clip_grad_norm_(moved, clip_norm)
        reference.step()
    state = stepper.state()
    for name, expected in theirs.items():
        np.testing.assert_allclose(
            state[f"times_{name}/w"], expected.detach().numpy(), rtol=1e-6, atol=1e-6
        )


def staged(small, average=None, starts=(0, 2, 5), model=None):
    model = small.model() if model is None else model
    return small.stepper(model, average, manners=STAGED, starts=starts)


def test_weights_keep_their_bits_until_their_step_and_begin_clean(small):
    stepper = staged(small, Average(0.9))
    before = stepper.state()
    for step in range(5):
        stepper.train(small.batch(step), 1e-2)
        after = stepper.state()
        for path, manner in STAGED.items():
            waits = step < (0, 2, 5)[manner.stage]
            for name in (path, f"ema/{path}"):
                assert np.array_equal(after[name], before[name]) == waits, (step, name)
            slots = [after[f"optimizer/{m}_moment/{path}"] for m in ("first", "second")]
            assert all(not slot.any() for slot in slots) == waits, (step, path)
        if step == 2:  # By Adam's rule, the first step of a weight is the rate.
            moved = after["inner/bias"] - before["inner/bias"]
            np.testing.assert_allclose(np.abs(moved), 0.7e-2, rtol=1e-3)
    # Nothing is compiled anew when weights join.
    assert stepper.compilations == (0 if keras.backend.backend() == "torch" else 1)


def test_resumed_anywhere_it_ends_in_the_same_bits(small):
    straight, resumed = staged(small, Average(0.9)), staged(small, Average(0.9))
    states = {}
    for step in range(8):
        states[step] = straight.state()
        straight.train(small.batch(step), 1e-2)
    expected = straight.state()
    for at in (1, 6, 4):
        resumed.load_state(states[at])
        for step in range(at, 8):
            resumed.predict(small.batch(step).inputs)
            resumed.sync()
            resumed.train(small.batch(step), 1e-2)
        found = resumed.state()
        for name in expected:
            np.testing.assert_array_equal(found[name], expected[name], err_msg=name)


def halves(batch):
    """A batch as two whose losses add up to its own."""
    parts = [
        types.SimpleNamespace(
            inputs={name: value[rows] for name, value in batch.inputs.items()},
            labels=batch.labels[rows],
            weights=batch.weights[rows],
        )
        for rows in (slice(0, 3), slice(3, None))
    ]
    return types.SimpleNamespace(parts=parts)


def test_in_parts_it_moves_as_in_one(small):
    whole, parts = staged(small), staged(small)
    for step in range(7):
        whole.train(small.batch(step), 1e-2)
        parts.train(halves(small.batch(step)), 1e-2)
    one, other = whole.state(), parts.state()
    for path in STAGED:
        np.testing.assert_allclose(one[path], other[path], rtol=1e-5, atol=1e-6)


def test_manners_that_say_nothing_new_change_no_bit(small):
    """The plain path and the full one are the same arithmetic."""
    plain, said = (
        small.stepper(),
        small.stepper(
            manners={
                "tokens/embeddings": Manner(1.0, 0.01),
                "inner/kernel": Manner(1.0, 0.01),
            }
        ),
    )
    for step in range(4):
        plain.train(small.batch(step), 1e-2)
        said.train(small.batch(step), 1e-2)
    one, other = plain.state(), said.state()
    for name in one:
        np.testing.assert_array_equal(one[name], other[name], err_msg=name)


def test_the_model_is_whole_again_after_sync(small):
    """Whoever trains it on in another way finds every weight open."""
    model = small.model()
    stepper = staged(small, model=model)
    stepper.train(small.batch(), 1e-2)
    stepper.sync()
    model.compile("sgd", "sparse_categorical_crossentropy")
    batch = small.batch()
    before = [ops.convert_to_numpy(w).copy() for w in model.trainable_weights]
    model.train_on_batch(batch.inputs, batch.labels)
    after = [ops.convert_to_numpy(w) for w in model.trainable_weights]
    assert not any(map(np.array_equal, before, after))


def test_scalars_of_a_stage_count_from_its_start():
    optimizer = AdamW(starts=(0, 4), beta_1=0.0)
    np.testing.assert_array_equal(optimizer.scalars(4, 0.5)[1], [0, 0, 0])
    found = optimizer.scalars(7, 0.5)
    np.testing.assert_array_equal(found[1], AdamW(beta_1=0.0).scalars(3, 0.5))
    np.testing.assert_array_equal(found[0], AdamW(beta_1=0.0).scalars(7, 0.5))
