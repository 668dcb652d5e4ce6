"""Parts of a model that are not trained."""

from kzoo_recipes import KzooError
from kzoo_recipes.parts import fits, unknown

from kzoo.models.sizes import count_parameters
from kzoo.training.steppers.variables import neutral_names


def freeze(model, names):
    """Take parts of a model out of training: no gradient, no decay, no moments.

    Args:
        model: built `keras.Model`.
        names: list of str. Each a part with all below it, see `kzoo_recipes.parts`.

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
            raise KzooError(unknown("freeze", name, paths))
        frozen |= found
    if frozen and len(frozen) == len(paths):
        raise KzooError(
            "[training] freeze leaves no weight to train: keep a part out of it. "
            f"Received: freeze={list(names)}"
        )
    for path in frozen:
        paths[path].trainable = False
    return [path for path in paths if path in frozen]


def sentence(model, names, trained):
    """What is trained and what is not, in words; `trained` is how many numbers."""
    total = count_parameters(model.weights)
    return (
        f"frozen: {', '.join(names)}; {trained:,} of {total:,} parameters are trained"
    )
