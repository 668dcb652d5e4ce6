"""Commands run in this process, on a kzoo that only remembers what it was asked."""

import os
import re
import sys
import types
from importlib.util import find_spec

import pytest
from click.testing import CliRunner
from kzoo_cli.group import group


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
        group, [str(argument) for argument in arguments], **kwargs
    )


class FakeModel:
    """Calls a text positive if it has an exclamation mark; reads ten characters."""

    sequence_length = 10
    labels = ("negative", "positive")

    def __init__(self):
        self.chunks = []

    def classify(self, texts, batch_size=64):
        self.batch_size = batch_size
        self.chunks.append(len(texts))
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


class FakeTagger:
    """Takes a capital for the start of a name, two for a place; reads ten characters.

    A number goes on with what stands before it.
    """

    sequence_length = 10
    scheme = "iob2"
    labels = ("O", "B-LOC", "I-LOC", "B-PER", "I-PER")

    def __init__(self):
        self.calls = []

    def tag_words(self, sentences, batch_size=64):
        self.calls.append(("words", sentences, batch_size))
        return [self._tags(words) for words in sentences]

    def _tags(self, words):
        tags, before = [], ""
        for word in words:
            before = before if before and word.isdigit() else self._kind(word)
            inside = "I" if word.isdigit() else "B"
            tags.append({"tag": f"{inside}-{before}" if before else "O", "score": 0.75})
        return tags

    def _kind(self, word):
        return "LOC" if word[:2].isupper() else "PER" if word[:1].isupper() else ""

    def answers(self, texts, aggregation, batch_size):
        self.calls.append((aggregation, texts, batch_size))
        return [self._answer(text, aggregation) for text in texts]

    def _answer(self, text, aggregation):
        text = text if isinstance(text, str) else " ".join(text)
        key = "entity" if aggregation == "none" else "entity_group"
        found = [one for one in re.finditer(r"\S+", text) if self._kind(one[0])]
        prefix = "B-" if aggregation == "none" else ""
        return {
            "entities": [
                {
                    key: prefix + self._kind(one[0]),
                    "score": 0.75,
                    "word": one[0].lower(),
                    "start": one.start(),
                    "end": one.end(),
                }
                for one in found
            ],
            "windows": 1 + len(text) // self.sequence_length,
        }


class FakeSummarizer:
    """Repeats the first words of a text, as many as it may; reads ten characters.

    Digits are all that it does not know, and signs are nothing to it.
    """

    source_length = 10
    truncate = "head"

    def __init__(self):
        self.calls, self.rows = [], []

    def settings(self, **told):
        if told.get("min_new_tokens", 0) > told.get("max_new_tokens", 3):
            raise ValueError(
                "`min_new_tokens` must not be above `max_new_tokens`. "
                f"Received: {', '.join(f'{k}={v!r}' for k, v in told.items())}"
            )
        most = told.get("max_new_tokens", 3)
        nbest = told.get("nbest", 1)
        return types.SimpleNamespace(
            told=told,
            nbest=nbest,
            max_new_tokens=most,
            streams=nbest == 1 and told.get("beams") == 1,
        )

    def answers(self, texts, settings, batch_size, on_text, rows):
        self.rows += rows
        self.calls.append((texts, settings.told, batch_size))
        return [
            self._answer(row, text, settings, on_text) for row, text in enumerate(texts)
        ]

    summarize = None  # Models are told apart by what they can.

    def _answer(self, row, text, settings, on_text):
        words = re.findall(r"\w+", text)
        written = words[: settings.max_new_tokens]
        for place, word in enumerate(written if on_text else ()):
            on_text(row, " " * (place > 0) + word[:2])
            on_text(row, word[2:])
        one = {
            "summary": " ".join(written),
            "score": 0.0 - len(written) / 2,
            "tokens": len(written),
            "finished": len(words) <= settings.max_new_tokens,
        }
        if settings.nbest > 1:
            several = [one] * settings.nbest
            names = {"summary": "summaries", "score": "scores"}
            one = {names.get(key, key): [x[key] for x in several] for key in one}
        return {
            **one,
            "truncated": len(text) > self.source_length,
            "empty": not words,
            "unknown": bool(words) and all(map(str.isdigit, words)),
        }


def evaluation(labels=("bad", "good")):
    """What `kzoo.evaluate` gives for four rows, one of them an error."""
    of_label = {"precision": 0.5, "recall": 1.0, "f1": 0.75, "support": 2}
    return {
        "run": "runs/mine/jax",
        "source": "test split",
        "task": "text_classifier",
        "accuracy": 0.75,
        "loss": 0.5,
        "per_class": {
            name: {**of_label, "roc_auc": 0.875 if place else None}
            for place, name in enumerate(labels)
        },
        "rows": 4,
        "labels": list(labels),
        "intervals": {"accuracy": [0.25, 1.0], "loss": [0.125, 1.5]},
        "bootstrap": {
            "method": "percentile",
            "level": 0.95,
            "resamples": 1000,
            "seed": 0,
            "stratified": False,
        },
        "confusion": [
            [
                2 if gold == said else int(gold + 1 == said)
                for said in range(len(labels))
            ]
            for gold in range(len(labels))
        ],
        "calibration": [
            {"from": 0.0, "to": 0.5, "rows": 0, "confidence": None, "accuracy": None},
            {"from": 0.5, "to": 1.0, "rows": 4, "confidence": 0.875, "accuracy": 0.75},
        ],
        "errors": 1,
        "worst": [
            {
                "row": 3,
                "line": 4,
                "text": "Not\n\x1b[31mbad <at> all, though it could have been better.",
                "gold": labels[1],
                "predicted": labels[0],
                "probability": 0.875,
                "gold_probability": 0.125,
                "loss": 2.0794,
            }
        ],
        "notes": ["a label has no rows"],
    }


@pytest.fixture
def fake(monkeypatch):
    """A module in the place of `kzoo`; `fake.calls` lists what was called."""
    module = types.ModuleType("kzoo")
    module.__path__ = find_spec("kzoo").submodule_search_locations  # kzoo.data is real.
    module.calls = []
    module.model = FakeModel()
    of_class = {"positive": {"f1": 0.5}}
    metrics = {"accuracy": 0.9375, "loss": float("nan"), "per_class": of_class}
    module.figures = evaluation()

    def train(recipe, **arguments):
        module.calls.append((recipe, arguments))
        folder = arguments["output"] / recipe.name / recipe.backend
        return types.SimpleNamespace(
            folder=folder, metrics={"test": metrics, "seconds": 61.25}
        )

    def dry_run(recipe, **arguments):
        module.calls.append((recipe, arguments))
        return module.facts

    def evaluate(run, **arguments):
        module.calls.append((run, arguments))
        return module.figures

    def load_model(path):
        module.calls.append(path)
        return module.model

    module.facts, module.dry_run = {}, dry_run
    module.train, module.evaluate, module.load_model = train, evaluate, load_model
    training = types.ModuleType("kzoo.training")
    training.__path__ = [os.path.join(path, "training") for path in module.__path__]
    training.backend = types.SimpleNamespace(use_full_float32=lambda: None)
    monkeypatch.setitem(sys.modules, "kzoo", module)
    monkeypatch.setitem(sys.modules, "kzoo.training", training)
    return module


@pytest.fixture
def tagger(fake):
    """The model that is loaded, now one that tags words."""
    fake.model = FakeTagger()
    return fake.model


@pytest.fixture
def summarizer(fake):
    """The model that is loaded, now one that summarizes."""
    fake.model = FakeSummarizer()
    return fake.model


@pytest.fixture
def screen(monkeypatch):
    """Lets stdout be a terminal, and gives the list of what was written to it."""
    from click.testing import _NamedTextIOWrapper

    written = []
    write = _NamedTextIOWrapper.write

    def remembered(self, text):
        if isinstance(text, str):
            written.append(text)
        return write(self, text)

    monkeypatch.setattr(_NamedTextIOWrapper, "write", remembered)
    monkeypatch.setattr(
        _NamedTextIOWrapper, "isatty", lambda self: self.name == "<stdout>"
    )
    return written


@pytest.fixture
def run_folder(tmp_path):
    """What a run leaves behind, as far as commands look before Keras starts."""
    folder = tmp_path / "runs" / "reviews" / "torch"
    folder.mkdir(parents=True)
    folder.joinpath("model.keras").touch()
    folder.joinpath("recipe.toml").write_text('backend = "torch"\n')
    return folder
