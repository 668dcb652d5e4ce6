"""What is asked of the running framework, and TensorFlow as a guest."""

import sys
import types

import numpy as np
import pytest

from kzoo.training import backend


@pytest.fixture
def guest(monkeypatch):
    """A TensorFlow that is loaded; `guest.hidden` is what it was told to see."""
    module = types.ModuleType("tensorflow")
    module.hidden = []
    module.config = types.SimpleNamespace(
        set_visible_devices=lambda devices, kind: module.hidden.append((devices, kind))
    )
    monkeypatch.setitem(sys.modules, "tensorflow", module)
    return module


def test_tensorflow_as_a_guest_sees_no_gpu(guest, monkeypatch):
    monkeypatch.setattr(backend, "name", lambda: "jax")
    backend.keep_tensorflow_off_the_gpu()
    assert guest.hidden == [([], "GPU")]


def test_tensorflow_as_the_backend_keeps_its_gpu(guest, monkeypatch):
    monkeypatch.setattr(backend, "name", lambda: "tensorflow")
    backend.keep_tensorflow_off_the_gpu()
    assert guest.hidden == []


def test_tensorflow_that_computes_already_is_left_alone(guest, monkeypatch):
    def refuse(devices, kind):
        raise RuntimeError("Visible devices cannot be modified after being initialized")

    monkeypatch.setattr(backend, "name", lambda: "torch")
    guest.config.set_visible_devices = refuse
    backend.keep_tensorflow_off_the_gpu()


@pytest.mark.parametrize("absent", [None, types.ModuleType("tensorflow")])
def test_tensorflow_that_is_not_there_is_not_missed(absent, monkeypatch):
    monkeypatch.setattr(backend, "name", lambda: "jax")
    monkeypatch.setitem(sys.modules, "tensorflow", absent)
    backend.keep_tensorflow_off_the_gpu()
    assert sys.modules["tensorflow"] is absent


def test_the_running_framework_names_itself_and_its_device(small):
    assert backend.name() in ("tensorflow", "torch", "jax")
    assert backend.version()[0].isdigit()
    assert backend.device()
    inputs = small.batch().inputs
    assert np.isfinite(small.stepper().predict(inputs)).all()
