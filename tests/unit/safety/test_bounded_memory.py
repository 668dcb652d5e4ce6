"""A hostile file costs memory in proportion to its size, whatever it says of itself."""

import os
import subprocess
import sys
import zipfile

import pytest
from helpers.archives import at, packed, with_json, with_weights
from helpers.peaks import READS_PEAKS

MEGABYTE = 1 << 20
PROBE = """
import sys, kzoo
from helpers.peaks import peak_memory
from kzoo_recipes import KzooError
kzoo.check_model_file("zoo:text_classifier")  # What a good file costs once.
for path in sys.argv[1:]:
    before = peak_memory()
    try:
        kzoo.load_model(path)
        print(path, "loaded")
    except KzooError as error:
        print(peak_memory() - before, error)
"""


def zeros(path, parts):
    """Weights of 200 MB that say nothing, and so pack to nothing."""
    parts["model.weights.h5"] = parts["model.weights.h5"] + bytes(200 * MEGABYTE)
    return packed(parts, path, zipfile.ZIP_DEFLATED)


def shape(path, parts):
    def change(file):
        del file["layers/projection_1/vars/1"]
        file.create_dataset(
            "layers/projection_1/vars/1", (2**34,), "f4", chunks=(2**20,)
        )

    return packed(with_weights(parts, change), path)


def config(**sizes):
    def make(path, parts):
        def change(description):
            at(description, "config.encoder.config").update(sizes)

        return packed(with_json(parts, "config.json", change), path)

    return make


def nested(path, parts):
    return packed({**parts, "config.json": b'{"a":' * 100_000}, path)


def many(path, parts):
    names = [(f"assets/{number}", b"") for number in range(50_000)]
    return packed([*parts.items(), *names], path)


def vocabulary(path, parts):
    def change(tokenizer):
        tokenizer["model"]["vocab"]["good"] = 2**31 - 2

    return packed(with_json(parts, "assets/tokenizer.json", change), path)


BOMBS = {
    "zeros": zeros,
    "shape": shape,
    "hidden_dim": config(hidden_dim=2**20),
    "vocabulary_size": config(vocabulary_size=2**31 - 1),
    "bigrams": config(embedding={"bigram_buckets": 2**31 - 1}),
    "layers": config(num_layers=4096),
    "nested": nested,
    "many": many,
    "vocabulary": vocabulary,
}


@pytest.fixture
def grown(tmp_path, parts):
    """How much memory each bomb takes, and its file's size: one process for all."""
    paths = {
        name: make(tmp_path / f"{name}.keras", dict(parts))
        for name, make in BOMBS.items()
    }
    done = subprocess.run(
        [sys.executable, "-c", PROBE, *map(str, paths.values())],
        env={**os.environ, **READS_PEAKS, "KERAS_BACKEND": "jax"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) == len(paths), done.stdout
    return {
        name: (int(line.split()[0]), paths[name].stat().st_size, line)
        for name, line in zip(paths, lines, strict=True)
    }


def test_memory_is_bounded_by_the_honest_size(grown):
    for name, (bytes_, size, line) in grown.items():
        assert bytes_ < 40 * MEGABYTE + 10 * size, f"{name}: {line}"
