"""What BART, mBART, Marian and Pegasus call their weights."""

from kzoo.interop.names.encoders import attention, dense, norm
from kzoo.interop.names.engine import Name, NameMap
from kzoo.interop.names.forms import Form, rows_from
from kzoo.interop.names.tables import BIAS, HEAD, SHARED, token_tables

ASIDE = {
    SHARED: "a table of token vectors that neither stack reads",
    "classification_head.*": "the head of a classifier",
    "classification_heads.*": "the head of a classifier",
    "qa_outputs.*": "the head of a question answerer",
    "*coder.version": "the number of a version",
}
WAVES = {"*coder.embed_positions.weight": "the sines of positions, which are computed"}
UNPREFIXED = (BIAS, HEAD)
# Two rows of BART's tables were fairseq's of padding; its first position is its third.
FIRST = 2
ROW = Form(lambda x: x[0], lambda x: x[None])


def _names(placement, waves, embedding_norm):
    """The function from a config to the names of one of the four."""

    def names(config, head):
        found = [*token_tables(config), Name("logits/bias", BIAS, ROW)]
        for side in ("encoder", "decoder"):
            if not waves:
                positions = f"{side}.embed_positions.weight"
                found.append(
                    Name(f"{side}/position/embeddings", positions, rows_from(FIRST))
                )
            if embedding_norm:
                found += norm(f"{side}/embedding/norm", f"{side}.layernorm_embedding")
            for index in range(config[f"{side}_layers"]):
                found += _block(side, index, placement, config)
            if placement == "pre":
                found += norm(f"{side}/final_norm", f"{side}.layer_norm")
        return found

    return names


def _block(side, index, placement, config):
    """One block: self-attention, in a decoder cross-attention, and feed-forward."""
    ours, theirs = f"{side}/block_{index}", f"{side}.layers.{index}"
    slot = {"pre": "norm_before", "post": "norm_outside"}[placement]
    parts = [("attention", "self_attn"), ("cross_attention", "encoder_attn")]
    names = []
    for part, called in parts[: 1 if side == "encoder" else 2]:
        four = [f"{theirs}.{called}.{own}_proj" for own in ("q", "k", "v", "out")]
        heads = config[f"{side}_attention_heads"]
        names += attention(f"{ours}/{part}", four, heads)
        names += norm(f"{ours}/{part}_step/{slot}", f"{theirs}.{called}_layer_norm")
    for own, called in (("input", "fc1"), ("output", "fc2")):
        names += dense(f"{ours}/feed_forward/{own}", f"{theirs}.{called}")
    last = f"{theirs}.final_layer_norm"
    return names + norm(f"{ours}/feed_forward_step/{slot}", last)


def _map(*shape, aside=()):
    more = {**ASIDE, **dict(aside)}
    return NameMap(_names(*shape), ("model.",), UNPREFIXED, more)


BART = _map("post", False, True)
MBART = _map("pre", False, True)
MARIAN = _map("post", True, False, aside=WAVES)
PEGASUS = _map("pre", True, False, aside=WAVES)
