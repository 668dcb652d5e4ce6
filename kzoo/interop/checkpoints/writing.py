"""Writing a checkpoint's folder, as transformers reads it."""

import json
from pathlib import Path

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import save_file

from kzoo.interop.checkpoints.reading import CONFIG, ONE_FILE


def write(folder, tensors, config):
    """Write `config.json` and `model.safetensors`.

    Args:
        folder: str or `Path`. Made if it is not there.
        tensors: dict from str to NumPy arrays.
        config: dict, JSON.

    Raises:
        OSError: if the disk takes no more.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    content = json.dumps(config, indent=2, ensure_ascii=False, sort_keys=True) + "\n"
    folder.joinpath(CONFIG).write_text(content, encoding="utf-8")
    whole = {name: np.asarray(array, order="C") for name, array in tensors.items()}
    # transformers asks who wrote a file; arrays of torch and of NumPy are alike in it.
    try:
        save_file(whole, folder / ONE_FILE, metadata={"format": "pt"})
    except SafetensorError as error:
        raise OSError(str(error).rpartition("I/O error: ")[2]) from None
