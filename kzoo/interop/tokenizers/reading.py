"""Reading the tokenizer of a checkpoint, whatever files it comes in."""

import json

from kzoo_recipes import KzooError

from kzoo.interop.tokenizers import byte_bpe, marian, unigram, wordpiece
from kzoo.interop.tokenizers.folder import Folder
from kzoo.interop.tokenizers.rows import ROWS, name_of, row_of
from kzoo.text import Tokenizer

WHOLE = "tokenizer.json"
WAYS = {  # by kind: the files that say it, in any one of these spellings
    "wordpiece": ([(wordpiece.FILE,)], wordpiece.described),
    "byte_bpe": ([byte_bpe.FILES], byte_bpe.described),
    "sentencepiece": ([(file,) for file in unigram.FILES], unigram.described),
    "marian": ([marian.FILES], marian.described),
}

# By kind: a section of tokenizer.json, and its keys that tokenizer_config.json sets.
SET = {
    "wordpiece": (
        "normalizer",
        {
            "lowercase": "do_lower_case",
            "strip_accents": "strip_accents",
            "handle_chinese_chars": "tokenize_chinese_chars",
        },
    ),
    "byte_bpe": ("pre_tokenizer", {"add_prefix_space": "add_prefix_space"}),
}
SETTABLE = ("BertNormalizer", "ByteLevel")


def read_tokenizer(folder, config):
    """The tokenizer of a Hugging Face checkpoint.

    A `tokenizer.json` is taken as it is, but for what tokenizer_config.json says of
    lower case, accents, Chinese and the space before a text, which wins, as it does in
    transformers. Without one, the tokenizer is put together from `vocab.txt`, from
    `vocab.json` and `merges.txt`, or from a SentencePiece model.

    Args:
        folder: str or `Path`. Holds the files.
        config: dict. What `config.json` says; `{}` if there is none.

    Returns:
        `kzoo.text.Tokenizer`, with the same ids as the checkpoint's own.

    Raises:
        KzooError: naming the file that is missing, broken or of an unknown kind.
    """
    folder = Folder(folder, config)
    if folder.has(WHOLE):
        source, content = WHOLE, _as_set(folder)
    else:
        source, describe = _way(folder)
        content = json.dumps(describe(folder))
    path = folder.path / source
    tokenizer = Tokenizer.from_json(content, source=str(path))
    _check(tokenizer, path, config)
    return tokenizer


def _way(folder):
    """The file to read, and the function that does."""
    there = {
        kind: files[0]
        for kind, (spellings, _) in WAYS.items()
        for files in spellings
        if folder.has(*files)
    }
    if not there:
        ways = [files for spellings, _ in WAYS.values() for files in spellings]
        names = ", ".join(" with ".join(files) for files in ways)
        raise KzooError(
            f"{folder.path}: there is no tokenizer here: neither {WHOLE} nor {names}; "
            "fetch one of them from where the weights come from."
        )
    kind = row_of(folder).kind
    if kind not in there:
        wanted = " or ".join(" with ".join(files) for files in WAYS[kind][0])
        raise KzooError(
            f"{folder.path}: a {name_of(folder)} is made of {wanted}, and there is "
            f"only {', '.join(there.values())}; set tokenizer_class in "
            "tokenizer_config.json if it is of another kind."
        )
    return there[kind], WAYS[kind][1]


def _as_set(folder):
    """The text of a `tokenizer.json`, with what tokenizer_config.json says instead.

    Only for the kinds of tokenizers that transformers puts together by these settings;
    of others it takes the file as it is.
    """
    name, settings = name_of(folder), folder.settings
    kind = ROWS[name].kind if name else None
    section, keys = SET.get(kind, (None, {}))
    said = {
        ours: settings[theirs]
        for ours, theirs in keys.items()
        if isinstance(settings.get(theirs), bool)
    }
    if not said:
        return folder.text(WHOLE)
    described = folder.table(WHOLE)
    part = described.get(section)
    if not isinstance(part, dict) or part.get("type") not in SETTABLE:
        return folder.text(WHOLE)
    return json.dumps({**described, section: {**part, **said}})


def _check(tokenizer, path, config):
    """Refuse a tokenizer that says more than the model has vectors for."""
    size = config.get("vocab_size")
    if isinstance(size, int) and tokenizer.vocabulary_size > size:
        last = tokenizer.vocabulary_size - 1
        raise KzooError(
            f"{path}: the token {tokenizer.id_to_token(last)!r} has the id {last}, but "
            f"config.json's vocab_size is {size}: the tokenizer and the weights do not "
            "belong together; fetch both from one place."
        )
