"""`kzoo bench attention`."""

import json

import pytest
from click.testing import CliRunner
from helpers.processes import run
from kzoo_cli.bench_report import print_costs
from kzoo_cli.group import group

from kzoo.bench import attention
from kzoo.bench.costs import AttentionCosts, Cost, exponent


def costs(**more):
    known = {
        "backend": "jax",
        "device": "cpu",
        "lengths": [1000, 2000, 4000],
        "kernels": ["dense", "linear", "native"],
        "batch": 1,
        "heads": 4,
        "head_dim": 64,
        "rounds": 3,
        "training": True,
        "costs": [
            *(Cost("dense", n, n**2 * 1e-7, 4 * n**2) for n in (1000, 2000)),
            Cost("dense", 4000, problem="needs about 9.9 GB, and 2.0 GB are free"),
            *(Cost("linear", n, n * 1e-4, 1000 * n) for n in (4000, 1000, 2000)),
            *(Cost("native", n, problem="none here") for n in (1000, 2000, 4000)),
        ],
    }
    return AttentionCosts(**known | more)


def test_growth():
    assert exponent([(10, 5.0), (20, 20.0), (40, 80.0)]) == pytest.approx(2.0)
    assert exponent([(1, 7.0), (2, 1.0), (4, 2.0), (8, 4.0)]) == pytest.approx(1.0)
    assert exponent([(1, 7.0), (2, None)]) is None
    assert costs().exponents == {
        "dense": (pytest.approx(2.0), pytest.approx(2.0)),
        "linear": (pytest.approx(1.0), pytest.approx(1.0)),
        "native": (None, None),
    }


def test_tables(capsys):
    print_costs(costs())
    shown = capsys.readouterr().out
    assert max(map(len, shown.splitlines())) <= 80
    assert shown == (
        "attention on jax (cpu), with gradients: 1 text, 4 heads of 64, float32; "
        "medians\nof 3 rounds\n"
        "\n"
        "time     1,000   2,000   4,000  grows\n"
        "dense   100 ms  400 ms       –  ^2.00\n"
        "linear  100 ms  200 ms  400 ms  ^1.00\n"
        "native       –       –       –      –\n"
        "\n"
        "memory     1,000    2,000    4,000  grows\n"
        "dense    3.81 MB  15.3 MB        –  ^2.00\n"
        "linear  0.954 MB  1.91 MB  3.81 MB  ^1.00\n"
        "native         –        –        –      –\n"
        "\n"
        "dense, from 4,000 tokens on: needs about 9.9 GB, and 2.0 GB are free\n"
        "native, from 1,000 tokens on: none here\n"
    )


def test_what_would_not_fit_is_not_tried(monkeypatch):
    asked = []

    def answers(made, job):
        asked.append(job["work"])
        if job["what"] == "memory":
            [[_, length]] = job["work"]
            return [{"device": "cpu", "bytes": 4 * length**2}]
        return [
            {"round": n, "kernel": kernel, "length": length, "seconds": n}
            for n in range(4)
            for kernel, length in job["work"]
        ]

    monkeypatch.setattr(attention, "_answers", answers)
    monkeypatch.setattr(attention, "_free", lambda: 60 * 2**20)
    found = attention.measure(["dense"], [1000, 4000, 2000, 8000], backend="jax")
    assert asked[:2] == [[["dense", 1000]], [["dense", 2000]]]
    assert asked[2:] == [[["dense", 1000], ["dense", 2000]]]
    assert [cost.seconds for cost in found.of("dense")] == [2, 2, None, None]
    assert {cost.problem for cost in found.of("dense")[2:]} == {
        "needs about 0.1 GB, and 0.1 GB are free"
    }


@pytest.mark.parametrize(
    "options, sentence",
    [
        (["--kernels", "lin"], 'there is no kernel "lin"; did you mean "linear"?'),
        (["--kernels", "xyz"], 'there is no kernel "xyz"; there are dense, '),
        (["--lengths", "64,x"], "'64,x' is no list of numbers"),
        (["--lengths", "0"], "'0' is no list of numbers"),
    ],
    ids=str,
)
def test_what_cannot_be_measured(options, sentence):
    done = CliRunner().invoke(group, ["bench", "attention", *options])
    assert done.exit_code == 2
    assert sentence in done.output


def test_measures(tmp_path):
    done = run(
        *("kzoo", "bench", "attention", "--json", "--training"),
        *("--kernels", "linear", "--lengths", "65", "--rounds", "1"),
        *("--heads", "2", "--head-dim", "8", "--batch", "2"),
        cwd=tmp_path,
        backend="torch",
    )
    assert done.returncode == 0, done.stderr
    assert "memory of linear (1 of 1)" in done.stderr and "compiling" in done.stderr
    found = json.loads(done.stdout)
    assert [c["kernel"] for c in found["costs"]] == ["linear"]
    assert all(c["seconds"] > 0 and c["bytes"] >= 0 for c in found["costs"])
    assert (found["device"], found["training"]) == ("cpu", True)
