"""The allow-list and what kzoo has: the same classes, and every model that trains."""

import inspect
import itertools

import keras
import pytest
from kzoo_recipes import KzooError, load

import kzoo
from kzoo.models.checking import check_archive
from kzoo.models.sizes import count_parameters
from kzoo.safety import classes
from kzoo.text import Tokenizer

TEXTS = ["one two three four", "five six seven eight", "one five two six"] * 3


def registered():
    """kzoo's classes in Keras' registry: name and module."""
    found = keras.saving.get_custom_objects().items()
    return {
        key.split(">")[1]: cls.__module__
        for key, cls in found
        if key.startswith("kzoo>") and cls.__module__.startswith("kzoo.")
    }


def test_the_list_names_what_kzoo_registers():
    tables = (classes.MODELS, classes.ENCODERS, classes.DECODERS, classes.POSITIONS)
    tables = (*tables, classes.IMAGE_ENCODERS)
    listed = {}
    for table in (*tables, classes.FEED_FORWARDS, classes.KERNELS, classes.INSIDE):
        listed |= table
    assert listed == registered()


def test_names_of_keras_are_where_the_list_says():
    for table in (classes.NORMS, classes.POLICIES, classes.INITIALIZERS):
        for name, module in table.items():
            public = keras if module == "keras" else getattr(keras, module[6:])
            assert inspect.isclass(getattr(public, name))


def saved(path, encoder=None, **arguments):
    """Save a small model with this encoder; return it."""
    options = {"num_layers": 2, "num_heads": 2, "hidden_dim": 8, "intermediate_dim": 16}
    tokenizer = Tokenizer.train(TEXTS, "word", 30)
    encoder = kzoo.layers.TransformerEncoder(
        tokenizer.vocabulary_size, **{**options, **(encoder or {})}
    )
    model = kzoo.TextClassifier(encoder, 3, sequence_length=16, **arguments)
    model.attach(tokenizer, ["a", "b", "c"])
    model.save(path)
    return model


ENCODERS = [
    *(
        {"position": name}
        for name in ("none", "sinusoidal", "learned", "rotary", "alibi", "relative")
    ),
    {"position": "neighbours", "norm_placement": "sandwich"},
    *({"feed_forward": name} for name in kzoo.layers.FEED_FORWARDS),
    *(
        {"norm": norm, "norm_placement": place}
        for norm, place in itertools.product(
            kzoo.layers.NORMS, ("pre", "post", "sandwich")
        )
    ),
    {"dropout": 0.0, "attention": {"num_key_value_heads": 1, "use_bias": False}},
    {"attention": {"head_dim": 6, "dropout": 0.2, "scale": 0.5}},
    {
        "embedding": {
            "num_segments": 2,
            "scale": True,
            "norm": "rms_norm",
            "token_dropout": 0.1,
            "bigram_buckets": 7,
            "bigram_dropout": 0.1,
        }
    },
    {"dtype": "mixed_bfloat16"},
    {
        "position": lambda: kzoo.layers.LearnedPositions(8, 32),
        "feed_forward": lambda: kzoo.layers.GatedFeedForward(8, 16, "silu"),
        "norm": lambda: keras.layers.RMSNormalization(epsilon=1e-6),
        "embedding": lambda: {"norm": keras.layers.LayerNormalization()},
    },
]


def in_words(arguments):
    """A name for a case that is the same in every process."""
    return "own layers" if any(map(callable, arguments.values())) else str(arguments)


@pytest.mark.parametrize("arguments", ENCODERS, ids=in_words)
def test_every_encoder_passes(tmp_path, arguments):
    made = {k: v() if callable(v) else v for k, v in arguments.items()}
    path = tmp_path / "model.keras"
    model = saved(path, made)
    assert check_archive(path)["parameters"] == count_parameters(model.weights)


def test_every_head_passes(tmp_path):
    for number, pooling in enumerate(kzoo.layers.POOLINGS):
        path = tmp_path / f"{number}.keras"
        model = saved(
            path, pooling=pooling, head_dim=5, activation="relu", pooled_dropout=0.2
        )
        assert check_archive(path)["parameters"] == count_parameters(model.weights)


def test_a_compiled_model_passes_and_its_optimizer_stays_behind(tmp_path):
    path = tmp_path / "model.keras"
    model = saved(path)
    model.compile(
        optimizer=keras.optimizers.AdamW(
            keras.optimizers.schedules.CosineDecay(1e-3, 100)
        ),
        loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=["accuracy"],
    )
    model.optimizer.build(model.trainable_variables)
    model.save(path)
    loaded = kzoo.load_model(path)
    assert loaded.classify("one two")["label"] == model.classify("one two")["label"]


def test_a_model_with_a_layer_of_the_users_own_is_refused_saying_why(tmp_path):
    @keras.saving.register_keras_serializable(package="mine")
    class Doubled(keras.layers.Layer):
        def call(self, hidden, training=None):
            return hidden * 2

    path = tmp_path / "model.keras"
    saved(path, {"feed_forward": Doubled()})
    with pytest.raises(KzooError) as caught:
        kzoo.load_model(path)
    assert str(caught.value) == (
        f"{path}: config.json: config.encoder.config.feed_forward is of the class "
        f"Doubled of {__name__}, which no model of kzoo has there; kzoo knows "
        "FeedForward, GatedFeedForward there."
    ) or "is of the class Doubled of" in str(caught.value)
    assert keras.saving.load_model(path).classify("one two")["label"] in "abc"


def test_recipes_cannot_ask_for_more_than_the_list_allows():
    """The longest text that a recipe may ask for is one that a model may have."""
    most = classes.INTEGERS["sequence_length"][1]
    load("text_classifier", [f"data.sequence_length={most}"])
    with pytest.raises(KzooError, match="sequence_length"):
        load("text_classifier", [f"data.sequence_length={most + 1}"])
