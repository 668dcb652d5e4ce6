"""Parts of a model that are not trained."""

from fnmatch import fnmatchcase

from kzoo_recipes import KzooError
from kzoo_recipes.hints import nearest

from kzoo.models.sizes import count_parameters
from kzoo.training.steppers.variables import neutral_names


def freeze(model, names):
    """Take parts of a model out of training: no gradient, no decay, no moments.

    Args:
        model: built `keras.Model`.
        names: list of str. A part and all below it, its names joined by dots, as in
            `"encoder.embedding"` or `"encoder.block_0.attention"`. `*`, `?` and `[]`
            stand for letters of one name, as in `"encoder.block_*"`.

    Returns:
        list of str, the paths of the weights that were frozen.

    Raises:
        KzooError: if a name fits no weight, or nothing is left to train.
    """
    path_of = neutral_names(model.weights)
    paths = {path_of(v.path): v for v in model.trainable_variables}
    frozen = set()
    for name in names:
        found = {path for path in paths if fits(path, name)}
        if not found:
            raise KzooError(unknown(name, paths))
        frozen |= found
    if frozen and len(frozen) == len(paths):
        raise KzooError(
            "[training] freeze leaves no weight to train: keep a part out of it. "
            f"Received: freeze={list(names)}"
        )
    for path in frozen:
        paths[path].trainable = False
    return [path for path in paths if path in frozen]


def fits(path, name):
    """Whether the weight at `path` is the part `name` or lies below it."""
    steps, wanted = path.split("/"), name.split(".")
    return len(wanted) <= len(steps) and all(map(fnmatchcase, steps, wanted))


def parts(paths, depth=None):
    """The parts that hold weights, down to `depth`, in order of the model."""
    found = {}
    for path in paths:
        steps = path.split("/")
        for end in range(1, len(steps) + 1):
            if depth is None or end == min(depth, len(steps) - 1):
                found[".".join(steps[:end])] = None
    return list(found)


def unknown(name, paths):
    near = nearest(name, parts(paths))
    hint = f'; did you mean "{near}"?' if near else "."
    return (
        f'[training] freeze: the model has no part "{name}"{hint} There are '
        f"{', '.join(parts(paths, depth=2))}, and their own parts."
    )


def sentence(model, names):
    """What is trained and what is not, in words."""
    trained = count_parameters(model.trainable_variables)
    total = count_parameters(model.weights)
    return (
        f"frozen: {', '.join(names)}; {trained:,} of {total:,} parameters are trained"
    )
