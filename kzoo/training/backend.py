"""What kzoo asks the running framework itself, and how it wants it to compute."""

import contextlib
import importlib
import importlib.metadata
import os
import sys

import keras
from keras import ops
from kzoo_recipes import KzooError

if keras.backend.backend() in ("torch", "jax"):
    # Registers the framework's own way for the inner operations of the layers.
    importlib.import_module(
        f"kzoo.training.steppers.{keras.backend.backend()}_operations"
    )

DETERMINISTIC_XLA = "--xla_gpu_deterministic_ops=true"
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


def device_memory():
    """Bytes that the framework holds on its GPU, and the most it has held there.

    Returns:
        pair of int, or `None` on a CPU.
    """
    if device() == "cpu":
        return None
    if name() == "tensorflow":
        import tensorflow as tf

        info = tf.config.experimental.get_memory_info("GPU:0")
        return info["current"], info["peak"]
    if name() == "torch":
        import torch

        return torch.cuda.memory_allocated(), torch.cuda.max_memory_allocated()
    import jax

    info = jax.devices()[0].memory_stats() or {}
    return info.get("bytes_in_use", 0), info.get("peak_bytes_in_use", 0)


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


def use_full_float32():
    """Multiply float32 matrices in float32, on every device.

    On a GPU, TensorFlow and JAX round the factors to the ten bits of TensorFloat-32,
    and so does PyTorch in convolutions, unless told otherwise. Holds for the process.
    """
    if name() == "tensorflow":
        import tensorflow as tf

        tf.config.experimental.enable_tensor_float_32_execution(False)
    elif name() == "torch":
        import torch

        torch.set_float32_matmul_precision("highest")
        torch.backends.cudnn.allow_tf32 = False
    else:
        import jax

        jax.config.update("jax_default_matmul_precision", "highest")


def use_deterministic_operations():
    """Let the same run give the same bits again. Holds for the process.

    On a CPU kzoo's runs do so anyway. On a GPU, sums whose order is left to chance are
    replaced by slower ones; PyTorch raises a `RuntimeError` where it has none.

    Raises:
        KzooError: on JAX with a GPU, if XLA was started without its flag for this.
            `kzoo train --deterministic` sets it in time.
    """
    if name() == "tensorflow":
        import tensorflow as tf

        tf.config.experimental.enable_op_determinism()
    elif name() == "torch":
        import torch

        # cuBLAS reads it when it is first used.
        os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
        torch.use_deterministic_algorithms(True)
        torch.backends.cudnn.benchmark = False
    elif device() != "cpu" and DETERMINISTIC_XLA not in os.environ.get("XLA_FLAGS", ""):
        raise KzooError(
            "[training] deterministic: XLA reads its flags when JAX starts, so set "
            f"XLA_FLAGS={DETERMINISTIC_XLA} before it does, or use `kzoo train "
            "--deterministic`."
        )


keep_tensorflow_off_the_gpu()  # If it was loaded before; a stepper asks again.
