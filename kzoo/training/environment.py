"""Where a run was made, without naming who made it."""

import importlib.metadata
import os
import platform

from kzoo.training import backend

PACKAGES = ("kzoo", "keras", "numpy", "tokenizers", "scikit-learn", "safetensors")


def environment(precision):
    """Versions, machine and device of this process, as JSON takes them."""
    return {
        "python": platform.python_version(),
        **{package: _version(package) for package in PACKAGES},
        "backend": backend.name(),
        "backend_version": backend.version(),
        "device": backend.device(),
        "precision": precision,
        "system": platform.system(),
        "machine": platform.machine(),
        "cpu_count": os.cpu_count(),
    }


def _version(package):
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None
