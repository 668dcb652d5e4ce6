"""One safetensors file: what it holds, and each tensor straight from the disk."""

import json
from dataclasses import dataclass
from pathlib import Path

import ml_dtypes
import numpy as np
import safetensors
from kzoo_recipes import KzooError

# The formats that weights come in, by their name in the file.
DTYPES = {
    "F64": np.dtype("<f8"),
    "F32": np.dtype("<f4"),
    "F16": np.dtype("<f2"),
    "BF16": np.dtype(ml_dtypes.bfloat16),
    "I64": np.dtype("<i8"),
    "I32": np.dtype("<i4"),
    "I16": np.dtype("<i2"),
    "I8": np.dtype("i1"),
    "U8": np.dtype("u1"),
    "BOOL": np.dtype("?"),
}


POINTER = b"version https://git-lfs"  # what git leaves where git-lfs was not there


@dataclass(frozen=True)
class Stored:
    """Where a tensor lies.

    Attributes:
        path: `Path` of the file.
        shape: tuple of int.
        dtype: str, a name of safetensors, such as "F32" or "BF16".
        start: int, its first byte in the file.
    """

    path: Path
    shape: tuple
    dtype: str
    start: int

    def read(self):
        """The tensor, read only, as NumPy has it; pages come from disk when touched."""
        dtype = DTYPES[self.dtype]
        if 0 in self.shape:  # There is nothing to map.
            return np.zeros(self.shape, dtype)
        array = np.memmap(self.path, dtype, "r", self.start, self.shape or (1,))
        return array.reshape(self.shape)


def tensors_in(path):
    """What a safetensors file holds, by name; the library has looked at all of it.

    Returns:
        dict from the name of each tensor to its `Stored`, in the order of the file.

    Raises:
        KzooError: if it is not a whole safetensors file.
    """
    try:
        with safetensors.safe_open(path, framework="numpy"), open(path, "rb") as file:
            size = int.from_bytes(file.read(8), "little")
            header = json.loads(file.read(size))
    except FileNotFoundError:
        raise KzooError(f"{path}: there is no such file of weights.") from None
    except OSError as error:
        reason = error.strerror or "it is no file"
        raise KzooError(f"{path}: cannot be read: {reason}.") from None
    except safetensors.SafetensorError as error:
        refuse_pointer(path)
        raise KzooError(
            f"{path}: this is no whole safetensors file: {str(error).rstrip('.')}; "
            "fetch it again."
        ) from None
    header.pop("__metadata__", None)
    found = {
        name: Stored(
            Path(path),
            tuple(entry["shape"]),
            entry["dtype"],
            8 + size + entry["data_offsets"][0],
        )
        for name, entry in header.items()
    }
    return dict(sorted(found.items(), key=lambda item: item[1].start))


def refuse_pointer(path):
    """Raise a `KzooError` if a file is what git keeps in place of a large one."""
    with open(path, "rb") as file:
        if file.read(len(POINTER)) == POINTER:
            raise KzooError(
                f"{path}: this is a pointer of git-lfs in place of the file; "
                "`git lfs pull` in its folder fetches the file itself."
            )
