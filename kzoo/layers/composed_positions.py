"""Position schemes made of others: two at once, or in turn."""

import keras
from keras import ops

from kzoo.layers.disentangled_positions import DisentangledPositions
from kzoo.layers.parts import config_of, copy_of
from kzoo.layers.positions import (
    LearnedPositions,
    PositionScheme,
    RotaryPositions,
    SinusoidalPositions,
)
from kzoo.layers.relative_positions import AlibiPositions, RelativePositions

ADDED = (LearnedPositions, SinusoidalPositions)
SCORED = (AlibiPositions, DisentangledPositions, RelativePositions, RotaryPositions)


@keras.saving.register_keras_serializable(package="kzoo")
class PositionPair(PositionScheme):
    """One scheme adds to the embeddings while another acts on the scores, as in MPNet.

    Args:
        added: `LearnedPositions` or `SinusoidalPositions`.
        scored: `AlibiPositions`, `DisentangledPositions`, `RelativePositions` or
            `RotaryPositions`.

    Reference:
        - [Song et al., 2020](https://arxiv.org/abs/2004.09297)
    """

    def __init__(self, added, scored, **kwargs):
        super().__init__(**kwargs)
        self.added = _scheme(self, "added", added, ADDED)
        self.scored = _scheme(self, "scored", scored, SCORED)
        self.for_decoders = self.scored.for_decoders
        self.max_sequence_length = self.added.max_sequence_length

    def build(self, input_shape=None):
        self.added.build(input_shape)
        self.scored.build(input_shape)

    def embedding(self, positions):
        return self.added.embedding(positions)

    def bias(self, query_positions, key_positions, training=None):
        return self.scored.bias(query_positions, key_positions, training=training)

    def rotary(self, positions):
        return self.scored.rotary(positions)

    def get_config(self):
        return {
            **super().get_config(),
            "added": config_of(self.added),
            "scored": config_of(self.scored),
        }

    @classmethod
    def from_config(cls, config):
        return cls(**config)


@keras.saving.register_keras_serializable(package="kzoo")
class AlternatingPositions(PositionScheme):
    """Every few layers all is seen, in those between only what is near.

    Attention to a window costs as much here as to all; it is for models that were
    trained so, as ModernBERT.

    Args:
        far: `AlibiPositions`, `DisentangledPositions`, `RelativePositions` or
            `RotaryPositions`, in the layers 0, `every`, 2 · `every` …
        near: likewise, in the other layers.
        every: int. At least 1.
        window: int. How many places before and after it a token sees in the other
            layers; 0 or more.

    Raises:
        ValueError: if an argument is out of range.

    Reference:
        - [Warner et al., 2024](https://arxiv.org/abs/2412.13663)
    """

    for_decoders = False

    def __init__(self, far, near, every=3, window=64, **kwargs):
        super().__init__(**kwargs)
        for name, value, least in (("every", every, 1), ("window", window, 0)):
            if value < least:
                raise ValueError(
                    f"`{name}` must be at least {least}. Received: {name}={value}"
                )
        self.far = _scheme(self, "far", far, SCORED)
        self.near = _scheme(self, "near", near, SCORED)
        self.every = every
        self.window = window
        self._windowed = _Windowed(self.near, window)

    def build(self, input_shape=None):
        self.far.build(input_shape)
        self.near.build(input_shape)

    def of_layer(self, index):
        return self._windowed if index % self.every else self.far

    def get_config(self):
        return {
            **super().get_config(),
            "far": config_of(self.far),
            "near": config_of(self.near),
            "every": self.every,
            "window": self.window,
        }

    @classmethod
    def from_config(cls, config):
        return cls(**config)


class _Windowed:
    """A scheme and the window around each token."""

    def __init__(self, scheme, window):
        self.bias = scheme.bias
        self.rotary = scheme.rotary
        self.window = window

    def mask(self, query_positions, key_positions):
        distance = query_positions[:, None] - key_positions[None, :]  # (T, S)
        return (ops.abs(distance) <= self.window)[None, None]


def _scheme(owner, name, value, kinds):
    """A copy of the scheme that is the owner's argument `name`."""
    scheme = value
    if isinstance(value, dict):
        scheme = keras.saving.deserialize_keras_object(value)
    if not isinstance(scheme, kinds):
        raise ValueError(
            f"`{name}` must be one of {', '.join(kind.__name__ for kind in kinds)}. "
            f"Received: {name}={type(scheme).__name__}"
        )
    return copy_of(scheme, name, owner.dtype_policy)
