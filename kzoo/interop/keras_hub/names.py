"""What keras-hub's backbones call their weights, which lie as kzoo's do.

Both are Keras' own layouts, so the forms are few: T5's projections have their heads in
one axis, and a stack without segments may hold those of kzoo in its positions.
"""

from kzoo.interop.names.engine import Name
from kzoo.interop.names.forms import TRANSPOSED, Form

QKV = ("query", "key", "value")
FIRST_SEGMENT = Form(None, lambda positions, segments: positions + segments[:1])


def split_heads(num_heads):
    """A linear map into heads: theirs `(D, N · H)`, ours `(D, N, H)`."""
    return Form(
        lambda x: x.reshape(x.shape[0], num_heads, -1),
        lambda x: x.reshape(x.shape[0], -1),
    )


def joined_heads(num_heads):
    """A linear map out of heads: theirs `(N · H, D)`, ours `(N, H, D)`."""
    return Form(
        lambda x: x.reshape(num_heads, -1, x.shape[-1]),
        lambda x: x.reshape(-1, x.shape[-1]),
    )


def dense(ours, theirs):
    """A linear map with its bias."""
    return [Name(f"{ours}/{part}", f"{theirs}/{part}") for part in ("kernel", "bias")]


def norm(ours, theirs):
    """A layer norm."""
    return [Name(f"{ours}/{part}", f"{theirs}/{part}") for part in ("gamma", "beta")]


def attention(ours, theirs):
    """The four projections of Keras' `MultiHeadAttention`."""
    pairs = [(part, part) for part in QKV] + [("output", "attention_output")]
    return [n for a, b in pairs for n in dense(f"{ours}/{a}", f"{theirs}/{b}")]


def block(ours, theirs, **attentions):
    """One block that normalises after every sum.

    Args:
        ours, theirs: str, the block's path.
        **attentions: str, theirs by ours.
    """
    names = norm(
        f"{ours}/feed_forward_step/norm_outside", f"{theirs}/feedforward_layer_norm"
    )
    for part, own in attentions.items():
        names += attention(f"{ours}/{part}", f"{theirs}/{own}")
        after = f"{theirs}/{own.removesuffix('_layer')}_layer_norm"
        names += norm(f"{ours}/{part}_step/norm_outside", after)
    for part, own in (("input", "intermediate"), ("output", "output")):
        names += dense(
            f"{ours}/feed_forward/{part}", f"{theirs}/feedforward_{own}_dense"
        )
    return names


def blocks(config, ours, theirs, **attentions):
    """All blocks of a stack."""
    numbers = range(config["num_layers"])
    pairs = [(f"{ours}/block_{number}", f"{theirs}_{number}") for number in numbers]
    return [name for pair in pairs for name in block(*pair, **attentions)]


def encoder(config, tokens, positions, folded):
    """An encoder of its own; `folded` if ours has segments that theirs has not."""
    place = Name("encoder/position/embeddings", f"{positions}/embeddings")
    if folded:
        ours = (place.ours, "encoder/embedding/segments")
        place = Name(ours, place.theirs, FIRST_SEGMENT)
    return [
        Name("encoder/embedding/embeddings", f"{tokens}/embeddings"),
        place,
        *norm("encoder/embedding/norm", "embeddings_layer_norm"),
        *blocks(
            config, "encoder", "transformer_layer", attention="self_attention_layer"
        ),
    ]


def bert(config, folded=False):
    """`BertBackbone`, without its pooler."""
    segments = Name("encoder/embedding/segments", "segment_embedding/embeddings")
    return [segments, *encoder(config, "token_embedding", "position_embedding", False)]


def roberta(config, folded=False):
    """`RobertaBackbone`."""
    tables = ("embeddings/token_embedding", "embeddings/position_embedding")
    return encoder(config, *tables, folded)


def distil_bert(config, folded=False):
    """`DistilBertBackbone`."""
    start = "token_and_position_embedding"
    tables = (f"{start}/token_embedding", f"{start}/position_embedding")
    return encoder(config, *tables, folded)


def bart(config, folded=False):
    """`BartBackbone`."""
    names = [Name("encoder/embedding/embeddings", "token_embedding/embeddings")]
    for stack in ("encoder", "decoder"):
        positions = f"{stack}_position_embedding/embeddings"
        names.append(Name(f"{stack}/position/embeddings", positions))
        names += norm(f"{stack}/embedding/norm", f"{stack}_embeddings_layer_norm")
    names += blocks(
        config,
        "encoder",
        "transformer_encoder_layer",
        attention="self_attention_layer",
    )
    return names + blocks(
        config,
        "decoder",
        "transformer_decoder_layer",
        attention="self_attention",
        cross_attention="cross_attention",
    )


def t5(config, folded=False):
    """`T5Backbone`."""
    names = [Name("encoder/embedding/embeddings", "token_embedding/embeddings")]
    if not config["tie_embedding_weights"]:
        theirs = "token_embedding/reverse_embeddings"
        names.append(Name("logits/embeddings", theirs, TRANSPOSED))
    for stack in ("encoder", "decoder"):
        last = f"{stack}_output_layer_norm/weight"
        names.append(Name(f"{stack}/final_norm/scale", last))
        first = f"transformer_{stack}_layer_0/self_attention/embeddings"
        names.append(Name(f"{stack}/position/embeddings", first))
        for number in range(config["num_layers"]):
            ours = f"{stack}/block_{number}"
            names += t5_block(config, ours, f"transformer_{stack}_layer_{number}")
    return names


def t5_block(config, ours, theirs):
    """One block that normalises before every step."""
    heads = config["num_heads"]
    steps = {"attention": "self_attention", "cross_attention": "cross_attention"}
    if ours.startswith("encoder"):
        del steps["cross_attention"]
    names = []
    for part, own in steps.items():
        before = f"{theirs}/{own}_layer_norm/weight"
        names.append(Name(f"{ours}/{part}_step/norm_before/scale", before))
        for place in (*QKV, "output"):
            form = (joined_heads if place == "output" else split_heads)(heads)
            kernel = f"{theirs}/{own}/{place}_projector/kernel"
            names.append(Name(f"{ours}/{part}/{place}/kernel", kernel, form))
    before = f"{ours}/feed_forward_step/norm_before/scale"
    names.append(Name(before, f"{theirs}/layer_norm/weight"))
    # keras-hub's gate is what kzoo multiplies by, its input what is activated.
    gated = {"gate": "input", "input": "gate", "output": "output"}
    plain = {"input": "input", "output": "output"}
    for part, own in (gated if config["use_gated_activation"] else plain).items():
        kernel = f"{theirs}/{own}_projector/kernel"
        names.append(Name(f"{ours}/feed_forward/{part}/kernel", kernel))
    return names


def heads(head):
    """The names of the heads of encoders, by task.

    Args:
        head: str, what stands between the first token and the logits.
    """
    return {
        "encoder": [],
        "text_classifier": [*dense("head", head), *dense("logits", "logits")],
        # keras-hub has no taggers, so this is never there.
        "token_tagger": dense("logits", "tags"),
    }
