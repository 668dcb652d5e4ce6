"""A sliding window: each token sees those next to it."""

import keras

from kzoo.layers.kernels import bands
from kzoo.layers.kernels.kernel import Kernel, at_least, one_text


@keras.saving.register_keras_serializable(package="kzoo")
class WindowKernel(Kernel):
    """Lets each query see the keys of at most `window` places before and after it.

    Work and memory grow with length × window. A text shorter than the window sees all
    of itself.

    Args:
        window: int, at least 1. How many places before a token it sees, and after it
            where attention is not causal.

    Raises:
        ValueError: if `window` is below 1, or keys are of another text than queries.

    Reference:
        - [Child et al., 2019](https://arxiv.org/abs/1904.10509)
        - [Beltagy et al., 2020](https://arxiv.org/abs/2004.05150), section 3.1
    """

    def __init__(self, window=256, **kwargs):
        super().__init__(**kwargs)
        at_least("window", window, 1)
        self.window = window

    def attend(self, heads):
        one_text(heads)
        return bands.attend(heads, self.window)

    def sees(self, query_positions, key_positions):
        return bands.sees(query_positions, key_positions, self.window)

    def get_config(self):
        return {**super().get_config(), "window": self.window}
