"""Attention as a page in one file: point at a token and see what it looks at."""

import base64
import json

import numpy as np
from kzoo_recipes import KzooError

from kzoo.plots.attention_figures import default_title
from kzoo.reports.markup import Markup, element, joined
from kzoo.reports.page import page

LARGEST = 64 * 2**20  # bytes of weights that a browser opens without waiting
STYLE = """
.controls { display: flex; flex-wrap: wrap; gap: .5rem 1.5rem; margin: 1.25rem 0; }
fieldset { border: 0; margin: 0; padding: 0; display: flex; flex-wrap: wrap;
  gap: .25rem; align-items: baseline; min-width: 0; }
legend { float: left; padding: 0 .5rem 0 0; color: var(--quiet); }
label.chip { border: 1px solid var(--rule); border-radius: .4rem; padding: .1rem .5rem;
  cursor: pointer; }
label.chip:has(:checked) { background: var(--right); color: var(--on);
  border-color: var(--right); }
label.chip:has(:focus-visible) { outline: 2px solid var(--ink); }
label.chip input { position: absolute; opacity: 0; }
.tokens { line-height: 2.1; max-width: none; overflow-wrap: anywhere; }
.tokens button { font: inherit; color: var(--ink); border: 0; margin: 0 .1rem;
  padding: .05rem .3rem; border-radius: .3rem; cursor: pointer; max-width: 100%;
  unicode-bidi: isolate; overflow-wrap: anywhere;
  background: color-mix(in srgb, var(--right) calc(var(--share, 0) * 75%),
  var(--card)); }
.tokens button.asked { outline: 2px solid var(--ink); }
.maps { display: flex; flex-wrap: wrap; gap: .75rem; margin: 1rem 0; }
.maps button { font: inherit; font-size: .8rem; color: var(--quiet); padding: .25rem;
  background: none; border: 1px solid var(--rule); border-radius: .4rem;
  cursor: pointer; }
.maps button[aria-pressed=true] { border-color: var(--right); color: var(--ink); }
.maps canvas { display: block; width: 104px; height: 104px; image-rendering: pixelated;
  background: var(--card); color: var(--right); }
#said { min-height: 3em; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
"""
SCRIPT = """
"use strict";
const told = JSON.parse(document.getElementById("told").textContent);
const bytes = Uint8Array.from(atob(told.weights), c => c.charCodeAt(0));
const numbers = new DataView(bytes.buffer);
const [L, N, T, S] = told.shape;
const weight = (l, n, t, s) =>
  numbers.getUint16(2 * (((l * N + n) * T + t) * S + s), true) / 65535;
const state = {layer: L - 1, head: -1, side: "queries", token: 0, back: false};
const share = (t, s) => {
  if (state.head >= 0) return weight(state.layer, state.head, t, s);
  let sum = 0;
  for (let n = 0; n < N; n++) sum += weight(state.layer, n, t, s);
  return sum / N;
};
const rows = {
  queries: [...document.querySelectorAll("#queries button")],
  keys: [...document.querySelectorAll("#keys button")],
};
if (told.same) rows.keys = rows.queries;
const percent = x => (100 * x).toFixed(1) + " %";

function show() {
  const forth = state.side === "queries" && !state.back;
  const others = forth ? rows.keys : rows.queries;
  const shares = others.map((_, i) =>
    forth ? share(state.token, i) : share(i, state.token));
  const most = Math.max(...shares, 1e-9);
  for (const button of [...rows.queries, ...rows.keys]) {
    button.style.removeProperty("--share");
    button.classList.remove("asked");
    button.removeAttribute("title");
  }
  others.forEach((button, i) => {
    button.style.setProperty("--share", shares[i] / most);
    button.title = percent(shares[i]);
  });
  const own = (forth || told.same ? rows.queries : rows.keys)[state.token];
  own.classList.add("asked");
  const best = shares.map((x, i) => [x, i]).sort((a, b) => b[0] - a[0]).slice(0, 5);
  document.getElementById("said").textContent =
    "“" + own.textContent + "” (" + state.token + ") " +
    (forth ? "looks at " : "is looked at by ") +
    best.map(([x, i]) => others[i].textContent + " (" + i + ") " + percent(x))
      .join(", ");
}

function maps() {
  document.querySelectorAll(".maps button").forEach((button, n) => {
    button.setAttribute("aria-pressed", n === state.head);
    const canvas = button.querySelector("canvas");
    const pen = canvas.getContext("2d");
    const colour = getComputedStyle(canvas).color;
    let most = 1e-9;
    for (let t = 0; t < T; t++) for (let s = 0; s < S; s++)
      most = Math.max(most, weight(state.layer, n, t, s));
    pen.clearRect(0, 0, S, T);
    pen.fillStyle = colour;
    for (let t = 0; t < T; t++) for (let s = 0; s < S; s++) {
      pen.globalAlpha = weight(state.layer, n, t, s) / most;
      pen.fillRect(s, t, 1, 1);
    }
  });
}

function all() {
  for (const input of document.querySelectorAll("input")) {
    if (input.name === "back") state.back = input.checked;
    else if (input.checked) state[input.name] = Number(input.value);
  }
  maps();
  show();
}

for (const side of told.same ? ["queries"] : ["queries", "keys"]) {
  rows[side].forEach((button, token) => {
    const ask = () => { state.side = side; state.token = token; show(); };
    for (const event of ["mouseenter", "focus", "click"])
      button.addEventListener(event, ask);
  });
}
document.querySelectorAll(".maps button").forEach((button, n) =>
  button.addEventListener("click", () => {
    document.querySelector("input[name=head][value='" + n + "']").checked = true;
    all();
  }));
document.querySelectorAll("input").forEach(input =>
  input.addEventListener("change", all));
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", maps);
all();
"""


def attention_page(found, title=None):
    """Attention as one HTML file that loads nothing.

    Pointing at a token, touching it or moving to it by the keyboard shades those that
    it looks at, in the layer and head that are chosen, or in the mean of the heads.

    Args:
        found: `kzoo.plots.Attention`.
        title: str. `None` for what it is.

    Returns:
        str, a whole document.

    Raises:
        KzooError: if there is more than a browser holds.
    """
    size = 2 * found.weights.size
    if size > LARGEST:
        raise KzooError(
            f"the page would hold {size / 2**20:,.0f} MB of weights, and browsers are "
            f"slow from {LARGEST / 2**20:,.0f}: choose layers, heads or tokens."
        )
    same = found.kind != "cross"
    title = title or default_title(found)
    numbers = np.rint(np.clip(found.weights, 0, 1) * 65535).astype("<u2")
    told = {
        "shape": found.weights.shape,
        "same": same,
        "weights": base64.b64encode(numbers.tobytes()).decode("ascii"),
    }
    several = len(found.heads) > 1
    blocks = [_tokens("queries", found.queries)]
    if not same:
        blocks = [
            element("h2", "written"),
            *blocks,
            element("h2", "read"),
            _tokens("keys", found.keys),
        ]
    return page(
        f"kzoo: {title}",
        element("h1", title),
        element(
            "div",
            _choice("layer", found.layers, len(found.layers) - 1),
            _choice("head", found.heads, None if several else 0, mean=several),
            _turned() if same else Markup(),
            class_="controls",
        ),
        *blocks,
        element("p", id="said", aria_live="polite"),
        element("noscript", element("p", "The page needs JavaScript to be turned on.")),
        element("h2", "Heads of the layer"),
        element("div", joined(map(_map(found), found.heads)), class_="maps"),
        element(
            "p",
            "Rows look, columns are looked at, in the order of the text. "
            "The strongest shade of a map is its largest share.",
            class_="quiet",
        ),
        Markup(
            '<script type="application/json" id="told">'
            + json.dumps(told).replace("<", "\\u003c")
            + "</script>"
        ),
        style=STYLE,
        script=SCRIPT,
    )


def _tokens(name, tokens):
    buttons = joined(element("button", token, type="button") for token in tokens)
    return element("p", buttons, id=name, class_="tokens", dir="auto")


def _choice(name, numbers, chosen, mean=False):
    """Chips of which one is chosen: the `chosen`th, or the mean if that is `None`."""
    chips = [("mean", -1)] if mean else []
    chips += [(str(number), place) for place, number in enumerate(numbers)]
    first = -1 if chosen is None else chosen
    return element(
        "fieldset",
        element("legend", name),
        joined(
            element(
                "label",
                label,
                _input("radio", name, value=place, checked=_if(place == first)),
                class_="chip",
            )
            for label, place in chips
        ),
    )


def _turned():
    return element(
        "label", "who looks at it", _input("checkbox", "back"), class_="chip"
    )


def _input(kind, name, **more):
    """An input, which is a tag without an end."""
    whole = element("input", type=kind, name=name, **more)
    return Markup(whole.removesuffix("</input>"))


def _if(true):
    """The value of an attribute that is there or not."""
    return "" if true else None


def _map(found):
    rows, columns = found.weights.shape[2:]

    def drawn(head):
        canvas = element("canvas", width=columns, height=rows)
        named = f"head {head}" if isinstance(head, int) else head
        return element("button", canvas, named, type="button")

    return drawn
