"""--deterministic: what the framework must be told before it starts."""

import os

import pytest
from kzoo_cli.backend import ask_for_determinism


@pytest.fixture(autouse=True)
def nothing_asked(monkeypatch):
    for name in ("XLA_FLAGS", "CUBLAS_WORKSPACE_CONFIG"):
        monkeypatch.setenv(name, "")  # So that what a command sets is undone.
        monkeypatch.delenv(name)


@pytest.mark.parametrize(
    "arguments", [["--deterministic"], ["--set", "training.deterministic=true"]]
)
def test_the_recipe_says_it_and_jax_hears_it_first(kzoo, fake, arguments):
    result = kzoo("train", "text_classifier", "--backend", "jax", *arguments)
    assert result.exit_code == 0
    [(recipe, _)] = fake.calls
    assert recipe.training.deterministic
    assert os.environ["XLA_FLAGS"] == "--xla_gpu_deterministic_ops=true"
    assert "CUBLAS_WORKSPACE_CONFIG" not in os.environ


def test_without_it_nothing_is_set(kzoo, fake):
    assert kzoo("train", "text_classifier", "--backend", "jax").exit_code == 0
    assert not fake.calls[0][0].training.deterministic
    assert "XLA_FLAGS" not in os.environ


def test_it_wins_over_set(kzoo, fake):
    off = ["--set", "training.deterministic=false"]
    assert kzoo("train", "text_classifier", "--deterministic", *off).exit_code == 0
    assert fake.calls[0][0].training.deterministic


def test_flags_that_are_there_stay(monkeypatch):
    monkeypatch.setenv("XLA_FLAGS", "--xla_dump_to=x")
    ask_for_determinism("jax")
    ask_for_determinism("jax")
    flags = "--xla_dump_to=x --xla_gpu_deterministic_ops=true"
    assert os.environ["XLA_FLAGS"] == flags
    ask_for_determinism("torch")
    assert os.environ["CUBLAS_WORKSPACE_CONFIG"] == ":4096:8"
    ask_for_determinism("tensorflow")  # It is told in the process.


def test_another_workspace_of_cublas_stays(monkeypatch):
    monkeypatch.setenv("CUBLAS_WORKSPACE_CONFIG", ":16:8")
    ask_for_determinism("torch")
    assert os.environ["CUBLAS_WORKSPACE_CONFIG"] == ":16:8"
