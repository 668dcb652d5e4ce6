"""Finding recipes, reading them and applying `--set`."""

import copy
import datetime
import re
import shlex
import tomllib
from pathlib import Path

from .characters import is_unicode
from .checks import unfit_name
from .errors import KzooError
from .explain import from_dict
from .fields import keys_of, place
from .hints import brief, did_you_mean, nearest
from .sources import holds_rows, holds_tags, hub_name, is_hub, is_zoo

SHIPPED = Path(__file__).parent
LAYOUT = (
    *("format", "encoding", "delimiter", "streaming"),
    *("text", "label", "label_separator", "weight", "labels"),
    *("words", "tags", "columns", "spans", "scheme", "learn_scheme"),
    *("document", "summary", "references", "packages", "package_rows"),
)
FILES = (
    *(("data", key) for key in ("source", "train", "dev", "test")),
    ("tokenizer", "file"),
    ("model", "pretrained"),
)


def names():
    """The recipes that ship with kzoo."""
    return sorted(path.stem for path in SHIPPED.glob("*.toml"))


def find(name_or_path):
    """The file of a shipped recipe or of a path.

    Raises:
        KzooError: if there is none, with the nearest shipped recipe or file; or if
            the file holds rows.
    """
    if not isinstance(name_or_path, Path) and name_or_path in names():
        return SHIPPED / f"{name_or_path}.toml"
    path = expanded(name_or_path)
    if path.is_file():
        if holds_rows(path) or holds_tags(path):
            option = shlex.quote(f"data.train={name_or_path}")
            recipe = "token_tagger" if holds_tags(path) else "text_classifier"
            raise KzooError(
                f"{name_or_path} holds data and is no recipe; use it with one, as in "
                f"`kzoo train {recipe} --set {option}`."
            )
        return path
    if path.is_dir():
        own = path / "recipe.toml"
        meant = str(own) if own.is_file() else "the .toml file in it"
        raise KzooError(f"{name_or_path} is a folder; name {meant}.")
    if path.suffix == ".toml" or len(path.parts) != 1:
        folder = path.parent
        others = [p.name for p in folder.glob("*.toml")] if folder.is_dir() else []
        near = nearest(path.name, others)
        hint = f'; did you mean "{folder / near}"?' if near else "."
        raise KzooError(f"{name_or_path}: there is no such file{hint}")
    hint = did_you_mean(name_or_path, names())
    if path.with_name(f"{path.name}.toml").is_file():
        hint = f'; did you mean "{name_or_path}.toml"?'
    raise KzooError(f'no recipe is named "{name_or_path}"{hint}')


def expanded(path):
    """`path` with `~` and `~user` replaced.

    Raises:
        KzooError: if there is no such user, or `path` cannot name a file.
    """
    if "\0" in str(path):
        raise KzooError(f"{str(path)!r}: a path cannot hold a NUL character.")
    try:
        return Path(path).expanduser()
    except RuntimeError:
        raise KzooError(f"{path}: there is no such user's home folder.") from None


def describe(name_or_path):
    """The recipe's first line of comment: what it is, costs and reaches."""
    for line in _text(find(name_or_path), name_or_path).splitlines():
        if line.startswith("#:"):
            continue  # For editors, as in `#:schema kzoo.schema.json`.
        if line.startswith("#"):
            return line.lstrip("# ").rstrip()
        if line.strip():
            break
    return ""


def load(name_or_path, overrides=()):
    """Read, override and check a recipe.

    Args:
        name_or_path: str or Path. A shipped name or a .toml file. Files that the
            recipe names are looked for beside it.
        overrides: iterable of `"training.epochs=3"`. Values are TOML; strings need
            no quotes; files are looked for in the working directory. `data.train`
            puts files in the place of the recipe's `data.source`, and the reverse;
            then what the recipe says of columns, labels, format and encoding goes
            with the rows it was said of. Other rows than the recipe's own void its
            `[expect]`.

    Returns:
        A `Recipe`, its files as absolute paths.

    Raises:
        KzooError: naming file, key and value.
    """
    path = find(name_or_path)
    origin = f"{name_or_path}.toml" if path.parent == SHIPPED else str(name_or_path)
    data = _parse(_text(path, name_or_path), origin)
    for keys in FILES:
        _resolve(data, keys, path.resolve().parent)
    unnamed = data.get("name") is None
    if unnamed:
        data["name"] = path.stem.lstrip(".") or "recipe"
    own = _rows_of(data)
    given = _override(data, overrides)
    if unnamed and ("name",) not in given:
        _check_stem(data["name"], path)
    if own and _rows_of(data) != own:
        # What is promised of one corpus says nothing of another.
        data.pop("expect", None)
    return from_dict(data, origin, given)


def _check_stem(name, path):
    """Refuse a file whose name cannot be that of a run's folder."""
    for complaint in unfit_name(name):
        raise KzooError(
            f"{str(path)!a}: the file's name names the run, so it {complaint}; rename "
            'it, or write name = "…" in it.'
        )


def _text(path, shown):
    try:
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise KzooError(f"{shown}: line {line} is not UTF-8 text.") from None
    except OSError as error:
        raise KzooError(f"{shown}: {error.strerror}.") from None


def _parse(text, origin):
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise KzooError(f"{origin}: values are nested too deeply.") from None
    except ValueError as error:
        message = str(error)
    at = re.search(r" \(at (?:line (\d+), column (\d+)|end of document)\)$", message)
    if at is None:
        raise KzooError(f"{origin}: {message}.")
    what = message[: at.start()].rstrip(".")
    where = f"line {at[1]}, column {at[2]}" if at[1] else "at the end"
    raise KzooError(f"{origin}: {where}: not valid TOML: {what}.")


def _override(data, overrides):
    """Put each `key.path=value` into `data`; return path -> text as given."""
    parsed = [(*_parts(text), text) for text in overrides]
    _make_room(data, {path for path, _, _ in parsed})
    tasks = [value for path, value, _ in parsed if path == ("task",)]
    keys = keys_of({**data, "task": tasks[-1]} if tasks else data)
    given = {}
    for path, value, text in parsed:
        given[path] = text
        _place(data, path, _value(keys, path, value), text)
        if path in FILES:
            _resolve(data, path, Path.cwd())
    return given


def _parts(text):
    """The key of `key.path=value`, as a tuple, and the value."""
    shown = f"--set {brief(text)}"
    if not is_unicode(text):
        raise KzooError(f"{shown!a}: this is not Unicode text.")
    dotted, equals, value = text.partition("=")
    path = tuple(part.strip() for part in dotted.split("."))
    if not equals or not all(path):
        raise KzooError(
            f"{shown}: write it as section.key=value, as in training.epochs=3."
        )
    if not value.strip():
        raise KzooError(f"{shown}: there is no value after the equals sign.")
    return path, value.strip()


def _rows_of(data):
    """Which rows are meant, and what of them; nothing where none are named."""
    table = data.get("data")
    if not isinstance(table, dict):
        return {}
    if not any(table.get(key) for key in ("source", "train", "test")):
        return {}
    kept = (
        *("source", "train", "test", "text", "label", "labels"),
        *("words", "tags", "columns", "spans", "scheme"),
        *("document", "summary", "references", "packages", "package_rows"),
    )
    return {key: copy.copy(table.get(key)) for key in kept}


def _make_room(data, given):
    """Files and a source exclude each other: what `--set` names stays.

    How the rows that go were written goes with them.
    """
    table = data.get("data")
    if not isinstance(table, dict):
        return
    train, source = ("data", "train") in given, ("data", "source") in given
    unfit = ()
    if train and not source and "source" in table:
        unfit = ("source", *LAYOUT)
    elif source and "train" in table:
        unfit = ("train", "dev", "test", *LAYOUT)
    for key in unfit:
        table.pop(key, None)


def _value(keys, path, text):
    """Read `text` as TOML; what is no TOML, or meant for a string key, is a string."""
    try:
        parsed = tomllib.loads(f"value = {text}")
    except (ValueError, RecursionError):
        return text
    if set(parsed) != {"value"}:
        return text
    value = parsed["value"]
    if keys.takes_text(path) and not isinstance(value, str | dict | list):
        return text
    dates = datetime.date | datetime.time
    return text if isinstance(value, dates) else value


def _place(data, path, value, text):
    for depth, part in enumerate(path[:-1], 1):
        data = data.setdefault(part, {})
        if not isinstance(data, dict):
            above = place(path[:depth])
            raise KzooError(f"--set {brief(text)}: {above} holds a value, not a table.")
    data[path[-1]] = value


def _resolve(data, keys, folder):
    """Make the files at `keys` absolute; leave what is not a path to the schema."""
    table = data.get(keys[0])
    files = table.get(keys[1]) if isinstance(table, dict) else None
    if keys == ("data", "source") and not is_hub(files):
        return
    if isinstance(files, list):
        table[keys[1]] = [_absolute(file, folder) for file in files]
    elif files:
        table[keys[1]] = _absolute(files, folder)


def _absolute(file, folder):
    name = hub_name(file)
    if name is not None and name.is_folder:
        return str(name._replace(name=str(folder / expanded(name.name))))
    if not file or not isinstance(file, str) or is_hub(file) or is_zoo(file):
        return file
    return str(folder / expanded(file))
