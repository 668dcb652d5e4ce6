"""From a recipe to all that trains: rows, batches, schedule, model and stepper."""

import dataclasses
from collections.abc import Callable

import keras
from kzoo_recipes import Recipe

from kzoo.interop.export import why_not
from kzoo.tasks import TASKS
from kzoo.tasks.adapting import adapted
from kzoo.tasks.pretrained import with_fingerprint
from kzoo.training import backend, freezing
from kzoo.training.averaging import Average
from kzoo.training.interruption import insistent
from kzoo.training.losses import make_loss
from kzoo.training.manners import Manners, manners_of, moved_parameters
from kzoo.training.optimizer import AdamW
from kzoo.training.products import slow_bfloat16
from kzoo.training.schedules import make_schedule
from kzoo.training.steppers import make_stepper


@dataclasses.dataclass(frozen=True)
class Setup:
    """What `set_up` made of a recipe.

    Attributes:
        recipe: `Recipe`, which says of what weights a pretrained encoder was made.
        prepared: what the task made of the rows; `prepared.notes` says what was done.
        batches: `batches.at(step)`; `len(batches)` makes an epoch.
        schedule: function from the step to its learning rate.
        total_steps: int.
        model: `keras.Model`, its weights drawn.
        stepper: what trains it, from `make_stepper`.
        evaluate: function from the name of a split to metrics; `quick=True` looks at
            some of it, where looking at all takes long.
        finish: function to call once after training; returns notes on what it did.
        manners: `Manners`, how the weights are moved.
    """

    recipe: Recipe
    prepared: object
    batches: object
    schedule: Callable
    total_steps: int
    model: keras.Model
    stepper: object
    evaluate: Callable
    finish: Callable
    manners: Manners


@insistent()
def set_up(recipe, prepared=None):
    """Read the rows of a recipe and build what trains on them.

    Args:
        recipe: `Recipe`.
        prepared: what the recipe's task made of its rows; `None` has them read.

    Raises:
        KzooError: if the recipe's data cannot be used, or its model has no part that
            `[training]` names.
    """
    settings = recipe.training
    if settings.deterministic:
        backend.use_deterministic_operations()
    task = TASKS[recipe.task]()
    prepared = task.prepare(recipe) if prepared is None else prepared
    batches = task.batches(recipe, prepared)
    total_steps = settings.steps or settings.epochs * len(batches)
    model = task.build(recipe, prepared)
    recipe = with_fingerprint(recipe, model, prepared)
    if fault := why_not(model):
        prepared.notes.append(f"cannot be exported to Hugging Face: {fault}")
    model = adapted(recipe, model, prepared)
    if settings.freeze:
        freezing.freeze(model, settings.freeze)
    manners = manners_of(model, settings, len(batches))
    if settings.freeze:
        moved = moved_parameters(manners.groups, total_steps)
        prepared.notes.append(freezing.sentence(model, settings.freeze, moved))
    prepared.notes.extend(never_moved(manners.groups, total_steps))
    if settings.precision == "mixed_bfloat16":
        prepared.notes.extend(filter(None, [slow_bfloat16(backend.device())]))
    name, options = task.loss(recipe, prepared)
    loss = make_loss(name, **options)
    average = Average(settings.ema_decay) if settings.ema_decay else None
    optimizer = make_optimizer(settings, manners)
    measured = make_loss(task.measured or name)
    stepper = make_stepper(model, loss, optimizer, average, measured=measured)

    def evaluate(split, quick=False):
        size = settings.evaluation_batch_size
        return task.evaluate(model, stepper, prepared, split, size, quick)

    def finish():
        return task.finish(
            recipe, model, stepper.predict, prepared, settings.evaluation_batch_size
        )

    return Setup(
        recipe,
        prepared,
        batches,
        schedule_of(settings, total_steps),
        total_steps,
        model,
        stepper,
        evaluate,
        finish,
        manners,
    )


def never_moved(groups, steps):
    """What to say of parts whose turn comes after so many steps."""
    late = [group for group in groups if group["from_step"] > steps]
    names = ", ".join(name for group in late for name in group["parts"])
    if not late:
        return []
    count = sum(group["parameters"] for group in late)
    return [
        f"never trained: {names}, {count:,} parameters; `unfreeze_every` frees them "
        f"from step {late[0]['from_step']:,} on, and there are {steps:,} steps"
    ]


def schedule_of(settings, total_steps):
    """The learning rates of a recipe's `[training]` over so many steps."""
    warmup = settings.warmup_steps
    if warmup is None:
        warmup = round(settings.warmup_share * total_steps)
    return make_schedule(settings.schedule, settings.learning_rate, total_steps, warmup)


def make_optimizer(settings, manners):
    return AdamW(
        beta_1=settings.beta_1,
        beta_2=settings.beta_2,
        epsilon=settings.epsilon,
        weight_decay=settings.weight_decay,
        clip_norm=settings.clip_norm or None,  # A recipe's 0 is no clipping.
        manners=manners.by_path,
        starts=manners.starts,
    )
