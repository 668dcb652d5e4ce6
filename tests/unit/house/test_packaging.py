"""What is installed is what is here."""

import re
from importlib.metadata import version

import pytest
from kzoo_cli.versions import TESTED
from kzoo_recipes import load, names
from sources import ROOT, pyproject

PROJECT = pyproject()["project"]
SETUPTOOLS = pyproject()["tool"]["setuptools"]


def requirement_names(requirements):
    """`["ml_dtypes>=0.5"]` as `["ml-dtypes"]`, kzoo's own extras left out."""
    found = (re.match(r"[\w.-]+", text)[0] for text in requirements)
    return [normal(name) for name in found if name != "kzoo"]


def normal(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def constraints():
    """`constraints.txt` as a dict from name to version."""
    lines = (ROOT / "constraints.txt").read_text("utf-8").splitlines()
    pins = [line.split("==") for line in lines if line and line[0] != "#"]
    return {normal(name): pinned for name, pinned in pins}


def test_every_package_is_listed():
    """One that is not would work in an editable install and be missing elsewhere."""
    found = set()
    for package, folder in SETUPTOOLS["package-dir"].items():
        for marker in (ROOT / folder).rglob("__init__.py"):
            parts = marker.parent.relative_to(ROOT / folder).parts
            found.add(".".join([package, *parts]))
    assert sorted(found) == sorted(SETUPTOOLS["packages"])


def test_every_folder_with_code_is_a_package():
    for folder in SETUPTOOLS["package-dir"].values():
        for file in (ROOT / folder).rglob("*.py"):
            assert (file.parent / "__init__.py").is_file(), file


def test_version_is_said_alike():
    source = (ROOT / "kzoo" / "__init__.py").read_text("utf-8")
    assert f'__version__ = "{PROJECT["version"]}"' in source
    assert version("kzoo") == PROJECT["version"]
    assert f"## [{PROJECT['version']}]" in (ROOT / "CHANGELOG.md").read_text("utf-8")


def test_every_requirement_has_a_tested_version():
    extras = PROJECT["optional-dependencies"].values()
    required = requirement_names(PROJECT["dependencies"])
    for extra in extras:
        required += requirement_names(extra)
    assert not set(required) - set(constraints())


def test_extras_are_complete():
    extras = PROJECT["optional-dependencies"]
    assert {"tensorflow", "torch", "jax", "keras-hub", "all", "test", "hub"} <= set(
        extras
    )


@pytest.mark.parametrize("name", names())
def test_recipe_is_valid_and_introduces_itself(name):
    load(name)
    first = (ROOT / "recipes" / f"{name}.toml").read_text("utf-8").splitlines()[0]
    assert first.startswith("# ") and len(first) <= 88


@pytest.mark.parametrize("name", names())
def test_recipe_promises_something_or_says_why_not(name):
    text = (ROOT / "recipes" / f"{name}.toml").read_text("utf-8")
    assert bool(load(name).expect) != ("nothing is promised" in text)


def test_the_doctor_knows_the_tested_versions():
    """Its copy travels with the package; constraints.txt does not."""
    pins = constraints()
    assert {name: pins[normal(name)] for name in TESTED} == TESTED
    required = requirement_names(PROJECT["dependencies"])
    assert set(required) <= {normal(name) for name in TESTED}
