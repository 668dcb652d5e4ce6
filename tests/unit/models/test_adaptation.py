"""Models with a LoRA: as their base at first, and as a plain model once merged."""

import keras
import numpy as np
import pytest
from keras import ops

import kzoo
from kzoo.layers import Projection
from kzoo.layers.adaptation import LoRA, adaptation_of, described
from kzoo.models.adaptation import own_weights, stacks_of
from tests.helpers.adapted import (
    answers,
    classifier,
    inferred,
    questions,
    shaken,
    writer,
)
from tests.helpers.toys import once

MODELS = {"classifier": classifier, "writer": writer}


@pytest.fixture(scope="module", params=MODELS)
def pair(request):
    """A model, and one that is adapted and trained, by its kind."""
    base = MODELS[request.param]()
    made = kzoo.adapt(base, {"method": "lora", "rank": 3, "alpha": 5.0})
    began = inferred(made)
    return base, shaken(made), began


def test_it_begins_as_its_base_to_the_bit(pair):
    base, _, began = pair
    np.testing.assert_array_equal(began, inferred(base))


def test_updates_and_heads_alone_are_trained(pair):
    base, made, _ = pair
    inside = {w.path for stack in stacks_of(made).values() for w in stack.weights}
    trained = {w.path for w in made.trainable_weights}
    assert trained & inside == {path for path in inside if "/lora/" in path}
    assert trained - inside == {w.path for w in base.trainable_weights} - inside
    assert {w.path for w in own_weights(made).values()} == trained
    before = {w.path: ops.convert_to_numpy(w) for w in base.weights}
    for weight in made.non_trainable_weights:
        np.testing.assert_array_equal(weight, before[weight.path], err_msg=weight.path)


def test_merged_it_is_a_plain_model_that_answers_alike(pair):
    base, made, began = pair
    plain = kzoo.merge(made)
    assert [w.path for w in plain.weights] == [w.path for w in base.weights]
    assert [w.path for w in plain.trainable_weights] == [
        w.path for w in base.trainable_weights
    ]
    assert plain.get_config() == base.get_config()
    assert np.abs(answers(made) - began).max() > 0.05
    np.testing.assert_allclose(answers(plain), answers(made), atol=1e-5)
    assert kzoo.merge(base) is base


def test_a_saved_one_is_the_same_wherever_keras_opens_it(pair, tmp_path):
    _, made, _ = pair
    made.save(tmp_path / "model.keras")
    loaded = keras.saving.load_model(tmp_path / "model.keras")
    np.testing.assert_array_equal(answers(loaded), answers(made))
    assert [w.path for w in loaded.trainable_weights] == [
        w.path for w in made.trainable_weights
    ]


def test_a_projection_with_an_update_is_the_formula():
    """Against float64, for heads that are split and merged alike."""
    rng = np.random.default_rng(0)
    for outputs, axes, inputs in (((4, 5), 1, (6,)), (7, 2, (3, 4))):
        layer = Projection(outputs, axes, low_rank={"rank": 2, "alpha": 3.0})
        layer.build((None, None, *inputs))
        for weight in layer.weights:
            weight.assign(rng.normal(size=weight.shape))
        x = rng.normal(size=(2, 3, *inputs))
        kernel, bias, a, b = (
            ops.convert_to_numpy(w).astype("float64")
            for w in (layer.kernel, layer.bias, layer.low_rank.a, layer.low_rank.b)
        )
        whole = kernel + 1.5 * np.tensordot(a, b, 1)
        expected = np.tensordot(x, whole, axes) + bias
        actual = ops.convert_to_numpy(layer(ops.convert_to_tensor(x, "float32")))
        np.testing.assert_allclose(actual, expected, rtol=1e-5, atol=1e-5)
        again = Projection.from_config(layer.get_config())
        assert again.low_rank.arguments == layer.low_rank.arguments


def test_dropout_is_on_the_way_of_the_updates_only():
    base = classifier(dropout=0.0)
    arguments = {"method": "lora", "rank": 2, "dropout": 0.5}
    made = kzoo.adapt(base, arguments)
    x = questions(made).values()

    def vectors(training):
        return ops.convert_to_numpy(made.encoder(*x, training=training))

    np.testing.assert_array_equal(vectors(True), vectors(False))
    shaken(made)
    assert np.abs(vectors(True) - vectors(True)).max() > 1e-3
    np.testing.assert_array_equal(vectors(False), vectors(False))


@once
def test_targets_say_which_projections_have_an_update():
    def parts(*targets, model=classifier):
        made = kzoo.adapt(model(), {"method": "lora", "rank": 2, "targets": targets})
        return {
            ".".join(w.path.split("/")[:-2])
            for w in made.trainable_weights
            if w.path.endswith("lora/a")
        }

    attention = {f"attention.{n}" for n in ("query", "key", "value", "output")}
    everything = attention | {"feed_forward.input", "feed_forward.output"}
    blocks = ("encoder.block_0", "encoder.block_1")
    assert parts("*") == {f"{b}.{n}" for b in blocks for n in everything}
    assert parts("query", "attention.value") == {
        f"{b}.attention.{n}" for b in blocks for n in ("query", "value")
    }
    assert parts("block_1.feed_forward") == {
        f"encoder.block_1.feed_forward.{n}" for n in ("input", "output")
    }
    assert parts("out*") == {
        f"{b}.{n}.output" for b in blocks for n in ("attention", "feed_forward")
    }
    only = parts("decoder.*.cross_attention.key", model=writer)
    assert only == {f"decoder.block_{n}.cross_attention.key" for n in (0, 1)}


@once
def test_parts_that_are_new_are_trained_whole():
    made = kzoo.adapt(
        writer(), {"method": "lora", "rank": 2}, {"decoder": ("cross_attention",)}
    )
    trained = {w.path for w in made.trainable_weights}
    assert "decoder/block_0/cross_attention/query/kernel" in trained
    assert "decoder/block_0/cross_attention/query/lora/a" not in trained
    assert "decoder/block_0/attention/query/kernel" not in trained
    whole = kzoo.adapt(writer(), {"method": "lora", "rank": 2}, {"decoder": None})
    assert whole.decoder.adaptation is None
    assert "decoder/block_0/attention/query/kernel" in {
        w.path for w in whole.trainable_weights
    }


@once
@pytest.mark.parametrize(
    "arguments, said",
    [
        ({"method": "lore"}, "`method` must be one of 'lora', 'adapters', "),
        (
            {"method": "lora", "size": 2},
            "'lora' takes alpha, dropout, new, rank, ",
        ),
        ({"method": "lora", "rank": 0}, "`rank` must be at least 1. Received: rank=0"),
        (
            {"method": "lora", "rank": 17},
            "`rank` must be at most 16, the smaller side of "
            "encoder.block_0.attention.query. Received: rank=17",
        ),
        ({"method": "lora", "alpha": 0}, "`alpha` must be above 0. Received: alpha=0"),
        (
            {"method": "lora", "targets": ["querry"]},
            "No projection of the model is a target 'querry'; there are "
            "attention.query, attention.key, attention.value, attention.output, "
            "feed_forward.input, feed_forward.output, in the blocks of encoder. "
            r"Received: targets=\['querry'\]",
        ),
    ],
)
def test_what_does_not_fit_is_said(arguments, said):
    with pytest.raises(ValueError, match=said):
        kzoo.adapt(classifier(), arguments)


@once
def test_a_model_is_adapted_once_and_before_it_is_built():
    made = kzoo.adapt(classifier(), {"method": "lora", "rank": 2})
    with pytest.raises(ValueError, match="A model is adapted once; `merge` makes"):
        kzoo.adapt(made, {"method": "lora"})
    with pytest.raises(ValueError, match="adapted once, before it is built"):
        made.encoder.adapt(LoRA())


@once
def test_an_adaptation_is_data():
    own = LoRA(rank=3, targets=("query",))
    assert adaptation_of(described(own)) == own
    config = kzoo.adapt(classifier(), own).encoder.get_config()
    assert config["adaptation"] == {
        "method": "lora",
        "rank": 3,
        "alpha": 16.0,
        "dropout": 0.0,
        "targets": ["query"],
        "new": [],
    }
