"""House manners that a reader would otherwise have to watch over."""

import ast
import re

import pytest
from sources import ROOT, files, modules

MODULES = modules()
CLASSES = {
    f"{module.name}.{node.name}": (module, node)
    for module in MODULES
    for node in ast.walk(module.tree)
    if isinstance(node, ast.ClassDef)
}
# Spelled in halves, so that this file does not find itself.
UNFINISHED = re.compile(r"\b(?:TO" r"DO|FIX" r"ME|XX" r"X|HA" r"CK)\b")
PERSONAL_PATH = re.compile(r"(?<![\w.])/(?:wo" r"rk|ro" r"ot|tm" r"p|ho" r"me)/")


def relative(path):
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("path", files(".py"), ids=relative)
def test_file_can_be_read_in_one_sitting(path):
    assert len(path.read_text("utf-8").splitlines()) <= 350


@pytest.mark.parametrize(
    "path", files(".py", ".md", ".toml", ".txt", "run"), ids=relative
)
def test_file_is_finished_and_names_no_machine(path):
    text = path.read_text("utf-8")
    for pattern in (UNFINISHED, PERSONAL_PATH):
        found = pattern.search(text)
        assert not found, (
            f"line {text.count(chr(10), 0, found.start()) + 1}: {found[0]}"
        )


def test_there_is_no_drawer():
    """A `utils.py` is where things go that have no place."""
    assert not [m.path for m in MODULES if m.name.split(".")[-1] in ("utils", "misc")]


@pytest.mark.parametrize("name", sorted(CLASSES))
def test_class_takes_few_arguments(name):
    for node in CLASSES[name][1].body:
        if isinstance(node, ast.FunctionDef) and node.name == "__init__":
            arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
            assert len(arguments) - 1 <= 12


@pytest.mark.parametrize("name", sorted(CLASSES))
def test_class_inherits_from_one_kzoo_class_at_most(name):
    assert len(kzoo_bases(name)) <= 1


def kzoo_bases(name):
    """Every kzoo class that the class `name` inherits from, however far up."""
    module, node = CLASSES[name]
    found = []
    for base in map(ast.unparse, node.bases):
        known = [f"{module.name}.{base}", *module.imports()]
        for origin in known:
            if origin in CLASSES and origin.endswith(f".{base}"):
                found += [origin, *kzoo_bases(origin)]
    return found


@pytest.mark.parametrize("module", MODULES, ids=lambda m: m.name)
def test_module_says_what_its_idea_is(module):
    if module.tree.body:
        assert ast.get_docstring(module.tree)


@pytest.mark.parametrize("module", MODULES, ids=lambda m: m.name)
def test_no_cache_of_values_at_module_level(module):
    """Tensors kept by a module outlive their graph."""
    made = [
        ast.unparse(node)
        for node in module.tree.body
        if isinstance(node, ast.Assign | ast.AnnAssign)
        and re.match(r"(?:keras\.)?ops\.|np\.|keras\.Variable", ast.unparse(node.value))
    ]
    assert not made
