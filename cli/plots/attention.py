"""`kzoo plot attention MODEL TEXT`."""

import click

from ..backend import backend_option, start_kzoo
from ..installed import first_installed
from ..output import note, one_line, screen_width
from ..runs import locate
from .delivery import PAGE, with_delivery
from .numbers import NumbersType, SliceType
from .shading import listed, numbered, table_of_shades

KINDS = ("encoder", "decoder", "cross")


@click.command()
@click.argument("model")
@click.argument("text")
@click.option(
    "--kind",
    type=click.Choice(KINDS),
    default="encoder",
    show_default=True,
    help="Who looks: the text's tokens, those that a summarizer writes at each other, "
    "or these at the text.",
)
@click.option(
    "--target",
    metavar="TEXT",
    help="What the summarizer wrote; if left out, it writes.",
)
@click.option(
    "--image",
    metavar="FILE",
    help="The picture that MODEL reads with TEXT, if it does; its patches stand behind "
    "the tokens.",
)
@click.option(
    "--layers",
    type=NumbersType(),
    metavar="NUMBERS",
    help="Layers to show, from 0, as 0,2-4; in the terminal the last if left out, "
    "elsewhere all.",
)
@click.option(
    "--heads",
    type=NumbersType("mean"),
    metavar="NUMBERS",
    help="Heads to show, from 0, or mean; in the terminal mean if left out, elsewhere "
    "all.",
)
@click.option(
    "--tokens",
    type=SliceType(),
    metavar="FROM:TO",
    help="Tokens to show, from 0, TO left out; all if left out.",
)
@click.option(
    "--rollout",
    is_flag=True,
    help="Show what tokens are made of through all layers up to one.",
)
@backend_option
@with_delivery
def attention(
    model, text, kind, target, image, layers, heads, tokens, rollout, backend, delivery
):
    """Draw who looks at whom when MODEL reads TEXT.

    MODEL is a run's folder, a .keras file, zoo:NAME, or a recipe's name that has one
    run in saved_models. Rows are the tokens that look; what they see adds up to 1.
    With --output FILE.html, a page in which one points at tokens.
    """
    delivery.check(pages=True)
    _check(kind, target, heads, rollout)
    path = locate(model)
    kzoo = start_kzoo(backend or first_installed())
    from kzoo.plots import attention as ask
    from kzoo.plots import attention_figure, attention_page

    found = ask(kzoo.load_model(path), text, kind, target, image)
    if kind != "encoder" and target is None:
        note(f"Note: it wrote: {one_line(found.target)}")
    found = found.rollout() if rollout else found
    in_terminal = delivery.output is None and not delivery.as_json
    if in_terminal and layers is None:
        layers = found.layers[-1:]
    if in_terminal and heads is None and not rollout:
        heads = "mean"
    shown = found.chosen(layers, heads, tokens)
    if in_terminal:
        _say_choice(found, shown)
    title = _title(model, shown, text)
    delivery.deliver(
        shown.as_dict(),
        lambda: _lines(shown),
        lambda size: attention_figure(shown, title, size),
        lambda: attention_page(shown, title),
        letters=[title, *shown.queries, *shown.keys],
    )


def _check(kind, target, heads, rollout):
    if target is not None and kind == "encoder":
        raise click.UsageError(
            "--target is what a summarizer wrote; --kind cross or decoder looks at it."
        )
    if rollout and heads is not None:
        raise click.UsageError("--rollout is of all heads at once, so --heads is none.")
    if rollout and kind == "cross":
        raise click.UsageError(
            "--rollout follows one text through its layers; --kind encoder and decoder "
            "have one, cross has not."
        )


def _title(model, shown, text):
    from kzoo.plots.attention_figures import default_title

    return f"{default_title(shown)} of {model}: {one_line(text)}"


def _say_choice(found, shown):
    left = len(found.layers) > len(shown.layers)
    if left or shown.heads != found.heads:
        what = shown.heads[0] if isinstance(shown.heads[0], str) else "the heads chosen"
        layers = ", ".join(map(str, shown.layers))
        note(
            f"Note: layer {layers} of {len(found.layers)}, {what}; --layers and "
            f"--heads choose, --output FILE{PAGE} shows all."
        )


def _lines(shown):
    width, lines = screen_width(), []
    if shown.kind == "cross":
        lines = ["columns, the text:", *listed(shown.keys, width), ""]
    for row, layer in enumerate(shown.layers):
        for column, head in enumerate(shown.heads):
            named = f"head {head}" if isinstance(head, int) else head
            lines += [f"layer {layer}, {named}", ""]
            lines += table_of_shades(
                shown.weights[row, column],
                numbered(shown.queries),
                range(len(shown.keys)),
                width,
            )
            lines.append("")
    return lines[:-1]
