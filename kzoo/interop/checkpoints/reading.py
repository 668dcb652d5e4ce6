"""A checkpoint's folder, looked at as a whole before anything is made of it."""

import difflib
from pathlib import Path

import numpy as np
from kzoo_recipes import KzooError

from kzoo.interop.checkpoints.files import DTYPES, tensors_in
from kzoo.safety import parse

CONFIG = "config.json"
ONE_FILE = "model.safetensors"
INDEX = "model.safetensors.index.json"
OTHERS = ("*.bin", "*.pt", "*.pth", "*.ckpt", "*.h5", "*.msgpack", "*.onnx", "*.gguf")
ADAPTER = (
    ", which `kzoo rebuild` and kzoo.from_peft make a model of, with its base; --merge "
    "makes it one that a recipe can begin with"
)
FLOATS = ("F64", "F32", "F16", "BF16")
CONVERT = (
    "transformers.AutoModel.from_pretrained(FOLDER).save_pretrained(OTHER_FOLDER), or "
    "the AutoModelFor… of its task, where torch is installed"
)


class Checkpoint:
    """The weights and the configuration of a model, as Hugging Face keeps them.

    Weights stay on disk until they are read, one at a time.

    Args:
        folder: str or `Path`. Holds `config.json` and `model.safetensors`, or the
            several files that `model.safetensors.index.json` lists.

    Attributes:
        folder: `Path`.
        config: dict, what `config.json` says.
        names: tuple of str, the tensors, as the files spell them.

    Raises:
        KzooError: if the folder is no such checkpoint: naming what it lacks, or the
            file and what is wrong with it. Weights in other formats are not read, since
            a pickle may run any code; the error says how to convert them.
    """

    def __init__(self, folder):
        self.folder = Path(folder)
        if not self.folder.is_dir():
            raise KzooError(f"{folder}: there is no such folder.")
        adapter = self.folder / "adapter_config.json"
        if adapter.is_file() and not (self.folder / CONFIG).is_file():
            raise KzooError(f"{folder}: this is an adapter of PEFT{ADAPTER}.")
        self.config = _object(self.folder / CONFIG, "what model this is")
        self._stored = _tensors(self.folder)
        self.names = tuple(self._stored)

    def __contains__(self, name):
        return name in self._stored

    def shape(self, name):
        """The shape of the tensor `name`."""
        return self._stored[name].shape

    def is_float(self, name):
        """Whether the tensor `name` is of numbers as models compute with them."""
        return self._stored[name].dtype in FLOATS

    def where(self, name):
        """The file that holds the tensor `name`, a `Path`."""
        return self._stored[name].path

    def read(self, name):
        """The tensor `name` as NumPy has it.

        Floats come as float32: those that are stored so straight from the memory map,
        read only; float16, bfloat16 and float64 as copies.

        Raises:
            KeyError: if there is no such tensor.
            KzooError: if its numbers are of a kind that NumPy does not have.
        """
        if name not in self._stored:
            close = difflib.get_close_matches(name, self.names, n=1)
            raise KeyError(f"no tensor {name!r}; the nearest is {close}")
        stored = self._stored[name]
        if stored.dtype not in DTYPES:
            raise KzooError(
                f"{stored.path}: `{name}` is stored as {stored.dtype}, which kzoo "
                f"cannot read; save the model in one of {', '.join(FLOATS)}."
            )
        array = stored.read()
        if self.is_float(name):
            return array.astype("float32", copy=False)
        return np.array(array)


def _object(path, tells):
    """What a file of the folder holds, a JSON object."""
    try:
        found = parse(path.read_bytes(), str(path))
    except FileNotFoundError:
        raise KzooError(
            f"{path.parent}: there is no {path.name}, which says {tells}; name the "
            "folder of a Hugging Face checkpoint."
        ) from None
    except OSError as error:
        raise KzooError(f"{path}: cannot be read: {error.strerror}.") from None
    if not isinstance(found, dict):
        raise KzooError(f"{path}: this is not a JSON object.")
    return found


def _tensors(folder):
    if (folder / ONE_FILE).exists():
        return tensors_in(folder / ONE_FILE)
    if (folder / INDEX).exists():
        return _sharded(folder)
    others = sorted(p.name for kind in OTHERS for p in folder.glob(kind))
    if others:
        raise KzooError(
            f"{folder}: the weights are in {others[0]}, which kzoo does not read, and "
            f"there is no {ONE_FILE}; convert them once by {CONVERT}."
        )
    raise KzooError(
        f"{folder}: there is no {ONE_FILE}, so there are no weights{_instead(folder)}."
    )


def _instead(folder):
    """What else is there, and how it becomes what is read, as a clause."""
    found = sorted(path.name for path in folder.glob("*.safetensors"))
    if not found:
        return ""
    if any(name.startswith("adapter_model") for name in found):
        return f"; adapter_model.safetensors is an adapter{ADAPTER}"
    if any("-of-" in name for name in found):
        return f"; {found[0]} is one of several files, which {INDEX} must list"
    if not (folder / found[0]).exists():
        return f"; {found[0]} is a link to a file that is not there"
    return f"; {found[0]} is there, which must be called {ONE_FILE} to be read"


def _sharded(folder):
    """The tensors of several files, each where the index says."""
    index = folder / INDEX
    places = _object(index, "where each tensor is").get("weight_map")
    if not isinstance(places, dict) or not all(map(_is_name, places.values())):
        raise KzooError(
            f"{index}: `weight_map` is not an object from names of tensors to names of "
            "files in this folder."
        )
    held = {name: tensors_in(folder / name) for name in sorted(set(places.values()))}
    for tensor, file in places.items():
        if tensor not in held[file]:
            raise KzooError(
                f"{index}: `{tensor}` should be in {file}, which does not hold it; "
                "fetch the checkpoint again."
            )
    listed = {
        tensor: stored for file in held.values() for tensor, stored in file.items()
    }
    for tensor in listed:
        if tensor not in places:
            raise KzooError(
                f"{listed[tensor].path}: `{tensor}` is not in {INDEX}, so the files "
                "are not of one checkpoint; fetch it again."
            )
    return {tensor: held[file][tensor] for tensor, file in places.items()}


def _is_name(value):
    """Whether a value is the name of a file, and not the way to another folder."""
    return isinstance(value, str) and value != "" and Path(value).name == value
