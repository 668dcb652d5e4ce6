"""What `pretrained` may name, found on this machine: no Keras here."""

import json
from pathlib import Path
from typing import NamedTuple

from kzoo_recipes import KzooError
from kzoo_recipes.sources import is_zoo

from kzoo.interop.hub import local_folder
from kzoo.interop.tokenizers import read_tokenizer
from kzoo.safety import Archive
from kzoo.safety.model_files import model_file
from kzoo.text import Tokenizer

CHECKPOINT, MODEL, KEPT = "checkpoint", "model", "kept"
BY_A_RUN = "kept:"  # before the folder of what a run keeps; recipes cannot say it
# What a run keeps of it.
ENCODER, HEAD, TOKENIZER = "encoder.json", "head.json", "tokenizer.json"


class Origin(NamedTuple):
    """Where a pretrained encoder is.

    Attributes:
        name: str, as the user has it.
        path: `Path` of a folder; of a model of kzoo, str as `load_model` takes it.
        kind: "checkpoint", a folder as Hugging Face keeps models; "model", one that
            kzoo saved; or "kept", what a run keeps to be resumed without either.
    """

    name: str
    path: Path
    kind: str


def origin_of(name, offline=False):
    """Find what `pretrained` names; of the hub, fetch it.

    Args:
        name: str. `hf:ORG/NAME@REVISION`; a folder; a run folder or `.keras` file of
            kzoo; or `"zoo:NAME"`.
        offline: bool. Whether to fetch nothing.

    Returns:
        `Origin`.

    Raises:
        KzooError: if there is none.
    """
    if name.startswith(BY_A_RUN):
        return Origin(name, Path(name.removeprefix(BY_A_RUN)), KEPT)
    path = Path(name).expanduser()
    if is_zoo(name) or path.suffix == ".keras" or (path / "model.keras").is_file():
        return Origin(name, name if is_zoo(name) else path, MODEL)
    return Origin(name, local_folder(name, offline), CHECKPOINT)


def tokenizer_of(origin):
    """The tokenizer of an `Origin`, as `kzoo.text.Tokenizer`.

    Raises:
        KzooError: if it has none, or one that kzoo cannot read.
    """
    if origin.kind == MODEL:
        with model_file(origin.path) as file, Archive(Path(file)) as archive:
            member = f"assets/{TOKENIZER}"
            if member not in archive.members:
                raise KzooError(f"{file}: the model has no tokenizer.")
            described = archive.read(member).decode("utf-8")
            return Tokenizer.from_json(described, source=f"{file}: {TOKENIZER}")
    if origin.kind == KEPT:
        return Tokenizer.load(origin.path / TOKENIZER)
    try:
        config = json.loads((origin.path / "config.json").read_bytes())
    except (OSError, ValueError):
        config = {}  # What is wrong with it, the reader of weights says.
    return read_tokenizer(origin.path, config if isinstance(config, dict) else {})
