"""What must hold between `[adaptation]` and the rest of a recipe."""

TABLES = ("lora", "adapters", "prompt", "prefix")


def adaptation_complaints(recipe):
    """Yield `(keys, complaint)` for every rule of `[adaptation]` that is broken."""
    adaptation = recipe.adaptation
    if adaptation is None:
        return
    if recipe.model.pretrained is None:
        yield (
            ("adaptation", "model.pretrained"),
            "trains a small part beside a pretrained model; name one in [model] "
            "pretrained",
        )
    for name in TABLES:
        table = getattr(adaptation, name)
        if table is not None and name != adaptation.method:
            yield (
                (f"adaptation.{name}", "adaptation.method"),
                f'is of use only with method = "{name}"',
            )
    if adaptation.lora is not None and adaptation.lora.targets == []:
        yield ("adaptation.lora.targets",), "must name a projection, or be left out"
