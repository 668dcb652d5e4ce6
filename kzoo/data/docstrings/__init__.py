"""A corpus on every machine: the documentation of its Python packages.

What a docstring says after its first sentence is a document, and that sentence is its
summary. Files are parsed, never imported or run.
"""

import hashlib
import sys
from collections import Counter
from typing import NamedTuple

from kzoo_recipes import KzooError
from kzoo_recipes.sources import DOCSTRINGS as SOURCE

from kzoo.data.comparison import normal_form
from kzoo.data.docstrings import cache
from kzoo.data.docstrings.described import described_in
from kzoo.data.docstrings.files import packages_in, roots_here
from kzoo.data.docstrings.sentences import Unfit
from kzoo.data.readers.paired_rows import PairedRows
from kzoo.data.readers.rows import Origin
from kzoo.data.splits import SPLITS, hash_place

FEW = 20  # packages; one with more than a twentieth of all rows is no test


class Found(NamedTuple):
    """A pair and where it was found.

    Attributes:
        package: str.
        path: str, of the file, below the folder of packages.
        line: int, from 1.
        document: str.
        summary: str.
    """

    package: str
    path: str
    line: int
    document: str
    summary: str


def docstring_splits(names=None, most=2000, shares=(0.1, 0.1), roots=None):
    """Pairs of documentation and its first sentence, in three parts.

    No two pairs have one summary or one document, but for case, spacing and
    punctuation. A package is wholly in one part, which the hash of its name decides;
    of fewer than 20 packages, so is each file. What has more than a twentieth of all
    rows is always in train.

    Args:
        names: list of str. Packages to read, as one imports them; `"stdlib"` is all
            that comes with Python. `None` reads whatever is installed.
        most: int. The most pairs of a package. Its files are read in the order of a
            hash of their names until there are so many.
        shares: the expected shares of dev and test.
        roots: list of pairs, as `kzoo.data.docstrings.files.roots_here` gives them;
            those of this Python if `None`.

    Returns:
        dict of `PairedRows`: `train`, `dev` and `test`, none of them empty.

    Raises:
        KzooError: if a package is not installed, or if there are too few pairs.
    """
    packages = packages_in(roots or roots_here(), names)
    found, counts = [], Counter()
    with _Progress(len(packages)) as progress:
        for package in packages:
            progress.show(package.name, len(found))
            made = cache.kept(
                package, most, lambda package=package: _made(package, most)
            )
            counts.update(made["counts"])
            found += [Found(package.name, *pair) for pair in made["pairs"]]
    different = _different(found)
    counts["repeats"] = len(found) - len(different)
    unit = "package" if len({pair.package for pair in different}) >= FEW else "path"
    parts = _parted(different, unit, *shares)
    for split, pairs in parts.items():
        if not pairs:
            raise KzooError(
                f"{SOURCE}: {_many(len(different), 'pair')} of "
                f"{_many(len(packages), 'package')} left none for {split}; read more "
                "packages with --set data.packages=[…], or choose other shares."
            )
    splits = {split: _rows(split, pairs) for split, pairs in parts.items()}
    splits["train"].notes.extend(_notes(parts, unit, counts, len(packages)))
    return splits


def _made(package, most):
    """The pairs of a package, and how many files and docstrings there are of each kind.

    Keys of the counts are what `_notes` says of them.
    """
    pairs, counts, seen = [], Counter(), set()
    for reason, count in package.skipped.items():
        counts[f"file: {reason}"] += count
    files = sorted(package.files, key=lambda file: _hashed(file.path))
    for place, file in enumerate(files):
        if len(pairs) >= most:
            counts["file: enough of its package"] += len(files) - place
            break
        try:
            content = (package.root / file.path).read_bytes()
            described, left_out = described_in(content, _module(file.path))
        except OSError:
            counts["file: not readable"] += 1
            continue
        except Unfit as reason:
            counts[f"file: {reason}"] += 1
            continue
        counts["read"] += 1
        for reason, count in left_out.items():
            counts[f"docstring: {reason}"] += count
        for pair in described:
            form = normal_form(pair.summary)
            counts["repeats within"] += form in seen
            if form not in seen and len(pairs) < most:
                seen.add(form)
                pairs.append((file.path, pair.line, pair.document, pair.summary))
    return {"pairs": sorted(pairs), "counts": dict(counts)}


def _module(path):
    """What the module of a file is called when it is imported."""
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _hashed(text):
    return hashlib.blake2b(text.encode("utf-8", "surrogateescape")).digest()


def _different(found):
    """The pairs whose summary and document no earlier one has."""
    seen, kept = set(), []
    for pair in found:
        forms = {("s", normal_form(pair.summary)), ("d", normal_form(pair.document))}
        if not seen & forms:
            kept.append(pair)
        seen |= forms
    return kept


def _parted(found, unit, dev_share, test_share):
    """The pairs by part; pairs of one package, or of one path, are in one part."""
    sizes = Counter(getattr(pair, unit) for pair in found)
    parts = {split: [] for split in SPLITS}
    of = {}
    for name, size in sizes.items():
        place = hash_place(name)
        if size * FEW > len(found) or place >= test_share + dev_share:
            of[name] = "train"
        else:
            of[name] = "test" if place < test_share else "dev"
    for pair in found:
        parts[of[getattr(pair, unit)]].append(pair)
    return parts


def _rows(split, pairs):
    origins = {pair.path: Origin(pair.path) for pair in pairs}
    return PairedRows(
        documents=[pair.document for pair in pairs],
        summaries=[pair.summary for pair in pairs],
        references=[[pair.summary] for pair in pairs],
        lines=[pair.line for pair in pairs],
        path=f"{SOURCE}#{split}",
        origins=[origins[pair.path] for pair in pairs],
    )


def _notes(parts, unit, counts, packages):
    """What was read and what was left out, counted."""
    number = {
        split: len({getattr(pair, unit) for pair in pairs})
        for split, pairs in parts.items()
    }
    units = "packages" if unit == "package" else "files"
    yield (
        f"{_many(counts['read'], 'file')} of {_many(packages, 'package')} were read; "
        f"parts are of different {units}: {number['train']:,} of them train, "
        f"{number['dev']:,} dev, {number['test']:,} test"
    )
    for kind, called in (("file", "files"), ("docstring", "docstrings")):
        reasons = {
            key.removeprefix(f"{kind}: "): count
            for key, count in counts.items()
            if key.startswith(f"{kind}: ")
        }
        if kind == "docstring":
            reasons["its first sentence was there before"] = (
                counts["repeats"] + counts["repeats within"]
            )
        ordered = sorted(reasons.items(), key=lambda item: (-item[1], item[0]))
        said = ", ".join(f"{reason} {count:,}" for reason, count in ordered if count)
        if said:
            yield f"{called} that were left out: {said}"


def _many(count, what):
    return f"1 {what}" if count == 1 else f"{count:,} {what}s"


class _Progress:
    """A line on a terminal's stderr that says how far it is, and goes at the end."""

    def __init__(self, packages):
        self._packages, self._number, self._shown = packages, 0, 0

    def __enter__(self):
        self._live = sys.stderr is not None and sys.stderr.isatty()
        return self

    def show(self, name, pairs):
        self._number += 1
        said = f"docstrings: package {self._number} of {self._packages}, {name}, "
        self._write(f"{said}{pairs:,} pairs so far")

    def __exit__(self, *error):
        self._write("")

    def _write(self, said):
        if self._live:
            print("\r" + said.ljust(self._shown), end="\r", file=sys.stderr, flush=True)
            self._shown = len(said)
