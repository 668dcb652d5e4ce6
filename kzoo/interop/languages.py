"""mBART's codes of languages: which one an encoder-decoder writes."""

import re

from kzoo.interop.tokenizers.folder import Folder

CODE = re.compile(r"[a-z]{2,3}_[A-Z][A-Za-z]+")  # as in ro_RO


def is_code(tokenizer, token_id):
    """Whether a token stands for a language."""
    return CODE.fullmatch(tokenizer.id_to_token(int(token_id))) is not None


def writes_code(source, start_id, settings):
    """How an mBART is told the language of what it writes, as transformers' does it.

    An mBART begins with the code in place of a start, an mBART-50 writes it first, as
    its tokenizer begins a text. The language is that of the checkpoint's settings; if
    these say none, the tokenizer's `tgt_lang`, then its `src_lang`.

    Args:
        source: `Source`.
        start_id: int. The start that the checkpoint names.
        settings: dict of fields of `Generation`, the checkpoint's.

    Returns:
        The start, int; and settings with `forced_first`, where one is written. Both are
        what they were of models that know no languages.

    Reference:
        - [Liu et al., 2020](https://arxiv.org/abs/2001.08210)
    """
    tokenizer = source.tokenizer
    before, after = tokenizer.special_ids
    codes = [int(one) for one in (*before, *after) if is_code(tokenizer, one)]
    if not codes:
        return start_id, settings
    if not len(before):
        known = is_code(tokenizer, start_id)
        return start_id if known else _language(source, codes[0]), settings
    if settings.get("forced_first") is None:
        settings = {**settings, "forced_first": _language(source, codes[0])}
    return start_id, settings


def _language(source, otherwise):
    """The id of the code of the language that the tokenizer's settings name."""
    settings = Folder(source.folder, source.config).settings
    for key in ("tgt_lang", "src_lang"):
        name = settings.get(key)
        found = source.tokenizer.token_to_id(name) if isinstance(name, str) else None
        if found is not None:
            return found
    return otherwise
