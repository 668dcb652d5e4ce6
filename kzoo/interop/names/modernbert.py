"""What ModernBERT calls its weights: queries, keys and values are one tensor."""

from kzoo.interop.names.encoders import dense, norm, scores
from kzoo.interop.names.engine import Name, NameMap
from kzoo.interop.names.forms import (
    SAME,
    TRANSPOSED,
    fused,
    head_bias,
    heads,
    merged_heads,
)

ASIDE = {
    "head.*": "the inner layer of another head",
    "decoder.*": "the head of the masked language model",
    "classifier.*": "the head of a fine-tuned model",
    "qa_outputs.*": "the head of a question answerer",
}


def names(config, head):
    """A ModernBERT with the head of a task."""
    bias = config.get("norm_bias", False)
    found = [
        Name("encoder/embedding/embeddings", "embeddings.tok_embeddings.weight"),
        *norm("encoder/embedding/norm", "embeddings.norm", bias),
    ]
    for index in range(config["num_hidden_layers"]):
        found += block(index, config)
    found += norm("encoder/final_norm", "final_norm", bias)
    if head == "encoder":
        return found
    found += dense("head", "head.dense", config.get("classifier_bias", False))
    found += norm("head_norm", "head.norm", bias)
    if head == "masked_lm":
        biased = config.get("decoder_bias", True)
        found = scores(found, config, "decoder", "decoder.bias")
        return [n for n in found if biased or n.ours != "logits/bias"]
    return found + dense("logits", "classifier")


def block(index, config):
    """One block: attention and gated feed-forward, a norm before each but the first."""
    ours, theirs = f"encoder/block_{index}", f"layers.{index}"
    bias = config.get("norm_bias", False)
    found = attention(f"{ours}/attention", f"{theirs}.attn", config)
    if index:
        found += norm(f"{ours}/attention_step/norm_before", f"{theirs}.attn_norm", bias)
    found += norm(f"{ours}/feed_forward_step/norm_before", f"{theirs}.mlp_norm", bias)
    gated = f"{ours}/feed_forward/gate", f"{ours}/feed_forward/input"
    for kind, suffix, form in [
        ("kernel", "weight", TRANSPOSED),
        ("bias", "bias", SAME),
    ][: 1 + config.get("mlp_bias", False)]:
        paths = tuple(f"{path}/{kind}" for path in gated)
        found.append(Name(paths, f"{theirs}.mlp.Wi.{suffix}", fused(form, form)))
    output = f"{ours}/feed_forward/output"
    return found + dense(output, f"{theirs}.mlp.Wo", config.get("mlp_bias", False))


def attention(ours, theirs, config):
    """The four projections of `MultiHeadAttention`, three of them in one tensor."""
    number = config["num_attention_heads"]
    found = []
    for kind, suffix, form, merged in [
        ("kernel", "weight", heads(number), merged_heads(number)),
        ("bias", "bias", head_bias(number), SAME),
    ][: 1 + config.get("attention_bias", False)]:
        paths = tuple(f"{ours}/{part}/{kind}" for part in ("query", "key", "value"))
        found += [
            Name(paths, f"{theirs}.Wqkv.{suffix}", fused(form, form, form)),
            Name(f"{ours}/output/{kind}", f"{theirs}.Wo.{suffix}", merged),
        ]
    return found


MODERNBERT = NameMap(names, ("model.",), ("head.*", "classifier.*", "decoder.*"), ASIDE)
