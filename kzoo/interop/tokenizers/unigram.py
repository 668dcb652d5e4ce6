"""SentencePiece models as families use them: ids moved, special tokens around them.

Texts are tidied as SentencePiece itself does, which is what the models were trained on;
transformers 5 leaves some of it out for DeBERTa and Pegasus.
"""

import base64
import re

from kzoo_recipes import KzooError

from kzoo.interop.tokenizers import parts
from kzoo.interop.tokenizers.folder import described as special
from kzoo.interop.tokenizers.rows import name_of, row_of
from kzoo.interop.tokenizers.spm import CONTROL, read_model
from kzoo.interop.tokenizers.vocabulary import Vocabulary

MOST_EXTRA = 10_000  # tokens that a setting may add
SENTINEL = re.compile(r"<extra_id_\d+>")  # what T5 puts for what it is to guess
FILES = ("spiece.model", "sentencepiece.bpe.model", "spm.model")


def described(folder):
    """The `tokenizer.json` that a folder with a SentencePiece model might have had."""
    file = next(name for name in FILES if folder.has(name))
    row, name = row_of(folder), name_of(folder)
    model = read_model(folder.bytes(file), str(folder.path / file))
    listed, unk_id = PIECES[name](model, folder.settings)
    pieces = {piece: number for number, (piece, _) in enumerate(listed)}
    vocabulary = Vocabulary(folder, row, pieces)
    control = [piece.text for piece in model.pieces if piece.kind == CONTROL]
    sentinels = [piece for piece in pieces if SENTINEL.fullmatch(piece)]
    for piece in (*control, *sentinels):
        if piece in pieces:
            vocabulary.add(special(piece))
    names, ids = vocabulary.names, vocabulary.ids
    return parts.tokenizer(
        {"type": "Unigram", "unk_id": unk_id, "vocab": listed, "byte_fallback": False},
        vocabulary.tokens,
        ids,
        normalizer=normalizer(model, name, folder.settings),
        pre_tokenizer=words(model, folder.settings),
        post_processor=parts.template(row, names, ids),
        decoder=parts.metaspace(model.prefixed),
    ) | {"padding": parts.padding(names["pad"], ids[names["pad"]])}


def words(model, settings=None):
    """Where pieces end at the latest: at white space, which SentencePiece drops."""
    split = {"type": "WhitespaceSplit"} if model.tidied else None
    settings = settings or {}
    marks = {"type": "Punctuation", "behavior": "Isolated"}
    return parts.sequence(
        "pretokenizers",
        split,
        marks if settings.get("split_by_punct") is True else None,
        parts.metaspace(model.prefixed),
    )


def normalizer(model, name=None, settings=None):
    """What happens to characters first."""
    quotes = accents = lower = charsmap = None
    settings = settings or {}
    if name == "AlbertTokenizer":
        quotes = [parts.replace("``", '"'), parts.replace("''", '"')]
        if settings.get("keep_accents") is not True:
            accents = [{"type": "NFKD"}, {"type": "StripAccents"}]
        if settings.get("do_lower_case", True) is not False:
            lower = {"type": "Lowercase"}
    if name == "DebertaV2Tokenizer" and settings.get("do_lower_case") is True:
        lower = {"type": "Lowercase"}
    if model.charsmap:
        table = base64.b64encode(model.charsmap).decode("ascii")
        charsmap = {"type": "Precompiled", "precompiled_charsmap": table}
    return parts.sequence(
        "normalizers", *(quotes or ()), *(accents or ()), lower, charsmap
    )


def _as_they_are(model, settings):
    """DeBERTa: what its mask lacks comes after the last."""
    del settings
    return [[piece.text, piece.score] for piece in model.pieces], model.unk_id


def _albert(model, settings):
    """A number and the comma after it are two pieces, whatever was learnt."""
    listed, unk_id = _as_they_are(model, settings)
    return [
        [piece, score - 100 if _joins_comma(piece) else score]
        for piece, score in listed
    ], unk_id


def _joins_comma(piece):
    return len(piece) > 1 and piece[-1] == "," and piece[-2].isdigit()


def _t5(model, settings):
    """Sentinels after the last piece, the last of them first."""
    listed, unk_id = _as_they_are(model, settings)
    extra = reversed(range(_count(settings, "extra_ids", 100)))
    sentinels = [[f"<extra_id_{i}>", 0.0] for i in extra]
    return listed + sentinels, unk_id


def _xlm_roberta(model, settings):
    """fairseq numbers special tokens its own way, one place further than here."""
    listed, _ = _as_they_are(model, settings)
    first = [[piece, 0.0] for piece in ("<s>", "<pad>", "</s>", "<unk>")]
    return [*first, *listed[3:], ["<mask>", 0.0]], 3


def _camembert(model, settings):
    listed, _ = _as_they_are(model, settings)
    first = ("<s>NOTUSED", "<pad>", "</s>NOTUSED", "<unk>")
    first = [[piece, 0.0] for piece in first]
    return [*first, ["<unk>NOTUSED", -100.0], *listed[1:], ["<mask>", 0.0]], 3


def _pegasus(model, settings):
    """Masks and a hundred tokens that its pretraining kept free come first."""
    listed, unk_id = _as_they_are(model, settings)
    offset = _count(settings, "offset", 103)
    first = [["<pad>", 0.0], ["</s>", 0.0], ["<mask_1>", 0.0], ["<mask_2>", 0.0]]
    first += [[f"<unk_{i}>", -100.0] for i in range(2, offset)]
    return first + listed[2:], unk_id + offset


def _count(settings, key, usual):
    """How many tokens a setting asks for; a file must not ask for any number."""
    count = settings.get(key, usual)
    if not isinstance(count, int) or not 0 <= count <= MOST_EXTRA:
        raise KzooError(
            f"tokenizer_config.json: {key} must be in [0, {MOST_EXTRA}], not "
            f"{count!r:.40}."
        )
    return count


PIECES = {
    "AlbertTokenizer": _albert,
    "CamembertTokenizer": _camembert,
    "DebertaV2Tokenizer": _as_they_are,
    "PegasusTokenizer": _pegasus,
    "T5Tokenizer": _t5,
    "XLMRobertaTokenizer": _xlm_roberta,
}
