"""What `kzoo resume RUN` means by RUN."""

import pytest
from kzoo_recipes import (
    KzooError,
    find_run,
    is_unfinished,
    load,
    run_folder,
    running_folder,
)


@pytest.fixture
def runs(tmp_path, monkeypatch):
    """`a` is interrupted on jax, `b` on two backends, `c` is complete."""
    monkeypatch.chdir(tmp_path)
    for name in ("a/.jax.running", "b/.jax.running", "b/.torch.running", "c/jax"):
        (tmp_path / "saved_models" / name).mkdir(parents=True)
        if "running" in name:
            (tmp_path / "saved_models" / name / "recipe.toml").touch()
    (tmp_path / "saved_models/c/jax/metrics.json").touch()
    return tmp_path / "saved_models"


def test_folders_of_a_recipe(tmp_path):
    folder = run_folder(load("text_classifier"), tmp_path)
    assert folder == tmp_path / "text_classifier" / "jax"
    assert running_folder(folder) == tmp_path / "text_classifier" / ".jax.running"


@pytest.mark.parametrize(
    "run",
    [
        "a",
        "saved_models/a",
        "saved_models/a/",
        "saved_models/a/jax",
        "saved_models/a/.jax.running",
    ],
)
def test_an_interrupted_run_by_any_of_its_names(runs, run):
    assert find_run(run).resolve() == runs / "a" / "jax"


def test_other_names(runs, monkeypatch):
    assert find_run("a", output=runs) == runs / "a" / "jax"
    assert find_run("saved_models/b/torch").resolve() == runs / "b" / "torch"
    assert find_run("saved_models/c/jax").resolve() == runs / "c" / "jax"
    monkeypatch.chdir(runs / "a" / ".jax.running")
    assert find_run(".") == runs / "a" / "jax"


def test_without_a_recipe_nothing_has_begun(runs):
    for name in ("c/.jax.running/checkpoints/step-00000001", "e/.jax.running"):
        (runs / name).mkdir(parents=True)
    assert find_run("saved_models/c/jax").resolve() == runs / "c" / "jax"
    assert not is_unfinished(runs / "c" / "jax")
    for run in ("e", "saved_models/e/jax", "saved_models/e/.jax.running"):
        with pytest.raises(KzooError, match="there is no such run"):
            find_run(run)
    (runs / "e/.jax.running/checkpoints/step-00000001").mkdir(parents=True)
    assert is_unfinished(runs / "e" / "jax")  # That its recipe is gone is said.


@pytest.mark.parametrize(
    "run, sentence",
    [
        (
            "b",
            "saved_models/b holds 2 interrupted runs: name one of saved_models/b/jax, "
            "saved_models/b/torch.",
        ),
        (
            "c",
            "saved_models/c holds no interrupted run; complete is saved_models/c/jax, "
            "which trains on if you name it and raise --set training.epochs=….",
        ),
        (
            "d",
            "d: there is no such run; name its folder, as in "
            "saved_models/text_classifier/jax.",
        ),
        (
            "saved_models/a/torch",
            "saved_models/a/torch: there is no such run; name its folder, as in "
            "saved_models/text_classifier/jax.",
        ),
    ],
)
def test_what_is_no_run(runs, run, sentence):
    with pytest.raises(KzooError) as raised:
        find_run(run)
    assert str(raised.value) == sentence


def test_several_complete_runs(runs):
    for backend in ("jax", "torch"):
        (runs / "e" / backend).mkdir(parents=True)
        (runs / "e" / backend / "metrics.json").touch()
    with pytest.raises(KzooError) as raised:
        find_run("e")
    assert str(raised.value) == (
        "saved_models/e holds no interrupted run; complete are saved_models/e/jax, "
        "saved_models/e/torch: to train on, name one and raise "
        "--set training.epochs=…."
    )
