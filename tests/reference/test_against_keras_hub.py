"""Backbones and classifiers of keras-hub as kzoo's, and back, against keras-hub."""

import numpy as np
import pytest
from keras import ops
from kzoo_recipes import KzooError

import kzoo
from kzoo import layers

hub_models = pytest.importorskip("helpers.hub_models", reason="compares with keras-hub")
keras_hub, asked, said = hub_models.keras_hub, hub_models.asked, hub_models.said

IDS = np.random.default_rng(0).integers(1, 30, (4, 9)).astype("int32")
MASK = np.arange(9) < np.array([[9], [4], [1], [7]])
CLOSE = {"rtol": 0, "atol": 1e-5}
KINDS = ("Bert", "Roberta", "DistilBert")
ODD = {"num_heads": 3, "hidden_dim": 18, "dropout": 0.3, "num_layers": 1}


def read(model, task=None, **arguments):
    """What kzoo makes of a model, and its notes."""
    notes = []
    return kzoo.from_keras_hub(model, task, note=notes.append, **arguments), notes


def back(model, **arguments):
    notes = []
    return kzoo.to_keras_hub(model, note=notes.append, **arguments), notes


def hidden(encoder, segments=None):
    return ops.convert_to_numpy(encoder(IDS, MASK, segments))


def logits(model):
    answer = model({"token_ids": IDS, "padding_mask": MASK})
    return ops.convert_to_numpy(answer)


def equal(mine, theirs):
    np.testing.assert_allclose(mine[MASK], theirs[MASK], **CLOSE)


@pytest.mark.parametrize("more", [{}, ODD], ids=["even", "odd"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_backbone_there_and_back(kind, more):
    theirs = hub_models.backbone(kind, **more)
    inputs = asked(IDS, MASK, segments=kind == "Bert")
    (encoder, tokenizer), notes = read(theirs)
    assert tokenizer is None
    equal(hidden(encoder, inputs.get("segment_ids")), said(theirs, inputs))
    again, _ = back(encoder)
    assert type(again) is type(theirs)
    equal(said(again, inputs), said(theirs, inputs))
    own = ("name", "dtype")
    config, before = again.get_config(), theirs.get_config()
    assert {k: v for k, v in config.items() if k not in own} == {
        k: v for k, v in before.items() if k not in own
    }
    pooler = "keras-hub's BertBackbone: not read: the pooler (`pooled_dense/kernel`, "
    assert notes == [f"{pooler}`pooled_dense/bias`)."] * (kind == "Bert")


@pytest.mark.parametrize("kind", KINDS)
def test_a_classifier_there_and_back(kind):
    made = getattr(keras_hub.models, f"{kind}TextClassifier")
    theirs = hub_models.stirred(made(hub_models.backbone(kind), 3), seed=1)
    model, notes = read(theirs, labels=["a", "b", "c"])
    assert isinstance(model, kzoo.TextClassifier) and notes == []
    expected = said(theirs, asked(IDS, MASK))
    np.testing.assert_allclose(logits(model), expected, **CLOSE)
    again, notes = back(model)
    assert type(again) is made and notes == []
    np.testing.assert_allclose(said(again, asked(IDS, MASK)), expected, **CLOSE)
    alone, _ = back(model, head=False)
    assert type(alone) is type(theirs.backbone)


def test_heads_of_a_backbone_begin_anew_but_for_berts_pooler():
    theirs = hub_models.backbone("Bert")
    model, notes = read(theirs, "text_classifier", labels=["no", "yes"])
    start = "keras-hub's BertBackbone: "
    new = "new, and to be trained"
    assert notes == [f"{start}{new}: `logits/kernel`, `logits/bias`."]
    head = {w.path: w for w in model.weights}["head/kernel"]
    pooler = theirs.get_layer("pooled_dense").kernel
    np.testing.assert_array_equal(*map(ops.convert_to_numpy, (head, pooler)))
    tagger, notes = read(theirs, "token_tagger", labels=["O", "B-X", "I-X"])
    assert isinstance(tagger, kzoo.TokenTagger) and tagger.scheme == "iob2"
    assert len(notes) == 2 and "the pooler" in notes[0]
    again, notes = back(tagger)
    equal(said(again, asked(IDS, MASK)), hidden(tagger.encoder))
    assert notes[0] == (
        "The head stays behind: keras-hub has none like that of a TokenTagger."
    )


def bert(feed_forward="gelu", epsilon=1e-12, **more):
    """An encoder as `from_hugging_face` makes them, of random weights."""
    norm = kzoo.models.families.family.layer_norm(epsilon)
    sizes = {"num_layers": 2, "num_heads": 2, "hidden_dim": 12, "intermediate_dim": 20}
    encoder = layers.TransformerEncoder(
        30,
        position=layers.LearnedPositions(12, 10, name="position"),
        feed_forward=feed_forward,
        norm=norm,
        norm_placement="post",
        **{**sizes, "embedding": {"norm": norm, "num_segments": 2}, **more},
    )
    encoder.build((None, None))
    return hub_models.stirred(encoder)


@pytest.mark.parametrize(
    "epsilon, kind", [(1e-12, "DistilBert"), (1e-5, "Roberta")], ids=str
)
def test_an_ordinary_bert_keeps_its_exact_gelu(epsilon, kind):
    """keras-hub's own BERT computes GELU by tanh, and then all outputs are others."""
    encoder = bert(epsilon=epsilon)
    theirs, notes = back(encoder)
    assert type(theirs).__name__ == f"{kind}Backbone"
    equal(said(theirs, asked(IDS, MASK)), hidden(encoder))
    assert notes == [
        f"The encoder becomes a {kind}Backbone, which has no segments: the vector of "
        "the first one is added to each position."
    ]


@pytest.mark.parametrize(
    "more, nearest",
    [
        ({"feed_forward": "gelu_tanh", "epsilon": 1e-6}, "BertBackbone"),
        ({"feed_forward": "relu"}, "BertBackbone"),
        ({"attention": {"use_bias": False}}, "DistilBertBackbone"),
    ],
    ids=["epsilon", "activation", "bias"],
)
def test_what_keras_hub_does_not_compute_is_refused(more, nearest):
    with pytest.raises(KzooError, match="has no backbone that computes what") as error:
        back(bert(**more))
    assert nearest in str(error.value) and " is " in str(error.value)


def test_a_head_of_another_kind_stays_behind():
    encoder = bert("gelu_tanh")
    model = kzoo.TextClassifier(encoder, 2, pooling="mean", sequence_length=9)
    theirs, notes = back(model)
    assert type(theirs).__name__ == "BertBackbone"
    assert notes[0] == (
        "The head stays behind: its pooling is 'mean', and that of keras-hub's "
        "BertTextClassifier 'first'."
    )
    wide = kzoo.TextClassifier(
        encoder, 2, pooling="first", head_dim=5, sequence_length=9
    )
    assert "it is 5 wide" in back(wide)[1][0]


@pytest.mark.parametrize(
    "more, told",
    [
        ({"head_bias": False}, "its head_bias is False, and that of keras-hub's "),
        ({"head_norm": "layer_norm"}, "its head_norm is 'layer_norm', and that of "),
    ],
    ids=["bias", "norm"],
)
def test_a_head_with_other_parts_stays_behind(more, told):
    model = kzoo.TextClassifier(
        bert("gelu_tanh"),
        2,
        **{"pooling": "first", "activation": "tanh", "sequence_length": 9, **more},
    )
    theirs, notes = back(model)
    assert type(theirs).__name__ == "BertBackbone" and told in notes[0]


def test_a_classifier_of_many_labels_is_read_and_written_as_one():
    theirs = keras_hub.models.BertTextClassifier(
        hub_models.backbone("Bert"), 3, activation="sigmoid"
    )
    model, _ = read(theirs, labels=["a", "b", "c"])
    assert model.multi_label
    mine = 1 / (1 + np.exp(-logits(model)))
    np.testing.assert_allclose(mine, said(theirs, asked(IDS, MASK)), **CLOSE)
    assert "Several labels may hold at once" in back(model)[1][-1]
    assert not read(theirs, labels=["no", "yes"])[0].multi_label


def test_a_classifier_that_ends_in_no_probabilities_is_refused():
    theirs = keras_hub.models.BertTextClassifier(
        hub_models.backbone("Bert"), 3, activation="relu"
    )
    with pytest.raises(KzooError, match="ends in relu, which gives no probabilities"):
        read(theirs)
    with pytest.raises(ValueError, match="labels must be a list of names"):
        read(theirs.backbone, "text_classifier", labels=5)


def test_shares_dropped_that_keras_hub_cannot_tell_apart_are_named():
    encoder = bert("gelu_tanh", dropout=0.2, attention={"dropout": 0.3})
    theirs, notes = back(encoder)
    assert theirs.dropout == 0.2
    assert notes[:-1] == [
        f"In training 0.2 is dropped in the attention of the {encoder.name} as "
        "everywhere else, not 0.3: keras-hub has one share for all."
    ]


def test_what_is_no_model_or_has_no_weights_is_refused():
    with pytest.raises(KzooError, match="for keras-hub; dict is none of them"):
        back({})
    sizes = dict.fromkeys(("num_layers", "num_heads"), 1)
    encoder = layers.TransformerEncoder(30, hidden_dim=8, intermediate_dim=8, **sizes)
    with pytest.raises(KzooError, match="has no weights yet; call it once"):
        back(encoder)
    thin = bert("gelu_tanh", num_heads=5, attention={"head_dim": 3})
    with pytest.raises(KzooError, match="its sizes make no model: `num_heads` must"):
        back(thin)


def test_a_model_with_more_weights_is_refused_naming_both_sides():
    theirs = hub_models.backbone("Roberta")
    theirs.get_layer("transformer_layer_0")._feedforward_output_dense.enable_lora(2)
    with pytest.raises(KzooError, match="no weight of kzoo's model is the tensor"):
        read(theirs)


@pytest.mark.filterwarnings("ignore:Layer .* have a `quantize`:UserWarning")
def test_a_quantized_model_is_refused():
    theirs = hub_models.backbone("Bert")
    theirs.quantize("int8")
    with pytest.raises(KzooError, match="is not stored as floats; the checkpoint is"):
        read(theirs)
