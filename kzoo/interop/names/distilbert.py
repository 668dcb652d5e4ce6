"""What DistilBERT calls its weights."""

from kzoo.interop.names.encoders import attention, dense, norm, scores
from kzoo.interop.names.engine import Name, NameMap

ASIDE = {
    "embeddings.position_ids": "the numbers of the positions",
    "vocab_*": "the head of the masked language model",
    "pre_classifier.*": "the head of a fine-tuned model",
    "classifier.*": "the head of a fine-tuned model",
    "qa_outputs.*": "the head of a question answerer",
}


def names(config, head):
    """A DistilBERT with the head of a task."""
    found = [
        Name("encoder/embedding/embeddings", "embeddings.word_embeddings.weight"),
        Name("encoder/position/embeddings", "embeddings.position_embeddings.weight"),
        *norm("encoder/embedding/norm", "embeddings.LayerNorm"),
    ]
    for index in range(config["n_layers"]):
        found += block(f"encoder/block_{index}", f"transformer.layer.{index}", config)
    if head == "masked_lm":
        found += dense("head", "vocab_transform")
        found += norm("head_norm", "vocab_layer_norm")
        return scores(found, config, "vocab_projector", "vocab_projector.bias")
    heads = {
        "encoder": [],
        "text_classifier": [
            *dense("head", "pre_classifier"),
            *dense("logits", "classifier"),
        ],
        "token_tagger": dense("logits", "classifier"),
    }
    return found + heads[head]


def block(ours, theirs, config):
    """One block: attention and feed-forward, a norm after each."""
    parts = [f"{theirs}.attention.{name}_lin" for name in ("q", "k", "v", "out")]
    return [
        *attention(f"{ours}/attention", parts, config["n_heads"]),
        *norm(f"{ours}/attention_step/norm_outside", f"{theirs}.sa_layer_norm"),
        *dense(f"{ours}/feed_forward/input", f"{theirs}.ffn.lin1"),
        *dense(f"{ours}/feed_forward/output", f"{theirs}.ffn.lin2"),
        *norm(f"{ours}/feed_forward_step/norm_outside", f"{theirs}.output_layer_norm"),
    ]


DISTILBERT = NameMap(
    names, ("distilbert.",), ("pre_classifier.*", "classifier.*", "vocab_*"), ASIDE
)
