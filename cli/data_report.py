"""What `kzoo check-data` prints for people: a table of splits, then the findings."""

from .output import one_line

MOST_LABELS = 20


def print_report(report, lines=None):
    """Print what a report on data holds, however wide the screen is.

    Args:
        report: dict, of `kzoo.data.report.data_report` or
            `kzoo.data.tagged_report.tagged_report`.
        lines: function of the report that yields the name of each line of the table
            and its cell for each split. `None` is for texts with labels.
    """
    from shutil import get_terminal_size

    import click
    from rich.console import Console

    console = Console(
        width=get_terminal_size().columns,
        color_system=None,
        highlight=False,
        markup=False,
        emoji=False,
    )
    with console.capture() as captured:
        for split, facts in report["splits"].items():
            how = (
                ", split off train by the hash of each text" if facts["hashed"] else ""
            )
            console.print(f"{split}: {facts['path']}{how}")
            for note in facts.get("notes", ()):
                console.print(f"  {note}")
        console.print()
        console.print(_table(report, lines or _lines))
        _print_findings(console, report)
    for line in captured.get().splitlines():
        click.echo(line.rstrip())


def _table(report, lines):
    from rich.table import Table

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("")
    for split in report["splits"]:
        table.add_column(split, justify="right")
    for name, cells in lines(report):
        table.add_row(name, *cells)
    return table


def _lines(report):
    """Yield the name of each line of the table and its cell for each split."""
    splits = list(report["splits"].values())
    yield "rows", [f"{split['rows']:,}" for split in splits]
    yield from label_lines(splits)
    yield from token_lines(splits)
    length = report["sequence_length"]
    yield f"cut at {length:,} tokens", [percent(s["truncated_share"]) for s in splits]
    yield "unknown tokens", [percent(split["unknown_share"]) for split in splits]


def label_lines(splits, noun="labels"):
    """Yield a line for each label, up to some; more of them are called `noun`."""
    labels = list(dict.fromkeys(name for split in splits for name in split["labels"]))
    for label in labels[:MOST_LABELS]:
        counts = [split["labels"].get(label, 0) for split in splits]
        yield f"  {one_line(label)}", [f"{count:,}" for count in counts]
    if len(labels) > MOST_LABELS:
        yield f"  {len(labels) - MOST_LABELS:,} more {noun}", []


def token_lines(splits):
    """Yield a line for each percentile of the lengths of texts."""
    names = {"median": "tokens, median", "p90": "90 %", "p95": "95 %", "p99": "99 %"}
    names["longest"] = "longest"
    for key, name in names.items():
        indent = "" if key == "median" else "  "
        yield indent + name, [f"{split['tokens'][key]:,}" for split in splits]


def percent(share):
    """A share as a reader wants it."""
    return "< 0.1 %" if 0 < share < 0.0005 else f"{100 * share:.1f} %"


def _print_findings(console, report):
    findings = report["findings"]
    files = {split: facts["path"] for split, facts in report["splits"].items()}
    if not findings:
        console.print("\nNothing was found.")
    for finding in findings:
        console.print()
        console.print(finding["message"])
        for group in finding["groups"]:
            line = f"  {_places(finding, group, files)}  {one_line(group[0]['text'])}"
            console.print(line, no_wrap=True, overflow="ellipsis")
        if finding["left_out"] and finding["groups"]:
            console.print(f"  and {finding['left_out']:,} more; --rows lists them")


def _places(finding, group, files):
    """Where the rows of a group stand: `train line 40, test line 12`.

    `files` has the name of each split; of one that has several, the row's is said.
    """
    places, before = [], None
    for row in group[:4]:
        unit = "row" if "row" in row else "line"
        place = row["split"], row["file"]
        file = ""
        if place != before:
            own = row["file"] == files[row["split"]]
            file = row["split"] + ("" if own else f" {_short(row['file'])}") + " "
        label = ""
        if row.get("detail"):
            label = f" {one_line(row['detail'])}"
        elif finding["kind"] == "conflict":
            label = f" {_label(row['label'])}"
        places.append(f"{file}{unit} {row[unit]}{label}")
        before = place
    more = [f"{len(group) - 4} more"] if len(group) > 4 else []
    return ", ".join(places + more)


def _short(file, most=24):
    """As much of the end of a path as a line has room for."""
    file = one_line(file)
    return file if len(file) <= most else f"…{file[1 - most :]}"


def _label(label):
    names = [label] if isinstance(label, str) else label
    return one_line("+".join(names)) or "(none)"
