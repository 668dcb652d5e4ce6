"""How `kzoo parity` looks: differences beside what is allowed, pair by pair."""

import math

import click

from .output import print_table

# Kinds that fill one row each; activations fill a row per part of the model.
TITLES = {
    "initial": "initial weights ({count})",
    "logits": "logits",
    "gradient": "gradients ({count})",
    "losses": "losses of {steps} steps",
    "trained": "weights after them",
    "counters": "dropout counters ({count})",
    "predicted": "labels of {predicted} rows",
}
# Of a summarizer: greedily, and as its recipe says.
WRITTEN = {"predicted": "tokens of {predicted} summaries"}
EXACT = ("initial", "counters", "predicted")


def print_parity(title, facts, pairs, layers):
    """Print the table and who agrees.

    Args:
        title: str. The recipe's name.
        facts: list of dict, one per probe.
        pairs: list of dict, one per pair of probes.
        layers: bool. Whether every layer and weight gets a row.
    """
    one = facts[0]
    target = one.get("target_tokens")
    click.echo(
        f"{title}: {one['parameters']:,} parameters in {one['precision']}; "
        f"{one['rows']} rows of {one['tokens']} tokens"
        + (f" and summaries of {target}" if target else "")
        + f"; {one['steps']} steps"
    )
    for probe in facts:
        name, version, device = probe["name"], probe["version"], probe["device"]
        click.echo(f"{name}: {probe['backend']} {version} on {device}")
    click.echo()
    print_table([*_heads(pairs), *_rows(one, pairs, layers)], flexible=0)
    click.echo()
    for line in _verdicts(facts, pairs):
        click.echo(line)


def _heads(pairs):
    lefts, rights = zip(*(pair["between"] for pair in pairs), strict=True)
    return [["largest difference", "allowed", *lefts], ["", "", *rights]]


def _rows(facts, pairs, layers):
    grouped = [_grouped(pair["rows"], layers) for pair in pairs]
    titles = TITLES | (WRITTEN if "target_tokens" in facts else {})
    for key, rows in grouped[0].items():
        kind, name = key
        title = name or titles[kind].format(count=len(rows), **facts)
        limit = rows[0]["tolerance"]
        allowed = "finite" if limit is None else f"{limit:.0e}" if limit else "equal"
        cells = [_cell(kind, group.get(key, [])) for group in grouped]
        yield [title, allowed, *cells]


def _grouped(rows, layers):
    """Rows by what they share a line with, in their order."""
    groups = {}
    for row in rows:
        kind, name = row["kind"], row["name"]
        if (kind, name) == ("activation", "logits"):
            kind, name = (
                "logits",
                "",
            )  # What the last layer says is what the model does.
        elif not layers:
            name = "/".join(name.split("/")[:2]) if kind == "activation" else ""
        groups.setdefault((kind, name), []).append(row)
    return groups


def _cell(kind, rows):
    """The largest difference, marked if one is too large."""
    if not rows or any(row["difference"] is None for row in rows):
        return "missing !"
    worst = max(row["difference"] for row in rows)
    if kind in EXACT:
        text = (
            "equal" if worst == 0 else f"{sum(r['difference'] for r in rows):g} differ"
        )
    else:
        text = f"{worst:.1e}" if math.isfinite(worst) else "not finite"
    return text if all(row["agrees"] for row in rows) else f"{text} !"


def _verdicts(facts, pairs):
    names = [probe["name"] for probe in facts]
    if all(pair["agree"] for pair in pairs):
        yield f"{', '.join(names[:-1])} and {names[-1]} agree."
    for pair in pairs:
        if not pair["agree"]:
            one, other = pair["between"]
            yield f"{one} and {other} differ; {pair['first_difference']}."
