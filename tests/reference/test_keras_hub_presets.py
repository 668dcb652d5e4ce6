"""Presets and tokenizers of keras-hub: what it saves, kzoo reads, and the other way."""

import numpy as np
import pytest
from keras import ops
from kzoo_recipes import KzooError

import kzoo

hub_models = pytest.importorskip("helpers.hub_models", reason="compares with keras-hub")
keras_hub, backbone = hub_models.keras_hub, hub_models.backbone

PIECES = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "quick", "fox", "##es"]
PIECES += ["jump", "##ed", ".", ",", "cafe", "caf", "##é", "The", "日", "##s"]
TEXTS = ["The quick foxes jumped.", "the café, 日日 fox", "", "quick QUICK unheard"]


def word_pieces(kind="Bert", **settings):
    return getattr(keras_hub.models, f"{kind}Tokenizer")(PIECES, **settings)


def byte_pairs(kind="Roberta"):
    vocabulary = ["<s>", "<pad>", "</s>", "<mask>", "a", "Ġ", "q", "u", "i", "c", "k"]
    vocabulary += ["f", "o", "x", "Ġq", "ui", "ck", "uick", "Ġquick", "ox", "fox", "Ġf"]
    vocabulary += ["Ġfox", "<unk>"]
    merges = ["Ġ q", "u i", "c k", "ui ck", "Ġq uick", "o x", "f ox", "Ġ f", "Ġf ox"]
    numbers = {piece: number for number, piece in enumerate(vocabulary)}
    made = getattr(keras_hub.models, f"{kind}Tokenizer")
    return made(vocabulary=numbers, merges=merges)


def ids_of(tokenizer, text):
    return [int(number) for number in np.asarray(tokenizer(text))]


def check_ids(mine, theirs, texts, start, end):
    for text, ids in zip(texts, mine.encode(texts).token_ids, strict=True):
        assert ids.tolist() == [start, *ids_of(theirs, text), end], text


@pytest.mark.parametrize("lowercase", [True, False])
@pytest.mark.parametrize("accents", [True, False])
def test_word_pieces(lowercase, accents):
    theirs = word_pieces(lowercase=lowercase, strip_accents=accents)
    _, mine = kzoo.from_keras_hub(backbone("Bert"), tokenizer=theirs, note=[].append)
    check_ids(mine, theirs, TEXTS, 2, 3)
    assert (mine.pad_id, mine.unk_id, mine.mask_id) == (0, 1, 4)


def test_byte_pairs():
    theirs = byte_pairs()
    _, mine = kzoo.from_keras_hub(backbone("Roberta"), tokenizer=theirs)
    check_ids(mine, theirs, ["a quick fox", "fox fox  quick", "a"], 0, 2)
    assert (mine.pad_id, mine.mask_id) == (1, 3)


@pytest.mark.parametrize("kind", ["Bert", "Roberta", "DistilBert"])
def test_a_classifier_is_saved_as_a_preset_and_read_again(kind, tmp_path):
    models = keras_hub.models
    tokenizer = byte_pairs() if kind == "Roberta" else word_pieces(kind, lowercase=True)
    prepare = getattr(models, f"{kind}TextClassifierPreprocessor")
    made = getattr(models, f"{kind}TextClassifier")(
        backbone(kind), 3, preprocessor=prepare(tokenizer, sequence_length=8)
    )
    hub_models.stirred(made, seed=2).save_to_preset(str(tmp_path / "theirs"))
    labels = ["bad", "fair", "good"]
    model = kzoo.from_keras_hub(tmp_path / "theirs", labels=labels)
    assert (model.labels, model.sequence_length) == (labels, 8)
    texts = ["a quick fox", "the fox jumped the quick quick foxes"]
    scores = ops.convert_to_numpy(made(made.preprocessor(texts)))
    shares = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    for answer, row in zip(model.classify(texts), shares, strict=True):
        found = [answer["probabilities"][label] for label in labels]
        np.testing.assert_allclose(found, row, rtol=0, atol=1e-5)
    notes = []
    again = kzoo.to_keras_hub(model, note=notes.append)
    assert notes == [
        "keras-hub keeps no labels; those of the logits are: bad, fair, good."
    ]
    again.save_to_preset(str(tmp_path / "ours"))
    read = models.TextClassifier.from_preset(str(tmp_path / "ours"))
    np.testing.assert_allclose(
        ops.convert_to_numpy(read(read.preprocessor(texts))), scores, rtol=0, atol=1e-5
    )


def test_a_preset_of_a_backbone_alone(tmp_path):
    theirs = backbone("Roberta")
    theirs.save_to_preset(str(tmp_path))
    assert kzoo.from_keras_hub(str(tmp_path)).tokenizer is None
    byte_pairs().save_to_preset(str(tmp_path))
    assert kzoo.from_keras_hub(str(tmp_path)).tokenizer.vocabulary_size == 24


def test_a_tokenizer_that_keras_hub_has_not_stays_behind():
    tokenizer = kzoo.Tokenizer.train(["one two"] * 3, "unigram", 20)
    model = kzoo.from_keras_hub(
        backbone("Bert"),
        "text_classifier",
        tokenizer=tokenizer,
        labels=["no", "yes"],
        note=[].append,
    )
    notes = []
    assert kzoo.to_keras_hub(model, note=notes.append).preprocessor is None
    assert notes[-1] == (
        "The tokenizer stays behind: it is of the kind Unigram, and keras-hub's "
        "BertTokenizer WordPiece."
    )


def test_models_are_exported_as_presets(tmp_path):
    tokenizer = word_pieces("DistilBert", lowercase=True)
    tagger = kzoo.from_keras_hub(
        backbone("DistilBert"),
        "token_tagger",
        tokenizer=tokenizer,
        labels=["O", "B-X", "I-X"],
        note=[].append,
    )
    made = kzoo.export_keras_hub(tagger, tmp_path / "out")
    assert made["architecture"] == "DistilBertBackbone"
    assert {"config.json", "model.weights.h5", "tokenizer.json"} <= set(made["files"])
    assert made["notes"] == [
        "The head stays behind: keras-hub has none like that of a TokenTagger"
    ]
    encoder, again = kzoo.from_keras_hub(tmp_path / "out")
    assert again.encode(TEXTS).token_ids[0].tolist() == [
        2,
        *ids_of(tokenizer, TEXTS[0]),
        3,
    ]
    ids = np.arange(12, dtype="int32").reshape(2, 6)
    hidden = (ops.convert_to_numpy(one(ids)) for one in (encoder, tagger.encoder))
    np.testing.assert_allclose(*hidden, atol=1e-6)
    with pytest.raises(KzooError, match="is there already"):
        kzoo.export_keras_hub(tagger, tmp_path / "out")


def test_what_is_no_preset_is_one_sentence(tmp_path):
    cases = {
        "no_such_preset": "no_such_preset: keras-hub reads no model from here: ",
        str(tmp_path): f"{tmp_path}: keras-hub reads no model from here: ",
    }
    for preset, start in cases.items():
        with pytest.raises(KzooError) as error:
            kzoo.from_keras_hub(preset)
        assert str(error.value).startswith(start)
    tmp_path.joinpath("task.json").write_text("[]")
    with pytest.raises(KzooError, match="no description of a task"):
        kzoo.from_keras_hub(tmp_path)
    with pytest.raises(KzooError, match="this is a int"):
        kzoo.from_keras_hub(3)


def test_other_backbones_and_tasks_are_refused():
    sizes = {"vocabulary_size": 9, "num_layers": 1, "num_heads": 2}
    other = keras_hub.models.GPT2Backbone(
        **sizes, hidden_dim=4, intermediate_dim=4, max_sequence_length=4
    )
    with pytest.raises(KzooError, match="kzoo does not have keras-hub's GPT2Backbone"):
        kzoo.from_keras_hub(other)
    with pytest.raises(KzooError, match="is no task that kzoo reads"):
        kzoo.from_keras_hub(backbone("Bert"), "encoders")
