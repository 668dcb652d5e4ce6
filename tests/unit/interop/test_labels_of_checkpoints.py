"""Heads and labels: a checkpoint's own, or new ones."""

import pytest
from helpers.read_again import changed, read
from helpers.toys import once
from kzoo_recipes import KzooError

from kzoo.interop.checkpoints import Checkpoint, write
from kzoo.interop.encoders import scheme_of


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
    with pytest.raises(
        KzooError, match=r"BertForSequenceClassification, but its head'"
    ):
        read(folder)
    changed(folder, architectures=["BertModel"])
    with pytest.raises(KzooError, match="no head of a text_classifier, so name the la"):
        read(folder, "text_classifier")
    model, [note] = read(folder, "text_classifier", labels=["a", "b"])
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
def test_labels_that_are_numbers(folder):
    changed(folder, id2label={"0": 0, "1": 1, "2": 2})
    assert read(folder)[0].labels == ["0", "1", "2"]


@once
def test_new_labels_where_nobody_can_name_the_old_ones(folder):
    changed(folder, id2label={"0": "a"})
    model, notes = read(folder, labels=["no", "yes"])
    assert model.labels == ["no", "yes"]
    assert notes[-1] == "new, and to be trained: `logits/kernel`, `logits/bias`."


@once
def test_a_head_that_is_not_there(folder):
    tensors = dict(Checkpoint(folder)._stored)
    kept = {name: stored.read() for name, stored in tensors.items()}
    del kept["classifier.bias"]
    write(folder, kept, Checkpoint(folder).config)
    with pytest.raises(KzooError, match=r"`classifier\.bias` is not there; labels="):
        read(folder)
    assert read(folder, labels=["no", "yes"])[0].labels == ["no", "yes"]


@once
def test_a_head_that_was_trained_for_something_else(folder):
    _, notes = read(folder, "token_tagger")
    assert notes[0] == (
        "saved as a BertForSequenceClassification, whose last layer now answers as "
        "that of a token_tagger."
    )


@once
@pytest.mark.parametrize("labels", [2, "yes"])
def test_labels_are_a_list(folder, labels):
    with pytest.raises(
        ValueError, match=f"one for each .* Received: labels={labels!r}"
    ):
        read(folder, labels=labels)


@once
def test_a_tag_for_every_token_is_no_tagger(folder):
    tensors = dict(Checkpoint(folder)._stored)
    one = {name: stored.read() for name, stored in tensors.items()}
    one |= {name: one[name][:1] for name in one if name.startswith("classifier.")}
    write(folder, one, Checkpoint(folder).config)
    changed(folder, id2label={"0": "a"}, architectures=["BertForTokenClassification"])
    with pytest.raises(KzooError, match="every token the one tag 'a'; labels="):
        read(folder)


@once
def test_labels_without_names(folder):
    changed(folder, id2label=None, label2id=None)
    assert read(folder)[0].labels == ["LABEL_0", "LABEL_1", "LABEL_2"]


@once
def test_a_classifier_of_one_class_alone(folder):
    with pytest.raises(ValueError, match="at least 2 classes"):
        read(folder, labels=["a"])
