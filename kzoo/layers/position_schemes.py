"""Position schemes by name."""

from kzoo.layers.parts import part
from kzoo.layers.positions import (
    LearnedPositions,
    RotaryPositions,
    SinusoidalPositions,
)
from kzoo.layers.relative_positions import AlibiPositions, RelativePositions


def position_part(position, embedding_dim, num_heads, head_dim, bidirectional=True):
    """Return the position scheme that `position` names, or `None` for "none".

    Args:
        position: "none", "sinusoidal", "learned", "rotary", "alibi", "relative" or
            "neighbours" (relative, each head beginning at one neighbour); or a
            `PositionScheme`; or its serialised form.
        embedding_dim: int. The width of what positions are added to.
        num_heads: int. N.
        head_dim: int. H.
        bidirectional: bool. Whether queries see later keys too.
    """
    if position is None or position == "none":
        return None
    choices = {
        "none": None,
        "sinusoidal": lambda: SinusoidalPositions(embedding_dim),
        "learned": lambda: LearnedPositions(embedding_dim),
        "rotary": lambda: RotaryPositions(head_dim),
        "alibi": lambda: AlibiPositions(num_heads),
        "relative": lambda: RelativePositions(num_heads, bidirectional=bidirectional),
        "neighbours": lambda: RelativePositions(
            num_heads, 16, 32, bidirectional, neighbour_bias=5.0
        ),
    }
    return part(position, choices, "position")
