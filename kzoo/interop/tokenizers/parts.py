"""Parts of a `tokenizer.json`, as data."""


def tokenizer(model, tokens, ids, **sections):
    """A whole description.

    Args:
        model: dict. Its `model`.
        tokens: list of dict. Its added tokens, without their ids.
        ids: dict from token to id, for all of them.
        sections: dict by name, `None` where there is nothing to do.
    """
    tokens = sorted(({"id": ids[t["content"]], **t} for t in tokens), key=_by_id)
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": tokens,
        "normalizer": sections.get("normalizer"),
        "pre_tokenizer": sections.get("pre_tokenizer"),
        "post_processor": sections.get("post_processor"),
        "decoder": sections.get("decoder"),
        "model": model,
    }


def _by_id(token):
    return token["id"]


def padding(token, number):
    return {
        "strategy": "BatchLongest",
        "direction": "Right",
        "pad_to_multiple_of": None,
        "pad_id": number,
        "pad_type_id": 0,
        "pad_token": token,
    }


def template(row, names, ids):
    """What stands around one text and around two.

    Args:
        row: `Row`.
        names: dict from role to token.
        ids: dict from token to id.
    """

    def pieces(form):
        found = []
        for word in form.split():
            role, _, segment = word.partition(":")
            kind = "Sequence" if role in "AB" else "SpecialToken"
            name = role if role in "AB" else names[role]
            found.append({kind: {"id": name, "type_id": int(segment or 0)}})
        return found

    single, pair = pieces(row.single), pieces(row.pair)
    used = [part["SpecialToken"]["id"] for part in single if "SpecialToken" in part]
    return {
        "type": "TemplateProcessing",
        "single": single,
        "pair": pair,
        "special_tokens": {
            name: {"id": name, "ids": [ids[name]], "tokens": [name]} for name in used
        },
    }


def sequence(section, *parts):
    """Parts one after the other; `None`s are left out."""
    parts = [part for part in parts if part is not None]
    if len(parts) < 2:
        return parts[0] if parts else None
    return {"type": "Sequence", section: parts}


def bert_normalizer(lowercase, strip_accents, chinese):
    return {
        "type": "BertNormalizer",
        "clean_text": True,
        "handle_chinese_chars": chinese,
        "strip_accents": strip_accents,
        "lowercase": lowercase,
    }


def metaspace(prefixed=True):
    return {
        "type": "Metaspace",
        "replacement": "▁",
        "prepend_scheme": "always" if prefixed else "never",
        "split": True,
    }


def byte_level(add_prefix_space):
    return {
        "type": "ByteLevel",
        "add_prefix_space": add_prefix_space,
        "trim_offsets": True,
        "use_regex": True,
    }


def replace(what, by, regex=False):
    return {
        "type": "Replace",
        "pattern": {"Regex" if regex else "String": what},
        "content": by,
    }
