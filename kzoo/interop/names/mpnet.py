"""What MPNet calls its weights."""

from kzoo.interop.names.bert import embeddings
from kzoo.interop.names.encoders import attention, dense, norm, scores
from kzoo.interop.names.engine import Name, NameMap
from kzoo.models.families.mpnet import FIRST

ASIDE = {
    "embeddings.position_ids": "the numbers of the positions",
    "pooler.*": "the pooler",
    "lm_head.*": "the head of the masked language model",
    "classifier.*": "the head of a fine-tuned model",
    "qa_outputs.*": "the head of a question answerer",
}


def names(config, head):
    """An MPNet with the head of a task."""
    found = body(config)
    if head == "masked_lm":
        found += dense("head", "lm_head.dense")
        found += norm("head_norm", "lm_head.layer_norm")
        return scores(found, config, "lm_head.decoder", "lm_head.bias")
    heads = {
        "encoder": [],
        "text_classifier": [
            *dense("head", "classifier.dense"),
            *dense("logits", "classifier.out_proj"),
        ],
        "token_tagger": dense("logits", "classifier"),
    }
    return found + heads[head]


def body(config):
    """The encoder."""
    position = "encoder/position"
    found = embeddings({**config, "type_vocab_size": 0}, FIRST, f"{position}/added")
    found.append(
        Name(f"{position}/scored/embeddings", "encoder.relative_attention_bias.weight")
    )
    for index in range(config["num_hidden_layers"]):
        found += block(f"encoder/block_{index}", f"encoder.layer.{index}", config)
    return found


def block(ours, theirs, config):
    """One block: attention and feed-forward, a norm after each."""
    parts = [f"{theirs}.attention.attn.{name}" for name in ("q", "k", "v", "o")]
    return [
        *attention(f"{ours}/attention", parts, config["num_attention_heads"]),
        *norm(f"{ours}/attention_step/norm_outside", f"{theirs}.attention.LayerNorm"),
        *dense(f"{ours}/feed_forward/input", f"{theirs}.intermediate.dense"),
        *dense(f"{ours}/feed_forward/output", f"{theirs}.output.dense"),
        *norm(f"{ours}/feed_forward_step/norm_outside", f"{theirs}.output.LayerNorm"),
    ]


MPNET = NameMap(names, ("mpnet.",), ("classifier.*", "lm_head.*"), ASIDE)
