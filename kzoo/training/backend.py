"""What kzoo asks the running framework itself: its version and its device."""

import contextlib
import importlib
import importlib.metadata
import sys

import keras
from keras import ops

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


def devices():
    """Everything that the running framework could compute on, by its own names."""
    return {"tensorflow": _tensorflow_all, "torch": _torch_all, "jax": _jax_all}[
        name()
    ]()


def threads():
    """Threads of the running framework on the CPU, by what they are for.

    Returns:
        dict of int. 0 leaves the number to the framework; JAX does not say.
    """
    if name() == "torch":
        import torch

        inner, between = torch.get_num_threads(), torch.get_num_interop_threads()
    elif name() == "tensorflow":
        from tensorflow.config import threading

        inner = threading.get_intra_op_parallelism_threads()
        between = threading.get_inter_op_parallelism_threads()
    else:
        return {}
    return {"within an operation": inner, "between operations": between}


def keep_tensorflow_off_the_gpu():
    """Hide the GPUs from a TensorFlow that is loaded but is not the backend.

    It would take all of their memory at its first operation. Nothing is imported for
    it, and a TensorFlow that computes already keeps what it has.
    """
    tensorflow = sys.modules.get("tensorflow")
    if name() != "tensorflow" and hasattr(tensorflow, "config"):
        with contextlib.suppress(RuntimeError):
            tensorflow.config.set_visible_devices([], "GPU")


def _tensorflow():
    import tensorflow as tf

    devices = tf.config.get_visible_devices("GPU")
    if not devices:
        return "cpu"
    details = tf.config.experimental.get_device_details(devices[0])
    return details.get("device_name", "gpu")


def _torch():
    import torch

    chosen = ops.zeros(()).device  # Keras may have been told another than the first.
    return torch.cuda.get_device_name(chosen) if chosen.type == "cuda" else chosen.type


def _jax():
    import jax

    return jax.devices()[0].device_kind


def _tensorflow_all():
    import tensorflow as tf

    seen = tf.config.get_visible_devices()
    return [device.name.removeprefix("/physical_device:") for device in seen]


def _torch_all():
    import torch

    gpus = [torch.cuda.get_device_name(i) for i in range(torch.cuda.device_count())]
    return ["cpu", *gpus]


def _jax_all():
    import jax

    return [str(device) for device in jax.devices()]


keep_tensorflow_off_the_gpu()  # If it was loaded before; a stepper asks again.
