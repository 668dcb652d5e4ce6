"""A small model that writes, for tests of how its scores are computed."""

import numpy as np
from helpers.layers import array, fill

from kzoo.layers import TransformerDecoder, TransformerEncoder

V, D = 19, 8


class Writer:
    """An encoder and a decoder with what generation asks of a model, and no more."""

    def __init__(self, position="relative", longest=None):
        if longest is not None:
            from kzoo.layers import LearnedPositions

            position = LearnedPositions(D, longest)
        options = {"position": position, "dropout": 0.0}
        self.encoder = TransformerEncoder(V, 1, 2, D, 12, name="encoder", **options)
        self.decoder = TransformerDecoder(V, 1, 2, D, 12, name="decoder", **options)
        self.encoder.build((1, 4))
        self.decoder.build((1, 4), (1, 4, D))
        self.refill(0)
        self.weights = self.encoder.weights + self.decoder.weights

    def refill(self, seed):
        """Give it other weights."""
        fill(self.encoder, seed)
        fill(self.decoder, seed + 1)

    def read(self, token_ids, padding_mask):
        encoded = self.encoder.call(token_ids, padding_mask)
        return {"encoded": encoded, "padding_mask": padding_mask}

    def scores(self, hidden, source):
        return self.decoder.embedding.logits(hidden) * 4

    def taught(self, token_ids, padding_mask, texts):
        """Logits after each text `(B, T)`, all of it told at once: `(B, V)`."""
        encoded = self.encoder(token_ids, padding_mask)
        hidden = self.decoder(texts, encoded, None, padding_mask)
        return array(self.scores(hidden[:, -1:], None))[:, 0]


def sources(count=3, size=5, seed=0):
    """Token ids and padding mask of sources of different lengths."""
    rng = np.random.default_rng(seed)
    token_ids = rng.integers(1, V, (count, size)).astype("int32")
    mask = np.arange(size) < rng.integers(1, size + 1, (count, 1))
    return np.where(mask, token_ids, 0).astype("int32"), mask
