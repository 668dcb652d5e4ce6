"""What kzoo asks the running framework itself: its version and its device."""

import importlib
import importlib.metadata

import keras

if keras.backend.backend() == "torch":
    # Registers the framework's own way for the inner operations of the layers.
    importlib.import_module("kzoo.training.steppers.torch_operations")

PACKAGES = {"tensorflow": "tensorflow", "torch": "torch", "jax": "jax"}


def name():
    """The backend that Keras runs on."""
    return keras.backend.backend()


def version():
    """The running framework's version."""
    return importlib.metadata.version(PACKAGES[name()])


def device():
    """What the running framework computes on, as in `"cpu"` or `"NVIDIA H200"`."""
    return {"tensorflow": _tensorflow, "torch": _torch, "jax": _jax}[name()]()


def _tensorflow():
    import tensorflow as tf

    devices = tf.config.list_physical_devices("GPU")
    if not devices:
        return "cpu"
    details = tf.config.experimental.get_device_details(devices[0])
    return details.get("device_name", "gpu")


def _torch():
    import torch

    return torch.cuda.get_device_name() if torch.cuda.is_available() else "cpu"


def _jax():
    import jax

    return jax.devices()[0].device_kind
