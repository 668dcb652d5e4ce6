"""Each mistake in `--set` gives one sentence that names the option."""

import pytest
from kzoo_recipes import KzooError, load
from recipe_files import VALID

BY_OPTION = {
    "training.epoch=3": '[training] has no key "epoch"; did you mean "epochs"? '
    "Received: epoch=3",
    "epochs=3": 'a recipe has no key "epochs"; `epochs` belongs to [training]. '
    "Received: epochs=3",
    "training.epochs=many": "[training] epochs must be a whole number of at least 1. "
    'Received: epochs="many"',
    "training.epochs": "write it as section.key=value, as in training.epochs=3.",
    "training..epochs=1": "write it as section.key=value, as in training.epochs=3.",
    "training.epochs=": "there is no value after the equals sign.",
    "seed.x=3": "seed holds a value, not a table.",
    "training.steps=1\nseed=2": "[training] steps must be a whole number "
    'of at least 1. Received: steps="1\\nseed=2"',
    "model.encoder.num_heads=5": "[model.encoder] num_heads must divide `hidden_dim` "
    "(or set head_dim in [model.encoder.attention]). "
    "Received: num_heads=5, hidden_dim=64",
    "data.dev=/dev.csv": "[data] source excludes `dev`; keep one of them. "
    'Received: source="kzoo:reviews", dev="/dev.csv"',
}


# Names of transformers' Trainer, some of which are spelt like a key of another meaning.
OF_OTHERS = {
    "training.save_steps=100": 'did you mean "checkpoint_every"?',
    "training.eval_steps=100": 'did you mean "evaluate_every"?',
    "training.num_train_epochs=3": 'did you mean "epochs"?',
    "training.per_device_train_batch_size=8": 'did you mean "batch_size"?',
    "training.warmup_ratio=0.1": 'did you mean "warmup_share"?',
    "data.validation=dev.csv": 'did you mean "dev"?',
    "data.text_column=body": 'did you mean "text"?',
    "training.device=gpu": "the device is the command's `--device`.",
    "training.output_dir=x": "the folder for runs is the command's `--output`.",
    "training.optimizer=adam": "every recipe trains with AdamW.",
    "model.num_labels=3": "the labels are those of the training rows",
}


@pytest.mark.parametrize("override", OF_OTHERS)
def test_names_of_other_libraries(override, tmp_path):
    tmp_path.joinpath("my.toml").write_text(VALID)
    with pytest.raises(KzooError) as caught:
        load(tmp_path / "my.toml", [override])
    assert OF_OTHERS[override] in str(caught.value)


@pytest.mark.parametrize("override", BY_OPTION)
def test_mistake_by_option(override, tmp_path):
    tmp_path.joinpath("my.toml").write_text(VALID)
    with pytest.raises(KzooError) as caught:
        load(tmp_path / "my.toml", [override])
    assert str(caught.value) == f"--set {override}: {BY_OPTION[override]}"


def test_source_and_train_by_option(tmp_path):
    tmp_path.joinpath("my.toml").write_text(VALID)
    with pytest.raises(KzooError, match="source excludes `train`"):
        load(tmp_path / "my.toml", ["data.source=kzoo:reviews", "data.train=x.csv"])


def test_what_the_shell_gives_may_be_no_text():
    """Bytes that are no UTF-8 arrive as halves of characters."""
    with pytest.raises(KzooError) as caught:
        load("text_classifier", ["data.train=caf\udce9.csv"])
    assert str(caught.value) == (
        "'--set data.train=caf\\udce9.csv': this is not Unicode text."
    )


@pytest.mark.parametrize(
    "override", ["training.{}=1", "{}.a=1", "{}", "training.epochs={}", "{}="]
)
def test_long_words_are_shown_short(override):
    with pytest.raises(KzooError) as caught:
        load("text_classifier", [override.format("x" * 5000)])
    assert len(str(caught.value)) < 1000  # A table may list its keys.
