"""Marian's source.spm and vocab.json: pieces of one language, numbers of two.

The numbers are those of all pieces, of the language that is read and of the one that
is written. Texts must be cut into pieces of the former alone, so the others get a mark
of a space at their end, where no piece of a text has one; the decoder takes it away.
Letters of the other language are read one by one, and as one unknown piece where such
letters follow each other: that is what SentencePiece and Marian make of them.
"""

from kzoo_recipes import KzooError

from kzoo.interop.tokenizers import parts, unigram
from kzoo.interop.tokenizers.folder import described as added
from kzoo.interop.tokenizers.rows import row_of
from kzoo.interop.tokenizers.spm import CONTROL, UNKNOWN, read_model
from kzoo.interop.tokenizers.vocabulary import Vocabulary

FILES = ("source.spm", "vocab.json")
OUT_OF_REACH = "▁"
STRANGE = "\ufdd0"  # a code point that is no character and never will be one
MEANING = "[]\\^-&"  # in a class of a pattern
LONGEST = 1900  # characters of a class in a pattern


def described(folder):
    """The `tokenizer.json` that a folder of Marian's might have had, dict.

    It reads the source language and writes the target language. Quotation marks are
    left as they are, as transformers leaves them where sacremoses is not installed.
    """
    row = row_of(folder)
    if folder.settings.get("separate_vocabs") is True:
        raise KzooError(
            f"{folder.path}: source and target have vocabularies of their own, and "
            "kzoo has one for both; name a checkpoint whose separate_vocabs is false."
        )
    model = read_model(folder.bytes(FILES[0]), str(folder.path / FILES[0]))
    numbers = folder.numbers(FILES[1])
    if sorted(numbers.values()) != list(range(len(numbers))):
        raise KzooError(
            f"{folder.path / FILES[1]}: the ids are not those from 0 to "
            f"{len(numbers) - 1}, each once; fetch the checkpoint again."
        )
    codes = [piece for piece in numbers if piece[:2] == ">>" and piece[-2:] == "<<"]
    vocabulary = Vocabulary(folder, row, numbers)
    for code in codes:
        vocabulary.add(added(code, special=False, normalized=False))
    listed = _listed(model, numbers, {token["content"] for token in vocabulary.tokens})
    names, ids = vocabulary.names, vocabulary.ids
    return parts.tokenizer(
        {
            "type": "Unigram",
            "unk_id": ids[names["unk"]],
            "vocab": listed,
            "byte_fallback": False,
        },
        vocabulary.tokens,
        ids,
        normalizer=parts.sequence(
            "normalizers", unigram.normalizer(model), _runs(model)
        ),
        pre_tokenizer=unigram.words(model),
        post_processor=parts.template(row, names, ids),
        decoder=parts.sequence(
            "decoders",
            parts.replace(f"(?<=.){OUT_OF_REACH}$", "", regex=True),
            parts.metaspace(model.prefixed),
        ),
    ) | {"padding": parts.padding(names["pad"], ids[names["pad"]])}


def _listed(model, numbers, added):
    """Pieces and scores in the order of their numbers."""
    scores = {piece.text: piece.score for piece in _read(model)}
    strange = min(scores.values(), default=0.0) - 10  # SentencePiece's for unknown ones
    listed = [None] * len(numbers)
    for piece, number in numbers.items():
        if piece in scores or piece in added:
            listed[number] = [piece, scores.get(piece, 0.0)]
        elif len(piece) == 1:
            listed[number] = [piece, strange]
        else:
            listed[number] = [piece + OUT_OF_REACH, 0.0]
    return listed


def _runs(model):
    """Two and more letters that are no pieces as one that none is, or `None`.

    It is left out for alphabets too large for a pattern, such as Chinese.
    """
    letters = sorted({p.text for p in _read(model) if len(p.text) == 1})
    alphabet = "".join(f"\\{one}" if one in MEANING else one for one in letters)
    if len(alphabet) > LONGEST:
        return None
    return parts.replace(rf"[^{alphabet}\s{OUT_OF_REACH}]{{2,}}", STRANGE, regex=True)


def _read(model):
    return [p for p in model.pieces if p.kind not in (CONTROL, UNKNOWN)]
