"""The transformer in float64 NumPy, written from the papers: slow, plain, the judge.

Nothing here is shared with kzoo. Weights come as a dict from their path below the
layer to a float64 array; `below` narrows it to one part.
"""

import math

import numpy as np


def below(weights, name):
    """Return the weights of the part `name`, by their paths below it."""
    return {
        path[len(name) + 1 :]: value
        for path, value in weights.items()
        if path.startswith(name + "/")
    }


# Feed-forward


def relu(x):
    return np.maximum(x, 0.0)


def gelu(x):
    """x Φ(x), Hendrycks & Gimpel, 2016."""
    return x * 0.5 * (1.0 + np.vectorize(math.erf)(x / math.sqrt(2.0)))


def gelu_tanh(x):
    """The approximation of Hendrycks & Gimpel, 2016."""
    return 0.5 * x * (1.0 + np.tanh(math.sqrt(2.0 / math.pi) * (x + 0.044715 * x**3)))


def silu(x):
    return x / (1.0 + np.exp(-x))


FEED_FORWARDS = {  # name: (activation, gated)
    "relu": (relu, False),
    "gelu": (gelu, False),
    "gelu_tanh": (gelu_tanh, False),
    "silu": (silu, False),
    "reglu": (relu, True),
    "geglu": (gelu, True),
    "geglu_tanh": (gelu_tanh, True),
    "swiglu": (silu, True),
}


def dense(weights, x):
    """x W + b, where W has the axes (input, output)."""
    return x @ weights["kernel"] + weights.get("bias", 0.0)


def feed_forward(weights, x, kind):
    """Vaswani et al., 2017, equation 2; gated: Shazeer, 2020, section 2."""
    activation, gated = FEED_FORWARDS[kind]
    inner = dense(below(weights, "input"), x)
    if gated:
        inner = activation(dense(below(weights, "gate"), x)) * inner
    else:
        inner = activation(inner)
    return dense(below(weights, "output"), inner)


# Norms


def layer_norm(weights, x, epsilon=1e-5):
    """Ba et al., 2016."""
    mean = x.mean(-1, keepdims=True)
    variance = ((x - mean) ** 2).mean(-1, keepdims=True)
    normalised = (x - mean) / np.sqrt(variance + epsilon)
    return normalised * weights["gamma"] + weights["beta"]


def rms_norm(weights, x, epsilon=1e-6):
    """Zhang & Sennrich, 2019."""
    size = np.sqrt((x**2).mean(-1, keepdims=True) + epsilon)
    return x / size * weights["scale"]


NORMS = {"layer_norm": layer_norm, "rms_norm": rms_norm}


# Positions


def sinusoidal(positions, size, base=10000.0):
    """Vaswani et al., 2017, section 3.5."""
    table = np.zeros((len(positions), size))
    for row, position in enumerate(positions):
        for i in range(size // 2):
            angle = position / base ** (2 * i / size)
            table[row, 2 * i] = math.sin(angle)
            table[row, 2 * i + 1] = math.cos(angle)
    return table


def rotate(vector, position, base=10000.0):
    """Su et al., 2021, equation 14, with dimension i paired with i + H / 2."""
    half = len(vector) // 2
    numbers = vector[:half] + 1j * vector[half:]
    angles = position * base ** (-np.arange(half) / half)
    numbers = numbers * np.exp(1j * angles)
    return np.concatenate([numbers.real, numbers.imag])


def alibi_slopes(heads):
    """Press et al., 2022, section 3 and, for other counts, footnote 13's code."""
    if math.log2(heads).is_integer():
        return [2 ** (-8 * (head + 1) / heads) for head in range(heads)]
    closest = 2 ** math.floor(math.log2(heads))
    return alibi_slopes(closest) + alibi_slopes(2 * closest)[0::2][: heads - closest]


def alibi_bias(heads, queries, keys):
    distance = np.abs(np.subtract.outer(np.arange(queries), np.arange(keys)))
    return -np.multiply.outer(alibi_slopes(heads), distance)[None]


def relative_bucket(offset, buckets, longest, bidirectional):
    """Raffel et al., 2020, section 2.1, in whole numbers: no rounded logarithms."""
    first = 0
    if bidirectional:
        buckets //= 2
        first = buckets if offset > 0 else 0
        distance = abs(offset)
    else:
        distance = max(-offset, 0)
    exact = buckets // 2
    if distance < exact:
        return first + distance
    # log(d / exact) / log(longest / exact) · (buckets − exact) ≥ step, as powers:
    far = buckets - exact
    step = 0
    while step + 1 < far and (
        distance**far * exact ** (step + 1) >= longest ** (step + 1) * exact**far
    ):
        step += 1
    return first + exact + step


def relative_bias(table, queries, keys, bidirectional, longest=128):
    buckets = np.array(
        [
            [
                relative_bucket(key - query, len(table), longest, bidirectional)
                for key in range(keys)
            ]
            for query in range(queries)
        ]
    )
    return table[buckets].transpose(2, 0, 1)[None]  # (1, N, T, S)


# Attention


def attention(
    weights, query, value, mask=None, bias=None, rotary=False, scale=None, prefix=None
):
    """Vaswani et al., 2017, section 3.2; grouped heads: Ainslie et al., 2023.

    One query and one head at a time. The softmax runs over the visible keys alone; a
    query that sees none has a context of zeros. Returns outputs and weights.
    """
    size = weights["query/kernel"].shape[-1]
    scale = size**-0.5 if scale is None else scale

    def heads(name, x):
        kernel = weights[f"{name}/kernel"]  # (D, heads, H)
        return np.einsum("btd,dnh->btnh", x, kernel) + weights.get(f"{name}/bias", 0.0)

    queries, keys = heads("query", query), heads("key", value)
    values = heads("value", value)
    batch, length, count, _ = queries.shape
    size, key_heads = keys.shape[1:3]
    shape = (batch, count, length, size)
    mask = np.ones(shape, bool) if mask is None else np.broadcast_to(mask, shape)
    bias = np.zeros(shape) if bias is None else np.broadcast_to(bias, shape)
    first = 0 if prefix is None else len(prefix[0])
    shares = np.zeros((*shape[:3], first + size))
    context = np.zeros_like(queries)
    for b, n, t in np.ndindex(batch, count, length):
        shared = n // (count // key_heads)
        q, ks = queries[b, t, n], keys[b, :, shared]
        if rotary:
            q = rotate(q, t)
            ks = np.stack([rotate(key, s) for s, key in enumerate(ks)])
        seen, vs = mask[b, n, t], values[b, :, shared]
        added = bias[b, n, t]
        if first:
            ks, vs = (
                np.concatenate([own[:, shared], x])
                for own, x in zip(prefix, (ks, vs), strict=True)
            )
            seen = np.pad(seen, (first, 0), constant_values=True)
            added = np.pad(added, (first, 0))
        if not seen.any():
            continue
        scores = (ks @ q * scale + added)[seen]
        powers = np.exp(scores - scores.max())
        shares[b, n, t, seen] = powers / powers.sum()
        context[b, t, n] = shares[b, n, t] @ vs
    outputs = np.einsum("btnh,nhd->btd", context, weights["output/kernel"])
    return outputs + weights.get("output/bias", 0.0), shares


# Stacks


def embedding(weights, ids, segments=None, scale=False, added=None, norm=None):
    """Vaswani et al., 2017, section 3.4; segments: Devlin et al., 2019.

    With a projection, the sum is of another width: Lan et al., 2020.
    """
    hidden = weights["embeddings"][ids]
    if scale:
        hidden = hidden * math.sqrt(hidden.shape[-1])
    if "segments" in weights:
        hidden = (
            hidden
            + weights["segments"][np.zeros_like(ids) if segments is None else segments]
        )
    if added is not None:
        hidden = hidden + added
    if norm is not None:
        hidden = NORMS[norm](below(weights, "norm"), hidden)
    if "projection/kernel" in weights:
        hidden = hidden @ weights["projection/kernel"] + weights["projection/bias"]
    return hidden


def residual(weights, hidden, sub_layer, norm, placement):
    """Post: Vaswani et al., 2017; pre: Xiong et al., 2020; sandwich: Ding et al."""

    def normalised(slot, x):
        return NORMS[norm](below(weights, f"norm_{slot}"), x)

    if placement == "post":
        return normalised("outside", hidden + sub_layer(hidden))
    update = sub_layer(normalised("before", hidden))
    if placement == "sandwich":
        update = normalised("after", update)
    return hidden + update


def block(weights, hidden, mask, kind, norm, placement, cross=None, **positions):
    """One block; `cross` is (encoded, mask) in a decoder. Weights of heads second."""
    shares = {}

    def self_attention(x):
        part = below(weights, "attention")
        update, shares["self"] = attention(part, x, x, mask, **positions)
        return update

    def cross_attention(x):
        part = below(weights, "cross_attention")
        update, shares["cross"] = attention(part, x, *cross)
        return update

    def think(x):
        return feed_forward(below(weights, "feed_forward"), x, kind)

    steps = [("attention_step", self_attention), ("feed_forward_step", think)]
    if cross is not None:
        steps.insert(1, ("cross_attention_step", cross_attention))
    for name, sub_layer in steps:
        hidden = residual(below(weights, name), hidden, sub_layer, norm, placement)
    return hidden, shares


def stack(
    weights,
    ids,
    padding=None,
    position="sinusoidal",
    kind="gelu",
    norm="layer_norm",
    placement="pre",
    causal=False,
    encoded=None,
    encoded_padding=None,
    cross=False,
    segments=None,
    embedding_options=(),
):
    """A whole encoder (or `causal` decoder): output, hidden states, head weights."""
    length = ids.shape[1]
    heads = weights["block_0/attention/query/kernel"].shape[1]
    size = weights["embedding/embeddings"].shape[1]
    mask = np.ones((1, 1, length, length), bool)
    if causal:
        mask = np.tril(mask[0, 0])[None, None]
    if padding is not None:
        mask = mask & padding[:, None, None, :]
    added, positions = None, {}
    if position == "sinusoidal":
        added = sinusoidal(range(length), size)
    elif position == "learned":
        added = weights["position/embeddings"][:length]
    elif position == "rotary":
        positions = {"rotary": True}
    elif position == "alibi":
        positions = {"bias": alibi_bias(heads, length, length)}
    elif position == "relative":
        table = weights["position/embeddings"]
        positions = {"bias": relative_bias(table, length, length, not causal)}
    hidden = embedding(
        below(weights, "embedding"),
        ids,
        segments,
        added=added,
        **dict(embedding_options),
    )
    states, shares = [hidden], []
    encoded_mask = None
    if encoded_padding is not None:
        encoded_mask = encoded_padding[:, None, None, :]
    layers = {path.split("/")[0] for path in weights if path.startswith("block_")}
    prefixes = below(weights, "prefix")  # (P, layers, heads, H) each
    for index in range(len(layers)):
        if prefixes:
            own = [prefixes[half][:, index] for half in ("keys", "values")]
            positions = {**positions, "prefix": own}
        hidden, seen = block(
            below(weights, f"block_{index}"),
            hidden,
            mask,
            kind,
            norm,
            placement,
            cross=(encoded, encoded_mask) if cross else None,
            **positions,
        )
        states.append(hidden)
        shares.append(seen)
    if placement != "post":
        hidden = NORMS[norm](below(weights, "final_norm"), hidden)
    return hidden, states, shares
