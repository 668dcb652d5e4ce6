"""Choosing the Keras backend before Keras starts."""

import contextlib
import os
import sys
import types
from importlib.util import find_spec

import click
from kzoo_recipes import BACKENDS, KzooError

from .device import asked_device, check_started, device_option, select_device
from .early import EndsAtOnce
from .installed import is_installed, not_installed
from .start import hide_tensorflow, start_keras


def framework_option(help):
    """`--backend`, whatever the command does with it."""
    return click.option(
        "--backend",
        type=click.Choice(BACKENDS),
        envvar="KERAS_BACKEND",
        show_envvar=True,
        help=help,
    )


def backend_option(command):
    """Give a command `--backend`, and `--device` for `start_kzoo` to obey."""
    return framework_option("Framework to run on.")(device_option(command))


def select_backend(name):
    """Point Keras at backend `name`. Must run before anything imports keras."""
    started = sys.modules.get("keras")
    if started is not None and started.config.backend() != name:
        raise KzooError(
            f"Keras already runs on {started.config.backend()} in this process; "
            f"start a new one for {name}."
        )
    if not is_installed(name):
        raise not_installed(name)
    os.environ["KERAS_BACKEND"] = name


DETERMINISTIC_XLA = "--xla_gpu_deterministic_ops=true"


def ask_for_determinism(backend):
    """Tell the framework that is about to start to give equal bits in every run."""
    if backend == "torch":
        # cuBLAS is deterministic with either of its settings, so another one stays.
        os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
    elif backend == "jax":
        flags = os.environ.get("XLA_FLAGS", "").split()
        if DETERMINISTIC_XLA not in flags:
            os.environ["XLA_FLAGS"] = " ".join([*flags, DETERMINISTIC_XLA])


def start_kzoo(backend, device=None):
    """Import kzoo on `backend`, without the greetings of the framework.

    Computes on `device`; `None` is the one that the running command was given. Float32
    is multiplied as float32, whatever the device.
    """
    device = device or asked_device()
    select_device(device)
    select_backend(backend)
    hide_tensorflow(backend)
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    with _quiet() as screen, EndsAtOnce(screen):
        if "kzoo" not in sys.modules:
            start_keras(backend)
        import kzoo
        from kzoo.training import backend as running
        from kzoo.training.memory import keep_freed_memory

        keep_freed_memory()
        found = running.device() if device.startswith("gpu:") else None
        running.use_full_float32()
    check_started(device, backend, found)
    return kzoo


@contextlib.contextmanager
def kzoo_without_keras():
    """Let `kzoo.data`, `kzoo.text` and `kzoo.metrics` be imported without Keras.

    Importing any of them runs `kzoo/__init__.py`, which registers layers and models
    with Keras, and so takes seconds. Within this context an empty module stands in its
    place; afterwards it is gone, with all that was imported through it.
    """
    if "kzoo" in sys.modules:
        yield
        return
    package = types.ModuleType("kzoo")
    package.__path__ = list(find_spec("kzoo").submodule_search_locations)
    sys.modules["kzoo"] = package
    try:
        yield
    finally:
        for name in [n for n in sys.modules if n.partition(".")[0] == "kzoo"]:
            del sys.modules[name]


@contextlib.contextmanager
def _quiet():
    """Hold back file descriptor 2, where C++ writes; show it if an error follows.

    Gives the descriptor that still leads to the screen.

    TensorFlow logs before it reads TF_CPP_MIN_LOG_LEVEL.
    """
    from shutil import copyfileobj
    from tempfile import TemporaryFile

    sys.stderr.flush()
    screen = os.dup(2)
    with TemporaryFile() as held:
        os.dup2(held.fileno(), 2)
        try:
            yield screen
        except BaseException:
            held.seek(0)
            with open(screen, "wb", closefd=False) as stream:
                copyfileobj(held, stream)
            raise
        finally:
            os.dup2(screen, 2)
            os.close(screen)
