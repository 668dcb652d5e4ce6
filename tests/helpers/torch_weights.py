"""Copies of torch weights in kzoo's shapes, by kzoo's paths."""

import numpy as np

QKV = ("query", "key", "value")


def numpy_of(tensor):
    return tensor.detach().cpu().numpy()


def state_of(module):
    """The weights of a torch module, by name, as NumPy."""
    return {name: numpy_of(value) for name, value in module.state_dict().items()}


def linear(state, source, target, shape=None, bias_shape=None):
    """torch's Linear: weight (out, in), so that y = x Wᵀ + b."""
    kernel = state[f"{source}weight"].T
    found = {f"{target}/kernel": kernel if shape is None else kernel.reshape(shape)}
    if f"{source}bias" in state:
        bias = state[f"{source}bias"]
        found[f"{target}/bias"] = (
            bias if bias_shape is None else bias.reshape(bias_shape)
        )
    return found


def heads(state, sources, target, num_heads):
    """Four Linears (query, key, value, output) as one attention."""
    found = {}
    for source, name in zip(sources, QKV, strict=False):
        width = state[f"{source}weight"].shape[0]
        split = (num_heads, width // num_heads)
        shape = (state[f"{source}weight"].shape[1], *split)
        found |= linear(state, source, f"{target}/{name}", shape, split)
    output = sources[3]
    width = state[f"{output}weight"].shape[1]
    shape = (num_heads, width // num_heads, -1)
    return found | linear(state, output, f"{target}/output", shape)


def norm(state, source, target):
    return {
        f"{target}/gamma": state[f"{source}weight"],
        f"{target}/beta": state[f"{source}bias"],
    }


def multihead_attention(state, source, target, num_heads):
    """`torch.nn.MultiheadAttention`, whose three projections are stacked."""
    stacked = np.split(state[f"{source}in_proj_weight"], 3)
    biases = np.split(state[f"{source}in_proj_bias"], 3)
    apart = dict(state)
    for name, weight, bias in zip("qkv", stacked, biases, strict=True):
        apart[f"{source}{name}.weight"] = weight
        apart[f"{source}{name}.bias"] = bias
    sources = [f"{source}{name}" for name in ("q.", "k.", "v.", "out_proj.")]
    return heads(apart, sources, target, num_heads)


def block(state, source, target, num_heads, placement, cross=False):
    """`torch.nn.TransformerEncoderLayer`, or DecoderLayer if `cross`."""
    slot = {"pre": "norm_before", "post": "norm_outside"}[placement]
    found = multihead_attention(
        state, f"{source}self_attn.", f"{target}/attention", num_heads
    )
    steps = ["attention_step", "feed_forward_step"]
    if cross:
        steps.insert(1, "cross_attention_step")
        found |= multihead_attention(
            state, f"{source}multihead_attn.", f"{target}/cross_attention", num_heads
        )
    for number, step in enumerate(steps, 1):
        found |= norm(state, f"{source}norm{number}.", f"{target}/{step}/{slot}")
    found |= linear(state, f"{source}linear1.", f"{target}/feed_forward/input")
    return found | linear(state, f"{source}linear2.", f"{target}/feed_forward/output")


def bert(state, depth, num_heads):
    """transformers' `BertModel`, without its pooler, as a `TransformerEncoder`."""
    found = {
        "embedding/embeddings": state["embeddings.word_embeddings.weight"],
        "embedding/segments": state["embeddings.token_type_embeddings.weight"],
        "position/embeddings": state["embeddings.position_embeddings.weight"],
        **norm(state, "embeddings.LayerNorm.", "embedding/norm"),
    }
    for index in range(depth):
        source, target = f"encoder.layer.{index}.", f"block_{index}"
        attention = [f"{source}attention.self.{name}." for name in QKV]
        attention.append(f"{source}attention.output.dense.")
        inside = f"{source}attention.output.LayerNorm."
        outside = f"{source}output.LayerNorm."
        found |= heads(state, attention, f"{target}/attention", num_heads)
        found |= norm(state, inside, f"{target}/attention_step/norm_outside")
        for part, place in (("intermediate", "input"), ("output", "output")):
            kernel = f"{source}{part}.dense."
            found |= linear(state, kernel, f"{target}/feed_forward/{place}")
        found |= norm(state, outside, f"{target}/feed_forward_step/norm_outside")
    return found


def assign(layer, found):
    """Assign every weight of `layer` but dropout's, and refuse to leave one out."""
    start = len(layer.path) + 1
    weights = {
        weight.path[start:]: weight
        for weight in layer.weights
        if weight.name != "state"
    }
    assert weights.keys() == found.keys()
    for path, weight in weights.items():
        weight.assign(found[path])
