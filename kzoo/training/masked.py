"""A saved language model asked about texts in which tokens are hidden."""

import dataclasses
from collections.abc import Callable

from kzoo_recipes import recipe_beside

from kzoo.data.texts import TextRows
from kzoo.tasks import TASKS
from kzoo.training.losses import make_loss
from kzoo.training.steppers import make_stepper


@dataclasses.dataclass(frozen=True)
class MaskedAnswers:
    """Texts and what a model made of what was hidden in them, by window.

    Attributes:
        run: str. The model, as it was named.
        source: str. What the texts are: a split or a file.
        rows: `TextRows`.
        surprises: list of float64 `(P,)`, in nats, at each token asked for.
        right: list of bool `(P,)`, whether it was the model's first choice.
        tokens: list of int32 `(P,)`, what was asked for.
        kinds: list of int `(P,)`, places in `kind_names`.
        kind_names: tuple of str, see the `kinds` of the task.
        names: function from an id to the token.
        notes: list of str. What was done to the texts.
    """

    run: str
    source: str
    rows: TextRows
    surprises: list
    right: list
    tokens: list
    kinds: list
    kind_names: tuple
    names: Callable
    notes: list


def ask_masked(model, run, rows, source, batch_size, name="masked_lm"):
    """What the model of `run` makes of `rows`: `MaskedAnswers`.

    Tokens are hidden as in training, the same ones whichever model is asked, if its
    tokenizer is the same.

    Args:
        name: str, the task: "masked_lm" or "span_corruption".
    """
    task, recipe = TASKS[name](), recipe_beside(run)
    pack = recipe is None or recipe.data.pack
    prepared = task.encoded_for(model, {source: rows}, pack)
    stepper = make_stepper(model, measured=make_loss(task.measured))
    found = sorted(
        task.answers(stepper, prepared, source, batch_size), key=lambda one: one[0]
    )
    _, tokens, kinds, surprises, right = map(list, zip(*found, strict=True))
    return MaskedAnswers(
        run=str(run),
        source=source,
        rows=rows,
        surprises=surprises,
        right=right,
        tokens=tokens,
        kinds=kinds,
        kind_names=task.kinds,
        names=model.tokenizer.id_to_token,
        notes=[*(f"{source}: {note}" for note in rows.notes), *prepared.notes],
    )
