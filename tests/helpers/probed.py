"""A recipe compared by the probe of `kzoo parity` with itself."""

import json

from kzoo_recipes import to_toml

from kzoo.parity.probe import probe


def compared_with_itself(recipe, folder):
    """Probe a recipe twice in `folder`, assert that all is compared and agrees.

    With itself, so that what is compared is all that may differ.

    Returns:
        dict, what is said of the pair.
    """
    folder.joinpath("recipe.toml").write_text(to_toml(recipe))
    for number in (0, 1):
        probe(folder, number, steps=2)
    pair = json.loads(folder.joinpath("0-1.json").read_text())
    assert pair["agree"] and pair["first_difference"] is None
    kinds = {row["kind"] for row in pair["rows"]}
    assert {"logits", "gradient", "losses", "trained", "predicted"} <= kinds
    return pair
