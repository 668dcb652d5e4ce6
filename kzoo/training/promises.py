"""What a recipe promises of the test split, and whether it was kept."""


def kept_promises(expect, metrics):
    """What `[expect]` promises of the test metrics, and whether it was reached."""
    promises = {}
    for name, bound in expect.items():
        value = metrics[name]
        low, high = bound.at_least, bound.at_most
        reached = (low is None or value >= low) and (high is None or value <= high)
        limits = {"at_least": low, "at_most": high}
        given = {key: limit for key, limit in limits.items() if limit is not None}
        promises[name] = {**given, "value": value, "reached": bool(reached)}
    return promises


def missed(name, promise):
    """A promise that was not kept, in words."""
    limits = [
        f"{word} {promise[key]}"
        for key, word in (("at_least", "at least"), ("at_most", "at most"))
        if key in promise
    ]
    return (
        f"[expect] {name}: the recipe promises {' and '.join(limits)}, "
        f"but the test split gave {promise['value']:.4f}"
    )
