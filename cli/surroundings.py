"""What a run takes from around it: folders, variables, processors, a shadowed kzoo."""

import json
import os
import subprocess
import sys
from pathlib import Path

VARIABLES = (
    "KERAS_BACKEND",
    "KERAS_HOME",
    "KERAS_TORCH_DEVICE",
    "CUDA_VISIBLE_DEVICES",
    "JAX_PLATFORMS",
    "XLA_FLAGS",
    "TF_XLA_FLAGS",
    "OMP_NUM_THREADS",
    "MKL_NUM_THREADS",
    "HF_HOME",
    "HF_HUB_OFFLINE",
    "KZOO_TRACEBACK",
)
SECONDS = 30  # for a Python that only looks for kzoo


def variables():
    """The environment variables that change what kzoo does, those that are set."""
    return {name: os.environ[name] for name in VARIABLES if name in os.environ}


def folders():
    """Where Keras and the Hugging Face libraries keep files. kzoo itself keeps none."""
    home = Path(os.environ.get("KERAS_HOME") or Path.home() / ".keras")
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    hugging_face = Path(os.environ.get("HF_HOME") or cache / "huggingface")
    hub = Path(os.environ.get("HF_HUB_CACHE") or hugging_face / "hub")
    datasets = Path(os.environ.get("HF_DATASETS_CACHE") or hugging_face / "datasets")
    named = {"Keras": home, "Hugging Face hub": hub, "datasets": datasets}
    return {
        name: {"path": str(path), "exists": path.is_dir(), "writable": writable(path)}
        for name, path in named.items()
    }


def writable(path):
    """Whether a file could be written in a folder, which may have to be made."""
    path = path.absolute()
    existing = next(p for p in (path, *path.parents) if p.exists())
    return existing.is_dir() and os.access(existing, os.W_OK | os.X_OK)


def keras_settings():
    """What keras.json says, and which backend follows without kzoo's own choice.

    Returns:
        dict of `file`, str or `None`; `values`, dict; `error`, str or `None`; and
        `backend` with `backend_from`, which speak of `import keras` in a user's own
        program.
    """
    home = Path(os.environ.get("KERAS_HOME") or Path.home() / ".keras").expanduser()
    file, values, error = home / "keras.json", {}, None
    try:
        read = json.loads(file.read_text("utf-8"))
        values = read if isinstance(read, dict) else {}
    except FileNotFoundError:
        file = None
    except (OSError, ValueError) as problem:
        error = f"{file} cannot be read: {problem}"
    backend, source = "tensorflow", "Keras' own default"
    if "backend" in values:
        backend, source = values["backend"], str(file)
    if os.environ.get("KERAS_BACKEND"):
        backend, source = os.environ["KERAS_BACKEND"], "KERAS_BACKEND"
    return {
        "file": file and str(file),
        "values": values,
        "error": error,
        "backend": backend,
        "backend_from": source,
    }


def processors():
    """CPUs of the machine and those that this process may use."""
    allowed = os.cpu_count() or 1
    if hasattr(os, "sched_getaffinity"):
        allowed = len(os.sched_getaffinity(0))
    quota = _quota()
    if quota is not None:
        allowed = max(1, min(allowed, round(quota)))
    return {"machine": os.cpu_count() or 1, "usable": allowed}


def _quota():
    """CPUs that a container may use at once, by its control group; `None` is all."""
    try:
        limit, period = Path("/sys/fs/cgroup/cpu.max").read_text().split()
    except (OSError, ValueError):
        return None
    return None if limit == "max" else int(limit) / int(period)


def shadow(folder):
    """What hides kzoo from a Python that starts in `folder`, or `None`.

    A checkout named `kzoo` has no `__init__.py`, but from the folder above it Python
    takes it for a package without code, before it asks an editable install.
    """
    question = (
        "import importlib.util as u; s = u.find_spec('kzoo'); "
        "print(s.origin or '' if s else '', *(s.submodule_search_locations or ()) "
        "if s else (), sep='\\n')"
    )
    try:
        done = subprocess.run(
            [sys.executable, "-c", question],
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=SECONDS,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    origin, *where = [*done.stdout.split("\n"), ""]
    if done.returncode or origin or not any(where):
        return None
    return where[0]
