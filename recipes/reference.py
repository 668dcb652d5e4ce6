"""The reference of recipes, docs/recipes.md: the schema, for readers.

`kzoo schema --markdown > docs/recipes.md` writes it; a test holds the page to it.
"""

from msgspec import NODEFAULT, inspect

from .fields import KEYS, TUNED_KEYS, is_table, words
from .schema import METRICS, MULTI_LABEL_METRICS, PLAIN_METRICS
from .writing import toml_value

OPENING = """\
# Recipe reference

Every key a recipe may have, from the schema itself: `kzoo schema --markdown` prints
this page, `kzoo schema` the same as JSON Schema, for [editors](validate.md).

A recipe is TOML. A key whose default is "–" may be left out and then has no value:
TOML has no null. `--set section.key=value` overrides a key, as in
`--set training.epochs=3`. What must hold between keys, `kzoo validate` checks.
"""

FINE_TUNING = """\
## Pretrained encoders

With `[model] pretrained`, encoder, weights and tokenizer come from a checkpoint, see
[fine-tuning](fine-tuning.md). Then a recipe has no `[tokenizer]`, and its `[model]` has
these keys; all its other sections are as above.
"""


def reference():
    """The whole page, as Markdown."""
    lines = [OPENING, *_section(()), FINE_TUNING, *_section(("model",), TUNED_KEYS)]
    return "\n".join(lines).rstrip("\n") + "\n"


def _section(path, every=KEYS):
    """Yield the lines about the table at `path`, then about those inside it.

    Args:
        path: tuple of str.
        every: `KEYS` or `TUNED_KEYS`.
    """
    kinds = {task: keys.type_at(path) for task, keys in every.items()}
    having = {task: every[task] for task, kind in kinds.items() if kind is not None}
    task, keys = next(iter(having.items()))
    kind = kinds[task]
    tuned = ", with `pretrained`" if every is TUNED_KEYS else ""
    title = f"`[{'.'.join(path)}]`{tuned}" if path else "The top, before all sections"
    yield f"## {title}\n"
    if path:
        yield keys.description(path) + "\n"
    if len(having) < len(every):
        yield f"Only in recipes of {' and '.join(f'`{task}`' for task in having)}.\n"
    if isinstance(kind, inspect.DictType):
        if not is_table(kind.value_type):
            yield f"The keys are yours; each takes {_takes(keys, (*path, 'KEY'))}.\n"
            return
        yield from _metrics()
        path = (*path, "METRIC")
    of_task = {task: list(_lines(keys, path)) for task, keys in having.items()}
    shared = [
        line
        for line in of_task[task]
        if len(having) in (1, len(every))
        and all(line in lines for lines in of_task.values())
    ]
    yield from _keys(shared)
    for task, lines in of_task.items():
        own = [line for line in lines if line not in shared]
        if own and shared:
            yield f"In recipes of `{task}` also:\n"
        elif own:
            yield f"In recipes of `{task}`:\n"
        yield from _keys(own)
    inner = {key: None for keys in having.values() for key in keys.keys_at(path)}
    for key in inner:
        if any(is_table(keys.type_at((*path, key))) for keys in having.values()):
            yield from _section((*path, key), every)


def _lines(keys, path):
    """Yield a line for each key of the table at `path` that holds a value."""
    for field in keys.type_at(path).fields:
        at = (*path, field.name)
        if not is_table(keys.type_at(at)):
            says = keys.description(at)
            cells = (f"`{field.name}`", _takes(keys, at), _default(field), says)
            yield "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _keys(lines):
    if lines:
        yield "| key | takes | default | meaning |"
        yield "| --- | --- | --- | --- |"
        yield from lines
        yield ""


def _metrics():
    for named, kind in (
        (METRICS, ""),
        (MULTI_LABEL_METRICS, " with `multi_label`"),
        (PLAIN_METRICS, ' with `scheme = "plain"`'),
    ):
        for task, metrics in named.items():
            listed = ", ".join(f"`{name}`" for name in metrics)
            yield f"- `{task}`{kind}: {listed}"
    yield "\nEach takes a table, as in `accuracy = { at_least = 0.9 }`.\n"


def _takes(keys, path):
    kind = keys.type_at(path)
    if isinstance(kind, inspect.LiteralType):
        return ", ".join(f"`{toml_value(value)}`" for value in kind.values)
    return words(kind).replace(" that is not empty", "")


def _default(field):
    if field.required:
        return "**required**"
    value = field.default
    return "–" if value is None or value is NODEFAULT else f"`{toml_value(value)}`"
