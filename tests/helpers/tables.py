"""Tables of recipes for the tests."""


def merged(tables, changes):
    """Nested dicts with further keys in their tables: `data={…}, model={…}, seed=1`."""
    for name, value in changes.items():
        merge = isinstance(value, dict) and name in tables
        tables[name] = tables[name] | value if merge else value
    return tables
