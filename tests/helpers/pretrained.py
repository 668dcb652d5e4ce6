"""A BERT so small that it is written in a blink, and recipes that begin with one."""

import string

import msgspec
from kzoo_recipes import dict_of, from_dict

from tests.helpers.checkpoints import saved

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
PIECES = (*string.ascii_letters, *(f"##{x}" for x in string.ascii_letters))
WORDS = ("a", "film", "fine", "dull", "in", "Rome", "Oslo", "Ada", "Bo", "the", "sea")


def tiny_bert(folder, architecture="BertModel", **config):
    """A checkpoint in `folder`, as transformers writes it, and its `vocab.txt`.

    Args:
        folder: `Path`.
        architecture: str, a class of transformers.
        **config: of a BertConfig.

    Returns:
        The module of transformers.
    """
    vocabulary = list(dict.fromkeys((*SPECIAL, *PIECES, *WORDS)))
    sizes = {"vocab_size": len(vocabulary), "hidden_size": 16, "intermediate_size": 20}
    module = saved(folder, architecture, "BertConfig", **{**sizes, **config})
    (folder / "vocab.txt").write_text("\n".join(vocabulary), encoding="utf-8")
    return module


def tuned(recipe, pretrained, **model):
    """A recipe that begins with a checkpoint, and otherwise says what it did."""
    tables = {k: v for k, v in dict_of(recipe).items() if v is not None}
    kept = {
        key: value
        for key, value in tables["model"].items()
        if key not in ("encoder", "decoder") and value is not None
    }
    del tables["tokenizer"]
    for key in ("activation", "family"):  # Head and decoder are the checkpoint's.
        if recipe.task in ("masked_lm", "span_corruption"):
            kept.pop(key, None)
    if recipe.task == "span_corruption":
        del kept["share_embeddings"]
    tables = _present(tables)
    tables["model"] = {**kept, "pretrained": str(pretrained), **model}
    return from_dict(tables, "tuned.toml")


def training(recipe, **changes):
    """A recipe with other keys in its `[training]`."""
    table = msgspec.structs.replace(recipe.training, **changes)
    return msgspec.structs.replace(recipe, training=table)


def _present(table):
    return {
        key: _present(value) if isinstance(value, dict) else value
        for key, value in table.items()
        if value is not None
    }
