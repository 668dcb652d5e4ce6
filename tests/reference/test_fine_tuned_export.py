"""Trained in kzoo, exported, opened in transformers: the same answers on a test set."""

import csv

import numpy as np
import pytest
from helpers import checkpoints
from helpers.tagged_toys import toy_tagger
from helpers.toys import toy_recipe

import kzoo

torch, auto = checkpoints.torch, checkpoints.transformers
BERT = {
    "num_layers": 1,
    "num_heads": 2,
    "hidden_dim": 8,
    "intermediate_dim": 12,
    "position": "learned",
    "norm_placement": "post",
    "embedding": {"num_segments": 1, "norm": "layer_norm"},
}


def trained(recipe, folder):
    """The model of a run, and the folder that transformers reads."""
    run = kzoo.train(recipe, folder / "runs", progress=False)
    model = kzoo.load_model(run.folder)
    kzoo.export_hugging_face(model, folder / "exported")
    return model, folder / "exported"


@pytest.fixture(scope="module")
def classifier(tmp_path_factory):
    folder = tmp_path_factory.mktemp("classifier")
    more = {"pooling": "first", "encoder": BERT}
    training = {"epochs": 2, "learning_rate": 5e-3}
    recipe = toy_recipe(folder, model=more, training=training, expect={})
    return *trained(recipe, folder), folder / "test.csv"


def test_a_classifier_answers_a_test_set_alike(classifier):
    model, exported, file = classifier
    with file.open(newline="") as lines:
        texts = [row["text"] for row in csv.DictReader(lines)]
    pipe = auto.pipeline("text-classification", str(exported), top_k=None)
    theirs = pipe(texts, truncation=True, padding=True, batch_size=4)
    for ours, scores in zip(model.classify(texts), theirs, strict=True):
        assert scores[0]["label"] == ours["label"]
        of_labels = {one["label"]: one["score"] for one in scores}
        assert of_labels == pytest.approx(ours["probabilities"], abs=1e-4)


def test_a_trained_model_comes_back(classifier):
    model, exported, _ = classifier
    again = kzoo.from_hugging_face(exported)
    texts = ["a fine film", "a dull one", ""]
    for ours, theirs in zip(model.classify(texts), again.classify(texts), strict=True):
        assert ours["label"] == theirs["label"]
        assert ours["probabilities"] == pytest.approx(theirs["probabilities"], abs=1e-6)


def test_a_tagger_answers_a_test_set_alike(tmp_path):
    more = {"encoder": BERT, "head": "linear"}
    recipe = toy_tagger(tmp_path, model=more, expect={})
    model, exported = trained(recipe, tmp_path)
    sentences = [
        [line.split("\t")[0] for line in block.splitlines()]
        for block in (tmp_path / "test.conll").read_text().split("\n\n")
    ]
    read = auto.AutoTokenizer.from_pretrained(exported)
    theirs = auto.AutoModelForTokenClassification.from_pretrained(exported).eval()
    for words, ours in zip(sentences, model.tag_words(sentences), strict=True):
        encoded = read(words, is_split_into_words=True, return_tensors="pt")
        with torch.no_grad():
            scores = theirs(**encoded).logits[0].softmax(-1).numpy()
        numbers = encoded.word_ids()
        first = [numbers.index(number) for number in range(len(words))]
        tags = [theirs.config.id2label[int(np.argmax(scores[at]))] for at in first]
        assert [one["tag"] for one in ours] == tags
        best = scores[first].max(-1)
        np.testing.assert_allclose([one["score"] for one in ours], best, atol=1e-4)
