"""A dry run says what the run would be, and is not one."""

import pytest
from helpers.peaks import READS_PEAKS
from helpers.processes import QUICK_KERAS, succeeds
from kzoo_recipes import KzooError, dict_of, from_dict, load
from msgspec.structs import replace

import kzoo
from kzoo.data.batches import TrainingBatches
from kzoo.training.backend import name as backend_name
from kzoo.training.dry_run import first_step, parameters_of, tokens_of
from kzoo.training.footprint import estimate_memory, stack_numbers
from kzoo.training.run import resolve
from kzoo.training.setup import set_up

SMALL = [
    *("training.steps=3", "training.batch_size=8", "data.sequence_length=16"),
    *("model.encoder.hidden_dim=16", "model.encoder.intermediate_dim=16"),
    "model.encoder.embedding.bigram_buckets=0",
]


@pytest.fixture(scope="module")
def recipe(tmp_path_factory):
    folder = tmp_path_factory.mktemp("rows")
    words = ["good", "fine", "warm", "bad", "cold", "grey"]
    for split, count in {"train": 40, "dev": 8, "test": 8}.items():
        lines = [
            f"{split} {words[n % 6]} {words[n * 7 % 6]} number{n % 5},{n % 6 // 3}"
            for n in range(count)
        ]
        folder.joinpath(f"{split}.csv").write_text("text,label\n" + "\n".join(lines))
    files = [f"data.{s}={folder / s}.csv" for s in ("train", "dev", "test")]
    return load("text_classifier", [*SMALL, *files])


def test_it_says_what_the_run_would_be_and_leaves_nothing(
    recipe, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    facts = kzoo.dry_run(recipe, output="runs")
    assert not list(tmp_path.iterdir())
    assert facts["folder"] == f"runs/text_classifier/{backend_name()}"
    assert facts["recipe"] == dict_of(resolve(recipe))
    assert facts["labels"] == ["0", "1"]
    assert facts["rows"] == {"train": 40, "dev": 8, "test": 8}
    assert (facts["steps"], facts["steps_per_epoch"]) == (3, 5)
    setup = set_up(resolve(recipe))  # As `train` does.
    loss = float(setup.stepper.train(setup.batches.at(0), setup.schedule(0)))
    assert facts["step"]["loss"] == pytest.approx(loss, rel=1e-6)
    assert facts["step"]["seconds_again"] > 0


def test_parameters_add_up(recipe):
    model = set_up(resolve(recipe)).model
    counted = parameters_of(model)
    assert list(counted["parts"]) == [
        *("embedding", "blocks", "final_norm", "position", "head", "logits")
    ]
    whole = sum(w.numpy().size for w in model.weights if "float" in str(w.dtype))
    assert counted["total"] == sum(counted["parts"].values()) == whole
    assert counted["parts"]["logits"] == 2 * (16 + 1)  # head_dim is hidden_dim
    assert counted["trainable"] < counted["total"]  # The keys' bias stays.
    assert whole < model.count_params()  # Which counts the counters of dropout.


def test_tokens_of_a_step():
    texts = [[1] * 3, [1] * 4, [1] * 6, [1] * 2]
    batches = TrainingBatches(texts, [0] * 4, 2, [4, 8], 0, seed=1)
    tokens = tokens_of(batches, total_steps=100)
    assert tokens == {
        "mean": 15 / 2,
        "cells": (2 * 4 + 2 * 8) / 2,
        "padding_share": 1 - 15 / 24,
        "rows": 2,
        "longest": 8,
    }


def test_tokens_of_a_step_in_parts():
    texts = [[1] * 3, [1] * 4, [1] * 6, [1] * 2]
    batches = TrainingBatches(texts, [0] * 4, 4, [4, 8], 0, seed=1, accumulation=2)
    tokens = tokens_of(batches, total_steps=100)
    assert (tokens["cells"], tokens["rows"], tokens["longest"]) == (2 * 4 + 2 * 8, 4, 8)
    assert tokens["mean"] == pytest.approx(15)


def test_memory_by_hand():
    """One head of width 4, 2 rows of 3 tokens: counted with pencil and paper."""
    keys = ["num_layers=1", "num_heads=1", "hidden_dim=4", "intermediate_dim=8"]
    own = [f"model.encoder.{key}" for key in keys]
    own += ["model.encoder.embedding.bigram_buckets=0", "training.ema_decay=0.9"]
    memory = estimate_memory(load("text_classifier", own), 100, 90, rows=2, length=3)
    assert memory["weights"] == (100 + 90) * 4
    assert memory["gradients"] == 90 * 4
    assert memory["moments"] == 2 * 90 * 4
    block = 8 * 4 + (3 + 2) * 4 + 2 * 3 + 2 * 8
    assert memory["activations"] == 4 * 2 * (3 * (block + 4 * 4) + 4 * 4)
    assert memory["total"] == sum(list(memory.values())[:-1])
    halved = load("text_classifier", [*own, "training.precision=mixed_bfloat16"])
    again = estimate_memory(halved, 100, 90, rows=2, length=3)
    assert again["activations"] == memory["activations"] / 2
    assert again["weights"] == memory["weights"]


def test_memory_of_a_decoder_by_hand():
    """Beside an encoder like the one above: 2 tokens that look at its 3."""
    table = {"num_layers": 1, "num_heads": 1, "hidden_dim": 4, "intermediate_dim": 8}
    recipe = from_dict(
        {"task": "summarizer", "data": {}, "model": {"encoder": table, "copy": True}}
    )
    memory = estimate_memory(recipe, 100, 90, rows=2, length=3, written=(2, 50))
    encoder = 3 * (8 * 4 + (3 + 2) * 4 + 2 * 3 + 2 * 8 + 4 * 4)
    block = 12 * 4 + (3 + 2) * 4 + 2 * 2 + 3 * 4 + 2 * 3 + 2 * 8
    decoder = 2 * (block + 4 * 4) + 3 * 2 * 4
    assert memory["activations"] == 4 * 2 * (encoder + decoder + 2 * 2 * 50)
    half = replace(recipe.training, precision="mixed_bfloat16")
    again = estimate_memory(
        replace(recipe, training=half), 100, 90, rows=2, length=3, written=(2, 50)
    )
    assert again["activations"] == 2 * 2 * (encoder + decoder + 4 * 2 * 50)


@pytest.mark.parametrize(
    ("kernel", "numbers"),
    [
        ({}, 2 * 40),  # weights, and those that dropout left
        ({"dropout": 0.0}, 40),
        ({"kernel": "blockwise", "dropout": 0.0}, 1),
        ({"kernel": "linear"}, 2 * 4),
        ({"kernel": "performer", "num_features": 5}, 1 + 8 * 5),
        ({"kernel": "window", "window": 4, "dropout": 0.0}, 3 * 4),
        ({"kernel": "longformer", "window": 4, "dropout": 0.0}, 3 * 4 + 1),
        ({"kernel": "big_bird", "block_size": 2, "dropout": 0.0}, (5 + 3) * 2),
    ],
)
@pytest.mark.parametrize("backend", ["jax", "torch"])
def test_memory_of_kernels_by_hand(kernel, numbers, backend):
    """One head of width 4, a row of 40 tokens: numbers kept for each query."""
    table = {"num_layers": 1, "num_heads": 1, "hidden_dim": 4, "intermediate_dim": 8}
    table |= {"position": "sinusoidal", "dropout": 0.1, "attention": kernel}
    told = {"task": "text_classifier", "backend": backend, "data": {}}
    recipe = from_dict({**told, "model": {"encoder": table}})
    if backend == "torch" and kernel == {"dropout": 0.0}:
        numbers = 1  # The fused kernel of PyTorch keeps none.
    memory = estimate_memory(recipe, 100, 90, rows=1, length=40)
    block = 8 * 4 + (3 + 2) * 4 + numbers + 2 * 8
    assert memory["activations"] == 4 * (40 * (block + 4 * 4) + 4 * 4)


def test_memory_of_features_is_that_of_a_stretch_in_one_block():
    attention = {"kernel": "performer", "num_features": 5}
    table = {"num_heads": 2, "hidden_dim": 4, "intermediate_dim": 8}
    table |= {"attention": attention}
    of = lambda layers, length: stack_numbers(
        from_dict(
            {
                "task": "text_classifier",
                "data": {},
                "model": {"encoder": {**table, "num_layers": layers}},
            }
        ).model.encoder,
        length,
    )
    short, long = 1000, 4096
    again = 2 * 8 * 5
    assert of(2, short) - of(1, short) == of(3, short) - of(2, short)
    features = lambda length: 2 * of(1, length) - of(2, length) - 4 * 4 * length
    assert (features(short), features(long)) == (again * short, again * 1024)
    assert features(65536) == again * 2048  # There are 32 stretches at the most.


class Diverges:
    def train(self, batch, learning_rate):
        return float("nan")


def test_a_loss_that_is_no_number_is_refused():
    with pytest.raises(KzooError, match="The loss of the first step is nan: look at"):
        first_step(Diverges(), None, 0.1)


LARGE = [
    *("training.batch_size=32", "model.encoder.num_layers=2"),
    *("model.encoder.num_heads=8", "model.encoder.hidden_dim=256"),
    *("model.encoder.intermediate_dim=1024", "data.sequence_length=256"),
    "data.buckets=[8, 256]",
]
GROWN = """
import sys
from helpers.peaks import peak_memory
from kzoo_recipes import load
from kzoo.data.batches import TrainingBatches
from kzoo.training.run import resolve
from kzoo.training.setup import set_up

stepper = set_up(resolve(load("text_classifier", sys.argv[1:]))).stepper

def train(length):
    texts = [[5] * length] * 32
    batch = TrainingBatches(texts, [0, 1] * 16, 32, [length], 0, seed=1).at(0)
    float(stepper.train(batch, 1e-4))
    return peak_memory()

print(-train(8) + train(256))
"""


def test_estimated_memory_is_within_a_factor_of_two_of_the_peak(recipe, tmp_path):
    """The peak of a new process grows by what a large step needs after a small one."""
    files = [f"data.{s}={getattr(recipe.data, s)}" for s in ("train", "dev", "test")]
    overrides = [*SMALL, *files, *LARGE]
    told = ("python", "-c", QUICK_KERAS + GROWN, *overrides)
    large = resolve(load("text_classifier", overrides))
    counted = parameters_of(set_up(large).model)
    memory = estimate_memory(
        large, counted["total"], counted["trainable"], rows=32, length=256
    )
    ratios = []
    while len(ratios) < 3 and not (ratios and 0.5 < ratios[-1] < 2):
        # Threads that other work on the machine delays hold more at once.
        grown = int(
            succeeds(*told, cwd=tmp_path, backend=backend_name(), **READS_PEAKS)
        )
        ratios.append(grown / memory["activations"])
    assert 0.5 < ratios[-1] < 2, ratios
