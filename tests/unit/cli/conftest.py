"""Commands run in this process, on a kzoo that only remembers what it was asked."""

import sys
import types
from importlib.util import find_spec

import pytest
from click.testing import CliRunner
from kzoo_cli.main import main


@pytest.fixture(autouse=True)
def own_environment(monkeypatch, tmp_path):
    """No backend chosen, an empty working directory, and both undone afterwards."""
    monkeypatch.setenv("KERAS_BACKEND", "")  # So that what a command sets is undone.
    monkeypatch.setenv("TF_CPP_MIN_LOG_LEVEL", "3")
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.delitem(sys.modules, "keras", raising=False)
    monkeypatch.setitem(sys.modules, "tensorflow", None)  # This, too, is undone.
    monkeypatch.delitem(sys.modules, "tensorflow")
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def kzoo():
    """Run `kzoo` with arguments: `kzoo("ls", "--json")`."""
    return lambda *arguments, **kwargs: CliRunner().invoke(
        main, [str(argument) for argument in arguments], **kwargs
    )


class FakeModel:
    """Calls a text positive if it has an exclamation mark; reads ten characters."""

    sequence_length = 10

    def classify(self, texts, batch_size=64):
        self.batch_size = batch_size
        return [
            {
                "label": "positive" if "!" in text else "negative",
                "probabilities": {"negative": 0.25, "positive": 0.75}
                if "!" in text
                else {"negative": 0.875, "positive": 0.125},
                "truncated": len(text) > self.sequence_length,
            }
            for text in texts
        ]


@pytest.fixture
def fake(monkeypatch):
    """A module in the place of `kzoo`; `fake.calls` lists what was called."""
    module = types.ModuleType("kzoo")
    module.__path__ = find_spec("kzoo").submodule_search_locations  # kzoo.data is real.
    module.calls = []
    module.model = FakeModel()
    of_class = {"positive": {"f1": 0.5}}
    metrics = {"accuracy": 0.9375, "loss": float("nan"), "per_class": of_class}

    def train(recipe, **arguments):
        module.calls.append((recipe, arguments))
        folder = arguments["output"] / recipe.name / recipe.backend
        return types.SimpleNamespace(
            folder=folder, metrics={"test": metrics, "seconds": 61.25}
        )

    def evaluate(run, **arguments):
        module.calls.append((run, arguments))
        return metrics

    def load_model(path):
        module.calls.append(path)
        return module.model

    module.train, module.evaluate, module.load_model = train, evaluate, load_model
    monkeypatch.setitem(sys.modules, "kzoo", module)
    return module


@pytest.fixture
def run_folder(tmp_path):
    """What a run leaves behind, as far as commands look before Keras starts."""
    folder = tmp_path / "runs" / "reviews" / "torch"
    folder.mkdir(parents=True)
    folder.joinpath("model.keras").touch()
    folder.joinpath("recipe.toml").write_text('backend = "torch"\n')
    return folder
