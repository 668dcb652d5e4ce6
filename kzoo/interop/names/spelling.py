"""Names of tensors as a family spells them today, whoever wrote them and when."""

import fnmatch

from kzoo_recipes import KzooError

# What DataParallel, torch.compile, sentence-transformers and modules of people's own,
# such as Lightning's, put before every name.
WRAPPERS = ("module.", "_orig_mod.", "0.auto_model.", "auto_model.", "model.")
# TensorFlow's names of what a layer norm multiplies by and adds.
ENDINGS = {".gamma": ".weight", ".beta": ".bias"}


def plain(name, prefixes=()):
    """`name` without what stands before and with today's ending.

    Args:
        name: str, as in a file.
        prefixes: tuple of str, what the family's own classes put before the names of
            their base model, such as `("bert.",)`.
    """
    known = [prefix for prefix in (*WRAPPERS, *prefixes) if prefix]
    while found := [prefix for prefix in known if name.startswith(prefix)]:
        name = name.removeprefix(max(found, key=len))
    for old, new in ENDINGS.items():
        if name.endswith(old):
            return name.removesuffix(old) + new
    return name


def spelled(checkpoint, prefixes=()):
    """The tensors of a checkpoint by their plain names.

    Returns:
        dict from plain name to the name in the files, in the order of the files.

    Raises:
        KzooError: if two tensors have one plain name.
    """
    found = {}
    for name in checkpoint.names:
        short = plain(name, prefixes)
        if short in found:
            raise KzooError(
                f"{checkpoint.folder}: `{found[short]}` and `{name}` are two names of "
                "one weight; remove one of them."
            )
        found[short] = name
    return found


def prefixed(tensors, prefixes, unprefixed):
    """Tensors as the class with a head calls them: the base model's have a prefix.

    Args:
        tensors: dict by plain names.
        prefixes: tuple of at most one str, such as `("bert.",)`.
        unprefixed: tuple of patterns of plain names that stand beside the base model.
    """
    start = "".join(prefixes)
    return {
        name
        if any(fnmatch.fnmatchcase(name, pattern) for pattern in unprefixed)
        else f"{start}{name}": value
        for name, value in tensors.items()
    }
