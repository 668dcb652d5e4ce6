"""What is made of a checkpoint: the task, what is kept of it, refusals."""

import json
import resource
from pathlib import Path

import pytest
from helpers.layers import array
from helpers.read_again import TEXTS, changed, read
from helpers.rounding import assert_alike
from helpers.toys import once
from kzoo_recipes import KzooError

import kzoo
from kzoo.interop.hugging_face import task_of
from kzoo.models.families import FAMILIES


def test_there_and_back(made, folder):
    model, notes = read(folder)
    assert notes == []
    assert (model.labels, model.sequence_length) == (["no", "maybe", "yes"], 12)
    assert_alike(model.classify(TEXTS), made.classify(TEXTS))


def test_notes_go_to_stderr(folder, capsys):
    kzoo.from_hugging_face(folder, "encoder")
    out, err = capsys.readouterr()
    assert out == ""
    assert all(len(line) <= 100 for line in err.splitlines() if "/" not in line)
    said = " ".join(err.split())
    assert f"{folder}: not read: the pooler (`bert.pooler.dense.bias`, " in said


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
        (None, "encoder"),
    ],
)
def test_tasks_by_the_class_that_was_saved(name, task):
    assert task_of({"architectures": [name]}) == task
    assert task_of({"architectures": name}) == task
    assert task_of({}) == "encoder"


@once
def test_a_full_disk_is_said_and_leaves_nothing(made, tmp_path):
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2000, limits[1]))
    try:
        with pytest.raises(KzooError, match="full cannot be written: File too large"):
            kzoo.export_hugging_face(made, tmp_path / "full")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert list(tmp_path.iterdir()) == []


@once
def test_a_tokenizer_that_keeps_the_end(folder):
    path = folder / "tokenizer_config.json"
    told = {**json.loads(path.read_text()), "truncation_side": "left"}
    path.write_text(json.dumps(told))
    _, notes = read(folder)
    assert notes == [
        "its tokenizer cuts off the beginning of a text that is too long; this model "
        "cuts off the end."
    ]


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
        ({"model_type": None}, "there is no model_type, which says of what family"),
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
        ({"id2label": {"0": "a", "1": [1], "2": "b"}}, "a name that is not a string"),
        ({"id2label": ["a", "b", "c"]}, "id2label must name the 3 classes"),
        ({"id2label": {"0": "a", "2": "b", "3": "c"}}, "by the numbers 0 to 2"),
        ({"hidden_dropout_prob": "0.1"}, "must be a number from 0 to below 1, and is"),
        ({"attention_probs_dropout_prob": 1}, "from 0 to below 1, and is 1."),
        ({"classifier_dropout": True}, "from 0 to below 1, and is True."),
        ({"layer_norm_eps": "1e-12"}, "layer_norm_eps must be a number from 0 to"),
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
def test_a_family_that_also_writes_is_no_encoder(folder):
    changed(folder, model_type="t5")
    for task in ("encoder", "text_classifier", "token_tagger", "masked_lm"):
        with pytest.raises(KzooError, match=f"no {task} of the family 't5', whose mod"):
            read(folder, task)


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
    for share in ("0.1", 1.0, True):
        with pytest.raises(KzooError, match=r"^encoder\.dropout: what is dropped is a"):
            read(folder, encoder={"dropout": share})
    with pytest.raises(KzooError, match="head: a CRF cannot be made"):
        read(folder, "token_tagger", labels=["O", "B-X", "I-X"], head="crf")


@once
def test_the_page_names_every_family():
    page = Path(__file__).parents[3] / "docs" / "hugging-face.md"
    table = page.read_text("utf-8").partition("| family | `model_type` |")[2]
    for family in FAMILIES.values():
        for kind in family.model_types:
            assert f"`{kind}`" in table.partition("\n\n")[0], kind
