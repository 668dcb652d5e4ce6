"""The `config.json` of a saved model: its classes and sizes, before they are made."""

import difflib

from kzoo_recipes import KzooError

from kzoo.safety.classes import (
    COMPILED,
    INTEGERS,
    NUMBER,
    OPTIMIZERS,
    SLOTS,
    registered_name,
)
from kzoo.safety.strict_json import parse

OBJECT = {"module", "class_name", "config", "registered_name"}
MORE = {"build_config", "compile_config", "name"}
# Where two parts may be said to hold one and the same object, as Keras numbers them.
SHARED = ("dtype",)
LONGEST_TEXT = 1000  # characters
LONGEST_LIST = 100_000


def check_config(content, where):
    """Check the description of a model.

    Args:
        content: bytes of `config.json`.
        where: str. What errors call it.

    Returns:
        dict, the description; everything in it is of a class and a size that a model of
        kzoo may have.

    Raises:
        KzooError: naming the key, if anything is not.
    """
    described = parse(content, where)
    if not isinstance(described, dict) or "class_name" not in described:
        raise KzooError(f"{where}: this describes no Keras model.")
    _Check(where).model(described)
    return described


def find(value, key, path=""):
    """Yield the dotted path and the value of every `key` in a description.

    Args:
        value: dict, the description or a table in it.
        key: str.
        path: str. Where `value` stands.
    """
    entries = value.items() if isinstance(value, dict) else ()
    for name, inner in entries:
        if name == key:
            yield _join(path, name), inner
        yield from find(inner, key, _join(path, name))


class _Check:
    def __init__(self, where):
        self.where = where

    def refuse(self, what):
        raise KzooError(f"{self.where}: {what}.")

    def model(self, described):
        name = described["class_name"]
        if not isinstance(name, str) or name not in SLOTS[""]:
            module = described.get("module") or "nowhere"
            if isinstance(module, str) and module.split(".")[0] == "keras":
                self.refuse(
                    f"this is a Keras model of class {_shown(name)}, not one that kzoo "
                    "saved; open it with keras.saving.load_model"
                )
            self.refuse(
                f"the model is of the class {_shown(name)} of {_shown(module)}, whose "
                "code kzoo does not have; open it with keras.saving.load_model where "
                "that class is registered"
            )
        self.object(described, "", "")

    def object(self, described, path, slot):
        """Check a serialised object that stands under the key `slot`."""
        shown = path or "the model"
        name, module = described["class_name"], described.get("module")
        allowed = SLOTS.get(slot, {})
        if not isinstance(name, str) or name not in allowed:
            near = difflib.get_close_matches(str(name), allowed, n=1) or sorted(allowed)
            hint = f"; kzoo knows {', '.join(near)} there" if allowed else ""
            self.refuse(
                f"{shown} is of the class {_shown(name)} of {_shown(module)}, which no "
                f"model of kzoo has there{hint}"
            )
        expected = registered_name(name, allowed[name])
        found = described.get("registered_name")
        if module != allowed[name]:
            self.refuse(
                f"{shown} names {name} of {_shown(module)}, but the {name} that kzoo "
                f"knows is of {allowed[name]}"
            )
        if found != expected:
            self.refuse(
                f"{shown} names {name} but is registered as {_shown(found)}, not as "
                f"{_shown(expected)}"
            )
        strange = described.keys() - OBJECT - MORE
        if slot in SHARED and isinstance(described.get("shared_object_id"), int):
            strange -= {"shared_object_id"}
        if strange or not isinstance(described.get("config"), dict):
            self.refuse(
                f"{shown} is described by {', '.join(map(_shown, sorted(described)))}, "
                f"not by {', '.join(sorted(OBJECT))}"
            )
        self.table(described["config"], _join(path, "config"))
        self.value(described.get("build_config"), _join(path, "build_config"), None)
        self.compiled(described.get("compile_config"), _join(path, "compile_config"))

    def table(self, table, path):
        for key, value in table.items():
            inner = _join(path, key)
            if key in INTEGERS:
                self.integer(value, inner, key)
            else:
                self.value(value, inner, key)

    def integer(self, value, path, key):
        """Check a size; `None`, where it follows from others, and no other kind."""
        if value is None:
            return
        least, most = INTEGERS[key]
        if isinstance(value, bool) or not isinstance(value, int):
            self.refuse(f"{path} must be an integer, not {_shown(value)}")
        if not least <= value <= most:
            self.refuse(f"{path} must be in [{least}, {most}], not {_shown(value)}")

    def value(self, value, path, key):
        if isinstance(value, dict):
            if "class_name" in value:
                self.object(value, path, key)
            elif value.keys() & {"module", "registered_name"}:
                self.refuse(f"{path} names a module but no class")
            else:
                self.table(value, path)
        elif isinstance(value, list):
            if len(value) > LONGEST_LIST:
                self.refuse(f"{path} has {len(value):,} entries")
            for place, entry in enumerate(value):
                self.value(entry, f"{path}[{place}]", None)
        elif isinstance(value, str):
            if len(value) > LONGEST_TEXT:
                self.refuse(f"{path} is a text of {len(value):,} characters")
        elif value is not None and not NUMBER[0] <= value <= NUMBER[1]:
            self.refuse(f"{path} is out of range: {_shown(value)}")

    def compiled(self, value, path):
        """Check what `compile` left: Keras' own optimizers, losses and metrics only."""
        if isinstance(value, list):
            for entry in value:
                self.compiled(entry, path)
        if not isinstance(value, dict):
            return
        if "class_name" in value or "module" in value or "registered_name" in value:
            module, found = value.get("module"), value.get("registered_name")
            name = value.get("class_name")
            known = isinstance(module, str) and (
                module in COMPILED or module.startswith(OPTIMIZERS)
            )
            plain = name == "function" and module == "builtins"
            if not (known or plain) or found not in (None, name, value.get("config")):
                self.refuse(
                    f"{path} names {_shown(name)} of {_shown(module)}, which is not "
                    "Keras' own; kzoo needs none of that: load the file where it came "
                    "from, call model.compile() with parts of Keras, and save again"
                )
        for key, inner in value.items():
            self.compiled(inner, _join(path, key))


def _join(path, key):
    return f"{path}.{key:.60}" if path else f"{key:.60}"


def _shown(value):
    return f"{value!r:.60}" if not isinstance(value, str) else f"{value:.60}"
