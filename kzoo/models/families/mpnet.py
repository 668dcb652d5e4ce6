"""MPNet: a BERT that knows distances, too, and no segments."""

from kzoo.layers import PositionPair, RelativePositions
from kzoo.models.families import bert
from kzoo.models.families.family import Family, inside, refused

FIRST = 2  # the row of a text's first position
BUCKETS = 32  # of distances, whatever the config says


def stack(config):
    """An MPNet as arguments of `TransformerEncoder`."""
    # Whatever the config says, transformers numbers places by the padding's id, 1.
    refused(config, relative_attention_num_buckets=BUCKETS, pad_token_id=1)
    row = bert.bert_stack({**config, "type_vocab_size": 0}, FIRST)
    return {
        **row,
        "position": PositionPair(
            row["position"],
            RelativePositions(row["num_heads"], BUCKETS, name="scored"),
            name="position",
        ),
    }


def config(arguments, more):
    """The inverse of `stack`."""
    added = {**arguments, "position": inside(arguments, "position", "added")}
    back = bert.bert_config(added, {"relative_attention_num_buckets": BUCKETS}, FIRST)
    del back["type_vocab_size"]
    return {**back, **more}


def classifier(config):
    """RoBERTa's head."""
    return {
        "pooling": "first",
        "activation": "tanh",
        "pooled_dropout": config.get("hidden_dropout_prob", 0.1),
        "dropout": config.get("hidden_dropout_prob", 0.1),
    }


def tagger(config):
    """Nothing but dropout between the encoder and the logits."""
    return {"dropout": config.get("hidden_dropout_prob", 0.1)}


MPNET = Family(
    *("mpnet", ("mpnet",), "MPNet"),
    *(stack, config, classifier, tagger, bert.gelu_filler),
)
