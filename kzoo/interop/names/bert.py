"""What BERT, RoBERTa and their kin call their weights."""

from kzoo.interop.names.encoders import attention, dense, norm, scores
from kzoo.interop.names.engine import Name, NameMap
from kzoo.interop.names.forms import SAME, rows_from
from kzoo.models.families.bert import first_position

# What a checkpoint may hold beside what the asked model reads.
ASIDE = {
    "embeddings.position_ids": "the numbers of the positions",
    "embeddings.token_type_ids": "the segments of no text",
    "pooler.*": "the pooler",
    "cls.predictions.*": "the head of the masked language model",
    "cls.seq_relationship.*": "the head of next-sentence prediction",
    "lm_head.*": "the head of the masked language model",
    "classifier.*": "the head of a fine-tuned model",
    "qa_outputs.*": "the head of a question answerer",
}
UNPREFIXED = ("classifier.*", "cls.*", "lm_head.*")


def body(config, first=0):
    """The encoder of a BERT; its first position is row `first` of the table."""
    names = embeddings(config, first)
    for index in range(config["num_hidden_layers"]):
        names += block(f"encoder/block_{index}", f"encoder.layer.{index}", config)
    return names


def embeddings(config, first=0, position="encoder/position"):
    """What a BERT adds up before its first block."""
    start, end = "encoder", "embeddings"
    names = [
        Name(f"{start}/embedding/embeddings", f"{end}.word_embeddings.weight"),
        Name(
            f"{position}/embeddings",
            f"{end}.position_embeddings.weight",
            rows_from(first) if first else SAME,
        ),
        *norm(f"{start}/embedding/norm", f"{end}.LayerNorm"),
    ]
    if config.get("type_vocab_size", 2):
        segments = f"{start}/embedding/segments"
        names.append(Name(segments, f"{end}.token_type_embeddings.weight"))
    return names


def block(ours, theirs, config):
    """One block: attention and feed-forward, a norm after each."""
    parts = [f"attention.self.{name}" for name in ("query", "key", "value")]
    parts = [f"{theirs}.{part}" for part in (*parts, "attention.output.dense")]
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


def bert(config, head):
    """A BERT with the head of a task."""
    if head == "masked_lm":
        start = "cls.predictions"
        names = [
            *body(config),
            *dense("head", f"{start}.transform.dense"),
            *norm("head_norm", f"{start}.transform.LayerNorm"),
        ]
        return scores(names, config, f"{start}.decoder", f"{start}.bias")
    heads = {
        "encoder": [],
        "text_classifier": [
            *dense("head", "pooler.dense"),
            *dense("logits", "classifier"),
        ],
        "token_tagger": dense("logits", "classifier"),
    }
    return body(config) + heads[head]


def roberta(config, head):
    """A RoBERTa with the head of a task."""
    encoder = body(config, first_position(config))
    if head == "masked_lm":
        names = [
            *encoder,
            *dense("head", "lm_head.dense"),
            *norm("head_norm", "lm_head.layer_norm"),
        ]
        return scores(names, config, "lm_head.decoder", "lm_head.bias")
    heads = {
        "encoder": [],
        "text_classifier": [
            *dense("head", "classifier.dense"),
            *dense("logits", "classifier.out_proj"),
        ],
        "token_tagger": dense("logits", "classifier"),
    }
    return encoder + heads[head]


BERT = NameMap(bert, ("bert.",), UNPREFIXED, ASIDE)
ROBERTA = NameMap(roberta, ("roberta.",), UNPREFIXED, ASIDE)
