"""What position schemes say, as numbers: patterns, similarities, decays and biases."""

import numpy as np
from kzoo_recipes import KzooError

UNTRAINED = ("sinusoidal", "rotary", "alibi")  # say the same in every model


def named_positions(name, length=128, hidden_dim=128, num_heads=8):
    """What a scheme without weights says of the first places.

    Args:
        name: "sinusoidal", "rotary" or "alibi".
        length: int. T, how many places.
        hidden_dim: int. D; of rotary positions it is that of all heads together.
        num_heads: int. N.

    Returns:
        list of dict, see `positions`.

    Raises:
        KzooError: if there is no such scheme, or its weights are a model's.
        ValueError: if a size does not fit the scheme.
    """
    if name not in UNTRAINED:
        raise KzooError(
            f'"{name}" is none of {", ".join(UNTRAINED)}; positions that are trained '
            "are those of a model, so name one."
        )
    from kzoo.layers.position_schemes import position_part

    if hidden_dim % num_heads:
        raise KzooError(
            f"{num_heads} heads do not divide {hidden_dim} dimensions; choose others."
        )
    scheme = position_part(name, hidden_dim, num_heads, hidden_dim // num_heads)
    return positions(scheme, length)


def positions(scheme, length=128, both_ways=True):
    """What a position scheme says of the first places, panel by panel.

    Args:
        scheme: a `kzoo.layers.PositionScheme`, built if it has weights.
        length: int. T, how many places; no more than the scheme has.
        both_ways: bool. Whether later places are looked at, too, as in encoders.

    Returns:
        list of dict: "kind", str, "title", str, and of a

        - "pattern", what is added to the embeddings: "values", float `(T, D)`;
        - "similarity" of the places' vectors: "values", float `(T, T)`, cosines;
        - "decay" of rotated scores with the distance: "distance", int `(T,)`, and
          "curves", dict of float `(T,)`, each beginning at 1: "equal query and key",
          the score of two equal vectors of equal numbers, and "mean of |S|", to which
          section 3.4.3 bounds the scores of any two vectors;
        - "bias" added to scores: "offset", int, the key's place less the query's, and
          "heads", float `(N, offsets)`.

    Raises:
        KzooError: if the scheme has fewer places, or cannot be drawn.

    Reference:
        - [Su et al., 2021](https://arxiv.org/abs/2104.09864), section 3.4.3
    """
    if scheme is None:
        raise KzooError("this encoder or decoder has no positions; it sees a set.")
    longest = scheme.max_sequence_length
    if longest is not None and length > longest:
        raise KzooError(
            f"there are {longest:,} positions, so {length:,} cannot be drawn; lower "
            "the length."
        )
    panels = [
        panel
        for prefix, part in _parts(scheme)
        for panel in _panels(part, length, both_ways, prefix)
    ]
    if not panels:
        raise KzooError(f"{type(scheme).__name__} has no picture.")
    return panels


def _parts(scheme):
    """The single schemes of one, each with what its titles begin with."""
    if hasattr(scheme, "added"):  # a PositionPair
        return [("", scheme.added), ("", scheme.scored)]
    if hasattr(scheme, "far"):  # AlternatingPositions
        return [
            (f"every {scheme.every} layers: ", scheme.far),
            (f"the others, within {scheme.window} places: ", scheme.near),
        ]
    return [("", scheme)]


def _panels(scheme, length, both_ways, prefix):
    from keras import ops

    from kzoo.layers import DisentangledPositions

    name = type(scheme).__name__.removesuffix("Positions").replace("Alibi", "ALiBi")
    if isinstance(scheme, DisentangledPositions):
        return [
            _similarity(
                _numpy(ops.convert_to_tensor(scheme.embeddings)),
                f"{prefix}{name}: similarity of distances, row by row",
            )
        ]
    places = ops.arange(length, dtype="int32")
    added = scheme.embedding(places)
    if added is not None:
        added = _numpy(added)  # (T, D)
        similar = _similarity(added, f"{prefix}{name}: similarity of places")
        if not scheme.weights:
            pattern = {"kind": "pattern", "title": f"{prefix}{name}: what is added"}
            return [{**pattern, "values": added}, similar]
        return [similar]
    turned = scheme.rotary(places)
    if turned is not None:
        return [_decay(*map(_numpy, turned), f"{prefix}{name}: decay of scores")]
    first = length - 1
    keys = ops.arange(2 * length - 1 if both_ways else length, dtype="int32")
    bias = scheme.bias(ops.convert_to_tensor([first], dtype="int32"), keys)
    if bias is None:
        return []
    heads = _numpy(bias)[0, :, 0]  # (N, offsets)
    return [
        {
            "kind": "bias",
            "title": f"{prefix}{name}: bias of scores",
            "offset": np.arange(heads.shape[1]) - first,
            "heads": heads,
        }
    ]


def _similarity(vectors, title):
    vectors = vectors.astype("float64")
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    vectors = vectors / np.where(lengths > 0, lengths, 1.0)
    return {"kind": "similarity", "title": title, "values": vectors @ vectors.T}


def _decay(cosines, sines, title):
    """Of the angles of places `(T, 1, H / 2)`; places are distances from the first."""
    turns = cosines[:, 0].astype("float64") + 1j * sines[:, 0]  # (T, H / 2)
    bound = np.abs(np.cumsum(turns, axis=1)).mean(axis=1)
    return {
        "kind": "decay",
        "title": title,
        "distance": np.arange(len(turns)),
        "curves": {
            "equal query and key": turns.real.mean(axis=1),
            "mean of |S|": bound / bound[0],
        },
    }


def _numpy(tensor):
    from keras import ops

    return np.asarray(ops.convert_to_numpy(ops.cast(tensor, "float32")))
