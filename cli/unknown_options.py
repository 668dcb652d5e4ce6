"""What an option that a command does not have was probably meant to be."""

from kzoo_recipes.misplaced import overridden

OF_DEVICES = ("gpu", "gpus", "cuda", "cpu", "accelerator")


def instead(error):
    """What to write in place of the option of a `click.NoSuchOption`, or `None`.

    A key of recipes is said by `--set`, a device by `--device`.
    """
    name = error.option_name.lstrip("-").replace("-", "_")
    options = [option for p in error.ctx.command.params for option in p.opts]
    if name in OF_DEVICES and "--device" in options:
        return "--device cpu" if name == "cpu" else "--device gpu:0"
    key = overridden(name) if "--set" in options else None
    return key and f"--set {key}=…"
