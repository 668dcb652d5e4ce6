"""Where norms stand.

Before a sub-layer (pre), after the sum (post), on both sides of the sub-layer
(sandwich), or nowhere.
"""

NORM_SLOTS = {
    "pre": ("before",),
    "post": ("outside",),
    "sandwich": ("before", "after"),
    "none": (),
}

# Of a whole block: where the norms of its attention, and of its other steps, stand.
BLOCK_PLACEMENTS = {
    "pre": ("pre", "pre"),
    "post": ("post", "post"),
    "sandwich": ("sandwich", "sandwich"),
    "pre_but_first": ("none", "pre"),
}


def block_placements(norm_placement):
    """Return the placements of norms in self-attention's step and in the others.

    Raises:
        ValueError: if `norm_placement` is not a key of `BLOCK_PLACEMENTS`.
    """
    if norm_placement not in BLOCK_PLACEMENTS:
        raise ValueError(
            "`norm_placement` must be one of "
            f"{', '.join(map(repr, BLOCK_PLACEMENTS))}. "
            f"Received: norm_placement={norm_placement!r}"
        )
    return BLOCK_PLACEMENTS[norm_placement]


def placement_of(index, norm_placement):
    """Return where the norms of the block `index` of a stack stand."""
    if norm_placement == "pre_but_first" and index > 0:
        return "pre"
    return norm_placement
