"""The versions kzoo is tested with: those of constraints.txt, as a test makes sure."""

import importlib.metadata

TESTED = {
    "keras": "3.15.1",
    "jax": "0.10.2",
    "jaxlib": "0.10.2",
    "tensorflow": "2.21.0",
    "torch": "2.13.0",
    "numpy": "2.4.6",
    "tokenizers": "0.23.3",
    "safetensors": "0.8.0",
    "scikit-learn": "1.9.1",
    "scipy": "1.17.1",
    "rouge-score": "0.1.2",
    "seqeval": "1.2.2",
    "h5py": "3.14.0",
    "ml_dtypes": "0.6.0",
    "msgspec": "0.23.0",
    "click": "8.5.1",
    "rich": "15.0.0",
}


def installed_version(package):
    """The version of a package, or `None` if it is not there."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def versions():
    """Every package that kzoo needs: dict of `installed` and `tested` by name.

    A local part such as `+cpu` tells builds of one version apart and counts as tested.
    """
    found = {}
    for package, tested in TESTED.items():
        version = installed_version(package)
        same = version is not None and version.partition("+")[0] == tested
        found[package] = {"installed": version, "tested": tested, "same": same}
    return found
