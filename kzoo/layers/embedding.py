"""From token ids to vectors, and from vectors back to a score per token."""

import keras
from keras import ops

from kzoo.layers.dropout import Dropout, mix
from kzoo.layers.native import operations
from kzoo.layers.normalization import norm_part
from kzoo.layers.parts import config_of, copy_of
from kzoo.layers.projection import Projection
from kzoo.layers.seeding import normal


@keras.saving.register_keras_serializable(package="kzoo")
class TokenEmbedding(keras.layers.Layer):
    """Sums the vectors of token, segment and position, then normalises and drops.

    Args:
        vocabulary_size: int. V.
        hidden_dim: int. D.
        num_segments: int. Number of segments; 0 for none.
        scale: bool. Whether token vectors are multiplied by sqrt(E), as in the paper
            (E is D unless `embedding_dim` is given). Vectors start with a norm of about
            1, or of sqrt(E) with the factor.
        norm: `None`, a key of `kzoo.layers.NORMS`, or a layer. Applied to the sum.
        dropout: float. Share of the elements dropped in training.
        token_dropout: float. Share of the tokens whose own vector is zeroed in
            training, so that a model does not lean on single words.
        bigram_buckets: int. Number of vectors that pairs of a token and the one before
            it share by a hash; 0 for none. They tell small models about word order.
            Generation one token at a time cannot see the pair, so decoders do without.
        bigram_dropout: float. Share of the pairs whose vector is zeroed in training.
        embedding_dim: int or None. E, the width of the vectors and of the sum, norm and
            dropout included; a projection then makes D of it, so that a large
            vocabulary costs V · E and not V · D numbers. `None` means D, without one.

    Call arguments:
        token_ids: int `(B, T)`, each in [0, V).
        segment_ids: int `(B, T)`, each in [0, num_segments). `None` means all 0.
        position_embedding: float `(T, E)` or `None`.
        training: bool. Whether dropout acts.

    Returns:
        Float `(B, T, D)` in the compute dtype.

    Raises:
        ValueError: if `embedding_dim` is below 1.

    Reference:
        - [Vaswani et al., 2017](https://arxiv.org/abs/1706.03762), section 3.4
        - [Devlin et al., 2019](https://arxiv.org/abs/1810.04805), segments
        - [Roy et al., 2022](https://arxiv.org/abs/2207.06366), n-grams in transformers
        - [Lan et al., 2020](https://arxiv.org/abs/1909.11942), vectors in two factors
    """

    def __init__(
        self,
        vocabulary_size,
        hidden_dim,
        num_segments=0,
        scale=False,
        norm=None,
        dropout=0.0,
        token_dropout=0.0,
        bigram_buckets=0,
        bigram_dropout=0.0,
        embedding_dim=None,
        **kwargs,
    ):
        super().__init__(**kwargs)
        if embedding_dim is not None and embedding_dim < 1:
            raise ValueError(
                "`embedding_dim` must be at least 1, or None. "
                f"Received: embedding_dim={embedding_dim}"
            )
        self.vocabulary_size = vocabulary_size
        self.hidden_dim = hidden_dim
        self._embedding_dim_argument = embedding_dim
        self.embedding_dim = embedding_dim or hidden_dim
        self.num_segments = num_segments
        self.scale = scale
        self._norm_argument = config_of(norm)
        self._shared_with = None
        self.norm = None
        if norm is not None:
            self.norm = copy_of(norm_part(norm), "norm", self.dtype_policy)
        self.dropout = Dropout(dropout, name="dropout", dtype=self.dtype_policy)
        self.token_dropout = Dropout(
            token_dropout, name="token_dropout", dtype=self.dtype_policy
        )
        self.bigram_buckets = bigram_buckets
        self._bigram_rate = bigram_dropout
        self.bigram_dropout = None  # Keras runs models twice that have unbuilt layers.
        if bigram_buckets:
            self.bigram_dropout = Dropout(
                bigram_dropout, name="bigram_dropout", dtype=self.dtype_policy
            )
        self.projection = None
        if embedding_dim is not None:
            self.projection = Projection(
                hidden_dim, name="projection", dtype=self.dtype_policy
            )

    def share(self, embedding):
        """Read the token vectors of another `TokenEmbedding` and have none of its own.

        Segments, norm and dropout stay apart. The other is built first.

        Raises:
            ValueError: if this one is built, or the other's vectors are of other sizes.
        """
        if self.built:
            raise ValueError(
                "An embedding that is built has token vectors of its own. "
                f"Received: {self.path}"
            )
        for name in ("vocabulary_size", "embedding_dim"):
            own, other = getattr(self, name), getattr(embedding, name)
            if own != other:
                raise ValueError(
                    f"Embeddings that share token vectors have one `{name}`. "
                    f"Received: {name}={own} and {other}"
                )
        # A function: Keras would take the other for a child of this layer.
        self._shared_with = lambda: embedding

    @property
    def table(self):
        """The variable `(V, E)` that holds the token vectors."""
        return (
            self.embeddings if self._shared_with is None else self._shared_with().table
        )

    def build(self, input_shape=None):
        deviation = self.embedding_dim**-0.5
        self.embeddings = None
        if self._shared_with is None:
            self.embeddings = self._table("embeddings", self.vocabulary_size, deviation)
        self.segments = None
        if self.num_segments:
            self.segments = self._table("segments", self.num_segments, 0.02)
        self.bigrams = None
        if self.bigram_buckets:
            self.bigrams = self._table("bigrams", self.bigram_buckets, 0.02)
            self.bigram_dropout.build((None, None))
        sum_shape = (None, None, self.embedding_dim)
        if self.norm is not None:
            self.norm.build(sum_shape)
        self.dropout.build(sum_shape)
        if self.projection is not None:
            self.projection.build(sum_shape)
        self.token_dropout.build((None, None))

    def _table(self, name, rows, deviation):
        return self.add_weight(
            shape=(rows, self.embedding_dim),
            initializer=normal(self.path, name, deviation),
            name=name,
        )

    def _look_up(self, table, ids):
        return ops.take(ops.convert_to_tensor(table, self.compute_dtype), ids, axis=0)

    def call(self, token_ids, segment_ids=None, position_embedding=None, training=None):
        hidden = self._look_up(self.table, token_ids)  # (B, T, E)
        if self.scale:
            hidden = hidden * self.embedding_dim**0.5
        hidden = _drop_whole(hidden, self.token_dropout, training)
        if self.bigrams is not None:
            pairs = self._look_up(
                self.bigrams, bigram_hashes(token_ids, self.bigram_buckets)
            )
            hidden = hidden + _drop_whole(pairs, self.bigram_dropout, training)
        if self.segments is not None:
            if segment_ids is None:
                segment_ids = ops.zeros_like(token_ids)
            hidden = hidden + self._look_up(self.segments, segment_ids)
        if position_embedding is not None:
            hidden = hidden + position_embedding
        if self.norm is not None:
            hidden = self.norm.call(hidden)
        hidden = self.dropout.call(hidden, training=training)
        if self.projection is not None:
            hidden = self.projection.call(hidden)  # (B, T, D)
        return hidden

    def narrowed(self, hidden):
        """Bring vectors to the width of the table, by the transposed projection.

        Args:
            hidden: float `(B, T, D)`; or `(B, T, E)`, which stays as it is.

        Returns:
            Float `(B, T, E)`.
        """
        if hidden.shape[-1] == self.embedding_dim:
            return hidden
        kernel = ops.convert_to_tensor(self.projection.kernel, hidden.dtype)
        return ops.matmul(hidden, ops.transpose(kernel))

    def logits(self, hidden):
        """Score every token of the vocabulary by the transposed embedding.

        Args:
            hidden: float `(B, T, D)`.

        Returns:
            Float `(B, T, V)`.
        """
        hidden = self.narrowed(hidden)
        table = ops.convert_to_tensor(self.table, self.compute_dtype)
        return operations.score(hidden, table)

    def compute_output_spec(self, token_ids, *args, **kwargs):
        shape = (*token_ids.shape, self.hidden_dim)
        return keras.KerasTensor(shape, dtype=self.compute_dtype)

    def get_config(self):
        return {
            **super().get_config(),
            "vocabulary_size": self.vocabulary_size,
            "hidden_dim": self.hidden_dim,
            "num_segments": self.num_segments,
            "scale": self.scale,
            "norm": self._norm_argument,
            "dropout": self.dropout.rate,
            "token_dropout": self.token_dropout.rate,
            "bigram_buckets": self.bigram_buckets,
            "bigram_dropout": self._bigram_rate,
            "embedding_dim": self._embedding_dim_argument,
        }


def bigram_hashes(token_ids, buckets):
    """Return the bucket of each token with the one before it.

    Args:
        token_ids: int `(B, T)`.
        buckets: int. Number of buckets.

    Returns:
        int32 `(B, T)`, in [0, buckets). The first token has id 0 before it.
    """
    token_ids = ops.cast(token_ids, "int32")
    before = ops.pad(token_ids[:, :-1], ((0, 0), (1, 0)))
    hashes = mix(mix(before + 1) ^ token_ids)
    return ops.mod(ops.bitwise_and(hashes, 0x7FFFFFFF), buckets)


def _drop_whole(vectors, dropout, training):
    """Zero whole vectors of `(B, T, D)` in training; the others are not scaled up."""
    if not training or dropout.rate == 0:
        return vectors
    ones = ops.ones_like(vectors[..., 0])  # (B, T)
    kept = ops.cast(dropout.call(ones, training=True) > 0, vectors.dtype)
    return vectors * kept[..., None]
