"""The description of the model: classes, sizes and labels, at every depth."""

import json

import pytest
from helpers.archives import at, packed, with_json

ENCODER = "config.encoder.config"
CONFIG, LABELS = "config.json", "assets/labels.json"


@pytest.fixture
def sentence(parts, tmp_path, refusal):
    """What is said of a model whose config was changed."""

    def of(change, name=CONFIG):
        path = packed(with_json(parts, name, change), tmp_path / "model.keras")
        return refusal(path).removeprefix(f"{name}: ")

    return of


def setting(path, **changes):
    return lambda config: at(config, path).update(changes)


LAMBDA = {
    "module": "keras.layers",
    "class_name": "Lambda",
    "config": {"function": {"class_name": "__lambda__", "config": {"value": "x"}}},
    "registered_name": None,
}
FOREIGN = {
    "module": "os",
    "class_name": "system",
    "config": {},
    "registered_name": None,
}


@pytest.mark.parametrize(
    "change, words",
    [
        (
            setting("", class_name="Functional", module="keras"),
            "this is a Keras model of class Functional, not one that kzoo saved; open "
            "it with keras.saving.load_model.",
        ),
        (
            setting("", class_name="Mine", module="app", registered_name="app>Mine"),
            "the model is of the class Mine of app, whose code kzoo does not have; "
            "open it with keras.saving.load_model where that class is registered.",
        ),
        (
            setting("", module="os"),
            "the model names TextClassifier of os, but the TextClassifier that kzoo "
            "knows is of kzoo.models.text_classifier.",
        ),
        (
            setting("", registered_name="kzoo>TransformerEncoder"),
            "the model names TextClassifier but is registered as "
            "kzoo>TransformerEncoder, not as kzoo>TextClassifier.",
        ),
        (
            setting("config", encoder=LAMBDA),
            "config.encoder is of the class Lambda of keras.layers, which no model of "
            "kzoo has there; kzoo knows ImageEncoder, ImageTextEncoder, "
            "TransformerEncoder there.",
        ),
        (
            setting(ENCODER, feed_forward=FOREIGN),
            "config.encoder.config.feed_forward is of the class system of os, which no "
            "model of kzoo has there; kzoo knows FeedForward, GatedFeedForward there.",
        ),
        (
            lambda c: at(c, ENCODER)["embedding"].update(norm=LAMBDA),
            "config.encoder.config.embedding.norm is of the class Lambda of "
            "keras.layers, which no model of kzoo has there; kzoo knows "
            "LayerNormalization, RMSNormalization there.",
        ),
        (
            setting(ENCODER, attention={"scale": {"a": [[LAMBDA]]}}),
            "config.encoder.config.attention.scale.a[0][0] is of the class Lambda of "
            "keras.layers, which no model of kzoo has there.",
        ),
        (
            setting(ENCODER + ".dtype", class_name="__lambda__"),
            "config.encoder.config.dtype is of the class __lambda__ of keras, which no "
            "model of kzoo has there; kzoo knows DTypePolicy there.",
        ),
        (
            setting(ENCODER, position={"module": "os", "config": {}}),
            "config.encoder.config.position names a module but no class.",
        ),
        (
            setting("", shared_object_id=3),
            "the model is described by build_config, class_name, compile_config, "
            "config, module, registered_name, shared_object_id, not by class_name, "
            "config, module, registered_name.",
        ),
        (
            setting("", compile_config={"loss": FOREIGN}),
            "compile_config.loss names system of os, which is not Keras' own; kzoo "
            "needs none of that: load the file where it came from, call "
            "model.compile() with parts of Keras, and save again.",
        ),
    ],
)
def test_classes(sentence, change, words):
    assert sentence(change) == words


@pytest.mark.parametrize(
    "path, key, value, words",
    [
        (ENCODER, "vocabulary_size", 2**40, "must be in [1, 2147483647], not 10995116"),
        (ENCODER, "hidden_dim", 2**21, "must be in [1, 1048576], not 2097152."),
        (ENCODER, "hidden_dim", -1, "must be in [1, 1048576], not -1."),
        (ENCODER, "hidden_dim", 64.0, "must be an integer, not 64.0."),
        (ENCODER, "num_heads", "4", "must be an integer, not 4."),
        (ENCODER, "num_layers", True, "must be an integer, not True."),
        ("config", "num_classes", 0, "must be in [1, 16777216], not 0."),
        ("config", "sequence_length", 2**31 - 1, "must be in [1, 65536], not 21474836"),
        ("config", "dropout", 1e300, "is out of range: 1e+300."),
    ],
)
def test_sizes_have_limits(sentence, path, key, value, words):
    assert sentence(setting(path, **{key: value})).startswith(f"{path}.{key} {words}")


@pytest.mark.parametrize("name", [["TextClassifier"], {}, 3, None])
def test_a_class_that_is_no_name(sentence, name):
    said = sentence(setting("", class_name=name))
    assert said.startswith("the model is of the class")


def test_an_encoder_that_is_no_object(sentence):
    said = sentence(setting("config", encoder={"a": 1}))
    assert said == (
        "assets/tokenizer.json: the tokenizer has ids up to 2,631, but the encoder has "
        "None vectors."
    )


def test_more_layers_than_weights(sentence):
    for share in (1, 4095):
        change = setting(ENCODER, num_layers=4096, share_blocks=share)
        assert sentence(change) == (
            "config.encoder.config.num_layers is 4096, but model.weights.h5 has "
            "weights for 1 layers."
        )


def test_a_pair_of_pairs(sentence):
    pair = {
        "module": "kzoo.layers.composed_positions",
        "class_name": "PositionPair",
        "registered_name": "kzoo>PositionPair",
    }
    inner = {**pair, "config": {}}
    change = setting(ENCODER, position={**pair, "config": {"scored": inner}})
    assert sentence(change).startswith(
        "config.encoder.config.position.config.scored is of the class PositionPair of "
        "kzoo.layers.composed_positions, which no model of kzoo has there"
    )


@pytest.mark.parametrize(
    "key, value, numbers",
    [
        ("vocabulary_size", 2**31 - 1, "137,439,515,650"),
        ("hidden_dim", 2**20, "5,509,191,041,218"),
        ("intermediate_dim", 2**20, "135,980,482"),
        ("attention", {"head_dim": 2**20}, "1,087,038,850"),
        ("embedding", {"bigram_buckets": 2**31 - 1}, "137,439,159,810"),
    ],
)
def test_parameters_without_weights(sentence, key, value, numbers):
    """Each of these would take gigabytes to build."""
    said = sentence(setting(ENCODER, **{key: value}))
    assert said.startswith(
        f"config.json describes a model of {numbers} parameters with"
    )
    assert said.endswith(
        ", but model.weights.h5 holds 730,690 and no array left for it."
    )


def test_what_constructors_refuse_is_said(sentence):
    assert sentence(setting(ENCODER, norm="batch_norm")) == (
        "config.json describes no model: `norm` must be a layer or one of "
        "'layer_norm', 'rms_norm'. Did you mean 'layer_norm'? Received: "
        "norm='batch_norm'."
    )


@pytest.mark.parametrize(
    "content, words",
    [
        (b"{", "this is not plain JSON: Expecting property name"),
        (b"\xff", "byte 0 is not UTF-8 text."),
        (b"[" * 100_000, "values are nested more than 64 deep."),
        (
            b'{"a": 1, "a": 2}',
            "this is not plain JSON: the key 'a' stands there twice.",
        ),
        (b'{"a": NaN}', "this is not plain JSON: NaN is not a number."),
        (b'{"a": 1e999}', "this is not plain JSON: 1e999 is too large a number."),
        (b'{"a": ' + b"9" * 5000 + b"}", "this is not plain JSON: a number has 5000"),
        (b"[]", "this describes no Keras model."),
        (b"null", "this describes no Keras model."),
    ],
)
def test_json_is_read_strictly(parts, tmp_path, refusal, content, words):
    path = packed({**parts, CONFIG: content}, tmp_path / "model.keras")
    assert refusal(path).startswith(f"config.json: {words}")


@pytest.mark.parametrize(
    "labels, words",
    [
        (["a"], "there are 1 labels for a model of 2 classes."),
        (["a", "b", "c"], "there are 3 labels for a model of 2 classes."),
        (["a", "a"], "the label 'a' stands there twice."),
        (["a", 1], "this is not a list of names."),
        ({"a": "b"}, "this is not a list of names."),
        (["a", "\ud800"], r"the label '\ud800' is not Unicode text."),
    ],
)
def test_labels(parts, tmp_path, refusal, labels, words):
    parts = {**parts, LABELS: json.dumps(labels).encode()}
    path = packed(parts, tmp_path / "model.keras")
    assert refusal(path) == f"assets/labels.json: {words}"
