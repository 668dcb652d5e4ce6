"""What ALBERT calls its weights: one block for each group of layers."""

from kzoo.interop.names.bert import embeddings
from kzoo.interop.names.encoders import attention, dense, norm, scores
from kzoo.interop.names.engine import NameMap

ASIDE = {
    "embeddings.position_ids": "the numbers of the positions",
    "embeddings.token_type_ids": "the segments of no text",
    "pooler.*": "the pooler",
    "predictions.*": "the head of the masked language model",
    "sop_classifier.*": "the head of sentence-order prediction",
    "classifier.*": "the head of a fine-tuned model",
    "qa_outputs.*": "the head of a question answerer",
}
UNPREFIXED = ("classifier.*", "predictions.*", "sop_classifier.*")


def names(config, head):
    """An ALBERT with the head of a task."""
    found = body(config)
    if head == "masked_lm":
        found += dense("head", "predictions.dense")
        found += norm("head_norm", "predictions.LayerNorm")
        return scores(found, config, "predictions.decoder", "predictions.bias")
    heads = {
        "encoder": [],
        "text_classifier": [
            *dense("head", "pooler"),
            *dense("logits", "classifier"),
        ],
        "token_tagger": dense("logits", "classifier"),
    }
    return found + heads[head]


def body(config):
    """The encoder."""
    found = embeddings(config)
    found += dense(
        "encoder/embedding/projection", "encoder.embedding_hidden_mapping_in"
    )
    for group in range(config.get("num_hidden_groups", 1)):
        theirs = f"encoder.albert_layer_groups.{group}.albert_layers.0"
        found += block(f"encoder/block_{group}", theirs, config)
    return found


def block(ours, theirs, config):
    """One block: attention and feed-forward, a norm after each."""
    parts = [f"{theirs}.attention.{x}" for x in ("query", "key", "value", "dense")]
    return [
        *attention(f"{ours}/attention", parts, config["num_attention_heads"]),
        *norm(f"{ours}/attention_step/norm_outside", f"{theirs}.attention.LayerNorm"),
        *dense(f"{ours}/feed_forward/input", f"{theirs}.ffn"),
        *dense(f"{ours}/feed_forward/output", f"{theirs}.ffn_output"),
        *norm(
            f"{ours}/feed_forward_step/norm_outside", f"{theirs}.full_layer_layer_norm"
        ),
    ]


ALBERT = NameMap(names, ("albert.",), UNPREFIXED, ASIDE)
