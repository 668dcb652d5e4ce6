"""Links from page to page lead somewhere, and every page is linked."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
LINK = re.compile(r"\]\((?!https?:|mailto:)([^)#\s]*)(#[^)\s]*)?\)")


def links(page):
    """Every target of a link within the repository, as a path and an anchor."""
    text = re.sub(r"```.*?```", "", page.read_text("utf-8"), flags=re.DOTALL)
    for target, anchor in LINK.findall(text):
        yield (page.parent / target).resolve() if target else page, anchor[1:]


def anchors(page):
    """The anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.+)$", page.read_text("utf-8"), re.MULTILINE)
    plain = (re.sub(r"[^\w\- ]", "", heading.lower()) for heading in headings)
    return {heading.strip().replace(" ", "-") for heading in plain}


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    for target, anchor in links(page):
        assert target.exists(), f"{page.name} links to {target}"
        if anchor and target.suffix == ".md":
            assert anchor in anchors(target), f"{page.name}: {target.name}#{anchor}"


def test_every_page_of_docs_is_in_the_contents():
    contents = ROOT / "docs" / "README.md"
    linked = {target for target, _ in links(contents)}
    pages = set(ROOT.glob("docs/**/*.md")) - {contents}
    assert pages <= linked, sorted(p.name for p in pages - linked)
