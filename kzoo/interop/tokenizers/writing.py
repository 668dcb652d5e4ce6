"""Writing a tokenizer such that transformers' AutoTokenizer gives the same ids."""

import json
from pathlib import Path

from kzoo.interop.tokenizers.limits import SIDES, places

# The class that takes a tokenizer.json as it is; those of families build their own.
CLASS = "PreTrainedTokenizerFast"
SIDE_OF = {kept: side for side, kept in SIDES.items()}


def write_tokenizer(tokenizer, folder, config, sequence_length=None, truncate="head"):
    """Write `tokenizer.json`, `tokenizer_config.json` and `special_tokens_map.json`.

    A WordPiece gets a `vocab.txt` as well, for readers that know nothing else.

    Args:
        tokenizer: `kzoo.text.Tokenizer`.
        folder: str or `Path`. Must exist.
        config: dict. The `config.json` of the model: its longest text and whether it
            has segments.
        sequence_length: int. Most tokens of a text, if fewer than the model has places.
        truncate: str. The part of a longer text that is kept: `"head"` or `"tail"`.
            transformers has nothing like `"both"`; it then keeps the head.

    Returns:
        list of str. The names of the files.
    """
    folder = Path(folder)
    described = json.loads(tokenizer.to_json())
    special = _special(tokenizer, described, config)
    files = {
        "tokenizer.json": described,
        "tokenizer_config.json": {
            **_settings(described, special, config, sequence_length or places(config)),
            "truncation_side": SIDE_OF.get(truncate, "right"),
        },
        "special_tokens_map.json": special,
    }
    for name, content in files.items():
        text = json.dumps(content, ensure_ascii=False, indent=2)
        folder.joinpath(name).write_text(f"{text}\n", encoding="utf-8")
    lines = _lines(described["model"])
    if lines is not None:
        folder.joinpath("vocab.txt").write_text(lines, encoding="utf-8", newline="\n")
    return [*files, *(["vocab.txt"] if lines is not None else [])]


def _special(tokenizer, described, config):
    """Tokens by role, as transformers calls them."""
    name = tokenizer.id_to_token
    before, after = tokenizer.special_ids
    special = {"pad_token": name(tokenizer.pad_id), "unk_token": name(tokenizer.unk_id)}
    if tokenizer.mask_id is not None:
        special["mask_token"] = name(tokenizer.mask_id)
    generates = config.get("is_encoder_decoder") is True
    if len(before):
        special["cls_token"] = name(before[0])
        if generates:
            special["bos_token"] = name(before[0])
    if len(after):
        if len(before):
            special["sep_token"] = name(after[-1])
        if generates or not len(before):
            special["eos_token"] = name(after[-1])
    named = set(special.values())
    more = [
        token["content"]
        for token in described["added_tokens"]
        if token["special"] and token["content"] not in named
    ]
    return {**special, **({"additional_special_tokens": more} if more else {})}


def _settings(described, special, config, longest):
    settings = {
        "tokenizer_class": CLASS,
        "clean_up_tokenization_spaces": False,
        "padding_side": "right",
        "model_input_names": ["input_ids", "attention_mask"],
    }
    if (config.get("type_vocab_size") or 0) > 1:
        settings["model_input_names"].insert(1, "token_type_ids")
    if longest is not None:
        settings["model_max_length"] = longest
    normalizer = described["normalizer"] or {}
    if normalizer.get("type") == "BertNormalizer":
        settings["do_lower_case"] = normalizer["lowercase"]
        settings["strip_accents"] = normalizer["strip_accents"]
        settings["tokenize_chinese_chars"] = normalizer["handle_chinese_chars"]
    return settings | special


def _lines(model):
    """A WordPiece vocabulary as lines, or `None` where lines cannot say it."""
    if model["type"] != "WordPiece" or model["continuing_subword_prefix"] != "##":
        return None
    pieces = sorted(model["vocab"], key=model["vocab"].get)
    contiguous = len(pieces) == model["vocab"][pieces[-1]] + 1
    if not contiguous or any("\n" in piece or "\r" in piece for piece in pieces):
        return None
    return "".join(f"{piece}\n" for piece in pieces)
