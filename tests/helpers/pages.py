"""Pages of documentation: their fenced blocks, and running those as a reader would."""

import re
from dataclasses import dataclass, replace
from importlib.util import find_spec

from helpers.processes import QUICK_KERAS, run

# What may stand after the three backticks, and what becomes of such a block.
RUN = "bash"
NOT_RUN = ("bash measured by hand", "bash needs the network", "bash needs a GPU")
SNIPPET, RECIPE = "python", "toml"
SHOWN = ("text", "json", "csv", "tsv", "html", "console")
FENCE = re.compile(r"^(`{3,})([^\n`]*)\n(.*?)^\1[ ]*$", re.DOTALL | re.MULTILINE)
EXPECTED = re.compile(r"[ ]*# exits with (\d+)[ ]*$", re.MULTILINE)
PRELUDE = """
set -eu -o pipefail
code=0
expect() {
  [ "$code" = "$1" ] || { echo "exit code $code, where the page says $1" >&2; exit 99; }
  code=0
}
"""
RUN_SNIPPETS = """
import sys
here = {"__name__": "__main__"}
for at, code in zip(sys.argv[1::2], sys.argv[2::2]):
    exec(compile(code, f"snippet at line {at}", "exec"), here)
"""


@dataclass(frozen=True)
class Block:
    """A fenced block: what stands after its backticks, its text and its line."""

    info: str
    text: str
    line: int


def blocks(page):
    """Every fenced block of a page, in order."""
    text = page.read_text("utf-8")
    return [
        Block(m[2].strip(), m[3], text.count("\n", 0, m.start()) + 1)
        for m in FENCE.finditer(text)
    ]


def script(found):
    """The `bash` blocks as one script, in which each says where it stands.

    A command may end in `# exits with 2`; all others must succeed.
    """
    parts = [PRELUDE]
    for block in found:
        parts.append(f'echo "--- block at line {block.line}" >&2')
        parts.append(EXPECTED.sub(r" || code=$?; expect \1", block.text))
    return "\n".join(parts)


def read_on(found):
    """The backend of a page's reader, and the blocks as they read for it.

    Who trains does so on PyTorch, which compiles nothing, unless the page asks for
    another or goes on with a run on another; runs lie in its folders then.
    """
    typed = "".join(block.text for block in found if block.info in (RUN, SNIPPET))
    trains = re.search(r"kzoo train |\.fit\(", typed)
    asks = re.search(r"--backends? (?!torch\b)|kzoo resume", typed)
    if not trains or asks or find_spec("torch") is None:
        return "jax", found
    to = lambda block: re.sub(r"(saved_models/\w+)/jax\b", r"\1/torch", block.text)
    return "torch", [replace(block, text=to(block)) for block in found]


def run_page(page, folder, timeout=1800):
    """Run what a page says to run, in `folder`: its commands, then its snippets.

    Returns:
        What went wrong, with the output; "" if nothing did.
    """
    backend, found = read_on(blocks(page))
    here = {"cwd": folder, "backend": backend, "timeout": timeout}
    commands = [block for block in found if block.info == RUN]
    if commands:
        done = run("bash", "-c", script(commands), **here)
        if done.returncode:
            return f"{page.name}: exit code {done.returncode}\n{_output(done)}"
    snippets = [block for block in found if block.info == SNIPPET]
    if snippets:
        words = [word for b in snippets for word in (str(b.line), b.text)]
        spared = "" if "keras_hub" in "".join(words) else QUICK_KERAS
        done = run("python", "-c", spared + RUN_SNIPPETS, *words, **here)
        if done.returncode:
            return f"{page.name}: a snippet failed\n{_output(done)}"
    return ""


def _output(done, most=6000):
    return f"{done.stdout[-most:]}\n{done.stderr[-most:]}"
