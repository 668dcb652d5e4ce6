"""How the framework is told to compute: float32 in full, and the same bits again."""

import os
import sys
import types

import pytest
from kzoo_recipes import KzooError

from kzoo.training import backend


@pytest.fixture
def torch(monkeypatch):
    """PyTorch as the backend; what is set there is put back."""
    torch = pytest.importorskip("torch", reason="its settings are looked at")
    monkeypatch.setattr(backend, "name", lambda: "torch")
    before = torch.get_float32_matmul_precision(), torch.backends.cudnn.allow_tf32
    benchmark = torch.backends.cudnn.benchmark
    deterministic = torch.are_deterministic_algorithms_enabled()
    yield torch
    torch.set_float32_matmul_precision(before[0])
    torch.backends.cudnn.allow_tf32 = before[1]
    torch.backends.cudnn.benchmark = benchmark
    torch.use_deterministic_algorithms(deterministic)


def test_a_stepper_multiplies_float32_in_float32(small):
    """On the backend that runs, whatever it was told before."""
    if backend.name() == "torch":
        import torch

        torch.set_float32_matmul_precision("high")
        torch.backends.cudnn.allow_tf32 = True
        small.stepper()
        assert torch.get_float32_matmul_precision() == "highest"
        assert not torch.backends.cuda.matmul.allow_tf32
        assert not torch.backends.cudnn.allow_tf32
    elif backend.name() == "tensorflow":
        import tensorflow as tf

        tf.config.experimental.enable_tensor_float_32_execution(True)
        small.stepper()
        assert not tf.config.experimental.tensor_float_32_execution_enabled()
    else:
        import jax

        jax.config.update("jax_default_matmul_precision", "tensorfloat32")
        small.stepper()
        assert jax.config.jax_default_matmul_precision == "highest"


def test_determinism_on_torch(torch, monkeypatch):
    monkeypatch.setenv("CUBLAS_WORKSPACE_CONFIG", "")  # So that it is undone.
    monkeypatch.delenv("CUBLAS_WORKSPACE_CONFIG")
    torch.backends.cudnn.benchmark = True
    backend.use_deterministic_operations()
    assert torch.are_deterministic_algorithms_enabled()
    assert not torch.backends.cudnn.benchmark
    assert os.environ["CUBLAS_WORKSPACE_CONFIG"] == ":4096:8"


def test_determinism_on_tensorflow(monkeypatch):
    asked = []
    tf = types.ModuleType("tensorflow")
    experimental = types.SimpleNamespace(
        enable_op_determinism=lambda: asked.append("determinism")
    )
    tf.config = types.SimpleNamespace(experimental=experimental)
    monkeypatch.setitem(sys.modules, "tensorflow", tf)
    monkeypatch.setattr(backend, "name", lambda: "tensorflow")
    backend.use_deterministic_operations()
    assert asked == ["determinism"]


def test_jax_on_a_gpu_needs_its_flag_before_it_starts(monkeypatch):
    monkeypatch.setattr(backend, "name", lambda: "jax")
    monkeypatch.setattr(backend, "device", lambda: "NVIDIA H200")
    monkeypatch.setenv("XLA_FLAGS", "--xla_dump_to=/nowhere")
    with pytest.raises(KzooError) as error:
        backend.use_deterministic_operations()
    assert str(error.value) == (
        "[training] deterministic: XLA reads its flags when JAX starts, so set "
        "XLA_FLAGS=--xla_gpu_deterministic_ops=true before it does, or use `kzoo train "
        "--deterministic`."
    )
    monkeypatch.setenv("XLA_FLAGS", "--xla_gpu_deterministic_ops=true")
    backend.use_deterministic_operations()
    monkeypatch.delenv("XLA_FLAGS")
    monkeypatch.setattr(backend, "device", lambda: "cpu")
    backend.use_deterministic_operations()
