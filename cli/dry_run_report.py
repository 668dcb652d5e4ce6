"""What `kzoo train --dry-run` prints for people."""

import click
from kzoo_recipes import to_toml
from kzoo_recipes.layer_rates import rate_lines
from kzoo_recipes.wording import folded

from .output import note, one_line, print_table


def print_dry_run(recipe, facts):
    """Print the resolved recipe, then what `kzoo.dry_run` found out, in columns."""
    click.echo(to_toml(recipe))
    for text in facts["notes"]:
        note(folded(text))
    for line in rate_lines(facts["groups"]):
        click.echo(line)
    if len(facts["groups"]) > 1:
        click.echo()
    print_table(list(_lines(facts)))


def _lines(facts):
    """Yield name and value of each line."""
    if facts["labels"] is not None:
        yield "labels", ", ".join(map(one_line, facts["labels"]))
    yield "rows", ", ".join(f"{s} {count:,}" for s, count in facts["rows"].items())
    yield "vocabulary", f"{facts['vocabulary_size']:,} tokens"
    parameters = facts["parameters"]
    fixed = parameters["total"] - parameters["trained"]
    yield (
        "parameters",
        f"{parameters['total']:,}" + (f", {fixed:,} of them fixed" if fixed else ""),
    )
    for part, count in parameters["parts"].items():
        yield f"parameters {part}", f"{count:,}"
    tokens = facts["tokens"]
    yield (
        "steps",
        f"{facts['steps']:,} of {tokens['rows']:,} rows, "
        f"{facts['steps_per_epoch']:,} an epoch",
    )
    longest = f"{tokens['longest']:,}"
    if "longest_target" in tokens:
        longest = f"({longest} + {tokens['longest_target']:,})"
    yield (
        "tokens a step",
        f"{tokens['mean']:,.0f}, and {tokens['padding_share']:.0%} padding; "
        f"at most {tokens['rows']:,} × {longest}",
    )
    memory = facts["memory"]
    yield "memory", f"about {_bytes(memory['total'])}"
    for part in ("weights", "gradients", "moments", "activations"):
        yield f"memory {part}", _bytes(memory[part])
    step = facts["step"]
    yield (
        "first step",
        f"loss {step['loss']:.4f}, {_time(step['seconds'])}; "
        f"again {_time(step['seconds_again'])}",
    )
    yield (
        "all steps",
        f"about {_time(facts['training_seconds'])} on {facts['backend']}, "
        f"{facts['device']}, evaluations aside",
    )
    yield "would be saved to", facts["folder"]


def _bytes(count):
    for unit in ("bytes", "kB", "MB"):
        if count < 1000:
            return f"{count:.3g} {unit}"
        count /= 1000
    return f"{count:,.3g} GB"


def _time(seconds):
    if seconds < 1:
        return f"{1000 * seconds:.0f} ms"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes:02} min"
    return f"{minutes} min {rest:02} s" if minutes else f"{seconds:.1f} s"
