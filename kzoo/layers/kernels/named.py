"""Kernels of attention by name, and what may be said instead of a name."""

import difflib
import inspect

import keras

from kzoo.layers.kernels.big_bird import BigBirdKernel
from kzoo.layers.kernels.blockwise import BlockwiseKernel
from kzoo.layers.kernels.kernel import Kernel
from kzoo.layers.kernels.linear import LinearKernel
from kzoo.layers.kernels.longformer import LongformerKernel
from kzoo.layers.kernels.native import NativeKernel
from kzoo.layers.kernels.performer import PerformerKernel
from kzoo.layers.kernels.top_k import TopKKernel
from kzoo.layers.kernels.window import WindowKernel

KERNELS = {
    "big_bird": BigBirdKernel,
    "blockwise": BlockwiseKernel,
    "linear": LinearKernel,
    "longformer": LongformerKernel,
    "native": NativeKernel,
    "performer": PerformerKernel,
    "top_k": TopKKernel,
    "window": WindowKernel,
}


def kernel_part(value):
    """Return the kernel that `value` says, or `None` for plain dense attention.

    Args:
        value: `None`; str, a key of `KERNELS`; a dict with such a name at "kind" and
            options of that kernel, such as `{"kind": "window", "window": 64}`; a
            `Kernel`; or its serialised form.

    Raises:
        ValueError: if there is no such kernel, or it has no such option.
    """
    if value is None or isinstance(value, Kernel):
        return value
    if isinstance(value, dict) and "class_name" in value:
        return keras.saving.deserialize_keras_object(value)
    options = dict(value) if isinstance(value, dict) else {"kind": value}
    kind = options.pop("kind", None)
    if not isinstance(kind, str) or kind not in KERNELS:
        raise ValueError(
            f"`kernel` must be a kernel or one of {', '.join(map(repr, KERNELS))}."
            f"{_hint(kind, KERNELS)} Received: kernel={value!r}"
        )
    known = options_of(kind)
    for name in options:
        if name not in known:
            raise ValueError(
                f"The kernel {kind!r} has no option {name!r}; it has "
                f"{', '.join(known) or 'none'}.{_hint(name, known)} "
                f"Received: kernel={value!r}"
            )
    return KERNELS[kind](**options)


def options_of(kind):
    """Return the options of a kernel and their defaults.

    Args:
        kind: str. A key of `KERNELS`.
    """
    parameters = inspect.signature(KERNELS[kind]).parameters.values()
    return {p.name: p.default for p in parameters if p.kind == p.POSITIONAL_OR_KEYWORD}


def _hint(name, known):
    close = difflib.get_close_matches(str(name), known, n=1)
    return f" Did you mean {close[0]!r}?" if close else ""
