"""What is made of a checkpoint: the task, the labels, what begins anew, refusals."""

import json
from pathlib import Path

import pytest
from helpers.layers import array
from helpers.rounding import assert_alike
from helpers.toys import once
from kzoo_recipes import KzooError

import kzoo
from kzoo.interop.checkpoints import Checkpoint, write
from kzoo.interop.encoders import scheme_of
from kzoo.interop.hugging_face import task_of
from kzoo.models.families import FAMILIES

TEXTS = ["the cat sat on the mat", "a dog", "cats and dogs and mats all over it"]
CONFIG = {
    "model_type": "bert",
    "vocab_size": 70,
    "hidden_size": 8,
    "num_hidden_layers": 1,
    "num_attention_heads": 2,
    "intermediate_size": 12,
    "max_position_embeddings": 20,
}


@pytest.fixture(scope="module")
def made():
    """A classifier in the shape of a BERT."""
    bert = FAMILIES["bert"]
    encoder = kzoo.layers.TransformerEncoder(**bert.stack(CONFIG), name="encoder")
    options = {**bert.classifier(CONFIG), "sequence_length": 12}
    model = kzoo.TextClassifier(encoder, 3, **options)
    tokenizer = kzoo.Tokenizer.train(TEXTS, vocabulary_size=70, min_frequency=1)
    return model.attach(tokenizer, ["no", "maybe", "yes"])


@pytest.fixture
def folder(made, tmp_path):
    kzoo.export_hugging_face(made, tmp_path / "model")
    return tmp_path / "model"


def changed(folder, **config):
    """Change keys of config.json; `None` removes one."""
    path = folder / "config.json"
    told = {**json.loads(path.read_text()), **config}
    path.write_text(json.dumps({k: v for k, v in told.items() if v is not None}))


def read(folder, *arguments, **more):
    notes = []
    model = kzoo.from_hugging_face(folder, *arguments, note=notes.append, **more)
    return model, [note.partition(": ")[2] for note in notes]


def test_there_and_back(made, folder):
    model, notes = read(folder)
    assert notes == []
    assert (model.labels, model.sequence_length) == (["no", "maybe", "yes"], 12)
    assert_alike(model.classify(TEXTS), made.classify(TEXTS))


def test_notes_go_to_stderr(folder, capsys):
    kzoo.from_hugging_face(folder, "encoder")
    out, err = capsys.readouterr()
    assert out == ""
    assert f"{folder}: not read: the pooler (`bert.pooler.dense.bias`, " in err


def test_an_encoder_and_its_tokenizer(made, folder):
    encoder, tokenizer = read(folder, "encoder")[0]
    [ids] = tokenizer.encode(TEXTS[:1], offsets=False).token_ids
    assert (array(encoder(ids[None])) == array(made.encoder(ids[None]))).all()


@pytest.mark.parametrize(
    "name, task",
    [
        ("BertForSequenceClassification", "text_classifier"),
        ("RobertaForTokenClassification", "token_tagger"),
        ("DistilBertForMaskedLM", "masked_lm"),
        ("BartForConditionalGeneration", "summarizer"),
        ("MarianMTModel", "summarizer"),
        ("BertModel", "encoder"),
        ("BertForPreTraining", "encoder"),
    ],
)
def test_tasks_by_the_class_that_was_saved(name, task):
    assert task_of({"architectures": [name]}) == task
    assert task_of({}) == "encoder"


@once
@pytest.mark.parametrize(
    "labels, scheme",
    [
        (["O", "B-LOC", "I-LOC"], "iob2"),
        (["O", "I-LOC", "I-PER"], "io"),
        (["O", "B-LOC", "I-LOC", "E-LOC", "S-LOC"], "bioes"),
        (["NOUN", "VERB"], "plain"),
        (["LABEL_0", "LABEL_1"], "plain"),
    ],
)
def test_the_scheme_of_labels(labels, scheme):
    assert scheme_of(labels) == scheme


@once
def test_a_head_of_other_labels_begins_anew(folder):
    model, notes = read(folder, labels=["a", "b"])
    assert model.labels == ["a", "b"]
    assert notes == [
        "not read: the head of a fine-tuned model (`classifier.bias`, "
        "`classifier.weight`).",
        "new, and to be trained: `logits/kernel`, `logits/bias`.",
    ]


@once
def test_a_head_of_another_kind_begins_anew(folder):
    model, notes = read(folder, pooling="mean", labels=["no", "maybe", "yes"])
    assert model.pooling == "mean"
    assert "`head/kernel`, `head/bias`, `logits/kernel` and 1 more" in notes[-1]


@once
def test_a_checkpoint_without_a_head_asks_for_labels(folder):
    checkpoint = Checkpoint(folder)
    tensors = {
        name: checkpoint.read(name).copy()
        for name in checkpoint.names
        if not name.startswith("classifier.")
    }
    write(folder, tensors, checkpoint.config)
    with pytest.raises(KzooError, match="no head of a text_classifier, so name the la"):
        read(folder)
    model, [note] = read(folder, labels=["a", "b"])
    assert note.endswith("`logits/kernel`, `logits/bias`.")
    assert model.classify("a dog")["label"] in ("a", "b")


@once
def test_a_tagger_begins_with_new_logits(folder):
    model, _ = read(folder, "token_tagger", labels=["O", "B-X", "I-X"])
    assert (model.scheme, model.labels) == ("iob2", ["O", "B-X", "I-X"])
    assert len(model.tag_words([["a", "dog"]])[0]) == 2


@once
def test_several_labels(folder):
    changed(folder, problem_type="multi_label_classification")
    model, _ = read(folder)
    assert model.multi_label
    assert model.thresholds == (0.5, 0.5, 0.5)


@once
@pytest.mark.parametrize("labels", [2, "yes"])
def test_labels_are_a_list(folder, labels):
    with pytest.raises(
        ValueError, match=f"one for each .* Received: labels={labels!r}"
    ):
        read(folder, labels=labels)


def test_labels_without_names(folder):
    changed(folder, id2label=None, label2id=None)
    assert read(folder)[0].labels == ["LABEL_0", "LABEL_1", "LABEL_2"]


@once
def test_dropouts_of_the_encoder(folder):
    model, _ = read(folder)
    block = model.encoder.blocks[0]
    assert (block.dropout_rate, block.attention.dropout.rate) == (0.1, 0.1)
    changed(folder, hidden_dropout_prob=0.3, attention_probs_dropout_prob=0.2)
    block = read(folder)[0].encoder.blocks[0]
    assert (block.dropout_rate, block.attention.dropout.rate) == (0.3, 0.2)
    told = {"dropout": 0.0, "embedding": {"token_dropout": 0.1}}
    encoder = read(folder, encoder=told)[0].encoder
    block = encoder.blocks[0]
    assert (block.dropout_rate, block.attention.dropout.rate) == (0, 0)
    assert encoder.embedding.dropout.rate == 0
    assert encoder.embedding.token_dropout.rate == 0.1


@once
@pytest.mark.parametrize(
    "config, said",
    [
        ({"model_type": "gpt2"}, "model_type is 'gpt2', a family that kzoo does not"),
        ({"model_type": None}, "model_type is None, a family that kzoo does not"),
        ({"hidden_size": None}, "there is no 'hidden_size', which a model of type"),
        ({"hidden_size": "8"}, "hidden_size must be an integer of at least 1"),
        (
            {"num_attention_heads": 3},
            "describes no model of kzoo: `num_heads` must div",
        ),
        ({"hidden_act": "swish2"}, "hidden_act is 'swish2', an activation that kzoo"),
        (
            {"is_decoder": True},
            "is_decoder is True; of the type 'bert' kzoo has models",
        ),
        (
            {"position_embedding_type": "relative_key"},
            "position_embedding_type is 'relative_key'; of the type 'bert' kzoo has",
        ),
        ({"problem_type": "regression"}, "gives a number and not a class"),
        ({"id2label": {"0": "a", "1": "b"}}, "id2label must name the 3 classes"),
        ({"id2label": {"0": "a", "1": "a", "2": "b"}}, "id2label names 'a' twice"),
        ({"id2label": {"0": "a", "1": 1, "2": "b"}}, "a name that is not a string"),
    ],
)
def test_a_config_that_kzoo_cannot_follow(folder, config, said):
    changed(folder, **config)
    with pytest.raises(KzooError) as error:
        read(folder)
    assert str(error.value).startswith(f"{folder}/config.json: ")
    assert said in str(error.value)


@once
def test_a_config_of_other_weights(folder):
    changed(folder, hidden_size=10)
    with pytest.raises(
        KzooError, match=r"kzoo's weight encoder/\S+ of shape .* cannot"
    ):
        read(folder)
    changed(folder, hidden_size=8, num_hidden_layers=2)
    with pytest.raises(KzooError, match=r"is the tensor `encoder\.layer\.1\."):
        read(folder)
    changed(folder, num_hidden_layers=1, intermediate_size=1 << 40)
    with pytest.raises(KzooError, match="of shape"):
        read(folder)


@once
def test_tasks_that_there_are_not(folder):
    with pytest.raises(KzooError, match="task 'classifier'; did you mean \"text_cl"):
        read(folder, "classifier")


@once
def test_arguments_that_there_are_not(folder):
    with pytest.raises(TypeError, match="poling"):
        read(folder, poling="mean")
    with pytest.raises(
        KzooError, match=r"^encoder\.num_layers: the encoder is that of"
    ):
        read(folder, encoder={"num_layers": 2})
    with pytest.raises(KzooError, match=r"^encoder\.attention\.scale: the encoder is"):
        read(folder, encoder={"attention": {"scale": 2.0}})
    with pytest.raises(KzooError, match="head: a CRF cannot be made"):
        read(folder, "token_tagger", labels=["O", "B-X", "I-X"], head="crf")


@once
def test_a_classifier_of_one_class_alone(folder):
    with pytest.raises(ValueError, match="at least 2 classes"):
        read(folder, labels=["a"])


@once
def test_the_page_names_every_family():
    page = Path(__file__).parents[3] / "docs" / "hugging-face.md"
    table = page.read_text("utf-8").partition("| family | `model_type` |")[2]
    for family in FAMILIES.values():
        for kind in family.model_types:
            assert f"`{kind}`" in table.partition("\n\n")[0], kind
