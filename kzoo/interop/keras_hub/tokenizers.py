"""Tokenizers of keras-hub as kzoo's, and back: the same vocabulary, the same ids.

keras-hub's are three: WordPiece, byte-level BPE and SentencePiece. Their files are
those of Hugging Face's checkpoints under other names, and are read as such.
"""

import json
from pathlib import Path
from tempfile import TemporaryDirectory

from kzoo_recipes import KzooError

from kzoo.interop.keras_hub.library import keras_hub
from kzoo.interop.tokenizers import read_tokenizer
from kzoo.text import Tokenizer


def from_keras_hub(tokenizer, config, origin):
    """kzoo's tokenizer for one of keras-hub's.

    Args:
        tokenizer: tokenizer of keras-hub, or `kzoo.text.Tokenizer`, which is let
            through.
        config: dict, what the model's config.json would say.
        origin: str, what errors call the model.

    Returns:
        `kzoo.text.Tokenizer`.

    Raises:
        KzooError: if it is of another kind, or broken.
    """
    if isinstance(tokenizer, Tokenizer):
        return tokenizer
    kinds = keras_hub().tokenizers
    ways = {
        kinds.WordPieceTokenizer: _write_word_pieces,
        kinds.BytePairTokenizer: _write_byte_pairs,
        kinds.SentencePieceTokenizer: _write_sentence_pieces,
    }
    write = next(
        (way for kind, way in ways.items() if isinstance(tokenizer, kind)), None
    )
    if write is None:
        raise KzooError(
            f"{origin}: kzoo reads keras-hub's WordPiece, byte-pair and SentencePiece "
            f"tokenizers; this is a {type(tokenizer).__name__}."
        )
    with TemporaryDirectory() as folder:
        settings = write(tokenizer, Path(folder))
        Path(folder, "tokenizer_config.json").write_text(json.dumps(settings))
        try:
            return read_tokenizer(folder, config)
        except KzooError as error:
            # Nobody knows the folder; the file in it says what is wrong.
            told = str(error).replace(f"{folder}/", "").replace(folder, "the tokenizer")
            raise KzooError(f"{origin}: {told}") from None


def _write_word_pieces(tokenizer, folder):
    lines = "".join(f"{piece}\n" for piece in tokenizer.get_vocabulary())
    folder.joinpath("vocab.txt").write_text(lines, encoding="utf-8")
    return {
        "tokenizer_class": "BertTokenizer",
        "do_lower_case": tokenizer.lowercase,
        # keras-hub keeps accents unless told; BERT drops them with the capitals.
        "strip_accents": tokenizer.strip_accents,
        "tokenize_chinese_chars": tokenizer.split_on_cjk,
        "unk_token": tokenizer.oov_token,
    }


def _write_byte_pairs(tokenizer, folder):
    vocabulary = json.dumps(dict(tokenizer.vocabulary))
    folder.joinpath("vocab.json").write_text(vocabulary, encoding="utf-8")
    merges = "".join(f"{merge}\n" for merge in tokenizer.merges)
    folder.joinpath("merges.txt").write_text(merges, encoding="utf-8")
    return {
        "tokenizer_class": "RobertaTokenizer",
        "add_prefix_space": tokenizer.add_prefix_space,
    }


def _write_sentence_pieces(tokenizer, folder):
    folder.joinpath("spiece.model").write_bytes(tokenizer.proto)
    return {"tokenizer_class": "T5Tokenizer"}


def to_keras_hub(tokenizer, kind):
    """A tokenizer of keras-hub for kzoo's.

    Args:
        tokenizer: `kzoo.text.Tokenizer`.
        kind: str, a class of keras-hub, such as "BertTokenizer".

    Returns:
        The tokenizer of keras-hub.

    Raises:
        KzooError: if that class cannot read as this tokenizer does.
    """
    described = json.loads(tokenizer.to_json())
    if kind not in WRITERS:
        raise KzooError(f"kzoo does not write keras-hub's {kind}")
    wanted, arguments = WRITERS[kind]
    found = described["model"]["type"]
    if found != wanted:
        raise KzooError(f"it is of the kind {found}, and keras-hub's {kind} {wanted}")
    given = arguments(described, tokenizer)
    try:
        return getattr(keras_hub().models, kind)(**given)
    except ValueError as error:  # A special token that is not there, as a rule.
        told = " ".join(str(error).split())[:300].rstrip(".")
        raise KzooError(f"keras-hub's {kind} says: {told}") from None


def _word_pieces(described, tokenizer):
    normalizer = described["normalizer"] or {"type": "BertNormalizer"}
    _require(normalizer, "BertNormalizer", "prepares texts")
    _require(described["pre_tokenizer"], "BertPreTokenizer", "splits texts")
    lowercase = normalizer.get("lowercase", False)
    strip = normalizer.get("strip_accents")
    return {
        "vocabulary": _listed(tokenizer),
        "lowercase": lowercase,
        "strip_accents": lowercase if strip is None else strip,
        "split_on_cjk": normalizer.get("handle_chinese_chars", False),
        "oov_token": described["model"]["unk_token"],
    }


def _byte_pairs(described, tokenizer):
    _require(described["pre_tokenizer"], "ByteLevel", "splits texts")
    if described["normalizer"] is not None:
        _require(described["normalizer"], None, "prepares texts")
    merges = described["model"]["merges"]
    return {
        "vocabulary": {piece: place for place, piece in enumerate(_listed(tokenizer))},
        "merges": [m if isinstance(m, str) else " ".join(m) for m in merges],
        "add_prefix_space": described["pre_tokenizer"]["add_prefix_space"],
    }


def _require(part, kind, what):
    found = (part or {}).get("type")
    if found != kind:
        raise KzooError(
            f"it {what} by {found or 'nothing'}, which keras-hub does not do; it does "
            f"by {kind or 'nothing'}"
        )


def _listed(tokenizer):
    """The pieces by number; keras-hub's lists have no gaps."""
    return [tokenizer.id_to_token(place) for place in range(tokenizer.vocabulary_size)]


WRITERS = {
    "BertTokenizer": ("WordPiece", _word_pieces),
    "DistilBertTokenizer": ("WordPiece", _word_pieces),
    "RobertaTokenizer": ("BPE", _byte_pairs),
    "BartTokenizer": ("BPE", _byte_pairs),
}
