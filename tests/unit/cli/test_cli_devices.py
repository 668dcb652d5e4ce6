"""--device: what the framework is told before it starts, and what is refused."""

import os
import stat

import pytest
from kzoo_cli import device as devices
from kzoo_recipes import KzooError

ROWS = [
    ["0", "GPU-aaa", "NVIDIA H200"],
    ["1", "GPU-bbb", "NVIDIA H200"],
    ["2", "GPU-ccc", "NVIDIA L4"],
]
VARIABLES = ("CUDA_VISIBLE_DEVICES", "JAX_PLATFORMS", "KERAS_TORCH_DEVICE")


@pytest.fixture(autouse=True)
def nothing_chosen(monkeypatch):
    for name in VARIABLES:
        monkeypatch.setenv(name, "")  # So that what a command sets is undone.
        monkeypatch.delenv(name)
    monkeypatch.setattr(devices.shutil, "which", lambda program: None)


@pytest.fixture
def driver(monkeypatch, tmp_path):
    """An `nvidia-smi` that knows the GPUs of ROWS."""
    program = tmp_path / "nvidia-smi"
    lines = "\n".join(", ".join(row) for row in ROWS)
    program.write_text(f"#!/bin/sh\ncat <<'END'\n{lines}\nEND\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setattr(devices.shutil, "which", lambda _: str(program))


def test_cpu_is_said_to_every_framework(kzoo, fake):
    result = kzoo("evaluate", "zoo:text_classifier", "--device", "cpu", "--data", "x")
    assert result.exit_code == 2  # There is no x, and nothing was chosen yet.
    assert "JAX_PLATFORMS" not in os.environ
    assert kzoo("train", "text_classifier", "--device", "CPU").exit_code == 0
    chosen = {name: os.environ[name] for name in VARIABLES}
    assert chosen == dict(zip(VARIABLES, ("-1", "cpu", "cpu"), strict=True))


def test_auto_leaves_all_as_it_is(kzoo, fake):
    assert kzoo("train", "text_classifier").exit_code == 0
    assert not set(VARIABLES) & set(os.environ)


@pytest.mark.parametrize("command", ["train", "evaluate", "predict"])
def test_every_command_that_computes_has_it(kzoo, command):
    assert "--device [auto|cpu|gpu:N]" in kzoo(command, "--help").output


@pytest.mark.parametrize("value", ["tpu", "gpu:", "gpu:-1", "gpu:x", "cuda:0", ""])
def test_what_is_no_device(kzoo, value):
    result = kzoo("train", "text_classifier", "--device", value)
    assert result.exit_code == 2
    assert f"'{value}' is none of auto, cpu and gpu:N." in result.stderr


def test_a_machine_without_gpu(monkeypatch):
    """Without a driver to ask, the framework has the last word."""
    assert devices.gpus() is None
    chosen = devices.environment_for("gpu:1", None)
    assert chosen["CUDA_VISIBLE_DEVICES"] == "1"
    with pytest.raises(KzooError) as error:
        devices.check_started("gpu:1", "jax", "cpu")
    assert str(error.value) == "there is no device gpu:1; there is cpu."


def test_a_gpu_that_is_there(driver, monkeypatch):
    for name in ("JAX_PLATFORMS", "KERAS_TORCH_DEVICE"):
        monkeypatch.setenv(name, "cpu")  # What is typed wins.
    devices.select_device("gpu:2")
    chosen = {name: os.environ.get(name) for name in VARIABLES}
    assert chosen == dict(zip(VARIABLES, ("GPU-ccc", None, None), strict=True))
    devices.check_started("gpu:2", "jax", "NVIDIA L4")


def test_a_gpu_that_is_not_there(kzoo, fake, driver):
    result = kzoo("train", "text_classifier", "--device", "gpu:3")
    assert result.exit_code == 2
    assert result.stderr == (
        "Error: there is no device gpu:3; there is cpu, gpu:0 (NVIDIA H200), "
        "gpu:1 (NVIDIA H200) and gpu:2 (NVIDIA L4).\n"
    )
    assert fake.calls == []


def test_a_framework_without_cuda(driver):
    with pytest.raises(KzooError) as error:
        devices.check_started("gpu:0", "torch", "cpu")
    assert str(error.value) == (
        "torch sees no GPU, though the machine has gpu:0 (NVIDIA H200), gpu:1 "
        "(NVIDIA H200) and gpu:2 (NVIDIA L4): install torch with CUDA, or take "
        "--device cpu."
    )


@pytest.mark.parametrize(
    "allowed, names",
    [
        (None, ["GPU-aaa", "GPU-bbb", "GPU-ccc"]),
        ("2,0", ["2", "0"]),
        ("GPU-bbb", ["GPU-bbb"]),
        ("1, 7, 2", ["1"]),  # CUDA stops at what is no GPU.
        ("-1", []),
        ("", []),
    ],
)
def test_gpus_are_counted_as_cuda_does(allowed, names):
    assert list(devices.visible(ROWS, allowed)) == names


def test_a_driver_that_fails(monkeypatch, tmp_path):
    program = tmp_path / "nvidia-smi"
    program.write_text("#!/bin/sh\necho no driver\nexit 9\n")
    program.chmod(0o755)
    monkeypatch.setattr(devices.shutil, "which", lambda _: str(program))
    assert devices.gpus() is None
