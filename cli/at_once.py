"""What is wrong with a recipe's files, said before a framework starts, which takes a
while. Training says the same of all else."""

from pathlib import Path

from kzoo_recipes.sources import is_hub, is_zoo

from .backend import kzoo_without_keras

PATTERN = set("*?[")


def look_for_files(recipe, checkpoint=True):
    """Refuse a recipe that names a file or a checkpoint that is not there.

    Args:
        recipe: `Recipe`, its files as absolute paths.
        checkpoint: bool. Whether its checkpoint is needed; a run keeps what it is for.

    Raises:
        KzooError: as training would.
    """
    data, pretrained = recipe.data, recipe.model.pretrained
    for named in (data.train, data.dev, data.test):
        for name in named if isinstance(named, list) else [named]:
            if _is_missing(name) and not PATTERN & set(name):
                with kzoo_without_keras():
                    from kzoo.data.readers.streams import opened

                    with opened(name, name):
                        return  # It appeared in the meantime.
    if checkpoint and _is_missing(pretrained):
        with kzoo_without_keras():
            from kzoo.interop.hub import local_folder

            local_folder(pretrained)


def _is_missing(name):
    if name is None or is_hub(name) or is_zoo(name):
        return False
    return not Path(name).exists()
