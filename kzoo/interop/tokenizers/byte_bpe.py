"""RoBERTa's and BART's vocab.json and merges.txt: pairs of bytes that were joined."""

from kzoo_recipes import KzooError

from kzoo.interop.tokenizers import parts
from kzoo.interop.tokenizers.rows import row_of
from kzoo.interop.tokenizers.vocabulary import Vocabulary

FILES = ("vocab.json", "merges.txt")


def described(folder):
    """The `tokenizer.json` that a folder with the two files might have had, dict."""
    row, pieces = row_of(folder), folder.numbers(FILES[0])
    vocabulary = Vocabulary(folder, row, pieces)
    names, ids = vocabulary.names, vocabulary.ids
    spaced = folder.settings.get("add_prefix_space") is True
    return parts.tokenizer(
        {
            "type": "BPE",
            "dropout": None,
            "unk_token": None,
            "continuing_subword_prefix": "",
            "end_of_word_suffix": "",
            "fuse_unk": False,
            "byte_fallback": False,
            "ignore_merges": False,
            "vocab": pieces,
            "merges": _merges(folder),
        },
        vocabulary.tokens,
        ids,
        pre_tokenizer=parts.byte_level(spaced),
        post_processor={
            "type": "RobertaProcessing",
            "sep": [names["sep"], ids[names["sep"]]],
            "cls": [names["cls"], ids[names["cls"]]],
            "trim_offsets": True,
            "add_prefix_space": spaced,
        },
        decoder=parts.byte_level(spaced),
    ) | {"padding": parts.padding(names["pad"], ids[names["pad"]])}


def _merges(folder):
    found = []
    for number, line in enumerate(_lines(folder), start=1):
        if line.startswith("#version") or not line:
            continue
        pair = line.split(" ")
        if len(pair) != 2:
            raise KzooError(
                f"{folder.path / FILES[1]}, line {number}: {line!r:.60} is not two "
                "pieces; fetch the checkpoint again."
            )
        found.append(pair)
    return found


def _lines(folder):
    return folder.text(FILES[1]).replace("\r\n", "\n").split("\n")
