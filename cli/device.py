"""Choosing the device before a framework starts: none of them moves afterwards."""

import os
import re
import shutil
import subprocess

import click
from kzoo_recipes import KzooError

AUTO, CPU = "auto", "cpu"


class DeviceType(click.ParamType):
    """`auto`, `cpu` or `gpu:N`; `gpu` is `gpu:0`."""

    name = "device"

    def convert(self, value, param, ctx):
        value = value.strip().lower()
        value = "gpu:0" if value == "gpu" else value
        if value in (AUTO, CPU) or re.fullmatch(r"gpu:\d{1,4}", value):
            return value
        self.fail(f"'{value}' is none of auto, cpu and gpu:N.", param, ctx)


DEVICE = DeviceType()


def _remember(ctx, parameter, value):
    ctx.meta[__name__] = value


device_option = click.option(
    "--device",
    type=DEVICE,
    default=AUTO,
    show_default=True,
    metavar="[auto|cpu|gpu:N]",
    expose_value=False,
    callback=_remember,
    help="Device to compute on; auto is the framework's choice, a GPU if it sees one.",
)


def asked_device():
    """The device that the running command was given; `auto` outside of one."""
    ctx = click.get_current_context(silent=True)
    return AUTO if ctx is None else ctx.meta.get(__name__, AUTO)


def select_device(device):
    """Let the framework that is about to start see `device` alone.

    Args:
        device: str. `auto` leaves all as it is.

    Raises:
        KzooError: if the machine is known not to have it; the message lists what it
            has.
    """
    if device == AUTO:
        return
    for name, value in environment_for(device, gpus()).items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value


def environment_for(device, present):
    """The variables by which frameworks choose, for `device`; `None` is to be unset.

    Args:
        device: str. `cpu` or `gpu:N`, N counted among `present`.
        present: dict from what CUDA calls a GPU to its name, or `None` if the driver
            could not be asked; then the framework has the last word.

    Raises:
        KzooError: if `device` is not among `present`.
    """
    if device == CPU:
        # "-1" for TensorFlow, which takes an empty list for no list at all.
        return {
            "CUDA_VISIBLE_DEVICES": "-1",
            "JAX_PLATFORMS": "cpu",
            "KERAS_TORCH_DEVICE": "cpu",
        }
    number = int(device.removeprefix("gpu:"))
    if present is not None and number >= len(present):
        raise KzooError(no_such(device, present.values()))
    cuda = str(number) if present is None else list(present)[number]
    return {
        "CUDA_VISIBLE_DEVICES": cuda,
        "JAX_PLATFORMS": None,  # JAX' own order is a GPU first.
        "KERAS_TORCH_DEVICE": None,
    }


def check_started(device, backend, found):
    """Raise a `KzooError` unless the framework computes on the device asked for.

    Args:
        device: str. What was asked for.
        backend: str. The framework that started.
        found: str. `"cpu"`, or the name of the GPU that it computes on.
    """
    if device.startswith("gpu:") and found == CPU:
        present = gpus() or {}
        if not present:
            raise KzooError(no_such(device, ()))
        has = _listed(_numbered(present.values()))
        raise KzooError(
            f"{backend} sees no GPU, though the machine has {has}: install {backend} "
            "with CUDA, or take --device cpu."
        )


def gpus():
    """The GPUs that frameworks may see: {CUDA's name: the driver's name}, in order.

    Returns:
        dict, or `None` where there is no `nvidia-smi` to ask.
    """
    program = shutil.which("nvidia-smi")
    if program is None:
        return None
    query = [program, "--query-gpu=index,uuid,name", "--format=csv,noheader"]
    try:
        done = subprocess.run(query, capture_output=True, text=True, timeout=20)
    except (OSError, subprocess.TimeoutExpired):
        return None
    if done.returncode:
        return None
    rows = [line.split(", ", 2) for line in done.stdout.splitlines() if line]
    return visible(rows, os.environ.get("CUDA_VISIBLE_DEVICES"))


def visible(rows, allowed):
    """Those of `rows` (index, uuid, name) that CUDA_VISIBLE_DEVICES allows, in order.

    Like CUDA, stop at the first name that means no GPU.
    """
    if allowed is None:
        # By their serial names: CUDA may count in another order than the driver.
        return {uuid: name for _, uuid, name in rows}
    found = {}
    for wanted in filter(None, (part.strip() for part in allowed.split(","))):
        match = [
            name
            for index, uuid, name in rows
            if index == wanted or (wanted.startswith("GPU-") and uuid == wanted)
        ]
        if not match:
            break
        found[wanted] = match[0]
    return found


def no_such(device, names):
    """The sentence for a device that the machine lacks."""
    return f"there is no device {device}; there is {_listed([CPU, *_numbered(names)])}."


def _numbered(names):
    return [f"gpu:{number} ({name})" for number, name in enumerate(names)]


def _listed(words):
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1])))
