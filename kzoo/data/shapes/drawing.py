"""A scene as pixels, by whole numbers alone: the same bytes on every machine."""

import numpy as np

from kzoo.data.shapes.scenes import COLOURS

SIDE, CELL = 24, 8
CELLS = SIDE // CELL
RADIUS = 3  # of a shape, in a square of 7 pixels
GROUND, GRAIN = 232, 16  # grey behind the shapes, and how much it wavers


def draw(scene, drawn):
    """A picture of a scene, uint8 `(24, 24, 3)`, in an arrangement that is drawn.

    Args:
        scene: `kzoo.data.shapes.scenes.Scene`.
        drawn: `np.random.Philox`.
    """
    grain = drawn.random_raw(SIDE * SIDE * 3) % np.uint64(GRAIN)
    picture = (GROUND + grain.astype("int64")).reshape(SIDE, SIDE, 3).astype("uint8")
    across = int(drawn.random_raw()) % CELLS  # the row or column that both share
    near, far = _two_places(int(drawn.random_raw()))
    for thing, along in ((scene.first, near), (scene.second, far)):
        cell = (across, along) if scene.axis == "row" else (along, across)
        shift = int(drawn.random_raw()) % 4
        top, left = cell[0] * CELL + shift // 2, cell[1] * CELL + shift % 2
        size = 2 * RADIUS + 1
        spot = picture[top : top + size, left : left + size]
        spot[_mask(thing.shape)] = COLOURS[thing.colour]
    return picture


def _two_places(number):
    """Two different cells of a line, the smaller first."""
    pairs = [(a, b) for b in range(CELLS) for a in range(b)]
    return pairs[number % len(pairs)]


def _mask(shape):
    """Which pixels of a square of 7 a shape covers."""
    y, x = np.mgrid[-RADIUS : RADIUS + 1, -RADIUS : RADIUS + 1]
    if shape == "ring":
        return abs(x * x + y * y - 8) <= 5
    if shape == "triangle":
        return 2 * abs(x) <= y + RADIUS
    return np.full(x.shape, True)
