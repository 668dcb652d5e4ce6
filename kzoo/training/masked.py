"""A saved masked language model asked about texts in which tokens are hidden."""

import dataclasses
from collections.abc import Callable

import numpy as np
from kzoo_recipes import recipe_beside

from kzoo.data.texts import TextRows
from kzoo.tasks import TASKS
from kzoo.text.masking import Masking
from kzoo.training.losses import make_loss
from kzoo.training.steppers import make_stepper


@dataclasses.dataclass(frozen=True)
class MaskedAnswers:
    """Texts and what a model made of what was hidden in them, by window.

    Attributes:
        run: str. The model, as it was named.
        source: str. What the texts are: a split or a file.
        rows: `TextRows`.
        surprises: list of float64 `(P,)`, in nats, at each hidden token.
        right: list of bool `(P,)`, whether it was the model's first choice.
        tokens: list of int32 `(P,)`, what was hidden.
        kinds: list of int `(P,)`, what stood in its place: 0 the mask, 1 another token,
            2 itself.
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
    names: Callable
    notes: list


def ask_masked(model, run, rows, source, batch_size):
    """What the model of `run` makes of `rows`: `MaskedAnswers`.

    Tokens are hidden as in training, the same ones whichever model is asked, if its
    tokenizer is the same.
    """
    task, recipe = TASKS["masked_lm"](), recipe_beside(run)
    prepared = task.encode(
        {source: rows},
        model.tokenizer,
        model.sequence_length,
        recipe is None or recipe.data.pack,
        Masking.of(model.masking),
    )
    stepper = make_stepper(model, measured=make_loss(task.measured))
    found = sorted(
        task.answers(stepper, prepared, source, batch_size), key=lambda one: one[0]
    )
    tokens = [
        prepared.splits[source].token_ids[row][places] for row, _, places, *_ in found
    ]
    kinds = [
        np.where(
            read[places] == model.tokenizer.mask_id,
            0,
            np.where(read[places] == own, 2, 1),
        )
        for (_, read, places, *_), own in zip(found, tokens, strict=True)
    ]
    return MaskedAnswers(
        run=str(run),
        source=source,
        rows=rows,
        surprises=[surprises for *_, surprises, _ in found],
        right=[right for *_, right in found],
        tokens=tokens,
        kinds=kinds,
        names=model.tokenizer.id_to_token,
        notes=[*(f"{source}: {note}" for note in rows.notes), *prepared.notes],
    )
