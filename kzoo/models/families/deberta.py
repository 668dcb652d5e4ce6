"""DeBERTa, versions 2 and 3: a BERT whose contents and distances look at each other."""

from kzoo_recipes import KzooError

from kzoo.layers import DisentangledPositions, PositionPair
from kzoo.layers.disentangled_positions import fitting
from kzoo.models.families import bert
from kzoo.models.families.family import (
    Family,
    activation,
    inside,
    refused,
    theirs_of,
)

# What transformers takes where a file is silent.
DEFAULTS = {
    "type_vocab_size": 0,
    "layer_norm_eps": 1e-7,
    "relative_attention": False,
    "position_biased_input": True,
    "share_att_key": False,
    "max_relative_positions": -1,
    "position_buckets": -1,
    "pos_att_type": None,
    "norm_rel_ebd": "none",
    "conv_kernel_size": 0,
}
KIND = "DisentangledPositions"
SCORES = {"p2c": "position_to_content", "c2p": "content_to_position"}


def stack(config):
    """A DeBERTa as arguments of `TransformerEncoder`."""
    config = {**DEFAULTS, **config}
    refused(config, relative_attention=True, share_att_key=True, conv_kernel_size=0)
    refused(config, embedding_size=config.get("hidden_size"))
    row = bert.bert_stack(config)
    scores = scores_of(config)
    head_dim = row["hidden_dim"] // row["num_heads"]
    refused(config, attention_head_size=head_dim)
    distance = config["max_relative_positions"]
    distance = config["max_position_embeddings"] if distance < 1 else distance
    buckets = config["position_buckets"]
    if buckets > 0 and not fitting(buckets, distance):
        raise KzooError(
            f"config.json: position_buckets is {buckets}; kzoo has an even number of "
            f"them, and half of it below the largest distance, {distance}, less 1."
        )
    normed = "layer_norm" in listed(config["norm_rel_ebd"])
    scored = DisentangledPositions(
        row["hidden_dim"],
        distance,
        buckets if buckets > 0 else None,
        norm=row["norm"] if normed else None,
        dropout=row["dropout"],
        name="position",
        **{ours: theirs in scores for theirs, ours in SCORES.items()},
    )
    position = scored
    if config["position_biased_input"]:
        position = PositionPair(row["position"], scored, name="position")
    attention = {
        **row["attention"],
        "scale": ((1 + len(scores)) * head_dim) ** -0.5,
        "train_key_bias": True,
    }
    return {**row, "position": position, "attention": attention}


def scores_of(config):
    """What looks at what, keys of `SCORES`."""
    scores = set(listed(config["pos_att_type"]))
    if not scores or not scores <= set(SCORES):
        raise KzooError(
            f"config.json: pos_att_type is {config['pos_att_type']!r}; of this type "
            "kzoo has models with 'c2p', 'p2c' or both."
        )
    return scores


def listed(value):
    """The words of a list, or of a str between bars."""
    words = value.lower().split("|") if isinstance(value, str) else value or []
    return [word.strip() for word in words]


def config(arguments, more):
    """The inverse of `stack`."""
    added = inside(arguments, "position", "added")
    scored = inside(arguments, "position", "scored") or arguments["position"]
    if not isinstance(scored, dict) or scored["class_name"] != KIND:
        scored = None  # Of another family.
    alone = {"position": scored}
    distance = inside(alone, "position", "max_distance") or -1
    back = bert.bert_config({**arguments, "position": added}, {})
    if added is None and distance > 0:
        back["max_position_embeddings"] = distance
    return {
        **back,
        "relative_attention": True,
        "share_att_key": True,
        "position_biased_input": added is not None,
        "pos_att_type": [
            theirs
            for theirs, ours in SCORES.items()
            if scored is None or inside(alone, "position", ours)
        ],
        "max_relative_positions": -1 if added is None else distance,
        "position_buckets": inside(alone, "position", "num_buckets") or -1,
        "norm_rel_ebd": "layer_norm" if inside(alone, "position", "norm") else "none",
        **more,
    }


def head_dropout(config):
    """Share dropped before the logits."""
    told = config.get("cls_dropout")
    return config.get("hidden_dropout_prob", 0.1) if told is None else told


def classifier(config):
    """Its head: a GELU of the first token, dropped before it, too."""
    return {
        "pooling": "first",
        "activation": activation(config, "pooler_hidden_act"),
        "pooled_dropout": config.get("pooler_dropout", 0.0),
        "dropout": head_dropout(config),
    }


def tagger(config):
    """Nothing but dropout between the encoder and the logits."""
    return {"dropout": config.get("hidden_dropout_prob", 0.1)}


def masked_lm(config):
    """BERT's head."""
    refused(config, legacy=True)
    return bert.filler({**DEFAULTS, **config})


def head(model):
    """What a config says of the head of a model."""
    if not hasattr(model, "pooled_dropout_rate"):
        return {}
    return {
        "pooler_hidden_act": theirs_of(model.activation),
        "pooler_dropout": model.pooled_dropout_rate,
        "cls_dropout": model.dropout_rate,
    }


DEBERTA = Family(
    *("deberta_v2", ("deberta-v2",), "DebertaV2"),
    *(stack, config, classifier, tagger, masked_lm),
    head=head,
)
