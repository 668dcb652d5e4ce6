"""The schema of recipes as JSON Schema (draft 2020-12), for editors.

It is msgspec's, made fit for TOML: TOML has no null, so a key that may be left out has
the type of its value alone. `task` decides which table of keys a recipe has, and
whether its encoder is pretrained. What must hold between keys, `kzoo validate` knows.
"""

import msgspec

from .fine_tuning_schema import TUNED_RECIPES
from .schema import METRICS, MULTI_LABEL_METRICS, RECIPES

PRETRAINED = {
    "properties": {
        "model": {
            "required": ["pretrained"],
            "description": "Begins with a pretrained encoder.",
        }
    },
    "required": ["model"],
}
DIALECT = "https://json-schema.org/draft/2020-12/schema"


def json_schema():
    """The schema as nested dicts; `kzoo schema` prints it."""
    kinds = [
        (task, kind) for of in (RECIPES, TUNED_RECIPES) for task, kind in of.items()
    ]
    roots, tables = msgspec.json.schema_components([kind for _, kind in kinds])
    tables = {name: _without_null(table) for name, table in tables.items()}
    for table in tables.values():
        for key in table["properties"].values():
            if "$ref" in key:
                key.pop("default", None)  # Its own keys have theirs.
    cases = []
    for (task, kind), root in zip(kinds, roots, strict=True):
        recipe = tables[root["$ref"].removeprefix("#/$defs/")]
        named = (METRICS[task], MULTI_LABEL_METRICS.get(task, ()))
        recipe["properties"]["expect"]["propertyNames"] = {
            "enum": sorted({*sum(named, ())})
        }
        only = {"task": {"const": task, "description": "What is learnt."}}
        asked = {"properties": only, "required": ["task"]}
        tuned = kind in TUNED_RECIPES.values()
        if tuned:
            del recipe["properties"]["tokenizer"]  # It is the checkpoint's.
        case = PRETRAINED if tuned else {"not": PRETRAINED}
        cases.append({"if": {"allOf": [asked, case]}, "then": root})
    return {
        "$schema": DIALECT,
        "title": "kzoo recipe",
        "description": "One run, completely described.",
        "type": "object",
        "properties": {"task": recipe["properties"]["task"]},
        "required": ["task"],
        "allOf": cases,
        "$defs": tables,
    }


def _without_null(node):
    """`node` and all below it, without `null` among the types and the defaults."""
    if isinstance(node, list):
        return [_without_null(item) for item in node]
    if not isinstance(node, dict):
        return node
    node = {key: _without_null(value) for key, value in node.items()}
    kinds = [kind for kind in node.get("anyOf", ()) if kind != {"type": "null"}]
    if len(kinds) < len(node.get("anyOf", ())):
        del node["anyOf"]
        node |= kinds[0] if len(kinds) == 1 else {"anyOf": kinds}
    if node.get("default", ...) is None:
        del node["default"]
    return node
