"""Adapters, biases, prompts, prefixes: how they begin, what they train and compute.

LoRA has a file of its own, `test_adaptation.py`.
"""

import keras
import numpy as np
import pytest
from keras import ops

import kzoo
from kzoo.layers import Bottleneck, ResidualStep
from kzoo.models.adaptation import own_weights
from tests.helpers.adapted import answers, classifier, inferred, shaken, writer
from tests.helpers.toys import once

METHODS = {
    "houlsby": {"method": "adapters", "dim": 3},
    "pfeiffer": {"method": "adapters", "dim": 3, "placement": "pfeiffer"},
    "bitfit": {"method": "bitfit"},
    "prompt": {"method": "prompt", "length": 4},
    "prefix": {"method": "prefix", "length": 4},
}
CASES = [
    pytest.param((method, kind), id=f"{method}-{kind.__name__}", marks=marks)
    for method in METHODS
    for kind, marks in ((classifier, ()), (writer, once))
]


@pytest.fixture(scope="module", params=CASES)
def case(request):
    """A method, a model, one that is adapted and trained, and how that one began."""
    method, kind = request.param
    base = kind()
    made = kzoo.adapt(base, METHODS[method])
    began = inferred(made)
    return method, base, shaken(made), began


def test_it_begins_as_its_base_but_for_what_texts_stand_after(case):
    method, base, made, began = case
    if method in ("prompt", "prefix"):
        assert np.abs(began - inferred(base)).max() > 1e-3
    else:
        np.testing.assert_array_equal(began, inferred(base))
    assert np.abs(answers(made) - began).max() > 1e-3


def test_what_is_trained_is_what_is_kept(case):
    method, base, made, _ = case
    stacks = ("encoder/", "decoder/")
    trained = {w.path for w in made.trainable_weights}
    assert {w.path for w in own_weights(made).values()} >= trained
    inside = {path for path in trained if path.startswith(stacks)}
    assert inside
    fits = {
        "houlsby": lambda p: "/adapter/" in p or "norm" in p,
        "pfeiffer": lambda p: "/adapter/" in p,
        "bitfit": lambda p: p.endswith(("/bias", "/beta")),
        "prompt": lambda p: p == "encoder/prompt/vectors",
        "prefix": lambda p: "/prefix/" in p,
    }
    assert inside == {
        w.path
        for w in made.weights
        if w.path.startswith(stacks)
        and fits[method](w.path)
        and not w.path.endswith("key/bias")  # Which softmax undoes.
    }
    before = {w.path: ops.convert_to_numpy(w) for w in base.weights}
    for weight in made.non_trainable_weights:
        np.testing.assert_array_equal(weight, before[weight.path], err_msg=weight.path)


def test_a_saved_one_is_the_same_wherever_keras_opens_it(case, tmp_path):
    _, _, made, _ = case
    made.save(tmp_path / "model.keras")
    loaded = keras.saving.load_model(tmp_path / "model.keras")
    np.testing.assert_array_equal(answers(loaded), answers(made))
    assert [w.path for w in loaded.trainable_weights] == [
        w.path for w in made.trainable_weights
    ]


def test_biases_alone_can_be_merged(case):
    method, _, made, _ = case
    if method == "bitfit":
        np.testing.assert_array_equal(inferred(kzoo.merge(made)), inferred(made))
    else:
        with pytest.raises(ValueError, match="adds parts that no plain model has"):
            kzoo.merge(made)


@pytest.mark.parametrize("placement", ["pre", "post"])
@pytest.mark.parametrize("reads_sum", [False, True])
def test_a_step_with_a_bottleneck_is_the_formula(placement, reads_sum):
    """Against float64, written from the papers."""
    rng = np.random.default_rng(0)
    step = ResidualStep(keras.layers.LayerNormalization(epsilon=1e-6), placement)
    step.add_adapter(2, "tanh", reads_sum)
    step.build((None, None, 6))
    for weight in step.trainable_weights:
        weight.assign(rng.normal(size=weight.shape))
    hidden, update = rng.normal(size=(2, 3, 4, 6))[:2]
    own = {w.name: ops.convert_to_numpy(w).astype("float64") for w in step.weights}

    def closed(x):
        if placement == "pre":
            return x
        middle = x - x.mean(-1, keepdims=True)
        scaled = middle / np.sqrt((middle**2).mean(-1, keepdims=True) + 1e-6)
        return scaled * own["gamma"] + own["beta"]

    read = closed(hidden + update) if reads_sum else update
    inner = np.tanh(read @ own["down"] + own["down_bias"])
    expected = closed(hidden + update + inner @ own["up"] + own["up_bias"])
    tensors = (ops.convert_to_tensor(x, "float32") for x in (hidden, update))
    actual = ops.convert_to_numpy(step.call(*tensors))
    np.testing.assert_allclose(actual, expected, rtol=1e-4, atol=1e-5)


def test_a_prompt_is_tokens_that_stand_before_the_text():
    """As if the first tokens were some whose vectors are the prompt's."""
    plain = kzoo.layers.TransformerEncoder(
        *(50, 2, 4, 16, 20),
        name="encoder",
        position="alibi",
        embedding={"dropout": 0.0},
    )
    made = plain.from_config(
        {**plain.get_config(), "adaptation": {"method": "prompt", "length": 2}}
    )
    for stack in (plain, made):
        stack.build((None, None))
    values = {w.path: ops.convert_to_numpy(w) for w in plain.weights}
    for weight in made.weights:
        if weight.path in values and weight.name != "state":
            weight.assign(values[weight.path])
    table = ops.convert_to_numpy(plain.embedding.embeddings)
    vectors = table[[48, 49]] * (4.0 if plain.embedding.scale else 1.0)
    made.prompt.vectors.assign(vectors)
    ids = np.array([[5, 6, 7, 8], [9, 10, 0, 0]], "int32")
    mask = ids > 0
    before = np.concatenate([np.tile([[48, 49]], (2, 1)), ids], 1).astype("int32")
    seen = np.concatenate([np.ones((2, 2), "bool"), mask], 1)
    expected = ops.convert_to_numpy(plain(before, seen))[:, 2:]
    actual = ops.convert_to_numpy(made(ids, mask))
    np.testing.assert_allclose(actual[mask], expected[mask], atol=1e-5)
    asked = {"return_hidden_states": True, "return_attention_weights": True}
    hidden, extras = made(ids, mask, **asked)
    np.testing.assert_allclose(ops.convert_to_numpy(hidden), actual, atol=1e-5)
    assert [state.shape[1] for state in extras["hidden_states"]] == [4, 4, 4]
    assert tuple(extras["attention_weights"][0].shape) == (2, 4, 6, 6)


@once
@pytest.mark.parametrize(
    "arguments, said",
    [
        ({"method": "adapters", "dim": 0}, "`dim` must be at least 1. Received: dim=0"),
        (
            {"method": "adapters", "placement": "parallel"},
            "`placement` must be one of 'houlsby', 'pfeiffer'. Received: placement=",
        ),
        (
            {"method": "prompt", "length": 0},
            "`length` must be at least 1. Received: le",
        ),
        (
            {"method": "prefix", "length": 0},
            "`length` must be at least 1. Received: le",
        ),
        ({"method": "bitfit", "rank": 2}, "'bitfit' takes new. Received: rank"),
    ],
)
def test_what_does_not_fit_is_said(arguments, said):
    with pytest.raises(ValueError, match=said):
        kzoo.adapt(classifier(), arguments)


@once
def test_where_there_is_no_bias_there_is_nothing_to_train():
    bare = {"attention": {"use_bias": False}, "norm": "rms_norm"}
    parts = kzoo.layers.FeedForward(16, 20, use_bias=False)
    with pytest.raises(ValueError, match="'bitfit' finds nothing to train in the stac"):
        kzoo.adapt(classifier(**bare, feed_forward=parts), {"method": "bitfit"})


@once
def test_a_prompt_does_not_take_the_places_of_global_tokens():
    with pytest.raises(ValueError, match="A prompt would take the first places"):
        kzoo.adapt(classifier(attention={"kernel": "window"}), METHODS["prompt"])


@once
def test_a_prefix_stands_at_no_place_that_a_kernel_could_go_by():
    with pytest.raises(ValueError, match="A prefix is keys that stand at no place, an"):
        kzoo.adapt(classifier(attention={"kernel": "window"}), METHODS["prefix"])
    layer = kzoo.layers.MultiHeadAttention(16, 4, kernel="window")
    x = np.zeros((1, 3, 16), "float32")
    with pytest.raises(ValueError, match="A prefix takes neither a cache, of which"):
        layer(x, x, prefix=(np.zeros((2, 4, 4), "float32"),) * 2)


@once
def test_parts_that_are_new_have_no_bottleneck():
    new = ("cross_attention", "cross_attention_step")
    made = kzoo.adapt(writer(), METHODS["houlsby"], {"decoder": new})
    paths = {w.path for w in made.trainable_weights}
    assert not any("cross_attention_step/adapter" in path for path in paths)
    assert "decoder/block_0/cross_attention/query/kernel" in paths
    assert "decoder/block_0/attention_step/adapter/up" in paths


@once
def test_a_bottleneck_says_its_arguments():
    layer = Bottleneck(3, "relu", name="adapter")
    again = Bottleneck.from_config(layer.get_config())
    assert (again.dim, again.activation) == (3, "relu")
