"""keras-hub's backbones in the words of a config.json, and back.

kzoo reads families by their config.json; a backbone of keras-hub is one more way of
saying the same. Its arguments have other names there, and some that its class fixes
without an argument, as how GELU is computed, are words of their own.
"""

from collections.abc import Callable
from dataclasses import dataclass

from kzoo.interop.keras_hub import names, seq2seq
from kzoo.interop.names.engine import Name, NameMap

SIZES = {
    "vocabulary_size": "vocab_size",
    "num_layers": "num_hidden_layers",
    "num_heads": "num_attention_heads",
    "hidden_dim": "hidden_size",
    "intermediate_dim": "intermediate_size",
    "max_sequence_length": "max_position_embeddings",
}
DISTIL_BERT_SIZES = {
    **SIZES,
    "num_layers": "n_layers",
    "num_heads": "n_heads",
    "hidden_dim": "dim",
    "intermediate_dim": "hidden_dim",
}
# The rows that RoBERTa's checkpoints have before a text's first position.
BEFORE = 2
ASIDE = {
    "pooled_dense/*": "the pooler",
    "logits/*": "the head of a classifier",
    "mlm_head/*": "the head of the masked language model",
}


@dataclass(frozen=True)
class Row:
    """One backbone of keras-hub.

    Attributes:
        backbone: str, its class.
        family: str, a key of `kzoo.models.families.FAMILIES`.
        config: function from the backbone's arguments to a config.json.
        arguments: function from a config.json to the arguments of the backbone that is
            nearest to it: the inverse of `config`, if there is such a backbone.
        names: function from the backbone's arguments, and whether segments are put into
            its positions, to a list of `Name`.
        heads: dict from a task to the list of `Name` of its head.
        tokenizer: str, the class of its tokenizer.
        ends: ids of the tokens before the first and after the last that it writes,
            where no tokenizer says them; `None` if it writes none.
        task, preprocessor: str, the classes of its text classifier and of what makes
            tokens of texts for that.
        segments: bool. Whether it has segments.
        any_head_dim: bool. Whether the classifier's head may have a width of its own.
    """

    backbone: str
    family: str
    config: Callable
    arguments: Callable
    names: Callable
    heads: dict
    tokenizer: str
    task: str | None = None
    preprocessor: str | None = None
    ends: tuple | None = None
    segments: bool = False
    any_head_dim: bool = True

    @property
    def tasks(self):
        """The tasks that kzoo has it for."""
        return tuple(self.heads)

    def name_map(self, folded=False):
        """The row's `NameMap`.

        Args:
            folded: bool. Whether kzoo's encoder has segments and the backbone has not.
        """

        def of(config, head):
            return self.names(self.arguments(config), folded) + self.heads[head]

        return NameMap(of, aside=ASIDE)


def bert_config(arguments):
    """`BertBackbone` computes GELU by tanh, which BERT itself does not."""
    return {
        "model_type": "bert",
        **_renamed(arguments, SIZES),
        "type_vocab_size": arguments["num_segments"],
        "hidden_act": "gelu_new",
        "layer_norm_eps": 1e-12,
        "hidden_dropout_prob": arguments["dropout"],
        "attention_probs_dropout_prob": arguments["dropout"],
    }


def bert_arguments(config):
    return {
        **_back(config, SIZES),
        "num_segments": max(config["type_vocab_size"], 1),
        "dropout": config["hidden_dropout_prob"],
    }


def roberta_config(arguments):
    """`RobertaBackbone` has no segments, and no rows before its first position."""
    return {
        "model_type": "roberta",
        **_renamed(arguments, SIZES),
        "max_position_embeddings": arguments["max_sequence_length"] + BEFORE,
        "type_vocab_size": 0,
        "pad_token_id": BEFORE - 1,
        "hidden_act": "gelu",
        "layer_norm_eps": 1e-5,
        "hidden_dropout_prob": arguments["dropout"],
        "attention_probs_dropout_prob": arguments["dropout"],
    }


def roberta_arguments(config):
    before = config.get("pad_token_id", BEFORE - 1) + 1
    return {
        **_back(config, SIZES),
        "max_sequence_length": config["max_position_embeddings"] - before,
        "dropout": config["hidden_dropout_prob"],
    }


def distil_bert_config(arguments):
    return {
        "model_type": "distilbert",
        **_renamed(arguments, DISTIL_BERT_SIZES),
        "activation": "gelu",
        "dropout": arguments["dropout"],
        "attention_dropout": arguments["dropout"],
    }


def distil_bert_arguments(config):
    return {**_back(config, DISTIL_BERT_SIZES), "dropout": config["dropout"]}


def _renamed(arguments, words):
    return {word: arguments[name] for name, word in words.items()}


def _back(config, words):
    return {name: config[word] for name, word in words.items()}


ROWS = {
    "BertBackbone": Row(
        "BertBackbone",
        "bert",
        bert_config,
        bert_arguments,
        names.bert,
        names.heads(head="pooled_dense"),
        "BertTokenizer",
        "BertTextClassifier",
        "BertTextClassifierPreprocessor",
        segments=True,
        any_head_dim=False,
    ),
    "RobertaBackbone": Row(
        "RobertaBackbone",
        "roberta",
        roberta_config,
        roberta_arguments,
        names.roberta,
        names.heads(head="pooled_dense"),
        "RobertaTokenizer",
        "RobertaTextClassifier",
        "RobertaTextClassifierPreprocessor",
    ),
    "DistilBertBackbone": Row(
        "DistilBertBackbone",
        "distilbert",
        distil_bert_config,
        distil_bert_arguments,
        names.distil_bert,
        names.heads(head="pooled_dense"),
        "DistilBertTokenizer",
        "DistilBertTextClassifier",
        "DistilBertTextClassifierPreprocessor",
    ),
    "BartBackbone": Row(
        "BartBackbone",
        "bart",
        seq2seq.bart_config,
        seq2seq.bart_arguments,
        names.bart,
        {"summarizer": [Name("logits/bias", "logits/bias")]},
        "BartTokenizer",
        ends=(2, 2),
    ),
    "T5Backbone": Row(
        "T5Backbone",
        "t5",
        seq2seq.t5_config,
        seq2seq.t5_arguments,
        names.t5,
        {"summarizer": []},
        "T5Tokenizer",
        ends=(0, 1),
    ),
}
