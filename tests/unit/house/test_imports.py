"""Who may import whom: rooms know the rooms below them, and no others."""

import ast
import sys

import pytest
from sources import modules, within

FRAMEWORKS = ("tensorflow", "torch", "jax", "jaxlib")

# Room: what it may import besides the standard library and itself. A room that is not
# here fails the test, so that a new one is thought about.
MAY_IMPORT = {
    "kzoo_recipes": ("msgspec", "tomli_w"),
    "kzoo_cli": ("kzoo_recipes", "kzoo", "click", "msgspec", "numpy", "rich"),
    "kzoo_cli.start": ("keras",),
    "kzoo.safety": ("kzoo_recipes", "numpy"),
    "kzoo.text": ("kzoo.safety", "kzoo_recipes", "numpy", "tokenizers"),
    "kzoo.metrics": (
        *("kzoo.data", "kzoo_recipes", "numpy", "scipy"),
        *("nltk", "rouge_score", "seqeval", "sklearn"),
    ),
    "kzoo.reports": (),
    "kzoo.data": (
        *("kzoo.images", "kzoo_recipes", "numpy", "pyarrow", "datasets"),
        *("safetensors", "scipy", "sklearn"),
    ),
    "kzoo.images": ("kzoo_recipes", "numpy", "PIL"),
    "kzoo.generation": ("numpy", "kzoo_recipes"),
    "kzoo.generation.programs": ("kzoo.layers", "keras", "numpy"),
    "kzoo.layers": ("keras", "numpy", "ml_dtypes"),
    "kzoo.models": (
        *("kzoo.layers", "kzoo.generation", "kzoo.text", "kzoo.data", "kzoo.safety"),
        *("kzoo.images", "kzoo_recipes", "keras", "numpy"),
    ),
    "kzoo.tasks": (
        *("kzoo.models", "kzoo.layers", "kzoo.text", "kzoo.data", "kzoo.metrics"),
        *("kzoo.images", "kzoo.interop", "kzoo_recipes", "keras", "numpy", "msgspec"),
    ),
    "kzoo.training": (
        *("kzoo.tasks", "kzoo.models", "kzoo.layers", "kzoo.text", "kzoo.data"),
        *("kzoo.metrics", "kzoo.generation", "kzoo.interop", "kzoo_recipes"),
        *("keras", "numpy", "ml_dtypes", "msgspec", "rich", "safetensors"),
        *("tensorboard", "wandb"),
    ),
    "kzoo.parity": (
        *("kzoo.training", "kzoo.tasks", "kzoo.models", "kzoo.layers", "kzoo.data"),
        *("kzoo_recipes", "keras", "numpy", "msgspec"),
    ),
    "kzoo.bench": ("kzoo.training", "kzoo.layers", "kzoo_recipes", "numpy"),
    "kzoo.doctor": (
        *("kzoo.training", "kzoo.models", "kzoo.layers", "kzoo.text"),
        *("keras", "numpy"),
    ),
    "kzoo.plots": (
        *("kzoo.models", "kzoo.layers", "kzoo.reports"),
        *("kzoo_recipes", "keras", "numpy", "matplotlib"),
    ),
    "kzoo.interop": (
        *("kzoo.models", "kzoo.layers", "kzoo.text", "kzoo.data", "kzoo.safety"),
        *(
            "kzoo.images",
            "kzoo.generation",
            "kzoo_recipes",
            "keras",
            "numpy",
            "ml_dtypes",
            "safetensors",
        ),
        *("huggingface_hub", "keras_hub"),
    ),
    "kzoo": ("kzoo", "kzoo_recipes"),
}

ONE_FILE_EACH = ("kzoo.training.steppers", "kzoo.generation.programs")
NAMES_A_FRAMEWORK = (
    *ONE_FILE_EACH,
    *("kzoo.training.backend", "kzoo.interop", "kzoo_cli.start"),
)


def room_of(module):
    rooms = [room for room in MAY_IMPORT if within(module.name, [room])]
    return max(rooms, key=len)


@pytest.mark.parametrize("module", modules(), ids=lambda m: m.name)
def test_imports_only_what_lies_below(module):
    room = room_of(module)
    assert room != "kzoo" or module.name == "kzoo", (
        f"{module.path} is in a room that this test does not know"
    )
    allowed = {*MAY_IMPORT[room], room, *sys.stdlib_module_names}
    if within(module.name, NAMES_A_FRAMEWORK):
        allowed.update(FRAMEWORKS)
    strangers = {name for name in module.imports() if not within(name, allowed)}
    assert not strangers, f"{module.path} imports {', '.join(sorted(strangers))}"


@pytest.mark.parametrize("module", modules(), ids=lambda m: m.name)
def test_uses_public_keras_only(module):
    private = [name for name in module.imports() if within(name, ["keras.src"])]
    private += [
        ast.unparse(node)
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Attribute) and ast.unparse(node) == "keras.src"
    ]
    assert not private, f"{module.path} uses {', '.join(private)}"


@pytest.mark.parametrize(
    "module",
    [m for m in modules() if within(m.name, ["kzoo_cli", "kzoo_recipes"])],
    ids=lambda m: m.name,
)
def test_starts_fast(module):
    light = {"kzoo_cli", "kzoo_recipes", "click", "msgspec", *sys.stdlib_module_names}
    heavy = {name for name in module.imports_when_loaded() if not within(name, light)}
    assert not heavy, f"{module.path} imports {', '.join(sorted(heavy))} when loaded"


@pytest.mark.parametrize(
    "module",
    [m for m in modules() if within(m.name, ["kzoo.layers", "kzoo.models"])],
    ids=lambda m: m.name,
)
def test_architecture_knows_no_backend(module):
    """A branch on the backend's name would be an architecture of its own."""
    named = [
        node.value
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Constant) and node.value in FRAMEWORKS
    ]
    named += [
        ast.unparse(node)
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Attribute)
        and ast.unparse(node) in ("keras.backend.backend", "keras.config.backend")
    ]
    assert not named, f"{module.path} names {', '.join(named)}"


@pytest.mark.parametrize("room", ONE_FILE_EACH)
@pytest.mark.parametrize("framework", ["tensorflow", "torch", "jax"])
def test_each_backend_s_file_imports_its_own_framework_only(framework, room):
    [file] = [m for m in modules() if m.name == f"{room}.{framework}"]
    others = [name for name in file.imports() if within(name, FRAMEWORKS)]
    assert all(within(name, [framework]) for name in others)


@pytest.mark.parametrize("module", modules(), ids=lambda m: m.name)
def test_other_modules_import_frameworks_inside_functions(module):
    if not within(module.name, ONE_FILE_EACH):
        early = [n for n in module.imports_when_loaded() if within(n, FRAMEWORKS)]
        assert not early, f"{module.path} imports {', '.join(early)} when loaded"
