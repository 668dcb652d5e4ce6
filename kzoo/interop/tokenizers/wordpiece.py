"""BERT's vocab.txt and MPNet's: a piece a line."""

from kzoo.interop.tokenizers import parts
from kzoo.interop.tokenizers.rows import row_of
from kzoo.interop.tokenizers.vocabulary import Vocabulary
from kzoo.text.vocabulary import pieces_of

FILE = "vocab.txt"


def described(folder):
    """The `tokenizer.json` that a folder with a vocab.txt might have had, dict."""
    row = row_of(folder)
    pieces = pieces_of(folder.text(FILE), folder.path / FILE)
    vocabulary = Vocabulary(folder, row, pieces)
    names, settings = vocabulary.names, folder.settings
    ids = vocabulary.ids
    model = {
        "type": "WordPiece",
        "unk_token": names["unk"],
        "continuing_subword_prefix": "##",
        "max_input_chars_per_word": 100,
        "vocab": pieces,
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
