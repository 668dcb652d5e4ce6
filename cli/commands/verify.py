"""`kzoo verify MODEL…`."""

import click
from kzoo_recipes import KzooError

from ..backend import backend_option, start_kzoo
from ..installed import first_installed
from ..output import MISUSED, complain, print_json
from ..runs import locate


@click.command()
@click.argument("models", nargs=-1, required=True, metavar="MODEL...")
@backend_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def verify(ctx, models, backend, as_json):
    """Check that files are models exactly as kzoo saves them.

    MODEL is a run's folder, a .keras file or zoo:NAME. Nothing in it is run. kzoo looks
    at all of it first, as `predict` and `evaluate` do; Keras opens only what passes, so
    a good model is one that loads. Exits with 2 if any is refused.
    """
    kzoo = start_kzoo(backend or first_installed())
    answers = [_answer(kzoo, model) for model in models]
    if as_json:
        print_json(answers)
    else:
        for answer in answers:
            if answer["error"]:
                complain(answer["error"])
            else:
                click.echo(_sentence(answer))
    if any(answer["error"] for answer in answers):
        ctx.exit(MISUSED)


def _answer(kzoo, model):
    try:
        path = locate(model)
        found = kzoo.check_model_file(path)
        kzoo.load_model(path)  # Finds weights of the right shape under wrong names.
    except KzooError as error:
        return {"model": model, "good": False, "error": str(error)}
    return {"model": model, "good": True, "error": None, **found}


def _sentence(answer):
    labels = "" if answer["labels"] is None else f"{len(answer['labels'])} labels, "
    article = "an" if answer["class"].startswith("I") else "a"
    return (
        f"{answer['model']} is {article} {answer['class']}: "
        f"{answer['parameters']:,} parameters, "
        f"{labels}{answer['tokens']:,} tokens, {answer['bytes']:,} bytes"
    )
