"""kzoo's own source files, read but never imported."""

import ast
import dataclasses
import functools
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
FOLDERS = {"kzoo": "kzoo", "kzoo_cli": "cli", "kzoo_recipes": "recipes"}


@dataclasses.dataclass(frozen=True)
class Module:
    """One Python file: its dotted name, its path from the root and its syntax."""

    name: str
    path: str
    tree: ast.Module

    @property
    def package(self):
        """The dotted name that relative imports start from."""
        if self.path.endswith("__init__.py"):
            return self.name
        return self.name.rpartition(".")[0]

    def imports(self, nodes=None):
        """Yield every dotted name that is imported, as `kzoo.text.Tokenizer`."""
        for node in ast.walk(self.tree) if nodes is None else nodes:
            if isinstance(node, ast.Import):
                yield from (alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                start = node.module or ""
                if node.level:
                    base = self.package.split(".")
                    base = base[: len(base) - node.level + 1]
                    start = ".".join([*base, *filter(None, [start])])
                yield from (f"{start}.{alias.name}" for alias in node.names)

    def imports_when_loaded(self):
        """Yield what is imported outside functions."""
        return self.imports(_outside_functions(self.tree))


def _outside_functions(node):
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            yield child
            yield from _outside_functions(child)


@functools.cache
def modules():
    """Every module of the three packages."""
    found = []
    for package, folder in FOLDERS.items():
        for file in sorted((ROOT / folder).rglob("*.py")):
            parts = file.relative_to(ROOT / folder).with_suffix("").parts
            name = ".".join([package, *(part for part in parts if part != "__init__")])
            tree = ast.parse(file.read_text("utf-8"))
            found.append(Module(name, file.relative_to(ROOT).as_posix(), tree))
    return found


@functools.cache
def files(*endings):
    """Every file of the repository with one of these endings, built ones left out."""
    built = {"build", "dist", "kzoo.egg-info"}
    found = []
    for folder in sorted(ROOT.iterdir()):
        if folder.name in built or (folder.name[0] == "." and folder.name != ".ci"):
            continue
        inside = sorted(folder.rglob("*")) if folder.is_dir() else [folder]
        found += [file for file in inside if file.name.endswith(endings)]
    runs = ROOT / "saved_models"
    zoo = runs / "zoo"
    return [f for f in found if runs not in f.parents or zoo in f.parents]


def pyproject():
    """`pyproject.toml` as a dict."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))


def within(name, packages):
    """Whether the dotted `name` is one of `packages` or lies inside one."""
    return any(name == p or name.startswith(f"{p}.") for p in packages)
