"""Starting Keras without what kzoo does not use of it."""

import contextlib
import importlib
import sys
import types

# What Keras imports as it starts, where it is installed, for parts of it that kzoo does
# not use: galleries, wrappers and tables. That is half of the time it takes.
SPARED = ("matplotlib", "pandas", "sklearn")


def start_keras(backend):
    """Import Keras, and of what else is installed only what `backend` needs.

    TensorFlow stays away for good; what else is spared can be imported afterwards.

    Args:
        backend: str. The one that Keras runs on, chosen before.
    """
    hide_tensorflow(backend)
    spared = SPARED if backend == "jax" else (*SPARED, "jax")
    with _spared(*spared), _no_compiler(backend):
        import keras  # noqa: F401


def hide_tensorflow(backend):
    """Let TensorFlow seem not to be installed, unless it is the backend.

    Where it is installed, Keras imports it on every backend as soon as it reads or
    writes a layer's config, only to ask whether a value is TensorFlow's: seconds of
    waiting for each command. `None` in `sys.modules` means that there is no such
    module.
    """
    if backend != "tensorflow":
        sys.modules.setdefault("tensorflow", None)


@contextlib.contextmanager
def _spared(*names):
    """Let modules seem not to be installed, unless they are imported already."""
    absent = [name for name in names if name not in sys.modules]
    sys.modules.update(dict.fromkeys(absent))
    try:
        yield
    finally:
        for name in absent:
            sys.modules.pop(name)


class _Uncompiled(types.ModuleType):
    """Stands for `torch._dynamo` to decorate functions that are not to be compiled.

    Who wants anything else of it gets the module itself.
    """

    @staticmethod
    def disable(function=None, **_):
        return function if callable(function) else lambda function: function

    def __getattr__(self, name):
        sys.modules.pop(self.__name__, None)
        return getattr(importlib.import_module(self.__name__), name)


@contextlib.contextmanager
def _no_compiler(backend):
    """Let Keras start on PyTorch without its compiler, a second of imports.

    It would mark two functions for it; kzoo runs PyTorch eagerly.
    """
    if backend != "torch":
        yield
        return
    import torch  # noqa: F401  It asks for its compiler, too.

    name = "torch._dynamo"
    stands_in = sys.modules.setdefault(name, _Uncompiled(name))
    try:
        yield
    finally:
        if isinstance(stands_in, _Uncompiled) and sys.modules.get(name) is stands_in:
            del sys.modules[name]
