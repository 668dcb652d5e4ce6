"""Every page of docs/ works as it is told: commands, then snippets, in one folder.

A page needs no special care to be tested: its `bash` blocks run in order in an empty
folder, its `python` blocks after them in one process, its `toml` blocks must be recipes
or parts of one. Blocks marked `bash measured by hand`, which cost too much, `bash needs
the network` and `bash needs a GPU` are not run, but counted.
"""

import tomllib
from pathlib import Path

import pytest
from helpers.pages import NOT_RUN, RECIPE, RUN, SHOWN, SNIPPET, blocks, run_page
from kzoo_recipes import find
from kzoo_recipes.explain import from_dict

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted(ROOT.glob("docs/**/*.md"))


def each_page(*infos):
    """Parametrize by page, of those with a block of this kind."""
    chosen = [p for p in PAGES if {b.info for b in blocks(p)} & set(infos)]
    names = [str(page.relative_to(ROOT / "docs")) for page in chosen]
    return pytest.mark.parametrize("page", chosen, ids=names)


@each_page(RUN, SNIPPET)
def test_page_works(page, tmp_path):
    wrong = run_page(page, tmp_path)
    assert not wrong, wrong


@each_page(*NOT_RUN)
def test_blocks_that_are_not_run(page):
    left = [f"line {b.line} {b.info[5:]}" for b in blocks(page) if b.info in NOT_RUN]
    pytest.skip(f"{page.name}: {len(left)} blocks: {', '.join(left)}")


@each_page(RECIPE)
def test_recipes_and_parts_of_recipes_are_valid(page):
    for block in blocks(page):
        if block.info == RECIPE:
            own = tomllib.loads(block.text)
            task = own.get("task", "text_classifier")
            whole = (
                own if "model" in own and "task" in own else merged(shipped(task), own)
            )
            from_dict({"name": "page", **whole}, f"{page.name}, line {block.line}", {})


def shipped(task):
    return tomllib.loads(find(task).read_text("utf-8"))


def merged(whole, part):
    """`whole` with the tables of `part` in it; files take the place of a source."""
    if "train" in part.get("data", {}):
        whole["data"].pop("source", None)
        whole.pop("expect", None)
    for key, value in part.items():
        table = isinstance(value, dict) and isinstance(whole.get(key), dict)
        whole[key] = merged(whole[key], value) if table else value
    return whole


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_blocks_say_what_they_are(page):
    """So that none is left out by a slip of the pen."""
    known = {RUN, *NOT_RUN, SNIPPET, RECIPE, *SHOWN}
    for block in blocks(page):
        assert block.info in known, f"line {block.line}: ```{block.info}"


PAGE = """# A page

````text
```bash
false
```
````

```bash
cat > rows.csv <<'EOF'
text,label
EOF
answer=42
```

```bash
ls rows.csv
test "$answer" = 42
sh -c \\
  'exit 3'  # exits with 3
```

```python
from pathlib import Path
rows = Path("rows.csv").read_text()
```

```python
assert rows == "text,label\\n"
```
"""


@pytest.mark.parametrize(
    "old, new, wrong",
    [
        ("", "", ""),
        ("# exits with 3", "# exits with 2", "exit code 3, where the page says 2"),
        ("'exit 3'", "'exit 0'", "exit code 0, where the page says 3"),
        (
            "  # exits with 3",
            "",
            "page.md: exit code 3\nrows.csv\n\n--- block at line 9",
        ),
        ("ls rows.csv", "false | cat", "page.md: exit code 1"),
        ("label\\n", "labels\\n", "page.md: a snippet failed"),
    ],
)
def test_a_page_that_does_not_keep_its_word_is_found(tmp_path, old, new, wrong):
    page = tmp_path / "page.md"
    page.write_text(PAGE.replace(old, new) if old else PAGE, "utf-8")
    folder = tmp_path / "folder"
    folder.mkdir()
    found = run_page(page, folder)
    assert bool(found) == bool(wrong) and wrong in found
