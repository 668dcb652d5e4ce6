"""The pages of docs/ know every option of their commands, and none that there is not.

docs/README.md says which pages are about which command.
"""

import re
from pathlib import Path

import click
import pytest
from kzoo_cli.group import group

DOCS = Path(__file__).resolve().parents[3] / "docs"
# Options of programs that are no command of kzoo.
OTHERS = {"--kills", "--pairs", "--rounds", "--sentences", "--logdir", "--dry"}
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*[a-z](?![\w-])")


def commands():
    return {
        name: group.get_command(click.Context(group), name)
        for name in group.list_commands(click.Context(group))
    }


def options_of(command):
    options = [p for p in command.params if isinstance(p, click.Option)]
    names = {n for option in options for n in (*option.opts, *option.secondary_opts)}
    inner = getattr(command, "list_commands", lambda ctx: [])
    for name in inner(click.Context(command)):  # of a group, as `kzoo plot`
        names |= options_of(command.get_command(click.Context(command), name))
    return {name for name in names if name[:2] == "--"}


def pages_of():
    """Every command that docs/README.md gives a page, with the text of its pages."""
    found = {}
    rows = re.findall(
        r"^\|[^|]*\|([^|]*)\|([^|]*)\|$", (DOCS / "README.md").read_text("utf-8"), re.M
    )
    for links, told in rows:
        text = "\n".join(
            (DOCS / page).read_text("utf-8") for page in re.findall(r"\((.*?)\)", links)
        )
        for name in re.findall(r"`(?:kzoo )?(\w[\w-]*)[^`]*`", told):
            found[name] = found.get(name, "") + text
    return found


PAGES = pages_of()


def test_pages_are_about_commands():
    assert {"train", "predict", "evaluate", "compare", "resume"} <= PAGES.keys()
    assert PAGES.keys() <= commands().keys()


@pytest.mark.parametrize("name", sorted(PAGES))
def test_every_option_stands_on_a_page_of_its_command(name):
    missing = options_of(commands()[name]) - {*OPTION.findall(PAGES[name])}
    assert not missing


@pytest.mark.parametrize("page", sorted(DOCS.glob("*.md")), ids=lambda page: page.stem)
def test_options_on_pages_are_there(page):
    known = set().union(*map(options_of, commands().values()), OTHERS, {"--help"})
    told = {*OPTION.findall(page.read_text("utf-8"))}
    told = {option for option in told if not option.startswith("--xla")}
    assert told <= known


def test_a_table_of_predict_has_each_option_of_its_own():
    own = options_of(commands()["predict"])
    table = re.findall(
        r"^\| (`--.*?) \|", (DOCS / "predict.md").read_text("utf-8"), re.M
    )
    assert {*OPTION.findall(" ".join(table))} == own
