"""What a Python file says of its classes and functions. It is parsed and never run."""

import ast
import inspect
import warnings
from typing import NamedTuple

from kzoo.data.docstrings.sentences import Unfit, parted, repeats

DEFAULT = 20  # characters of a default value that are shown
NESTED = (ast.If, ast.Try, ast.With)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


class Described(NamedTuple):
    """A pair made of a docstring.

    Attributes:
        document: str. What is described, with its arguments, and its documentation
            without the first sentence.
        summary: str. The first sentence.
        line: int, where the docstring begins, from 1.
    """

    document: str
    summary: str
    line: int


def described_in(content, module):
    """The pairs of a Python file.

    Args:
        content: bytes.
        module: str. What the module is called when it is imported.

    Returns:
        list of `Described`, in the order of the file; and a dict from reasons to how
        many docstrings are left out for them.

    Raises:
        Unfit: if the file is not Python of this version.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # About code that is not ours to mend.
            tree = ast.parse(content)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise Unfit("not Python of this version") from None
    found, left_out = [], {}
    for name, node in _nodes(tree, module):
        documentation = _docstring(node)
        if documentation is None:
            continue
        try:
            found.append(_described(name, node, *documentation))
        except Unfit as reason:
            left_out[str(reason)] = left_out.get(str(reason), 0) + 1
    return found, left_out


def _nodes(tree, module):
    """Yield every module, class and method or function with its name."""
    yield module, tree
    waiting = [("", tree)]
    while waiting:
        prefix, parent = waiting.pop()
        for node in _children(parent):
            if isinstance(node, NESTED):
                waiting.append((prefix, node))
            elif isinstance(node, ast.ClassDef):
                yield prefix + node.name, node
                waiting.append((f"{prefix}{node.name}.", node))
            elif isinstance(node, FUNCTIONS):
                yield prefix + node.name, node


def _children(node):
    for field in ("body", "orelse", "finalbody"):
        yield from getattr(node, field, ())


def _docstring(node):
    """The documentation of a node and its line, or `None`."""
    first = node.body[0] if node.body else None
    if not isinstance(first, ast.Expr) or not isinstance(first.value, ast.Constant):
        return None
    text = first.value.value
    if not isinstance(text, str) or not text.strip():
        return None
    text = text.encode("utf-8", "replace").decode("utf-8")  # "\ud800" is no text.
    return inspect.cleandoc(text), first.lineno


def _described(name, node, documentation, line):
    summary, left = parted(documentation)
    heading = name + _arguments(node)
    if repeats(summary, f"{heading}\n{left}"):
        raise Unfit("it repeats its first sentence")
    return Described(f"{heading}\n\n{left}", summary, line)


def _arguments(node):
    """The arguments as in `(text, limit=10)`; of a class, those of making one."""
    if isinstance(node, ast.ClassDef):
        makers = [n for n in node.body if isinstance(n, FUNCTIONS)]
        node = next((n for n in makers if n.name == "__init__"), None)
    if not isinstance(node, FUNCTIONS):
        return ""
    given = node.args
    names = [*given.posonlyargs, *given.args]
    defaults = [None] * (len(names) - len(given.defaults)) + given.defaults
    shown = [
        _argument(name, value) for name, value in zip(names, defaults, strict=True)
    ]
    if names and names[0].arg in ("self", "cls"):
        shown = shown[1:]
    if given.vararg:
        shown.append(f"*{given.vararg.arg}")
    elif given.kwonlyargs:
        shown.append("*")
    shown += map(_argument, given.kwonlyargs, given.kw_defaults)
    if given.kwarg:
        shown.append(f"**{given.kwarg.arg}")
    return f"({', '.join(shown)})"


def _argument(name, value):
    if value is None:
        return name.arg
    written = ast.unparse(value)
    return f"{name.arg}={written if len(written) <= DEFAULT else '...'}"
