"""BERT's vocab.txt and MPNet's: a piece a line."""

from kzoo_recipes import KzooError

from kzoo.interop.tokenizers import parts
from kzoo.interop.tokenizers.rows import row_of
from kzoo.interop.tokenizers.vocabulary import Vocabulary

FILE = "vocab.txt"


def described(folder):
    """The `tokenizer.json` that a folder with a vocab.txt might have had, dict."""
    row = row_of(folder)
    vocabulary = Vocabulary(folder, row, _pieces(folder))
    names, settings = vocabulary.names, folder.settings
    ids = vocabulary.ids
    model = {
        "type": "WordPiece",
        "unk_token": names["unk"],
        "continuing_subword_prefix": "##",
        "max_input_chars_per_word": 100,
        "vocab": _pieces(folder),
    }
    return parts.tokenizer(
        model,
        vocabulary.tokens,
        ids,
        normalizer=parts.bert_normalizer(
            settings.get("do_lower_case", True) is not False,
            settings.get("strip_accents"),
            settings.get("tokenize_chinese_chars", True) is not False,
        ),
        pre_tokenizer={"type": "BertPreTokenizer"},
        post_processor=parts.template(row, names, ids),
        decoder={"type": "WordPiece", "prefix": "##", "cleanup": True},
    ) | {"padding": parts.padding(names["pad"], ids[names["pad"]])}


def _pieces(folder):
    lines = folder.text(FILE).removeprefix("\ufeff").replace("\r\n", "\n").split("\n")
    if not lines[-1]:
        lines.pop()
    ids = {}
    for line, piece in enumerate(lines, start=1):
        if piece in ids:
            raise KzooError(
                f"{folder.path / FILE}, line {line}: {piece!r} already stands in line "
                f"{ids[piece] + 1}; a vocabulary lists each piece once."
            )
        ids[piece] = line - 1
    return ids
