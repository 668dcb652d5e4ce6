"""What DeBERTa, versions 2 and 3, calls its weights."""

from kzoo.interop.names.bert import embeddings
from kzoo.interop.names.encoders import attention, dense, norm, scores
from kzoo.interop.names.engine import Name, NameMap

ASIDE = {
    "embeddings.position_ids": "the numbers of the positions",
    "embeddings.position_embeddings.weight": "positions that are not added",
    "pooler.*": "the pooler",
    "cls.*": "the head of the masked language model",
    "lm_predictions.*": "the head of the masked language model",
    "mask_predictions.*": "the discriminator's head",
    "classifier.*": "the head of a fine-tuned model",
    "qa_outputs.*": "the head of a question answerer",
}
UNPREFIXED = (
    *("pooler.*", "classifier.*", "cls.*", "lm_predictions.*", "mask_predictions.*"),
)


def names(config, head):
    """A DeBERTa with the head of a task."""
    found = body(config)
    if head == "masked_lm":
        start = "cls.predictions"
        found += dense("head", f"{start}.transform.dense")
        found += norm("head_norm", f"{start}.transform.LayerNorm")
        return scores(found, config, f"{start}.decoder", f"{start}.bias")
    heads = {
        "encoder": [],
        "text_classifier": [
            *dense("head", "pooler.dense"),
            *dense("logits", "classifier"),
        ],
        "token_tagger": dense("logits", "classifier"),
    }
    return found + heads[head]


def body(config):
    """The encoder."""
    added, scored = "encoder/position/added", "encoder/position/scored"
    found = embeddings({"type_vocab_size": 0, **config}, position=added)
    if not config.get("position_biased_input", True):
        found = [name for name in found if not name.ours.startswith(added)]
        scored = "encoder/position"
    found.append(Name(f"{scored}/embeddings", "encoder.rel_embeddings.weight"))
    if "layer_norm" in (config.get("norm_rel_ebd") or ""):
        found += norm(f"{scored}/norm", "encoder.LayerNorm")
    for index in range(config["num_hidden_layers"]):
        found += block(f"encoder/block_{index}", f"encoder.layer.{index}", config)
    return found


def block(ours, theirs, config):
    """One block: attention and feed-forward, a norm after each."""
    parts = [f"{theirs}.attention.self.{x}_proj" for x in ("query", "key", "value")]
    parts.append(f"{theirs}.attention.output.dense")
    return [
        *attention(f"{ours}/attention", parts, config["num_attention_heads"]),
        *norm(
            f"{ours}/attention_step/norm_outside",
            f"{theirs}.attention.output.LayerNorm",
        ),
        *dense(f"{ours}/feed_forward/input", f"{theirs}.intermediate.dense"),
        *dense(f"{ours}/feed_forward/output", f"{theirs}.output.dense"),
        *norm(f"{ours}/feed_forward_step/norm_outside", f"{theirs}.output.LayerNorm"),
    ]


DEBERTA = NameMap(names, ("deberta.",), UNPREFIXED, ASIDE)
