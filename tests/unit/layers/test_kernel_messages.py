"""What is asked of a kernel that it does not do is said in one sentence."""

import numpy as np
import pytest

from kzoo import layers

X = np.zeros((1, 6, 8), "float32")
SEEN = np.ones((1, 1, 6, 6), bool)
DISENTANGLED = layers.DisentangledPositions(8, 20, 6)


def attention(kernel="window", **options):
    return layers.MultiHeadAttention(8, 2, kernel=kernel, **options)


def stack(kernel, kind=layers.TransformerEncoder, **options):
    return kind(9, 1, 2, 8, 12, attention={"kernel": kernel}, **options)


CASES = {
    "name": (
        lambda: attention("windw"),
        "`kernel` must be a kernel or one of 'big_bird', 'blockwise', 'linear', "
        "'longformer', 'native', 'performer', 'top_k', 'window'. Did you mean "
        "'window'? Received: kernel='windw'",
    ),
    "option": (
        lambda: attention({"kind": "window", "widow": 3}),
        "The kernel 'window' has no option 'widow'; it has window. Did you mean "
        "'window'? Received: kernel={'kind': 'window', 'widow': 3}",
    ),
    "value": (
        lambda: attention({"kind": "longformer", "dilation": 0}),
        "`dilation` must be an integer of at least 1. Received: dilation=0",
    ),
    "mask": (
        lambda: attention()(X, X, attention_mask=SEEN),
        "With a kernel, attention takes a mask of the keys alone, of shape "
        "(B, 1, 1, S). Received: attention_mask of (1, 1, 6, 6)",
    ),
    "bias": (
        lambda: attention()(X, X, bias=np.zeros((1, 2, 6, 6), "float32")),
        "With a kernel, attention takes a bias as a function of places only. ",
    ),
    "another text": (
        lambda: attention()(X, X[:, :4]),
        "A kernel that goes by distances lets a text attend to itself, so there are "
        "as many keys as queries. Received: 6 queries, 4 keys",
    ),
    "causal big bird": (
        lambda: attention("big_bird")(X, X, causal=True),
        "BigBird's blocks see what comes after them, and it knows how long its texts "
        "are. Received: causal=True",
    ),
    "positions": (
        lambda: stack("window", position=DISENTANGLED),
        "Attention with a kernel takes positions that go by the distance alone and "
        "say the same in every layer. Received: kernel=WindowKernel, "
        "position=DisentangledPositions",
    ),
    "decoder": (
        lambda: stack("big_bird", layers.TransformerDecoder),
        "A decoder takes kernels that can go on token by token. "
        "Received: kernel=BigBirdKernel",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_message(name):
    cause, message = CASES[name]
    with pytest.raises(ValueError) as error:
        cause()
    assert message in str(error.value)
