"""DeBERTa's positions: vectors of distances that queries and keys look at."""

import keras
import numpy as np
from keras import ops

from kzoo.layers.content_bias import ContentBias
from kzoo.layers.dropout import Dropout
from kzoo.layers.normalization import norm_part
from kzoo.layers.parts import config_of, copy_of
from kzoo.layers.positions import PositionScheme
from kzoo.layers.seeding import normal


@keras.saving.register_keras_serializable(package="kzoo")
class DisentangledPositions(PositionScheme):
    """Lets contents score distances, and distances contents, by one table for all.

    Each attention layer makes keys and queries of the table with its own projections
    and adds to the score of query i and key j how much i wants the distance i - j, and
    how much that distance wants j. Give attention `scale=(3 * head_dim) ** -0.5`, as
    three scores are summed, for numbers as in the paper.

    Args:
        hidden_dim: int. D.
        max_distance: int. Distances from here on share a vector.
        num_buckets: int or None. Vectors for each direction, an even number: half of
            them for a near distance each, the others for farther ones, logarithmically
            up to `max_distance`. `None`: every distance has its own.
        norm: `None`, a key of `kzoo.layers.NORMS`, or a layer. Applied to the table.
        content_to_position: bool. Whether queries score distances.
        position_to_content: bool. Whether distances score keys.
        dropout: float. Share of the table's numbers dropped in training.

    Raises:
        ValueError: if the buckets do not fit the distances, or nothing is scored.

    Reference:
        - [He et al., 2021](https://arxiv.org/abs/2006.03654), section 3
        - [He et al., 2023](https://arxiv.org/abs/2111.09543)
    """

    for_decoders = False

    def __init__(
        self,
        hidden_dim,
        max_distance=512,
        num_buckets=256,
        norm=None,
        content_to_position=True,
        position_to_content=True,
        dropout=0.0,
        **kwargs,
    ):
        super().__init__(**kwargs)
        if num_buckets is not None and not fitting(num_buckets, max_distance):
            raise ValueError(
                "`num_buckets` must be even, at least 2, and half of it below "
                "`max_distance` - 1. Received: "
                f"num_buckets={num_buckets}, max_distance={max_distance}"
            )
        if not (content_to_position or position_to_content):
            raise ValueError(
                "Positions score something. Received: content_to_position=False, "
                "position_to_content=False"
            )
        self.hidden_dim = hidden_dim
        self.max_distance = max_distance
        self.num_buckets = num_buckets
        self._norm_argument = config_of(norm)
        self.norm = None
        if norm is not None:
            self.norm = copy_of(norm_part(norm), "norm", self.dtype_policy)
        self.content_to_position = content_to_position
        self.position_to_content = position_to_content
        self.dropout = Dropout(dropout, name="dropout", dtype=self.dtype_policy)

    def build(self, input_shape=None):
        shape = (2 * (self.num_buckets or self.max_distance), self.hidden_dim)
        self.embeddings = self.add_weight(
            shape=shape,
            initializer=normal(self.path, "embeddings", self.hidden_dim**-0.5),
            name="embeddings",
        )
        if self.norm is not None:
            self.norm.build(shape)
        self.dropout.build(shape)

    def bias(self, query_positions, key_positions, training=None):
        table = ops.convert_to_tensor(self.embeddings, dtype=self.compute_dtype)
        if self.norm is not None:
            table = self.norm.call(table)
        table = self.dropout.call(table, training=training)  # (2 * buckets, D)
        length = ops.shape(query_positions)[0]
        rising = ops.arange(2 * length, dtype="int32") - (length - 1)
        return ContentBias(
            self._vectors(table, -rising) if self.content_to_position else None,
            self._vectors(table, rising) if self.position_to_content else None,
        )

    def _vectors(self, table, distances):
        rows = distance_rows(distances, self.num_buckets, self.max_distance)
        return ops.take(table, rows, axis=0)  # (2T, D)

    def get_config(self):
        return {
            **super().get_config(),
            "hidden_dim": self.hidden_dim,
            "max_distance": self.max_distance,
            "num_buckets": self.num_buckets,
            "norm": self._norm_argument,
            "content_to_position": self.content_to_position,
            "position_to_content": self.position_to_content,
            "dropout": self.dropout.rate,
        }


def fitting(num_buckets, max_distance):
    """Whether distances up to `max_distance` can be sorted into so many buckets."""
    return num_buckets % 2 == 0 and 2 <= num_buckets < 2 * (max_distance - 1)


def distance_rows(distances, num_buckets, max_distance):
    """Return the row of each distance in a table of both directions.

    Args:
        distances: int tensor, the query's place less the key's.
        num_buckets: int or None. Rows for each direction.
        max_distance: int. As in `DisentangledPositions`.

    Returns:
        int32 tensor like `distances`: the row of distance 0 stands in the middle.
    """
    distances = ops.cast(distances, "int32")
    buckets, size = distances, max_distance
    if num_buckets is not None:
        size = num_buckets
        # First distances of the far buckets, found on the host: a logarithm on the
        # device could round a border differently on each backend.
        starts = ops.convert_to_tensor(_starts(num_buckets, max_distance))
        far = ops.expand_dims(ops.abs(distances), -1) >= starts
        far = num_buckets // 2 + ops.sum(ops.cast(far, "int32"), axis=-1)
        near = ops.abs(distances) <= num_buckets // 2
        buckets = ops.where(near, distances, ops.sign(distances) * far)
    return ops.clip(buckets + size, 0, 2 * size - 1)


def _starts(num_buckets, max_distance):
    """Smallest distance of each bucket after the near ones, int32 NumPy."""
    middle = num_buckets // 2
    distances = np.arange(middle + 1, max_distance + 1)
    widest = np.log(np.float32((max_distance - 1) / middle))
    shares = np.log(distances.astype("float32") / np.float32(middle)) / widest
    far = np.ceil(shares * np.float32(middle - 1)).astype("int32")
    return np.array([distances[far >= step][0] for step in range(1, far[-1] + 1)], "i4")
