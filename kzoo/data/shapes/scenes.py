"""Two shapes and how they stand to each other, and what is said of them."""

import itertools
from typing import NamedTuple

COLOURS = {
    "red": (214, 40, 40),
    "green": (46, 160, 67),
    "blue": (40, 80, 214),
    "yellow": (236, 200, 40),
}
SHAPES = ("square", "triangle", "ring")
# Axis: how the first is to the second, and the second to the first.
SAYS = {"row": ("left of", "right of"), "column": ("above", "below")}


class Thing(NamedTuple):
    """A shape of a colour."""

    colour: str
    shape: str


class Scene(NamedTuple):
    """Two different things, of which the first is left of the second, or above it.

    Attributes:
        first, second: `Thing`.
        axis: "row" or "column", what they share.
    """

    first: Thing
    second: Thing
    axis: str


def scenes():
    """Every scene that there is."""
    things = [Thing(*pair) for pair in itertools.product(COLOURS, SHAPES)]
    pairs = itertools.permutations(things, 2)
    return [Scene(*pair, axis) for pair, axis in itertools.product(pairs, SAYS)]


def caption(scene, first):
    """What is said of a scene, of its first thing or of its second."""
    one, other = (scene.first, scene.second) if first else (scene.second, scene.first)
    relation = SAYS[scene.axis][0 if first else 1]
    return f"a {one.colour} {one.shape} is {relation} a {other.colour} {other.shape}"


def changed(scene):
    """The scenes that differ from one in a colour, a shape, the order or the axis."""
    first, second, axis = scene
    found = [
        Scene(second, first, axis),
        *(Scene(first, second, other) for other in SAYS if other != axis),
    ]
    for thing, replaced in ((first, "first"), (second, "second")):
        others = [thing._replace(colour=colour) for colour in COLOURS]
        others += [thing._replace(shape=shape) for shape in SHAPES]
        found += [scene._replace(**{replaced: other}) for other in others]
    return [s for s in found if s.first != s.second and s != scene]
