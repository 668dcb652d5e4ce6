"""parity on probes that only pretend: what it starts, shows and refuses."""

import importlib
import json

import pytest
from kzoo_cli import installed
from kzoo_cli.probing import Broken, last_sentence

command = importlib.import_module("kzoo_cli.commands.parity")


@pytest.fixture
def probes(monkeypatch):
    """Probes that agree; `probes.started` lists them, `probes.wrong` breaks a pair."""

    class Probes:
        started, wrong = [], None

        def run(self, name, backend, device, folder, number, steps):
            self.started.append((name, backend, device, steps))
            facts = {
                **{"backend": backend, "version": "1.0", "device": device},
                **{"seconds": 1.2, "parameters": 1234, "rows": 4, "tokens": 8},
                **{"predicted": 64, "steps": steps, "precision": "float32"},
            }
            (folder / f"{number}.json").write_text(json.dumps(facts))
            for earlier in range(number):
                off = 0.5 if (earlier, number) == self.wrong else 1e-7
                rows = [
                    row("initial", "encoder/embedding/embeddings", 0.0, 0),
                    row("activation", "encoder/block_0/attention", 1e-7, 1e-5),
                    row("activation", "encoder/block_0/feed_forward", off, 1e-5),
                    row("activation", "logits", 3e-7, 1e-5),
                    row("logits", "", 2e-7, 1e-5),
                    row("predicted", "", 0.0, 0),
                ]
                agree = all(row["agrees"] for row in rows)
                first = None if agree else "first differing activation: that one"
                pair = {"agree": agree, "first_difference": first, "rows": rows}
                (folder / f"{earlier}-{number}.json").write_text(json.dumps(pair))

    probes = Probes()
    probes.started = []
    monkeypatch.setattr(command, "run_probe", probes.run)
    monkeypatch.setattr(command, "installed", lambda: ["jax", "tensorflow", "torch"])
    there = {"jax": object(), "torch": object()}
    monkeypatch.setattr(installed, "find_spec", there.get)
    return probes


def row(kind, name, difference, tolerance):
    agrees = difference <= tolerance
    return {
        **{"kind": kind, "name": name, "difference": difference},
        **{"tolerance": tolerance, "agrees": agrees},
    }


def test_table(kzoo, probes):
    result = kzoo("parity", "text_classifier", "--steps", 5)
    assert result.exit_code == 0, result.output
    assert result.stdout == (
        "text_classifier: 1,234 parameters in float32; 4 rows of 8 tokens; 5 steps\n"
        "jax: jax 1.0 on auto\n"
        "tensorflow: tensorflow 1.0 on auto\n"
        "torch: torch 1.0 on auto\n"
        "\n"
        "largest difference   allowed  jax         jax      tensorflow\n"
        "                              tensorflow  torch    torch\n"
        "initial weights (1)  equal    equal       equal    equal\n"
        "encoder/block_0      1e-05    1.0e-07     1.0e-07  1.0e-07\n"
        "logits               1e-05    3.0e-07     3.0e-07  3.0e-07\n"
        "labels of 64 rows    equal    equal       equal    equal\n"
        "\n"
        "jax, tensorflow and torch agree.\n"
    )
    assert result.stderr.startswith("jax: computing (1 of 3)\njax: done in 1 s\n")
    assert probes.started[1] == ("parity", "tensorflow", "auto", 5)


def test_a_pair_that_differs(kzoo, probes):
    probes.wrong = (0, 2)
    result = kzoo("parity", "text_classifier")
    assert result.exit_code == 1
    assert "encoder/block_0      1e-05    1.0e-07     5.0e-01 !  1.0e-07\n" in (
        result.stdout
    )
    last = "jax and torch differ; first differing activation: that one.\n"
    assert result.stdout.endswith(f"\n\n{last}")
    layers = kzoo("parity", "text_classifier", "--layers").stdout
    assert "encoder/block_0/feed_forward  1e-05    1.0e-07     5.0e-01 !" in layers
    assert "encoder/block_0/attention     1e-05    1.0e-07     1.0e-07 " in layers
    assert layers.count("\nlogits ") == 1


def test_json(kzoo, probes):
    probes.wrong = (0, 1)
    result = kzoo("parity", "text_classifier", "--json", "--backends", "torch,jax")
    assert result.exit_code == 1
    answer = json.loads(result.stdout)
    assert [probe["name"] for probe in answer["probes"]] == ["torch", "jax"]
    assert not answer["agree"]
    assert answer["pairs"][0]["between"] == ["torch", "jax"]
    assert answer["pairs"][0]["rows"][2]["difference"] == 0.5


def test_devices_are_compared(kzoo, probes):
    devices = ["--device", "cpu", "--device", "gpu"]
    result = kzoo("parity", "text_classifier", "--backends", "jax", *devices)
    assert result.exit_code == 0
    assert [probe[1:3] for probe in probes.started] == [
        ("jax", "cpu"),
        ("jax", "gpu:0"),
    ]
    assert "jax cpu and jax gpu:0 agree." in result.stdout


@pytest.mark.parametrize(
    "arguments, sentence",
    [
        (
            ["--backends", "jax"],
            "parity compares backends or devices, and there is one: jax auto; name "
            'two, or `pip install "kzoo[all]"`.',
        ),
        (
            ["--backends", "jax,tensorflow"],
            "the backend tensorflow is not installed, but jax and torch are; "
            '`pip install "kzoo[tensorflow]"` brings tensorflow.',
        ),
        (["--backends", "jax,troch"], 'there is no backend "troch"; did you mean'),
        (["--set", "seed=x"], "seed"),
        (["--steps", "0"], "0 is not in the range 1<=x<=1000"),
    ],
)
def test_refusals(kzoo, probes, arguments, sentence):
    result = kzoo("parity", "text_classifier", *arguments)
    assert (result.exit_code, result.stdout, probes.started) == (2, "", [])
    assert sentence in result.stderr


def test_a_probe_that_dies(kzoo, probes, monkeypatch):
    def die(*arguments):
        raise Broken("it was killed by signal 9.")

    monkeypatch.setattr(command, "run_probe", die)
    result = kzoo("parity", "text_classifier")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.endswith("Error: jax: it was killed by signal 9.\n")


@pytest.mark.parametrize(
    "text, sentence",
    [
        ("", ""),
        ("noise\n", "noise"),
        ("Error: a\nnoise\n\n", "a"),
        ("noise\nError: first\nError: second\n", "second"),
    ],
)
def test_the_last_sentence_of_a_process(text, sentence):
    assert last_sentence(text) == sentence
