"""SentencePiece models as families use them, against transformers and sentencepiece."""

import json
import re
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kzoo_recipes import KzooError

from kzoo.interop.tokenizers import read_tokenizer, write_tokenizer
from kzoo.interop.tokenizers.spm import read_model
from kzoo.text import Tokenizer
from tests.helpers.pieces import GERMAN, LEARNT, checkpoint, learn, marian
from tests.helpers.tricky import CORPUS, TEXTS, ids, their_ids

sentencepiece = pytest.importorskip("sentencepiece")
transformers = pytest.importorskip("transformers")

SPELT_OUT = [text for text in TEXTS if "<" not in text and "[MASK]" not in text]
LOWER = ["good food", "  two  spaces\tand\n", "it (was) a-b. c", "☃ x☃☃y ①"]
ALL = TEXTS + CORPUS[:6]
DIGIT_COMMA = re.compile(r"\d,$")
# What transformers 5 leaves as it is and SentencePiece, or ALBERT's own code, does not:
# spaces at the ends, characters that stand for others, a comma after a digit.
PLAIN = {
    "pegasus": [text for text in ALL if text == text.strip() and "<" not in text],
    "albert": [text for text in ALL if not re.search(r"\d,", text)],
    "deberta-v2": [text for text in ALL if not set(text) & set("ﬁ①…\u00a0Ａǅ½™")],
}


@pytest.fixture(scope="module")
def models():
    return {name: learn(CORPUS, **options) for name, (_, options) in LEARNT.items()}


@pytest.fixture(scope="module")
def folders(models, tmp_path_factory):
    """A checkpoint of each family, and its configuration."""
    found = {}
    for name, (file, _) in LEARNT.items():
        config = {"model_type": name}
        folder = tmp_path_factory.mktemp(name)
        found[name] = checkpoint(folder, config, **{file: models[name]}), config
    return found


def configured(folder, config):
    folder.joinpath("config.json").write_text(json.dumps(config), encoding="utf-8")
    return folder


@pytest.mark.parametrize("name", LEARNT)
def test_gives_the_ids_of_transformers(folders, name):
    folder, config = folders[name]
    theirs = transformers.AutoTokenizer.from_pretrained(folder)
    ours, texts = read_tokenizer(folder, config), PLAIN.get(name, ALL)
    assert ids(ours, texts) == their_ids(theirs, texts)
    assert (ours.pad_id, ours.end_id) == (theirs.pad_token_id, theirs.eos_token_id) or (
        name == "camembert" and ours.pad_id == theirs.pad_token_id
    )
    assert ours.unk_id == theirs.unk_token_id
    assert ours.mask_id == theirs.mask_token_id or name == "pegasus"


@pytest.mark.parametrize("name", LEARNT)
def test_cuts_texts_as_sentencepiece_does(folders, models, name):
    model = sentencepiece.SentencePieceProcessor(model_proto=models[name])
    ours = read_tokenizer(*folders[name])
    texts = SPELT_OUT + CORPUS[:6]
    if name == "albert":  # It lowers, and takes accents off, before.
        texts = LOWER
    assert cut(ours, texts) == cut_by(model, texts, ours)


def cut(tokenizer, texts):
    """The pieces of each text, without what stands around it."""
    inner = slice(tokenizer.num_before, -tokenizer.num_after or None)
    return [
        [tokenizer.id_to_token(i) for i in row[inner]] for row in ids(tokenizer, texts)
    ]


def cut_by(model, texts, tokenizer):
    """The same by sentencepiece, with our name for what is unknown."""
    unknown = tokenizer.id_to_token(tokenizer.unk_id)
    rows = [model.encode(text, out_type=str) for text in texts]
    return [
        [p if model.piece_to_id(p) != model.unk_id() else unknown for p in row]
        for row in rows
    ]


def test_symbols_that_users_define_are_pieces(tmp_path):
    """transformers 5 takes them out of a text first and puts a space after them."""
    file, options = LEARNT["albert"]
    learnt = learn(CORPUS, **options, user_defined_symbols="(,),-,.,<br>")
    config = {"model_type": "albert"}
    ours = read_tokenizer(checkpoint(tmp_path, config, **{file: learnt}), config)
    model = sentencepiece.SentencePieceProcessor(model_proto=learnt)
    texts = [*LOWER, "it<br>was (too) 1.50- no", "a.b.c ((x))"]
    assert cut(ours, texts) == cut_by(model, texts, ours)
    assert "<br>" in cut(ours, texts)[-2]


@pytest.mark.parametrize("name", LEARNT)
def test_goes_out_and_into_a_saved_model(folders, tmp_path, name):
    folder, config = folders[name]
    ours = read_tokenizer(folder, config)
    write_tokenizer(ours, tmp_path, config)
    theirs = transformers.AutoTokenizer.from_pretrained(configured(tmp_path, config))
    assert their_ids(theirs) == ids(ours)
    for again in (
        read_tokenizer(tmp_path, config),
        Tokenizer.from_json(ours.to_json()),
    ):
        assert ids(again) == ids(ours)
        for role in ("pad_id", "unk_id", "mask_id", "start_id", "end_id"):
            assert getattr(again, role) == getattr(ours, role)
    assert theirs.pad_token_id == ours.pad_id and theirs.unk_token_id == ours.unk_id


def test_sentinels_of_t5_count_down(folders):
    ours = read_tokenizer(*folders["t5"])
    first, last = ours.token_to_id("<extra_id_0>"), ours.token_to_id("<extra_id_99>")
    assert first == ours.vocabulary_size - 1 and last == first - 99
    [row] = ids(ours, ["a<extra_id_0>b"])
    assert first in row


@pytest.mark.parametrize("name, key", [("t5", "extra_ids"), ("pegasus", "offset")])
def test_settings_that_ask_for_too_many_tokens(models, tmp_path, name, key):
    config, files = {"model_type": name}, {"spiece.model": models[name]}
    checkpoint(tmp_path, config, {key: 10**12}, **files)
    with pytest.raises(KzooError) as refused:
        read_tokenizer(tmp_path, config)
    assert str(refused.value) == (
        f"tokenizer_config.json: {key} must be in [0, 10000], not 1000000000000."
    )


def test_albert_keeps_a_comma_from_its_number(folders, models):
    """As Lan et al.'s code does, and the tokenizer.json of their checkpoints."""
    model = sentencepiece.SentencePieceProcessor(model_proto=models["albert"])
    [theirs] = model.encode(["said 10,000"], out_type=str)
    assert any(DIGIT_COMMA.search(piece) for piece in theirs)
    [ours] = cut(read_tokenizer(*folders["albert"]), ["said 10,000"])
    assert "".join(ours) == "".join(theirs)
    assert not any(DIGIT_COMMA.search(piece) for piece in ours)


@pytest.fixture(scope="module")
def translator(tmp_path_factory):
    """Marian's files, of an English and a German model, and their configuration."""
    english = [text for text in CORPUS if "naïve" not in text]
    options = {"character_coverage": 1.0, "pad_id": -1}
    parts = [learn(texts, **options) for texts in (english, GERMAN)]
    return marian(tmp_path_factory.mktemp("marian"), *parts)


@pytest.mark.filterwarnings("ignore:Recommended. pip install sacremoses")
def test_marian_reads_one_language_and_writes_the_other(translator, tmp_path):
    folder, config = translator
    theirs = transformers.AutoTokenizer.from_pretrained(folder)
    ours = read_tokenizer(folder, config)
    texts = [*ALL, *GERMAN, ">>deu<< Hello there", ">>deu<<the food", "ßöäß 東ß x東"]
    assert ids(ours, texts) == their_ids(theirs, texts)
    assert (ours.pad_id, ours.end_id) == (theirs.pad_token_id, theirs.eos_token_id)
    for row in theirs(text_target=GERMAN)["input_ids"]:
        assert ours.decode(row) == theirs.decode(row, skip_special_tokens=True)
    write_tokenizer(ours, tmp_path, config)
    written = transformers.AutoTokenizer.from_pretrained(configured(tmp_path, config))
    assert their_ids(written, texts) == ids(ours, texts)
    assert ids(Tokenizer.from_json(ours.to_json()), texts) == ids(ours, texts)


def test_marian_with_two_vocabularies(translator, tmp_path):
    folder, config = translator
    files = {name: folder.joinpath(name).read_bytes() for name in ("source.spm",)}
    files["vocab.json"] = folder.joinpath("vocab.json").read_bytes()
    checkpoint(tmp_path, config, {"separate_vocabs": True}, **files)
    with pytest.raises(KzooError, match="have vocabularies of their own"):
        read_tokenizer(tmp_path, config)
    files["vocab.json"] = {"</s>": 0, "a": 2}
    checkpoint(tmp_path, config, **files)
    with pytest.raises(KzooError, match="the ids are not those from 0 to 1, each once"):
        read_tokenizer(tmp_path, config)


def test_reads_what_protobuf_reads(models):
    from sentencepiece import sentencepiece_model_pb2

    for content in models.values():
        theirs = sentencepiece_model_pb2.ModelProto()
        theirs.ParseFromString(content)
        ours = read_model(content, "a model")
        assert ours.unk_id == theirs.trainer_spec.unk_id
        assert ours.charsmap == theirs.normalizer_spec.precompiled_charsmap
        assert [*ours.pieces] == [(p.piece, p.score, p.type) for p in theirs.pieces]


@pytest.mark.parametrize(
    "options, sentence",
    [
        (
            {"model_type": "bpe"},
            "a model: this SentencePiece model is of BPE, and kzoo ",
        ),
        ({"model_type": "word"}, "this SentencePiece model is of words, and kzoo "),
        ({"byte_fallback": True, "size": 500}, "model falls back on bytes, and kzoo "),
    ],
)
def test_other_kinds_of_models(options, sentence):
    content = learn(CORPUS, **options)
    with pytest.raises(KzooError) as refused:
        read_model(content, "a model")
    assert sentence in str(refused.value)


def test_a_file_that_is_cut_off_or_something_else(models):
    content = models["t5"]
    for broken in (b"", b"{}", content[:-7], content[:2000], b"\n\x05" + content):
        with pytest.raises(KzooError, match=r"^a model: this "):
            read_model(broken, "a model")


@given(st.binary(max_size=60), st.integers(0, 400), st.integers(0, 255))
def test_any_bytes_are_read_or_refused(start, place, byte):
    whole = bytearray(start + SMALL)
    whole[place % len(whole)] = byte
    for content in (start, bytes(whole)):
        try:
            read_model(content, "a model")
        except KzooError as error:
            assert str(error).startswith("a model: this ")


def _small():
    pieces = [("<unk>", 0.0, 2), ("▁a", -1.0, 1), ("b", -2.5, 1)]
    for text, score, kind in pieces:
        name = text.encode()
        inner = b"\n" + bytes([len(name)]) + name
        inner += b"\x15" + struct.pack("<f", score) + b"\x18" + bytes([kind])
        yield b"\n" + bytes([len(inner)]) + inner
    yield b"\x12\x02\x18\x01"  # trainer: Unigram
    yield b"\x1a\x02\x18\x01"  # normalizer: with a prefix


SMALL = b"".join(_small())
