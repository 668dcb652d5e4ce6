"""Fetches checkpoints and prints what came: a process of its own, since
huggingface_hub takes its settings from the environment when it is imported."""

import json
import sys
import types
from pathlib import Path

ROOT = Path(__file__).parents[3] / "kzoo"
for package, folder in (("kzoo", ROOT), ("kzoo.interop", ROOT / "interop")):
    sys.modules[package] = types.ModuleType(package)  # without Keras and its seconds
    sys.modules[package].__path__ = [str(folder)]

from kzoo_recipes import KzooError  # noqa: E402

from kzoo.interop.hub import adapter_folder, local_folder  # noqa: E402


def told(name, offline):
    """The files of a checkpoint or adapter and where they are, or a sentence."""
    fetched = adapter_folder if "lora" in name else local_folder
    try:
        folder = fetched(name, offline)
    except KzooError as error:
        return str(error)
    files = (path for path in folder.rglob("*") if path.is_file())
    return [str(folder), sorted(str(path.relative_to(folder)) for path in files)]


names, offline = json.loads(sys.argv[1])
print(json.dumps([told(name, offline) for name in names]))
