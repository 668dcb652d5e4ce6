"""The frame of a page: its head, its style, and what a browser may do with it."""

import base64
import hashlib

from kzoo.reports.markup import Markup, element, joined

# Nothing may be loaded and nothing may run, even if an escape were missed.
POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'"

STYLE = """
:root {
  color-scheme: light dark;
  --paper: #ffffff; --ink: #1b1f24; --quiet: #5b6470; --rule: #d9dee4;
  --right: #2166ac; --wrong: #b2500c; --on: #ffffff; --card: #f6f8fa;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #14181d; --ink: #e4e8ec; --quiet: #9aa5b1; --rule: #333b44;
    --right: #6fb1f0; --wrong: #f0a35e; --on: #10141a; --card: #1c2229;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; padding: 2rem 1.25rem 4rem; max-width: 62rem;
  background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif;
}
h1 { font-size: 1.5rem; margin: 0; overflow-wrap: anywhere; }
h2 { font-size: 1.1rem; margin: 2.5rem 0 .75rem; }
p { margin: .5rem 0; max-width: 46rem; }
.quiet { color: var(--quiet); }
.scrolls { overflow-x: auto; }
table { border-collapse: collapse; }
th, td {
  padding: .3rem 1.25rem .3rem 0; text-align: left; vertical-align: top;
  border-bottom: 1px solid var(--rule);
}
th { color: var(--quiet); font-weight: 600; font-size: .85rem; white-space: nowrap; }
.figure { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.meaning { color: var(--quiet); text-align: left; min-width: 15rem; }
.said { white-space: pre-wrap; overflow-wrap: anywhere; min-width: 16rem; }
.texts { width: 100%; }
.texts td { padding-top: .5rem; padding-bottom: .5rem; }
.cards { display: flex; flex-wrap: wrap; gap: .75rem; margin: 1.25rem 0; }
.card { background: var(--card); border-radius: 8px; padding: .75rem 1rem; }
.card b { display: block; font-size: 1.5rem; font-variant-numeric: tabular-nums; }
.side { display: flex; flex-wrap: wrap; gap: 2.5rem; align-items: flex-start; }
.side > * { min-width: 0; max-width: 100%; }
.side svg { max-width: 100%; height: auto; }
.side p { max-width: 24rem; }
svg { display: block; }
svg.inline { display: inline-block; vertical-align: middle; }
svg text { fill: var(--ink); font-size: 12px; }
svg text.tiny { font-size: 9px; }
svg text.axis { fill: var(--quiet); }
svg text.strong { fill: var(--on); }
svg .right { fill: var(--right); }
svg .wrong { fill: var(--wrong); }
svg.inline .wrong { fill: var(--rule); }
svg .grid { stroke: var(--rule); stroke-width: 1; }
svg .ideal { stroke: var(--quiet); stroke-width: 1.5; stroke-dasharray: 5 4; }
svg .curve { fill: none; stroke: var(--right); stroke-width: 2; }
svg .point { fill: var(--right); }
svg .interval { stroke: var(--right); stroke-width: 10; stroke-opacity: .4; }
svg .tick { stroke: var(--right); stroke-width: 2; }
@media (max-width: 40rem) { .meaning, svg.inline { display: none; } }
@media print { body { max-width: none; padding: 0; } h2 { break-after: avoid; } }
"""


def page(title, *sections, style="", script=""):
    """A whole document in one file.

    Args:
        title: str.
        *sections: `Markup`.
        style: str. Rules of CSS beside those of every page.
        script: str. JavaScript of kzoo's own, in which nothing comes from data; the
            browser runs this one, by its hash, and no other.

    Returns:
        str.
    """
    last = Markup(f"<script>{script}</script>") if script else Markup()
    return opening(title, style, script) + joined([*sections, last]) + CLOSING


def opening(title, style="", script=""):
    """A document up to its first section, str.

    Args:
        title: str.
        style: str. Rules of CSS beside those of every page.
        script: str. What may run, see `page`.
    """
    policy = POLICY
    if script:
        digest = hashlib.sha256(script.encode("utf-8")).digest()
        policy += f"; script-src 'sha256-{base64.b64encode(digest).decode('ascii')}'"
    head = element(
        "head",
        Markup('<meta charset="utf-8">'),
        Markup(f'<meta http-equiv="Content-Security-Policy" content="{policy}">'),
        Markup('<meta name="viewport" content="width=device-width, initial-scale=1">'),
        element("title", title),
        Markup(f"<style>{STYLE}{style}</style>"),
    )
    return f'<!doctype html>\n<html lang="en">{head}<body><main>'


CLOSING = "</main></body></html>\n"
