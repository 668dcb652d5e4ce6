"""How `kzoo doctor` looks on a terminal."""

import click

from .output import one_line


def print_report(found):
    """Print all of it: what there is, what was checked, what to do.

    Args:
        found: dict, from `kzoo_cli.diagnosis.diagnosed`.
    """
    cpus, settings = found["processors"], found["keras"]
    rows = [
        ("kzoo", str(found["kzoo"])),
        ("Python", f"{found['python']} on {found['system']}"),
        ("CPUs", f"{cpus['usable']} usable of {cpus['machine']}"),
        (
            "import keras",
            f"runs on {settings['backend']}, by {settings['backend_from']}",
        ),
        *((name, value or '""') for name, value in found["variables"].items()),
        *((f"{name} folder", _place(at)) for name, at in found["folders"].items()),
    ]
    _print(rows)
    _titled("versions", map(_version, found["versions"].items()))
    for name, facts in found["backends"].items():
        _titled(name, _backend(facts))
    click.echo()
    for word in ("problems", "warnings"):
        for sentence in found[word]:
            click.echo(f"{word.rstrip('s').capitalize()}: {sentence}")
    if not found["problems"]:
        click.echo("Nothing stops training.")


def _titled(title, rows):
    click.echo(f"\n{title}")
    _print(list(rows))


def _print(rows):
    """Rows of strings in columns, whole: what is cut here cannot be mended."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (one_line(c).ljust(w) for c, w in zip(row, widths, strict=True))
        click.echo("  ".join(cells).rstrip())


def _place(place):
    state = "" if place["exists"] else " (not there yet)"
    return place["path"] + (state if place["writable"] else " (cannot be written)")


def _version(item):
    package, version = item
    if version["installed"] is None:
        return package, "-", f"tested with {version['tested']}"
    tested = "tested" if version["same"] else f"tested with {version['tested']}"
    return package, version["installed"], tested


def _backend(facts):
    if not facts["installed"]:
        return [("not installed", "")]
    rows = [("does not work", facts["error"])] if facts["error"] else []
    if "device" in facts:
        rows.append(("computes on", f"{facts['device']} of {_all(facts['devices'])}"))
        threads = facts["threads"].items()
        said = ", ".join(f"{count or 'its own choice'} {use}" for use, count in threads)
        rows.append(("threads", said or "its own choice"))
    for precision, error in facts["precisions"].items():
        rows.append((precision, (error and f"no: {error}") or "works"))
    for group, words in (
        ("promises", ("ok", "BROKEN")),
        ("traps", ("as known", "NEW")),
    ):
        for name, answer in facts[group].items():
            word = words[0] if answer["expected"] else words[1]
            rows.append((name, f"{word}: {answer['found']}"))
    return rows


def _all(devices):
    return ", ".join(devices)
