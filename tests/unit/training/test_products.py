import keras
import pytest

from kzoo.training import products
from kzoo.training.setup import set_up
from tests.helpers.toys import toy_recipe


@pytest.fixture
def seconds(monkeypatch):
    """What a product takes in each dtype, in place of what this machine takes."""
    chosen = {"float32": 0.01, "bfloat16": 0.17}
    monkeypatch.setattr(
        products,
        "_seconds",
        lambda one, other: chosen[keras.backend.standardize_dtype(one.dtype)],
    )
    return chosen


@pytest.fixture
def policy():
    before = keras.config.dtype_policy()
    yield
    keras.config.set_dtype_policy(before)


SENTENCE = (
    "mixed_bfloat16: this CPU takes 17 times as long for a product in bfloat16 as for "
    'one in float32; precision = "float32" is faster here'
)


def test_a_slow_cpu_is_told(seconds):
    assert products.slow_bfloat16("cpu") == SENTENCE


def test_a_cpu_that_knows_bfloat16_is_not(seconds):
    seconds["bfloat16"] = 0.019
    assert products.slow_bfloat16("cpu") is None


def test_a_gpu_is_not_asked(monkeypatch):
    monkeypatch.setattr(products, "_seconds", None)
    assert products.slow_bfloat16("NVIDIA H200") is None


def test_a_ratio_is_measured():
    assert 0.01 < products.time_in_bfloat16() < 1000


@pytest.mark.parametrize(
    ("precision", "told"), [("mixed_bfloat16", [SENTENCE]), ("float32", [])]
)
def test_a_run_says_so(precision, told, seconds, policy, monkeypatch, tmp_path):
    monkeypatch.setattr("kzoo.training.backend.device", lambda: "cpu")
    recipe = toy_recipe(tmp_path, training={"precision": precision})
    notes = set_up(recipe).prepared.notes
    assert [note for note in notes if note.startswith("mixed_bfloat16")] == told
