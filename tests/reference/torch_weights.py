"""Copies of torch weights in kzoo's shapes, by kzoo's paths."""

import numpy as np


def numpy_of(tensor):
    return tensor.detach().cpu().numpy()


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
    for source, name in zip(sources, ("query", "key", "value"), strict=False):
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
