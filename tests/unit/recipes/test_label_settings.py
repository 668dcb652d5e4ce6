"""Loss, class weights, thresholds and many labels, as a recipe says them."""

import pytest
from kzoo_recipes import KzooError, dict_of, from_dict, load, to_toml
from recipe_files import VALID

MANY = ["data.multi_label=true"]


@pytest.fixture
def recipe(tmp_path):
    """`recipe("training.loss=focal", …)`: a valid one with these overrides."""
    path = tmp_path / "r.toml"
    path.write_text(VALID)
    return lambda *overrides: load(path, overrides)


@pytest.mark.parametrize(
    "override, key, value",
    [
        ("training.class_weights=balanced", "class_weights", "balanced"),
        ("training.class_weights={spam=3}", "class_weights", {"spam": 3.0}),
        ("training.class_weights.spam=0.5", "class_weights", {"spam": 0.5}),
        ('training.class_weights={"a.b = c"=2}', "class_weights", {"a.b = c": 2.0}),
        (
            *('training.learning_rates={"encoder.block_*"=1e-5}', "learning_rates"),
            {"encoder.block_*": 1e-5},
        ),
        ("training.weight_decays.encoder=0", "weight_decays", {"encoder": 0.0}),
        ("training.threshold=tuned", "threshold", "tuned"),
        ("training.threshold=0.3", "threshold", 0.3),
        ("training.loss=focal", "loss", "focal"),
        ("data.label_separator=|", None, "|"),
        ('data.label_separator=" "', None, " "),
    ],
)
def test_values_are_kept(recipe, override, key, value, tmp_path):
    found = recipe(override, *MANY)
    kept = getattr(found.training, key) if key else found.data.label_separator
    assert kept == value
    tmp_path.joinpath("again.toml").write_text(to_toml(found))
    again = load(tmp_path / "again.toml")
    assert dict_of(again) == dict_of(found)


@pytest.mark.parametrize(
    "overrides, sentence",
    [
        (
            ["training.class_weights=balance"],
            '[training] class_weights must be "balanced", or a table of keys and '
            'values. Received: class_weights="balance"',
        ),
        (
            ["training.class_weights.spam=0"],
            "[training.class_weights] spam must be a number above 0. Received: spam=0",
        ),
        (
            ["training.class_weights={spam = 1, ham = 'x'}"],
            '[training.class_weights] ham must be a number above 0. Received: ham="x"',
        ),
        (
            ["training.class_weights.spam=inf"],
            "[training.class_weights] spam must be a finite number. Received: spam=inf",
        ),
        (
            ["training.threshold=1.5", *MANY],
            '[training] threshold must be "tuned", or a number above 0 and below 1. '
            "Received: threshold=1.5",
        ),
        (
            ["training.threshold=tuned"],
            "[training] threshold is of use only with `multi_label = true`. "
            'Received: threshold="tuned", multi_label=false',
        ),
        (
            ["data.label_separator=|"],
            "[data] label_separator is of use only with `multi_label = true`. "
            'Received: label_separator="|", multi_label=false',
        ),
        (
            ["training.focal_gamma=1"],
            '[training] focal_gamma is of use only with `loss = "focal"`. '
            'Received: focal_gamma=1.0, loss="cross_entropy"',
        ),
        (
            ["training.loss=focus"],
            '[training] loss must be one of "cross_entropy", "focal"; did you mean '
            '"focal"? Received: loss="focus"',
        ),
        (
            ["training.metric=mcc", *MANY],
            "[training] metric is not a metric of the task; there are accuracy, "
            "macro_f1, micro_f1, weighted_f1, hamming_loss, loss. "
            'Received: metric="mcc"',
        ),
        (
            ["training.metric=hamming_loss"],
            "[training] metric is not a metric of the task; there are accuracy, "
            "macro_f1, micro_f1, weighted_f1, mcc, roc_auc, calibration_error, loss. "
            'Received: metric="hamming_loss"',
        ),
    ],
)
def test_mistakes_are_named(recipe, overrides, sentence):
    with pytest.raises(KzooError) as caught:
        recipe(*overrides)
    assert str(caught.value) == f"--set {overrides[0]}: {sentence}"


def test_a_file_is_named_too():
    data = {"task": "text_classifier", "data": {}, "training": {"focal_gamma": -1}}
    encoder = {
        "num_layers": 1,
        "num_heads": 1,
        "hidden_dim": 2,
        "intermediate_dim": 2,
    }
    with pytest.raises(KzooError, match=r"r.toml: \[training\] focal_gamma must be a"):
        from_dict({**data, "model": {"encoder": encoder}}, "r.toml")
