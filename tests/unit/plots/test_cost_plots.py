"""Costs of attention are drawn as they were measured, with the powers that fit."""

import json

import numpy as np
import pytest
from kzoo_recipes import KzooError

from kzoo import plots

LENGTHS = [512, 1024, 2048]


def measured():
    costs = [
        {
            "kernel": kernel,
            "length": length,
            "seconds": length**power * 1e-7,
            "bytes": None if kernel == "window" else length * 1000,
            "problem": None,
        }
        for kernel, power in (("dense", 2), ("window", 1))
        for length in reversed(LENGTHS)
    ]
    lost = {"kernel": "native", "length": 512, "seconds": None, "bytes": None}
    return {
        "backend": "jax",
        "device": "cpu",
        "lengths": LENGTHS,
        "kernels": ["dense", "window", "native"],
        "batch": 1,
        "heads": 4,
        "head_dim": 64,
        "training": False,
        "costs": [*costs, {**lost, "problem": "there is none"}],
        "exponents": {"dense": [2.0, 1.0], "window": [1.0, None]},
    }


def test_figures_show_what_was_measured():
    found = plots.complexity(measured())
    assert found["setting"] == "jax, cpu, batch 1, heads 4, head 64, forward"
    assert [*found["kernels"]] == ["dense", "window"]  # One could not be measured.
    time, memory = plots.complexity_figure(found).axes
    labels = [line.get_label() for line in time.lines]
    assert labels == ["dense, n^2.00", "window, n^1.00"]
    for line, power in zip(time.lines, (2, 1), strict=True):
        assert line.get_xdata().tolist() == LENGTHS
        expected = np.array(LENGTHS, float) ** power * 1e-4  # milliseconds
        np.testing.assert_allclose(line.get_ydata(), expected)
    [line] = memory.lines
    np.testing.assert_allclose(line.get_ydata(), np.array(LENGTHS) * 1000 / 2**20)
    assert (line.get_label(), time.get_xscale()) == ("dense, n^1.00", "log")
    assert "milliseconds" in time.get_ylabel() and "MiB" in memory.get_ylabel()


@pytest.mark.parametrize(
    "told, message",
    [
        ([], "this is no measurement: it is what `kzoo bench attention --json`"),
        ({"kernels": [], "lengths": [], "costs": []}, "nothing was measured"),
    ],
)
def test_what_is_no_measurement(told, message):
    with pytest.raises(KzooError, match=message):
        plots.complexity(told)


def test_into_a_terminal_and_a_file(command, tmp_path):
    tmp_path.joinpath("costs.json").write_text(json.dumps(measured()))
    shown = command("complexity", "costs.json")
    assert shown.exit_code == 0 and "x window, n^1.00" in shown.stdout
    assert command("complexity", "costs.json", "--output", "c.png").exit_code == 0
    assert tmp_path.joinpath("c.png").stat().st_size > 1000
    assert command("complexity", "none.json").exit_code == 2


def test_without_a_file_it_is_measured_now(command, monkeypatch):
    from kzoo.bench import attention
    from kzoo.bench.costs import AttentionCosts, Cost

    asked = []

    def measure(**how):
        asked.append(how["backend"])
        costs = [Cost("dense", length, length**2 * 1e-7, length) for length in LENGTHS]
        sizes = {"batch": 1, "heads": 4, "head_dim": 64, "rounds": 3}
        return AttentionCosts(
            "torch", "cpu", LENGTHS, ["dense"], **sizes, training=False, costs=costs
        )

    monkeypatch.setattr(attention, "measure", measure)
    shown = command("complexity", "--backend", "torch")
    assert asked == ["torch"] and "o dense, n^2.00" in shown.stdout
