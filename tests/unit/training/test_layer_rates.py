"""Rates and decay of parts, and layers that join later, as recipes say them."""

import pytest
from kzoo_recipes import KzooError
from kzoo_recipes.layer_rates import rate_lines
from kzoo_recipes.parts import told
from kzoo_recipes.training_schema import ClassifierTraining

from kzoo import layers
from kzoo.models import TextClassifier
from kzoo.training.freezing import freeze
from kzoo.training.manners import manners_of
from kzoo.training.optimizer import Manner
from tests.helpers.toys import once

pytestmark = once


@pytest.fixture(scope="module")
def model():
    encoder = layers.TransformerEncoder(30, 2, 2, 8, 8, name="encoder")
    return TextClassifier(encoder, 3, name="text_classifier")


def made(model, steps=10, **settings):
    settings = {"learning_rate": 1e-3, "weight_decay": 0.1, **settings}
    return manners_of(model, ClassifierTraining(**settings), steps)


def test_nothing_said_is_nothing_to_do(model):
    plain = made(model)
    assert (plain.by_path, plain.starts) == ({}, (0,))
    (group,) = plain.groups
    assert group["parts"] == ["encoder", "head", "logits"]
    assert group["learning_rate"] == 1e-3
    assert rate_lines(plain.groups) == []


def test_rates_fall_layer_by_layer(model):
    found = made(model, layer_decay=0.5)
    assert [(g["parts"], g["learning_rate"]) for g in found.groups] == [
        (["encoder.final_norm", "head", "logits"], 1e-3),
        (["encoder.block_1"], 5e-4),
        (["encoder.block_0"], 2.5e-4),
        (["encoder.embedding"], 1.25e-4),
    ]
    kernel = "encoder/block_0/attention/query/kernel"
    assert found.by_path[kernel] == Manner(0.25, 0.1, 0)
    bias = kernel.replace("kernel", "bias")
    assert found.by_path[bias] == Manner(0.25, 0.0, 0)


def test_parts_have_rates_of_their_own_and_layers_lower_them(model):
    rates = {"encoder": 1e-4, "encoder.block_*": 2e-4, "encoder.block_0": 6e-4}
    found = made(model, learning_rates=rates, layer_decay=0.5)
    assert [(g["parts"], g["learning_rate"]) for g in found.groups] == [
        (["head", "logits"], 1e-3),
        (["encoder.block_0"], pytest.approx(6e-4 / 4)),
        (["encoder.block_1", "encoder.final_norm"], pytest.approx(1e-4)),  # 2e-4 / 2
        (["encoder.embedding"], pytest.approx(1e-4 / 8)),
    ]


def test_decay_by_part_leaves_biases_and_norms_alone(model):
    found = made(model, weight_decays={"encoder": 0.02, "encoder.embedding": 0})
    decay = {path: manner.weight_decay for path, manner in found.by_path.items()}
    assert decay["encoder/embedding/embeddings"] == 0
    assert decay["encoder/block_0/attention/query/kernel"] == 0.02
    assert decay["encoder/block_0/attention/query/bias"] == 0
    assert decay["logits/kernel"] == 0.1
    assert {g["weight_decay"] for g in found.groups} == {0.1, 0.02, 0}


def test_layers_join_from_the_top(model):
    found = made(model, unfreeze_every=5)
    assert found.starts == (0, 5, 10, 15)
    assert [(g["parts"], g["from_step"]) for g in found.groups] == [
        (["encoder.final_norm", "head", "logits"], 1),
        (["encoder.block_1"], 6),
        (["encoder.block_0"], 11),
        (["encoder.embedding"], 16),
    ]


@pytest.mark.parametrize(
    "epochs, starts", [(1.0, (0, 30, 60, 90)), (0.1, (0, 3, 6, 9))]
)
def test_layers_join_by_epochs(model, epochs, starts):
    assert made(model, 30, unfreeze_every_epochs=epochs).starts == starts


def test_frozen_parts_never_join():
    encoder = layers.TransformerEncoder(30, 2, 2, 8, 8, name="encoder")
    model = TextClassifier(encoder, 3, name="text_classifier")
    freeze(model, ["encoder.embedding", "encoder.block_0"])
    assert made(model, unfreeze_every=5).starts == (0, 5)
    with pytest.raises(KzooError) as error:
        made(model, learning_rates={"encoder.embedding": 1e-4})
    assert str(error.value) == (
        '[training] learning_rates: "encoder.embedding" is frozen.'
    )
    freeze(model, ["encoder.block_1"])
    with pytest.raises(KzooError, match="unfreeze_every frees layer by layer, and all"):
        made(model, unfreeze_every=5)


@pytest.mark.parametrize("key", ["learning_rates", "weight_decays"])
def test_an_unknown_part_is_refused_with_the_nearest(model, key):
    with pytest.raises(KzooError) as error:
        made(model, **{key: {"encoder": 1e-4, "encoder.blok_1": 1e-5}})
    assert str(error.value).startswith(
        f'[training] {key}: the model has no part "encoder.blok_1"; did you mean '
        '"encoder.block_1"? There are encoder.embedding, '
    )


def test_decay_of_what_never_decays_is_refused(model):
    with pytest.raises(KzooError) as error:
        made(model, weight_decays={"*.final_norm": 0.1})
    assert str(error.value) == (
        '[training] weight_decays: "*.final_norm" has no weight that decays: biases '
        "and norms do not, nor what is frozen."
    )


def test_the_deepest_name_wins_and_of_equals_the_last():
    table = {"a.b": 1, "a": 2, "*.b": 3, "*.c": 4}
    assert [told(path, table) for path in ("a/b/w", "a/x/w", "z/c/w", "z")] == [
        *(3, 2, 4, None)
    ]


def test_the_table_lines_up(model):
    found = made(model, layer_decay=0.1, unfreeze_every_epochs=100.0)
    assert rate_lines(found.groups) == [
        "learning rate  decay  from step  parameters  parts",
        "     1.00e-03    0.1          1         115  encoder.final_norm, head, logits",
        "     1.00e-04    0.1      1,001         456  encoder.block_1",
        "     1.00e-05    0.1      2,001         456  encoder.block_0",
        "     1.00e-06    0.1      3,001         240  encoder.embedding",
    ]
