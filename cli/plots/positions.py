"""`kzoo plot positions WHAT`."""

import click
from kzoo_recipes import KzooError, load
from kzoo_recipes.loader import names

from ..backend import backend_option, start_kzoo
from ..installed import first_installed
from ..output import screen_width
from ..runs import locate
from .delivery import with_delivery
from .shading import curves, table_of_shades

NAMES = ("sinusoidal", "rotary", "alibi")
SHOWN = 32  # places and dimensions of a table in the terminal


@click.command()
@click.argument("what")
@click.option(
    "--stack",
    type=click.Choice(("encoder", "decoder")),
    default="encoder",
    show_default=True,
    help="Whose positions, of a model or a recipe.",
)
@click.option(
    "--length",
    type=click.IntRange(2, 8192),
    help="How many places; 128 if left out, or as many as there are.",
)
@click.option(
    "--dim",
    type=click.IntRange(2, 16384),
    help="Dimensions of all heads together, of a scheme by name; 128 if left out.",
)
@click.option(
    "--heads",
    type=click.IntRange(1, 512),
    help="Heads, of a scheme by name; 8 if left out.",
)
@backend_option
@with_delivery
def positions(what, stack, length, dim, heads, backend, delivery):
    """Draw what a model's positions say, or those of a scheme.

    WHAT is sinusoidal, rotary or alibi; a run's folder, a .keras file or zoo:NAME; or a
    recipe whose positions are not trained.
    """
    delivery.check()
    by_name = what in NAMES
    if not by_name and (dim or heads):
        raise click.UsageError(
            "--dim and --heads are of a scheme by name; a model and a recipe have "
            "their own."
        )
    if by_name:
        start_kzoo(backend or first_installed())
        from kzoo.plots import named_positions

        try:
            found = named_positions(what, length or 128, dim or 128, heads or 8)
        except ValueError as error:
            raise KzooError(_sentence(error)) from error
        title = f"Positions: {what}"
    else:
        found, title = _of_stack(what, stack, length, backend)
    from kzoo.plots import positions_figure

    delivery.deliver(
        {"what": what, "panels": [_plain(panel) for panel in found]},
        lambda: _lines(found),
        lambda size: positions_figure(found, title, size),
        letters=[title],
    )


def _of_stack(what, stack, length, backend):
    """What the positions of a model or a recipe say, and the title."""
    recipe = load(what) if what.endswith(".toml") or what in names() else None
    path = None if recipe else locate(what)
    kzoo = start_kzoo(backend or first_installed())
    from kzoo.plots import positions as ask

    if recipe is None:
        owner = getattr(kzoo.load_model(path), stack, None)
    else:
        owner = _untrained(kzoo, recipe, stack)
    if owner is None:
        raise KzooError(f"{what} has no {stack}; --stack encoder is the other one.")
    if length is None:
        length = min(128, owner.max_sequence_length or 128)
    found = ask(owner.position, length, both_ways=stack == "encoder")
    return found, f"Positions of the {stack} of {what}"


def _untrained(kzoo, recipe, stack):
    """The stack that a recipe describes, without weights."""
    from kzoo_recipes import arguments_of

    if recipe.model.pretrained is not None:
        raise KzooError(
            f"{recipe.name}: its positions are those of a checkpoint; train it, and "
            "name the run."
        )
    table = getattr(recipe.model, stack, None)
    if table is None:
        return None
    arguments = arguments_of(table)
    if arguments["position"] not in (*NAMES, "none"):
        raise KzooError(
            f'{recipe.name}: its positions, "{arguments["position"]}", are trained; '
            "train it, and name the run."
        )
    kind = "TransformerEncoder" if stack == "encoder" else "TransformerDecoder"
    return getattr(kzoo.layers, kind)(1, **arguments)


def _sentence(error):
    """A `ValueError` about a size, as it is told to a person."""
    return str(error).partition(" Received:")[0]


def _plain(panel):
    """A panel whose arrays are lists."""
    plain = lambda value: value.tolist() if hasattr(value, "tolist") else value
    return {
        name: {key: plain(one) for key, one in value.items()}
        if isinstance(value, dict)
        else plain(value)
        for name, value in panel.items()
    }


def _lines(panels):
    width, lines = screen_width(), []
    for panel in panels:
        lines += [panel["title"], ""]
        if panel["kind"] == "decay":
            drawn = {n: (panel["distance"], y) for n, y in panel["curves"].items()}
            lines += curves(drawn, width, x_name="distance (tokens)", y_name="score")
        elif panel["kind"] == "bias":
            drawn = {f"head {n}": (panel["offset"], y) for n, y in _few(panel["heads"])}
            name = "key's place less the query's (tokens)"
            lines += curves(drawn, width, x_name=name, y_name="bias")
        else:
            lines += _table(panel, width)
        lines.append("")
    return lines[:-1]


def _few(heads, most=8):
    """At most so many heads, with their numbers; a terminal holds no more curves."""
    step = -(-len(heads) // most)
    return [(number, heads[number]) for number in range(0, len(heads), step)]


def _table(panel, width):
    """A pattern or a similarity, in shades from -1 to 1; every few cells of it."""
    values, most = panel["values"], (SHOWN, max(4, min(SHOWN, (width - 6) // 4)))
    rows, columns = (
        range(0, size, -(-size // few))
        for size, few in zip(values.shape, most, strict=True)
    )
    of = "dimension" if panel["kind"] == "pattern" else "position"
    labels = [f"{number:>4}" for number in rows]
    values = values[:: rows.step, :: columns.step]
    return [
        f"rows are positions, columns {of}s",
        "",
        *table_of_shades(values, labels, columns, width, -1.0, 1.0),
    ]
