"""What T5 and its successors call their weights."""

from kzoo.interop.names.encoders import attention, dense
from kzoo.interop.names.engine import Name, NameMap
from kzoo.interop.names.tables import SHARED, token_tables

LETTERS = "qkvo"
ASIDE = {
    SHARED: "a table of token vectors that neither stack reads",
    "*.EncDecAttention.relative_attention_bias.weight": (
        "a bias by distance that T5's cross-attention does not add"
    ),
    "classification_head.*": "the head of a classifier",
    "qa_outputs.*": "the head of a question answerer",
}


def scale(ours, theirs):
    """A norm that only scales."""
    return [Name(f"{ours}/scale", f"{theirs}.weight")]


def t5(config, head):
    """An encoder-decoder.

    Args:
        config: dict, settled by `tables.settled`.
        head: str. "summarizer".
    """
    depth = config["num_layers"]
    depths = {"encoder": depth, "decoder": config.get("num_decoder_layers") or depth}
    names = token_tables(config)
    for side, depth in depths.items():
        bias = f"{side}.block.0.layer.0.SelfAttention.relative_attention_bias.weight"
        names.append(Name(f"{side}/position/embeddings", bias))
        for index in range(depth):
            names += _block(side, index, config)
        names += scale(f"{side}/final_norm", f"{side}.final_layer_norm")
    return names


def _block(side, index, config):
    """One block: self-attention, in a decoder cross-attention, and feed-forward."""
    ours, theirs = f"{side}/block_{index}", f"{side}.block.{index}.layer"
    parts = [("attention", "SelfAttention"), ("cross_attention", "EncDecAttention")]
    parts = parts[: 1 if side == "encoder" else 2]
    names = []
    for place, (part, called) in enumerate(parts):
        letters = [f"{theirs}.{place}.{called}.{letter}" for letter in LETTERS]
        names += attention(f"{ours}/{part}", letters, config["num_heads"], bias=False)
        names += scale(
            f"{ours}/{part}_step/norm_before", f"{theirs}.{place}.layer_norm"
        )
    last = f"{theirs}.{len(parts)}"
    default = "relu" if config.get("model_type") == "t5" else "gated-gelu"
    gated = config.get("feed_forward_proj", default).startswith("gated-")
    linears = {"input": "wi", "output": "wo"}
    if gated:
        linears = {"gate": "wi_0", "input": "wi_1", "output": "wo"}
    for own, called in linears.items():
        names += dense(
            f"{ours}/feed_forward/{own}", f"{last}.DenseReluDense.{called}", bias=False
        )
    return names + scale(f"{ours}/feed_forward_step/norm_before", f"{last}.layer_norm")


T5 = NameMap(t5, aside=ASIDE)
