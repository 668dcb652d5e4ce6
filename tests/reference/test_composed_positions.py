"""Distances that contents look at, windows and pairs of schemes, from their papers."""

import re

import numpy as np
import pytest
from helpers.layers import array, assert_close, fill, weights_of
from keras import ops

from kzoo import layers
from kzoo.layers.disentangled_positions import distance_rows

B, T, N, H = 2, 6, 3, 4
D = N * H
rng = np.random.default_rng(2)
X = rng.normal(size=(B, T, D)).astype("float32")
PLACES = np.arange(T, dtype="int32")


@pytest.mark.parametrize(
    "buckets, longest",
    [(None, 8), (None, 60), (2, 8), (6, 8), (6, 60), (32, 60), (32, 512), (256, 512)],
)
def test_rows_are_those_of_transformers(buckets, longest):
    torch = pytest.importorskip("torch")
    deberta = pytest.importorskip("transformers.models.deberta_v2.modeling_deberta_v2")
    distances = torch.arange(-1100, 1101)
    theirs = distances
    if buckets:
        theirs = deberta.make_log_bucket_position(distances, buckets, longest).long()
    size = buckets or longest
    expected = torch.clamp(theirs + size, 0, 2 * size - 1)
    actual = distance_rows(distances.numpy().astype("int32"), buckets, longest)
    np.testing.assert_array_equal(array(actual), expected.numpy())


@pytest.mark.parametrize("norm", [None, "layer_norm"])
@pytest.mark.parametrize(
    "wanted, wanting", [(True, True), (True, False), (False, True)], ids=str
)
@pytest.mark.parametrize("length", [1, T])
def test_contents_and_distances_look_at_each_other(length, wanted, wanting, norm):
    """Sums over all pairs, as in section 3.1 of He et al., 2021."""
    scheme = layers.DisentangledPositions(D, 9, 4, norm, wanted, wanting)
    attention = layers.MultiHeadAttention(D, N, scale=(3 * H) ** -0.5)
    scheme.build()
    attention.build((B, length, D))
    fill(scheme, 1), fill(attention, 2)
    x, places = X[:, :length], PLACES[:length]
    output, shares = attention(
        x, x, bias=scheme.bias(places, places), return_weights=True
    )
    table = weights_of(scheme)["embeddings"]
    if norm:
        table = array(scheme.norm(table.astype("float32"))).astype("float64")
    weights = weights_of(attention)

    def projected(name, vectors):
        kernel = weights[f"{name}/kernel"]
        return np.einsum("...d,dnh->...nh", vectors, kernel) + weights[f"{name}/bias"]

    queries, keys = projected("query", x), projected("key", x)
    rows = array(distance_rows(places[:, None] - places[None], 4, 9))
    scores = np.einsum("bihn,bjhn->bhij", queries, keys)
    for i, j in np.ndindex(length, length):
        if wanted:
            distance = projected("key", table[rows[i, j]])  # (N, H)
            scores[:, :, i, j] += (queries[:, i] * distance).sum(-1)
        if wanting:
            distance = projected("query", table[rows[i, j]])
            scores[:, :, i, j] += (keys[:, j] * distance).sum(-1)
    powers = np.exp(scores * (3 * H) ** -0.5)
    assert_close(shares, powers / powers.sum(-1, keepdims=True))
    plain = attention(x, x, bias=scheme.bias(places, places))  # the fused path
    assert_close(plain, array(output))


def test_positions_that_look_need_as_many_heads_of_keys():
    scheme = layers.DisentangledPositions(D)
    scheme.build()
    attention = layers.MultiHeadAttention(D, 3, num_key_value_heads=1)
    with pytest.raises(ValueError, match="Received: 3 heads of queries, 1 of keys"):
        attention(X, X, bias=scheme.bias(PLACES, PLACES))


def test_layers_in_between_see_what_is_near():
    encoder = layers.TransformerEncoder(
        *(20, 4, N, D, 16),
        position=layers.AlternatingPositions(
            layers.RotaryPositions(H, base=50.0),
            layers.RotaryPositions(H, base=9.0),
            every=3,
            window=1,
        ),
    )
    padding = np.arange(T) < np.array([[6], [3]])
    ids = rng.integers(0, 20, (B, T)).astype("int32")
    _, more = encoder(ids, padding, return_attention_weights=True)
    near = np.abs(PLACES[:, None] - PLACES[None]) <= 1
    for index, shares in enumerate(more["attention_weights"]):
        seen = np.broadcast_to(padding[:, None, None, :], shares.shape)
        if index % 3:
            seen = seen & near
        np.testing.assert_array_equal(array(shares) > 0, seen)
    bases = [encoder.position.of_layer(index).rotary(PLACES) for index in (0, 1, 3)]
    far, other, again = (array(cosines) for cosines, _ in bases)
    np.testing.assert_array_equal(far, again)
    assert_close(other, array(layers.RotaryPositions(H, base=9.0).rotary(PLACES)[0]))


def test_a_pair_adds_and_scores():
    pair = layers.PositionPair(
        layers.LearnedPositions(D, 17), layers.RelativePositions(N, 16, 60)
    )
    pair.build()
    fill(pair)
    assert pair.max_sequence_length == 17
    np.testing.assert_array_equal(
        array(pair.embedding(PLACES)), array(pair.added.embedding(PLACES))
    )
    np.testing.assert_array_equal(
        array(pair.bias(PLACES, PLACES)), array(pair.scored.bias(PLACES, PLACES))
    )
    assert pair.rotary(PLACES) is None


@pytest.mark.parametrize("position", ["none", "learned"])
def test_shared_blocks_are_those_of_an_encoder_that_has_them_twice(position):
    sizes = {"num_layers": 4, "num_heads": N, "hidden_dim": D, "intermediate_dim": 8}
    shared = layers.TransformerEncoder(
        20, **sizes, position=position, share_blocks=2, name="encoder"
    )
    whole = layers.TransformerEncoder(20, **sizes, position=position, name="encoder")
    for encoder in (shared, whole):
        encoder.build((B, T))
    fill(shared)
    own = {weight.path: weight for weight in shared.weights}
    assert len(shared.blocks) == 2
    for weight in whole.weights:
        path = weight.path
        for index in range(4):
            path = path.replace(f"block_{index}/", f"shared_{index // 2}/")
        if weight.name != "state":
            weight.assign(own[path.replace("shared_", "block_")].value)
    ids = rng.integers(0, 20, (B, T)).astype("int32")
    for options in ({}, {"training": False}):
        assert_close(shared(ids, **options), array(whole(ids, **options)))
    _, more = shared(ids, return_hidden_states=True, return_attention_weights=True)
    assert len(more["hidden_states"]) == 5 and len(more["attention_weights"]) == 4


def test_layers_that_share_a_block_drop_apart():
    encoder = layers.TransformerEncoder(20, 2, N, D, 8, dropout=0.5, share_blocks=2)
    ids = rng.integers(0, 20, (B, T)).astype("int32")
    _, more = encoder(ids, return_attention_weights=True, training=True)
    first, second = (array(shares) == 0 for shares in more["attention_weights"])
    assert (first != second).any()


def test_the_first_attention_reads_what_is_normed_already():
    encoder = layers.TransformerEncoder(
        *(20, 2, N, D, 8),
        norm_placement="pre_but_first",
        embedding={"norm": "layer_norm"},
        position="none",
    )
    encoder.build((B, T))
    paths = [weight.path for weight in fill(encoder).weights]
    slots = {path.split("/", 1)[1] for path in paths if "attention_step/norm" in path}
    assert slots == {
        f"block_1/attention_step/norm_before/{name}" for name in ("gamma", "beta")
    }
    ids = rng.integers(0, 20, (B, T)).astype("int32")
    hidden = encoder.embedding(ids)
    block = encoder.blocks[0]
    between = hidden + block.attention(hidden, hidden)
    normed = block.feed_forward_step.norm_before(between)
    expected = between + block.feed_forward(normed)
    _, more = encoder(ids, return_hidden_states=True)
    assert_close(more["hidden_states"][1], array(expected))
    assert ops.shape(expected) == (B, T, D)


WRONG = {
    "a decoder": (
        lambda: layers.TransformerDecoder(
            *(20, 2, N, D, 8), position=layers.DisentangledPositions(D)
        ),
        "Received: position=DisentangledPositions",
    ),
    "odd groups": (
        lambda: layers.TransformerEncoder(20, 3, N, D, 8, share_blocks=2),
        "Received: share_blocks=2, num_layers=3",
    ),
    "a pair of the same": (
        lambda: layers.PositionPair(
            layers.LearnedPositions(D), layers.LearnedPositions(D)
        ),
        "Received: scored=LearnedPositions",
    ),
    "a name in a pair": (
        lambda: layers.PositionPair("learned", "relative"),
        "Received: added=str",
    ),
    "no window": (
        lambda: layers.AlternatingPositions(
            layers.RotaryPositions(H), layers.RotaryPositions(H), window=-1
        ),
        "Received: window=-1",
    ),
    "too many buckets": (
        lambda: layers.DisentangledPositions(D, 5, 8),
        "Received: num_buckets=8, max_distance=5",
    ),
    "nothing to score": (
        lambda: layers.DisentangledPositions(
            D, content_to_position=False, position_to_content=False
        ),
        "Received: content_to_position=False, position_to_content=False",
    ),
    "norms nowhere": (
        lambda: layers.TransformerEncoder(20, 2, N, D, 8, norm_placement="pree"),
        "Received: norm_placement='pree'",
    ),
    "no width": (
        lambda: layers.TokenEmbedding(20, D, embedding_dim=0),
        "Received: embedding_dim=0",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_arguments_are_named(case):
    made, message = WRONG[case]
    with pytest.raises(ValueError, match=re.escape(message)):
        made()
