"""A corpus on every machine: pictures of two shapes, and captions true or false.

All is drawn from one seed by whole numbers alone, so it is the same everywhere. Each
picture has one true and one false caption, and each caption is true of one picture and
false of another: neither the picture nor the caption alone tells anything. A scene is
in one part only, so dev and test ask for combinations that were never trained.
"""

import functools

import numpy as np
from kzoo_recipes.sources import PICTURES as SOURCE

from kzoo.data.pictured_rows import PicturedRows
from kzoo.data.readers.rows import Origin
from kzoo.data.shapes.drawing import draw
from kzoo.data.shapes.scenes import caption, changed, scenes
from kzoo.data.splits import SPLITS, hash_place

SEED = 20
GROUPS = {"train": 1500, "dev": 150, "test": 250}  # of two pictures and four rows
DEV, TEST = 0.1, 0.1  # of all scenes


def shape_splits(groups=None, seed=SEED):
    """The corpus in three parts.

    Args:
        groups: dict from split to how many groups of four rows; `GROUPS` if `None`.
        seed: int.

    Returns:
        dict of `PicturedRows`: `train`, `dev` and `test`. Labels are "true" and
        "false", images uint8 `(24, 24, 3)`.
    """
    numbers = groups or GROUPS
    return {
        split: _part(split, numbers[split], seed + 1000 * place)
        for place, split in enumerate(SPLITS)
    }


def part_of(scene):
    """The split of a scene: by what is said of it, evenly, and for good."""
    place = hash_place(caption(scene, first=True))
    return "test" if place < TEST else "dev" if place < TEST + DEV else "train"


@functools.cache
def _scenes(split):
    return [scene for scene in scenes() if part_of(scene) == split]


def _part(split, groups, seed):
    """The rows of a split, four of each group, in an order drawn from the seed."""
    drawn = np.random.Philox(key=seed)
    own = _scenes(split)
    known = set(own)
    rows = []
    for _ in range(groups):
        scene = own[_below(drawn, len(own))]
        others = [other for other in changed(scene) if other in known]
        if not others or _below(drawn, 2):  # One that differs in more, as a rule.
            others = [other for other in own if other != scene]
        other = others[_below(drawn, len(others))]
        pictures = [draw(one, drawn) for one in (scene, other)]
        texts = [caption(one, bool(_below(drawn, 2))) for one in (scene, other)]
        for picture in (0, 1):
            for text in (0, 1):
                label = "true" if picture == text else "false"
                rows.append((pictures[picture], texts[text], label))
    order = np.argsort(drawn.random_raw(len(rows)), kind="stable")
    images, texts, labels = zip(*(rows[row] for row in order), strict=True)
    path = f"{SOURCE}#{split}"
    return PicturedRows(
        texts=list(texts),
        labels=list(labels),
        lines=list(range(1, len(rows) + 1)),
        path=path,
        origins=[Origin(path, "row")] * len(rows),
        images=list(images),
    )


def _below(drawn, count):
    """A number below `count`, drawn from a `np.random.Philox`."""
    return int(drawn.random_raw()) % count
