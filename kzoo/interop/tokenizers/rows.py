"""What tokenizers of a family add to a vocabulary, a row each.

A family is told by the `tokenizer_class` of tokenizer_config.json, which may be another
one than the model's: multilingual MiniLM is a BERT that reads as XLM-R does.
"""

from typing import NamedTuple

from kzoo_recipes import KzooError


class Row(NamedTuple):
    """How a family reads text, as far as its vocabulary does not say it.

    Attributes:
        kind: str, `"wordpiece"`, `"byte_bpe"`, `"sentencepiece"` or `"marian"`.
        tokens: dict from a role, as `"cls"`, to the token the family usually gives it.
        single: str, a text `A` with what stands around it, by role.
        pair: str, two texts; `:1` is the second segment.
        stripping: roles whose token takes the space before it along.
    """

    kind: str
    tokens: dict
    single: str = "cls A sep"
    pair: str = "cls A sep B:1 sep:1"
    stripping: tuple = ()


BERT = {"cls": "[CLS]", "sep": "[SEP]", "unk": "[UNK]", "pad": "[PAD]"}
BERT["mask"] = "[MASK]"
FAIRSEQ = {"cls": "<s>", "sep": "</s>", "unk": "<unk>", "pad": "<pad>"}
FAIRSEQ["mask"] = "<mask>"
ENDED = {"eos": "</s>", "unk": "<unk>", "pad": "<pad>"}
TWICE = "cls A sep sep B sep"  # between two texts

ROWS = {
    "BertTokenizer": Row("wordpiece", BERT),
    "MPNetTokenizer": Row(
        "wordpiece",
        {**FAIRSEQ, "unk": "[UNK]"},
        pair=TWICE,
        stripping=("mask",),
    ),
    "RobertaTokenizer": Row("byte_bpe", FAIRSEQ, pair=TWICE),
    "AlbertTokenizer": Row("sentencepiece", {**BERT, "unk": "<unk>", "pad": "<pad>"}),
    "XLMRobertaTokenizer": Row(
        "sentencepiece", FAIRSEQ, pair=TWICE, stripping=("mask",)
    ),
    "CamembertTokenizer": Row(
        "sentencepiece", FAIRSEQ, pair=TWICE, stripping=("mask",)
    ),
    "DebertaV2Tokenizer": Row("sentencepiece", BERT),
    "T5Tokenizer": Row("sentencepiece", ENDED, "A eos", "A eos B eos"),
    "PegasusTokenizer": Row(
        "sentencepiece",
        {**ENDED, "mask": "<mask_2>", "mask_sent": "<mask_1>"},
        "A eos",
        "A B eos",
    ),
    "MarianTokenizer": Row("marian", ENDED, "A eos", "A B eos"),
}
SAME = {  # other names for the same
    "DistilBertTokenizer": "BertTokenizer",
    "ElectraTokenizer": "BertTokenizer",
    "BartTokenizer": "RobertaTokenizer",
    "LongformerTokenizer": "RobertaTokenizer",
    "MT5Tokenizer": "T5Tokenizer",
}
OF_MODEL = {
    "bert": "BertTokenizer",
    "distilbert": "BertTokenizer",
    "electra": "BertTokenizer",
    "mpnet": "MPNetTokenizer",
    "roberta": "RobertaTokenizer",
    "bart": "RobertaTokenizer",
    "longformer": "RobertaTokenizer",
    "albert": "AlbertTokenizer",
    "xlm-roberta": "XLMRobertaTokenizer",
    "camembert": "CamembertTokenizer",
    "deberta-v2": "DebertaV2Tokenizer",
    "t5": "T5Tokenizer",
    "mt5": "T5Tokenizer",
    "pegasus": "PegasusTokenizer",
    "marian": "MarianTokenizer",
}


def name_of(folder):
    """The key of `ROWS` that a `Folder`'s tokenizer has, or `None`."""
    config = folder.config
    named = folder.settings.get("tokenizer_class") or config.get("tokenizer_class")
    if not isinstance(named, str):
        return OF_MODEL.get(str(config.get("model_type")))
    named = named.removesuffix("Fast")
    named = SAME.get(named, named)
    return named if named in ROWS else None


def row_of(folder):
    """The `Row` of a folder, or the error that says that nothing tells it."""
    name = name_of(folder)
    if name is None:
        raise KzooError(
            f"{folder.path}: tokenizer_config.json and config.json do not say which "
            f"tokenizer this is, or it is none of {', '.join(ROWS)}; save it as "
            "tokenizer.json, as AutoTokenizer's save_pretrained does."
        )
    return ROWS[name]
