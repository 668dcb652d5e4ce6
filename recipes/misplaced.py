"""Where an unknown key belongs, or what it probably should be."""

from .fields import KEYS, TUNED_KEYS, is_table, tasks_with
from .hints import ALIASES, brief, did_you_mean, elsewhere, nearest


def misspelt(keys, path, value):
    """The complaint about the unknown key at `path`, with the best hint there is."""
    *table, key = path
    section = f"[{brief('.'.join(table))}]" if table else "a recipe"
    complaint = f'{section} has no key "{brief(key)}"'
    others = tasks_with(path)
    if others and keys in TUNED_KEYS.values():
        return f"{complaint} with `pretrained`, whose checkpoint decides it."
    if others:
        *first, last = others
        named = f"{', '.join(first)} or {last}" if first else last
        return f"{complaint}; `{key}` belongs to recipes of {named}."
    if elsewhere(key):
        return f"{complaint}; {elsewhere(key)}."
    meant = belongs(keys, path, value)
    if meant is None or meant[:-1] == tuple(table):
        return complaint + did_you_mean(key, _offered(keys, table, value))
    if isinstance(value, dict):
        name = f"[{'.'.join(meant)}]"
        return f"{complaint}; " + (
            f"write {name}." if meant[-1] == key else f"did you mean {name}?"
        )
    if meant[-1] == key:
        return f"{complaint}; `{key}` belongs to {_tables(keys, key)}."
    return f'{complaint}; did you mean "{meant[-1]}" of {_table(meant[:-1])}?'


def belongs(keys, path, value):
    """The key, as a path, that the unknown key at `path` seems to stand for, or None.

    A key of that name elsewhere counts most, then a near spelling in the same table,
    then one elsewhere.
    """
    *table, key = path
    homes = keys.homes(tables=isinstance(value, dict))
    if key in homes:
        return (*homes[key][0], key)
    here = nearest(key, _offered(keys, table, value))
    if here is not None:
        return (*table, here)
    far = nearest(key, homes)
    return None if far is None else (*homes[far][0], far)


def overridden(name):
    """The key `training.epochs` for `epochs`, or what others call it; None if none."""
    name = ALIASES.get(name, name)
    for keys in (*KEYS.values(), *TUNED_KEYS.values()):
        if tables := keys.homes().get(name):
            return ".".join((*tables[0], name))
    return None


def _offered(keys, table, value):
    """The keys of a table; for a section, those that are sections come first."""
    offered = list(keys.keys_at(tuple(table)))
    if not isinstance(value, dict):
        return offered
    return sorted(offered, key=lambda key: not is_table(keys.type_at((*table, key))))


def _tables(keys, key):
    return " or ".join(map(_table, keys.homes()[key]))


def _table(path):
    return f"[{'.'.join(path)}]" if path else "the top, before all sections"
