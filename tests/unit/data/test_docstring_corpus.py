"""The corpus that is made of installed packages, here of some in a folder."""

import gzip

import pytest
from kzoo_recipes import KzooError, SummarizerData

from kzoo.data import docstrings
from kzoo.data.docstrings import docstring_splits
from kzoo.data.docstrings.files import packages_in, roots_here
from kzoo.data.pairs import load_paired_splits

WORDS = "one two three four five six seven eight nine ten eleven twelve"


def module(*subjects):
    """A file of functions, each with a sentence of its own."""
    return "\n".join(
        f'def f{n}(a):\n    """Count the {subject}.\n\n    Of {subject}, {WORDS}."""'
        for n, subject in enumerate(subjects)
    )


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """Write packages; give a function that reads them."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    root = tmp_path / "site-packages"

    def reading(files=(), shares=(0.2, 0.2), **options):
        for path, content in dict(files).items():
            file = root / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(content)
        return docstring_splits(shares=shares, roots=[(root, False)], **options)

    reading.root = root
    return reading


MANY = {
    f"p{n}/__init__.py": module(f"boats of p{n}", f"ships of p{n}") for n in range(60)
}


def packages(rows):
    return {origin.path.split("/")[0] for origin in rows.origins}


def test_packages_are_parted_and_no_package_is_in_two(installed):
    splits = installed(MANY)
    found = {split: packages(rows) for split, rows in splits.items()}
    assert sum(map(len, found.values())) == 60
    assert set.union(*found.values()) == {f"p{n}" for n in range(60)}
    assert 4 <= len(found["dev"]) <= 20 and 4 <= len(found["test"]) <= 20
    more = installed({"zz.py": module("last things")})
    assert packages(more["test"]) - {"zz.py"} == found["test"]
    rows = splits["train"]
    assert rows.summaries[0].startswith("Count the boats of p")
    assert rows.references == [[summary] for summary in rows.summaries]
    assert rows.documents[0].startswith("f0(a)\n\nOf boats of p")
    assert rows.where(1).endswith("/__init__.py, line 6")
    assert rows.notes == [
        "60 files of 60 packages were read; parts are of different packages: "
        f"{len(found['train'])} of them train, {len(found['dev'])} dev, "
        f"{len(found['test'])} test"
    ]


def test_a_giant_is_never_a_test(installed):
    subjects = [f"things of number {n}" for n in range(40)]
    for giant in ("p3", "p4", "p5", "p6"):
        splits = installed({**MANY, f"{giant}/more.py": module(*subjects)})
        assert giant in packages(splits["train"])
        (installed.root / giant / "more.py").unlink()


def test_what_repeats_is_there_once(installed):
    copy, loud = MANY["p7/__init__.py"], module("BOATS  of p7", "ships, of p7")
    splits = installed({**MANY, "p7/copy.py": copy, "q/a.py": loud})
    everything = [s for rows in splits.values() for s in rows.summaries]
    assert len(everything) == len(set(everything)) == 120
    assert "its first sentence was there before 4" in splits["train"].notes[1]


def test_files_that_are_passed_over_are_counted(installed):
    splits = installed(
        {
            **MANY,
            "p1/broken.py": "print 1",
            "p1/test_it.py": module("tests"),
            "p1/conftest.py": "",
            "p1/tests/deep.py": module("deep tests"),
            "p1/_vendor/copy.py": module("copies"),
            "p1/large.py": "#" * 2**20 + "\n" + module("large things"),
            "p1/notes.txt": module("notes"),
            "kzoo/data.py": module("our own"),
            "p1-0.1.dist-info/odd.py": module("other things"),
        }
    )
    everything = [s for rows in splits.values() for s in rows.summaries]
    assert len(everything) == 120
    assert splits["train"].notes[1] == (
        "files that were left out: tests 2, not Python of this version 1, too large 1"
    )


def test_a_package_gives_so_many_rows_and_always_the_same(installed):
    files = {f"p9/m{n}.py": module(f"nets {n}", f"ropes {n}") for n in range(30)}
    splits = installed({**MANY, **files}, most=11)
    of_nine = [
        (row, rows)
        for rows in splits.values()
        for row, origin in enumerate(rows.origins)
        if origin.path.startswith("p9/")
    ]
    assert len(of_nine) == 11
    assert "enough of its package 25" in splits["train"].notes[1]
    places = [rows.where(row) for row, rows in of_nine]
    assert places == sorted(places) and len({p.split(",")[0] for p in places}) == 6


def test_what_was_made_is_kept_until_a_file_changes(installed, tmp_path, monkeypatch):
    first = installed(MANY)
    kept = sorted((tmp_path / "cache").rglob("*.gz"))
    assert len(kept) == 60
    calls = []
    parse = docstrings.described_in
    monkeypatch.setattr(
        docstrings, "described_in", lambda *a: calls.append(a[1]) or parse(*a)
    )
    assert installed() == first and calls == []
    kept[0].write_bytes(b"broken")
    kept[1].write_bytes(gzip.compress(b"{"))
    assert installed() == first and len(calls) == 2
    changed = installed({"p5/__init__.py": module("anchors of iron")})
    assert calls[2:] == ["p5"]
    everything = [s for rows in changed.values() for s in rows.summaries]
    assert "Count the anchors of iron." in everything and len(everything) == 119


def test_a_cache_that_cannot_be_written_costs_time_alone(installed, tmp_path):
    tmp_path.joinpath("cache").write_text("a file where a folder should be")
    assert len(installed(MANY)["train"])


def test_packages_that_are_named(installed):
    splits = installed(MANY, names=[f"p{n}" for n in range(30)])
    assert sum(map(len, splits.values())) == 60
    with pytest.raises(KzooError, match='no package "p1_" is installed here; did you'):
        installed(names=["p1_"])
    with pytest.raises(KzooError, match="here; write it as one imports it"):
        installed(names=["quite_another"])
    with pytest.raises(KzooError, match="2 pairs of 1 package left none for "):
        installed(names=["p1"])


def test_this_python_has_a_standard_library_and_is_not_imported():
    packages = packages_in(roots_here(), ["stdlib", "numpy"])
    groups = {package.name: package.group for package in packages}
    assert groups["json"] == groups["string"] == "stdlib"
    assert groups["numpy"] == "numpy" and not {"kzoo", "test", "idlelib"} & {*groups}
    assert "json/decoder.py" in [f.path for p in packages for f in p.files]


def test_a_recipe_names_packages(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    data = SummarizerData(
        source="kzoo:docstrings",
        packages=["json", "email", "logging", "collections", "asyncio"],
        package_rows=20,
        dev_share=0.3,
        test_share=0.3,
    )
    splits = load_paired_splits(data)
    assert 60 <= sum(map(len, splits.values())) <= 100
    assert [rows.hashed for rows in splits.values()] == [False] * 3
