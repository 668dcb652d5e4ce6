"""ALBERT: a BERT of narrow token vectors, whose layers share their weights."""

from kzoo.models.families import bert
from kzoo.models.families.family import Family, layers_in_groups, option, refused

DEFAULTS = {
    "embedding_size": 128,
    "hidden_act": "gelu_new",
    "hidden_dropout_prob": 0.0,
    "attention_probs_dropout_prob": 0.0,
}


def stack(config):
    """An ALBERT as arguments of `TransformerEncoder`."""
    config = {**DEFAULTS, **config}
    refused(config, inner_group_num=1)
    row = bert.bert_stack(config)
    row["embedding"]["embedding_dim"] = config["embedding_size"]
    row["share_blocks"] = layers_in_groups(config, "num_hidden_groups")
    return row


def config(arguments, more):
    """The inverse of `stack`."""
    width = option(arguments, "embedding", "embedding_dim", None)
    told = {
        "embedding_size": width or arguments["hidden_dim"],
        "num_hidden_groups": arguments["num_layers"] // arguments["share_blocks"],
        "inner_group_num": 1,
    }
    return bert.bert_config(arguments, {**told, **more})


def head_dropout(config):
    """Share dropped in the heads of a fine-tuned model."""
    told = config.get("classifier_dropout_prob", 0.1)
    return config.get("hidden_dropout_prob", 0.0) if told is None else told


def classifier(config):
    """BERT's head."""
    return {**bert.pooler(config), "dropout": head_dropout(config)}


def tagger(config):
    """Nothing but dropout between the encoder and the logits."""
    return {"dropout": head_dropout(config)}


def masked_lm(config):
    """BERT's head, as wide as the token vectors."""
    config = {**DEFAULTS, **config}
    width = config["embedding_size"]
    narrow = width != config["hidden_size"]
    return {**bert.filler(config), "head_dim": width if narrow else None}


ALBERT = Family(
    *("albert", ("albert",), "Albert"),
    *(stack, config, classifier, tagger, masked_lm),
    always_segments=True,
)
