"""From a decoder's vectors to a score for every token of the vocabulary."""

import math

import keras
from keras import ops

from kzoo.layers.native import operations
from kzoo.layers.seeding import normal


@keras.saving.register_keras_serializable(package="kzoo")
class OutputProjection(keras.layers.Layer):
    """Scores the vocabulary by one vector per token: its own, or the embedding's.

    Args:
        vocabulary_size: int. V.
        tied: bool. Whether the token vectors of an embedding score, which `tie` names.
        scale: float or None. Factor on what is scored. `None` means 1; T5 takes
            1 / sqrt(D) where tied.
        use_bias: bool. Whether a score per token is added, whatever came before it.

    Call arguments:
        hidden: float `(B, T, D)`.

    Returns:
        Float32 `(B, T, V)`, logits.

    Raises:
        ValueError: if an argument is of another type, or it is tied and was not told
            to what before it is built.

    Reference:
        - [Press & Wolf, 2017](https://arxiv.org/abs/1608.05859), tied vectors
    """

    def __init__(
        self, vocabulary_size, tied=True, scale=None, use_bias=False, **kwargs
    ):
        super().__init__(**kwargs)
        for name, value in (("tied", tied), ("use_bias", use_bias)):
            if not isinstance(value, bool):
                raise ValueError(
                    f"`{name}` must be True or False. Received: {name}={value!r}"
                )
        number = isinstance(scale, int | float) and not isinstance(scale, bool)
        if scale is not None and not (number and math.isfinite(scale)):
            raise ValueError(
                f"`scale` must be a finite number or None. Received: scale={scale!r}"
            )
        self.vocabulary_size = vocabulary_size
        self.tied = tied
        self.scale = scale
        self.use_bias = use_bias
        self.embeddings = self.bias = self._tied_to = None
        self._narrows = False

    def tie(self, embedding):
        """Score by the vectors of `embedding`, a `kzoo.layers.TokenEmbedding`.

        Returns:
            The layer.
        """
        # A function: Keras would take the embedding for a child of this layer.
        self._tied_to = lambda: embedding
        return self

    def build(self, hidden_shape):
        width = hidden_shape[-1]
        if self.tied:
            if self._tied_to is None:
                raise ValueError(
                    "A tied projection is told by `tie` whose vectors score. "
                    "Received: tied=True"
                )
            wide = self._tied_to().hidden_dim
            if width not in (wide, self._tied_to().embedding_dim):
                raise ValueError(
                    "A tied projection takes vectors as wide as the embedding's. "
                    f"Received: hidden_dim={wide}, width={width}"
                )
            self._narrows = width == wide
        else:
            self.embeddings = self.add_weight(
                shape=(self.vocabulary_size, width),
                initializer=normal(self.path, "embeddings", width**-0.5),
                name="embeddings",
            )
        if self.use_bias:
            self.bias = self.add_weight(
                shape=(self.vocabulary_size,), initializer="zeros", name="bias"
            )

    def _table(self, dtype):
        """Return the vectors that score, `(V, E)`."""
        table = self._tied_to().table if self.tied else self.embeddings
        return ops.convert_to_tensor(table, dtype)

    def call(self, hidden):
        if self.tied and self._narrows:
            hidden = self._tied_to().narrowed(hidden)  # (B, T, E)
        if self.scale is not None:
            hidden = hidden * self.scale
        logits = operations.score(hidden, self._table(hidden.dtype))  # (B, T, V)
        logits = ops.cast(logits, "float32")
        return logits if self.bias is None else logits + ops.cast(self.bias, "float32")

    def compute_output_spec(self, hidden):
        shape = (*hidden.shape[:-1], self.vocabulary_size)
        return keras.KerasTensor(shape, dtype="float32")

    def get_config(self):
        return {
            **super().get_config(),
            "vocabulary_size": self.vocabulary_size,
            "tied": self.tied,
            "scale": self.scale,
            "use_bias": self.use_bias,
        }
