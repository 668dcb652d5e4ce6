"""keras-hub's encoder-decoders in the words of a config.json, and as a `Seq2Seq`."""

import keras

from kzoo.interop.source import in_folder, with_dropouts
from kzoo.layers import TransformerDecoder, TransformerEncoder
from kzoo.layers.seeding import drawn_from
from kzoo.models.seq2seq import Seq2Seq

KINDS = {"encoder": TransformerEncoder, "decoder": TransformerDecoder}
BART_SIZES = {
    "vocabulary_size": "vocab_size",
    "hidden_dim": "d_model",
    "max_sequence_length": "max_position_embeddings",
}
BART_SIDES = {
    "num_layers": "layers",
    "num_heads": "attention_heads",
    "intermediate_dim": "ffn_dim",
}
T5_SIZES = {
    "vocabulary_size": "vocab_size",
    "num_layers": "num_layers",
    "num_heads": "num_heads",
    "hidden_dim": "d_model",
    "intermediate_dim": "d_ff",
}
# Activations by what keras-hub and T5's config.json call them.
ACTIVATIONS = {"relu": "relu", "gelu": "gelu_python", "gelu_approximate": "gelu_new"}
SOURCE, TARGET = 512, 128  # tokens of a text, where nothing says how many


def bart_config(arguments):
    """`BartBackbone`: as many blocks on both sides, and exact GELU."""
    sides = {
        f"{side}_{word}": arguments[name]
        for name, word in BART_SIDES.items()
        for side in KINDS
    }
    return {
        "model_type": "bart",
        **{word: arguments[name] for name, word in BART_SIZES.items()},
        **sides,
        "activation_function": "gelu",
        "dropout": arguments["dropout"],
        "attention_dropout": arguments["dropout"],
    }


def bart_arguments(config):
    """The arguments of the nearest `BartBackbone`."""
    sides = {name: config[f"encoder_{word}"] for name, word in BART_SIDES.items()}
    own = {name: config[word] for name, word in BART_SIZES.items()}
    return {**own, **sides, "dropout": config["dropout"]}


def t5_config(arguments):
    """`T5Backbone`: of v1.0 where its vectors are tied, of v1.1 where they are not."""
    name = arguments["activation"]
    if not isinstance(name, str):  # A function as Keras writes it down, or itself.
        name = name["config"] if isinstance(name, dict) else name.__name__
    name = name.rpartition(">")[2]
    gate = "gated-" if arguments["use_gated_activation"] else ""
    tied = arguments["tie_embedding_weights"]
    wide = arguments["hidden_dim"] // arguments["num_heads"]
    return {
        "model_type": "t5",
        **{word: arguments[own] for own, word in T5_SIZES.items()},
        "d_kv": arguments["key_value_dim"] or wide,
        "feed_forward_proj": gate + ACTIVATIONS.get(name, name),
        "layer_norm_epsilon": arguments["layer_norm_epsilon"],
        "dropout_rate": arguments["dropout"],
        "tie_word_embeddings": tied,
        "scale_decoder_outputs": tied,
    }


def t5_arguments(config):
    """The arguments of the nearest `T5Backbone`."""
    gate, _, name = config["feed_forward_proj"].rpartition("-")
    if gate and name == "gelu":
        name = "gelu_new"  # What T5 v1.1 means by it.
    ours = {word: own for own, word in ACTIVATIONS.items()}
    found = ours.get(name, "gelu" if name == "gelu" else "relu")
    if found == "gelu_approximate":
        found = keras.saving.get_registered_object("keras_hub>gelu_approximate")
    return {
        **{own: config[word] for own, word in T5_SIZES.items()},
        "key_value_dim": config["d_kv"],
        "activation": found,
        "use_gated_activation": bool(gate),
        "layer_norm_epsilon": config["layer_norm_epsilon"],
        "dropout": config["dropout_rate"],
        "tie_embedding_weights": config["tie_word_embeddings"]
        and config.get("scale_decoder_outputs", True),
    }


def summarizer(source, decoder=None, **arguments):
    """A `Seq2Seq` with the weights of a `T5Backbone` or a `BartBackbone`.

    Args:
        source: `HubSource`.
        decoder: dict or `None`. Other dropouts of the decoder.
        **arguments: of `Seq2Seq`.
    """
    told = {"encoder": source.dropouts, "decoder": dict(decoder or {})}
    # BART's scores have a bias, which keras-hub leaves out.
    reading = source.reading("summarizer", ("logits/bias",))
    with in_folder(source.folder), drawn_from(reading.given):
        rows = source.family.stack(source.config)
        stacks = {
            side: kind(**with_dropouts(rows[side], told[side]), name=side)
            for side, kind in KINDS.items()
        }
        room = stacks["encoder"].max_sequence_length
        given = {
            **source.ends(),
            **rows["model"],
            "source_length": min(SOURCE, room or SOURCE),
            "target_length": min(TARGET, room or TARGET),
            **arguments,
        }
        model = Seq2Seq(stacks["encoder"], stacks["decoder"], **given)
    source.notes += reading.into(model)
    return model.attach(source.tokenizer) if source.tokenizer else model
