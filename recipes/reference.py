"""The reference of recipes, docs/recipes.md: the schema, for readers.

`kzoo schema --markdown > docs/recipes.md` writes it; a test holds the page to it.
"""

from msgspec import NODEFAULT, inspect

from .fields import description, field_type, is_table, keys_at, words
from .schema import METRICS, MULTI_LABEL_METRICS
from .writing import toml_value

OPENING = """\
# Recipe reference

Every key a recipe may have, from the schema itself: `kzoo schema --markdown` prints
this page, `kzoo schema` the same as JSON Schema, for [editors](validate.md).

A recipe is TOML. A key whose default is "–" may be left out and then has no value:
TOML has no null. `--set section.key=value` overrides a key, as in
`--set training.epochs=3`. What must hold between keys, `kzoo validate` checks.
"""


def reference():
    """The whole page, as Markdown."""
    return "\n".join([OPENING, *_section(())]).rstrip("\n") + "\n"


def _section(path):
    """Yield the lines about the table at `path`, then about those inside it."""
    kind = field_type(path)
    yield f"## `[{'.'.join(path)}]`\n" if path else "## The top, before all sections\n"
    if path:
        yield description(path) + "\n"
    if isinstance(kind, inspect.DictType):
        if not is_table(kind.value_type):
            yield f"The keys are yours; each takes {_takes((*path, 'KEY'))}.\n"
            return
        yield from _metrics()
        path = (*path, "METRIC")
        kind = kind.value_type
    fields = [f for f in kind.fields if not is_table(field_type((*path, f.name)))]
    yield "| key | takes | default | meaning |"
    yield "| --- | --- | --- | --- |"
    for field in fields:
        at = (*path, field.name)
        cells = (f"`{field.name}`", _takes(at), _default(field), description(at))
        yield f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"
    yield ""
    for key in keys_at(path):
        if is_table(field_type((*path, key))):
            yield from _section((*path, key))


def _metrics():
    for named, kind in ((METRICS, ""), (MULTI_LABEL_METRICS, " with `multi_label`")):
        for task, metrics in named.items():
            listed = ", ".join(f"`{name}`" for name in metrics)
            yield f"Metrics of `{task}`{kind}: {listed}."
    yield "Each takes a table, as in `accuracy = { at_least = 0.9 }`.\n"


def _takes(path):
    kind = field_type(path)
    if isinstance(kind, inspect.LiteralType):
        return ", ".join(f"`{toml_value(value)}`" for value in kind.values)
    return words(kind).replace(" that is not empty", "")


def _default(field):
    if field.required:
        return "**required**"
    value = field.default
    return "–" if value is None or value is NODEFAULT else f"`{toml_value(value)}`"
