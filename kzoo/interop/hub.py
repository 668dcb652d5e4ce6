"""Checkpoints and adapters of the Hugging Face hub as folders on this machine.

Needs `kzoo[hub]`.
"""

from pathlib import Path

from kzoo_recipes import KzooError
from kzoo_recipes.sources import hub_name, is_hub

WEIGHTS = ("model.safetensors", "model.safetensors.index.json")
PICKLES = ("pytorch_model.bin", "pytorch_model.bin.index.json")
# All that kzoo reads of a checkpoint, by its exact name: repositories hold the same
# weights for other libraries as well, some of them in subfolders.
FILES = (
    *WEIGHTS,
    "model-?????-of-?????.safetensors",
    *("config.json", "generation_config.json"),
    *("preprocessor_config.json", "processor_config.json"),
    *("tokenizer.json", "tokenizer_config.json", "special_tokens_map.json"),
    *("added_tokens.json", "vocab.txt", "vocab.json", "merges.txt"),
    *("spiece.model", "spm.model", "sentencepiece.bpe.model"),
    *("source.spm", "target.spm", "target_vocab.json"),
)

# An adapter of PEFT, the file that makes it one first.
ADAPTER = ("adapter_config.json", "adapter_model.safetensors")


def local_folder(name, offline=False):
    """The folder in which a checkpoint is, fetched from the hub if it has to be.

    What was fetched stays in the cache of huggingface_hub, which `HF_HOME` moves, and
    is not fetched again while the revision has not changed. Progress goes to stderr.
    `HF_HUB_OFFLINE=1` keeps from asking the hub at all.

    Args:
        name: str or `Path`. A folder; or `hf:ORG/NAME@REVISION`, where the revision is
            a branch, a tag or a commit and may be left out.
        offline: bool. Whether to take only what is in the cache.

    Returns:
        `Path`.

    Raises:
        KzooError: if there is no such folder or checkpoint, it is not open to you, the
            hub cannot be reached, or its weights are pickles.
    """
    if not is_hub(name):
        return _folder(Path(name).expanduser(), name)
    spelt = _spelt(name, "a checkpoint")
    if spelt.is_folder:
        return _folder(Path(spelt.name).expanduser(), name)
    return _fetched(name, spelt, offline, FILES, WEIGHTS, _no_weights)


def adapter_folder(name, offline=False):
    """The folder in which an adapter of PEFT is, fetched from the hub if it has to be.

    Args:
        name: str or `Path`, as for `local_folder`.
        offline: bool. Whether to take only what is in the cache.

    Returns:
        `Path`; of a folder that is named it is not asked what is in it.

    Raises:
        KzooError: if the hub has no such adapter, it is not open to you, or the hub
            cannot be reached.
    """
    if not is_hub(name):
        return Path(name)
    spelt = _spelt(name, "an adapter")
    if spelt.is_folder:
        return Path(spelt.name).expanduser()
    return _fetched(name, spelt, offline, ADAPTER, ADAPTER[1:], _no_adapter)


def _spelt(name, what):
    spelt = hub_name(name)
    if spelt is None or spelt.config is not None or spelt.split is not None:
        raise KzooError(
            f"{name}: {what} of the hub is written hf:ORG/NAME or hf:ORG/NAME@REVISION."
        )
    return spelt


def _fetched(name, spelt, offline, files, needed, without):
    """The folder in the cache with some files, of which one of `needed` must be there.

    `without` makes an error of the name and the names of all files that there are.
    """
    try:
        import huggingface_hub
    except ImportError:
        raise KzooError(
            f"{name}: the hub is reached by the package huggingface_hub; "
            '`pip install "kzoo[hub]"` brings it.'
        ) from None
    asked = {"repo_id": spelt.name, "revision": spelt.revision}
    try:
        folder = huggingface_hub.snapshot_download(
            **asked, allow_patterns=list(files), local_files_only=offline
        )
        if not any(Path(folder, file).exists() for file in needed):
            there = [] if offline else huggingface_hub.list_repo_files(**asked)
            raise without(name, there)
    except KzooError:
        raise
    except Exception as error:  # Of huggingface_hub, its network and the disk.
        raise _refusal(name, spelt, offline, error) from None
    return Path(folder)


def _folder(path, name):
    """The folder, or in one sentence what should have been named."""
    if path.suffix == ".keras" and path.is_file():
        raise KzooError(f"{name}: this is a model of kzoo; kzoo.load_model opens it.")
    if not path.is_dir():
        what = "this is a file, not a" if path.exists() else "there is no such"
        hub, org = "hf:ORG/NAME for one of the hub", path.parent
        if org.name and not org.exists() and org.parent.is_dir():
            hub = f"hf:{org.name}/{path.name}, if it is one of the hub"
        raise KzooError(
            f"{name}: {what} folder; a checkpoint is a folder with config.json and "
            f"model.safetensors, or {hub}."
        )
    if (path / "config.json").exists():
        return path
    if (path / "model.keras").is_file():
        raise KzooError(f"{name}: this is a run of kzoo; kzoo.load_model opens it.")
    if (path / "snapshots").is_dir():
        raise KzooError(
            f"{name}: this is the hub's cache of a model; name the folder of a "
            "revision below snapshots, or hf:ORG/NAME."
        )
    runs = sorted(str(model.parent) for model in path.glob("*/model.keras"))
    if runs:
        raise KzooError(
            f"{name}: this is no checkpoint, but a folder with runs of kzoo in it; did "
            f"you mean {' or '.join(runs)}?"
        )
    return path


def _no_weights(name, files):
    if any(file in PICKLES for file in files):
        return KzooError(
            f"{name}: its weights are pickles (pytorch_model.bin), which can run "
            "programs and are not read; where torch and transformers are, "
            "AutoModel.from_pretrained and save_pretrained make a folder with "
            "model.safetensors of it, or one of its pull requests has done so: then "
            "name it as hf:ORG/NAME@refs/pr/N."
        )
    return KzooError(
        f"{name}: there is no model.safetensors, so there are no weights to read; name "
        "a checkpoint that has them."
    )


def _no_adapter(name, files):
    if "adapter_model.bin" in files:
        return KzooError(
            f"{name}: its weights are pickles (adapter_model.bin), which can run "
            "programs and are not read; PEFT's save_pretrained writes safetensors."
        )
    return KzooError(
        f"{name}: there is no adapter_model.safetensors, so it is no adapter of PEFT; "
        "kzoo.from_hugging_face reads a whole checkpoint."
    )


def _refusal(name, spelt, offline, error):
    """What huggingface_hub complains about, in one sentence."""
    kinds = {kind.__name__ for kind in type(error).__mro__}
    first = (str(error).strip().splitlines() or [""])[0].rstrip(".")
    if "GatedRepoError" in kinds:
        why = (
            f"is gated: accept its terms on https://huggingface.co/{spelt.name}, then "
            "log in with `hf auth login`"
        )
    elif "RepositoryNotFoundError" in kinds:
        why = (
            "the hub has no such model, or none that is open to you; look at the name, "
            "or log in with `hf auth login`"
        )
    elif "RevisionNotFoundError" in kinds:
        why = f"the model has no revision {spelt.revision!r}; look at its branches"
    elif "HFValidationError" in kinds:
        why = f"this is no name of the hub ({first})"
    elif "LocalEntryNotFoundError" in kinds or kinds & {"TransportError", "HTTPError"}:
        half = "is only partly" if "IncompleteSnapshotError" in kinds else "is not"
        reason = "the hub cannot be reached"
        if "OfflineModeIsEnabled" in f"{type(error.__cause__).__name__} {error}":
            reason = "HF_HUB_OFFLINE keeps from fetching it"
        if offline:
            reason = "it was not to be fetched"
        return KzooError(
            f"{name} {half} in the cache, and {reason}; go online once, or name a "
            "folder."
        )
    else:
        why = f"cannot be fetched ({type(error).__name__}: {first})"
    mark = "" if why.startswith("is ") else ":"
    return KzooError(f"{name}{mark} {why}.")
