"""Datasets of the Hugging Face hub, or saved by its library. Needs `kzoo[hub]`."""

from pathlib import Path

from kzoo_recipes import KzooError, did_you_mean
from kzoo_recipes.sources import hub_name

from kzoo.data.readers.rows import Origin, RowError
from kzoo.data.readers.values import class_names

BATCH = 1000  # rows
PARQUET = "refs/convert/parquet"  # has a folder for each configuration
SPLIT_NAMES = {
    "train": ("train", "training"),
    "dev": ("validation", "dev", "valid", "val"),
    "test": ("test", "testing"),
}


def hub_rows(text, layout, broken):
    """Yield the `Row`s of a split that `hf:…#SPLIT` names; see `iterate`."""
    found = open_hub(text, layout)
    if hasattr(found, "keys"):
        if len(found) > 1:
            name = spelt(text)
            raise KzooError(
                f"{text}: the dataset has the splits {', '.join(found)}; name one of "
                f"them, as in {name._replace(split=next(iter(found)))}."
            )
        [found] = found.values()
    yield from dataset_rows(found, text, layout, broken)


def hub_splits(text, layout):
    """The parts of a dataset, by what kzoo calls them.

    Returns:
        dict from `train`, `dev` and `test`, as far as they are there, to the name of
        the split with its dataset.
    """
    found = open_hub(text, layout)
    if not hasattr(found, "keys"):
        return {"train": (text, found)}
    splits = {}
    for split, names in SPLIT_NAMES.items():
        for name in names:
            if name in found and split not in splits:
                whole = str(spelt(text)._replace(split=name))
                splits[split] = (whole, found[name])
    if "train" not in splits:
        raise KzooError(
            f"{text}: none of the dataset's splits is called train; there are "
            f"{', '.join(found)}; name one with --set data.train={text}#SPLIT."
        )
    return splits


def spelt(text):
    """The `HubName` of `text`."""
    name = hub_name(text)
    if name is None:
        raise KzooError(
            f"{text}: a dataset of the hub is written hf:ORG/NAME, and with more as "
            "hf:ORG/NAME:CONFIG@REVISION#SPLIT."
        )
    return name


def open_hub(text, layout):
    """The dataset, or the splits of one, that `text` names."""
    name = spelt(text)
    try:
        import datasets
    except ImportError:
        raise KzooError(
            f"{text}: the hub is read by the package datasets; "
            '`pip install "kzoo[hub]"` brings it.'
        ) from None
    try:
        if name.is_folder:
            return _of_folder(datasets, name, layout)
        folder = name.config if name.revision == PARQUET else None
        if name.revision == PARQUET and folder is None:
            _check_alone(datasets, text, name)
        return datasets.load_dataset(
            name.name,
            None if folder else name.config,
            data_dir=folder,
            split=name.split,
            revision=name.revision,
            streaming=layout.streaming,
        )
    except KzooError:
        raise
    except Exception as error:  # Of datasets, its file formats and its network.
        raise _refusal(text, name, error) from None


def _check_alone(datasets, text, name):
    """Refuse to read the rows of several configurations as if they were of one."""
    builder = datasets.load_dataset_builder(name.name, revision=name.revision)
    files = builder.config.data_files or {}  # of what is cached, nothing is known
    names = [str(file).split("@", 1)[-1] for of in files.values() for file in of]
    paths = [name.split("/")[1:] for name in names]  # after the revision
    folders = [*dict.fromkeys(path[0] for path in paths if len(path) > 1)]
    if len(folders) > 1:
        raise KzooError(
            f"{text}: the dataset has the configurations {', '.join(folders)}; name "
            f"one of them, as in {name._replace(config=folders[0])}."
        )


def _of_folder(datasets, name, layout):
    """A dataset that `save_to_disk` wrote, or a folder of files that it can read."""
    folder = Path(name.name).expanduser()
    if not folder.is_dir():
        raise KzooError(f"hf:{name.name}: there is no such folder.")
    saved = any((folder / f).is_file() for f in ("dataset_dict.json", "state.json"))
    if not saved:
        return datasets.load_dataset(
            str(folder), name.config, split=name.split, streaming=layout.streaming
        )
    found = datasets.load_from_disk(str(folder))
    if name.split is None:
        return found
    if not hasattr(found, "keys") or name.split not in found:
        there = list(found) if hasattr(found, "keys") else []
        raise KzooError(
            f'{name}: there is no split "{name.split}"{did_you_mean(name.split, there)}'
        )
    return found[name.split]


def dataset_rows(dataset, text, layout, broken):
    """Yield the `Row`s of one split, a batch in memory at a time."""
    origin = Origin(text, "row")
    features = dataset.features or {}
    names = list(dataset.column_names or features or _first(dataset, text))
    columns = layout.wanted(names)
    for key, column in columns:
        if column not in names:
            absent = layout.absent(key, column, names)
            raise KzooError(f"{text}: there is {absent}")
    classes = {
        column: named
        for key, column in columns
        if key in ("label", "tags") and (named := _class_names(features.get(column)))
    }
    number = 0
    columns = [*dict.fromkeys(column for _, column in columns)]
    for batch in _batches(dataset, columns, text):
        for values in zip(*batch.values(), strict=True):
            number += 1
            values = dict(zip(batch, values, strict=True))
            try:
                for column, named in classes.items():
                    values[column] = class_names(
                        values[column], named, column, number, origin
                    )
                row = layout.row(values, number, origin)
            except RowError as error:
                broken(error)
            else:
                yield row


def _first(dataset, text):
    """The first row, for the columns of a stream that does not know them."""
    try:
        return next(iter(dataset), {})
    except Exception as error:
        raise _refusal(text, spelt(text), error) from None


def _class_names(feature):
    """The names of numbered classes, of one or of a list of them; `None` if unnamed."""
    names = getattr(feature, "names", None)
    return names or getattr(getattr(feature, "feature", None), "names", None)


def _batches(dataset, columns, text):
    try:
        yield from dataset.select_columns(columns).iter(batch_size=BATCH)
    except Exception as error:
        raise _refusal(text, spelt(text), error) from None


def _refusal(text, name, error):
    """What `datasets` complains about, in one sentence."""
    if type(error).__name__ == "DatasetGenerationError" and error.__cause__:
        error = error.__cause__
    first = (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")
    kind = type(error).__name__
    if kind == "DatasetNotFoundError":
        return KzooError(
            f"{text}: the hub has no such dataset, or none that is open to you; look "
            "at the name, or log in with `hf auth login`."
        )
    if "scripts are no longer supported" in first:
        parquet = name._replace(revision=PARQUET)
        return KzooError(
            f"{text}: the dataset is a program, which is not run; the hub may have it "
            f"as Parquet: {parquet}."
        )
    if isinstance(error, ConnectionError):
        why = (
            "HF_HUB_OFFLINE keeps from fetching it"
            if "OfflineModeIsEnabled" in first
            else "the hub cannot be reached"
        )
        return KzooError(
            f"{text} is not in the cache, and {why}; go online once, or name files "
            "with --set data.train=FILE."
        )
    if "configurations in the cache" in first:
        return KzooError(
            f"{text}: {first}; name one of them, as in hf:ORG/NAME:CONFIG."
        )
    if "split" in first or "BuilderConfig" in first or "Config name" in first:
        return KzooError(f"{text}: {first}.")
    return KzooError(f"{text}: cannot be read ({kind}: {first}).")
