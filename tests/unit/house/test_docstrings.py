"""What kzoo offers says what it takes and what it gives, as Keras' docstrings do."""

import ast

import pytest
from sources import modules, within

BY_NAME = {module.name: module for module in modules()}


def offered():
    """Yield what the packages list in `__all__`: its dotted name and its syntax."""
    for module in modules():
        if not module.path.endswith("__init__.py"):
            continue
        for name in listed(module):
            origin = next((i for i in module.imports() if i.endswith(f".{name}")), "")
            home, _, own_name = origin.rpartition(".")
            for node in BY_NAME[home].tree.body if home in BY_NAME else ():
                if getattr(node, "name", None) == own_name:
                    yield pytest.param(home, node, id=f"{module.name}.{name}")


def listed(module):
    for node in module.tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return ast.literal_eval(node.value)
    return []


def arguments(node):
    """Names of the arguments of a function or a class, `self` and `**kwargs` aside."""
    if isinstance(node, ast.ClassDef):
        inside = (n for n in node.body if getattr(n, "name", None) == "__init__")
        node = next(inside, None)
        if node is None:
            return []
    both = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
    return [argument.arg for argument in both if argument.arg != "self"]


def gives(node):
    """Whether a function returns something."""
    returns = (n for n in ast.walk(node) if isinstance(n, ast.Return))
    return isinstance(node, ast.FunctionDef) and any(n.value for n in returns)


@pytest.mark.parametrize("home, node", offered())
def test_docstring(home, node):
    docstring = ast.get_docstring(node)
    assert docstring
    if within(home, ["kzoo_recipes"]):
        return  # Its functions are one sentence each.
    if arguments(node):
        _, _, described = docstring.partition("Args:\n")
        missing = [a for a in arguments(node) if f"    {a}:" not in described]
        assert not missing, f"Args: lacks {', '.join(missing)}"
    if gives(node):
        assert "Returns:\n" in docstring
