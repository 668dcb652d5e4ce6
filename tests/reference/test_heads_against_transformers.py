"""Classifiers and taggers that transformers wrote: the same logits, labels and task."""

import json

import numpy as np
import pytest
from helpers import checkpoints
from helpers.layers import array
from test_encoders_against_transformers import (
    BIG_BIRD,
    DEBERTA,
    DISTILBERT,
    LONGFORMER,
    MODERNBERT,
)

import kzoo
from kzoo.interop.tokenizers import write_tokenizer

TEXTS = ["the cat sat on the mat", "a dog", "cats and dogs and mats all over it"]
# What the classes of a family begin with, and more keys of its config.
FAMILIES = {
    "Bert": {},
    "Roberta": {"type_vocab_size": 1},
    "XLMRoberta": {"type_vocab_size": 1},
    "Camembert": {"type_vocab_size": 1},
    "DistilBert": DISTILBERT,
    "Electra": {"embedding_size": 12},
    "Albert": {"embedding_size": 12},
    "MPNet": {"pad_token_id": 1},  # The only one that transformers' code knows.
    "ModernBert": MODERNBERT,
    "Longformer": LONGFORMER,
    "BigBird": BIG_BIRD,
    "DebertaV2": DEBERTA,
}
NAMES = ["O", "B-LOC", "I-LOC"]


def tokenizer(pad_id=0):
    made = kzoo.Tokenizer.train(TEXTS, vocabulary_size=60, min_frequency=1)
    if not pad_id:
        return made
    described = json.loads(made.to_json())  # The two change places.
    other = made.id_to_token(pad_id)
    ids = {"[PAD]": pad_id, other: 0}
    described["model"]["vocab"] |= ids
    for token in described["added_tokens"]:
        token["id"] = ids.get(token["content"], token["id"])
    return kzoo.Tokenizer.from_json(json.dumps(described))


@pytest.fixture(scope="module", params=FAMILIES)
def family(request):
    return request.param


def named(names):
    return {
        "id2label": dict(enumerate(names)),
        "label2id": {name: place for place, name in enumerate(names)},
    }


def loaded(folder, family, task, names=NAMES, **more):
    """transformers' model with random weights, and kzoo's of its checkpoint."""
    module = checkpoints.saved(
        folder,
        f"{family}For{task}",
        f"{family}Config",
        **({} if task == "MaskedLM" else named(names)),
        **{"pad_token_id": 0, **FAMILIES[family], **more},
    )
    config = module.config.to_dict()
    write_tokenizer(tokenizer(config["pad_token_id"]), folder, config)
    notes = []
    return module, kzoo.from_hugging_face(folder, note=notes.append), notes


def test_a_classifier(family, tmp_path):
    module, model, notes = loaded(tmp_path, family, "SequenceClassification")
    assert isinstance(model, kzoo.TextClassifier)
    assert model.labels == NAMES
    token_ids, mask = checkpoints.batch()
    expected = checkpoints.answers(module, token_ids, mask)
    actual = array(model({"token_ids": token_ids, "padding_mask": mask}))
    np.testing.assert_allclose(actual, expected, rtol=1e-4, atol=1e-4)
    assert not any("new" in note for note in notes)
    [one] = model.classify(TEXTS[:1])
    assert set(one["probabilities"]) == set(NAMES)


def test_a_tagger(family, tmp_path):
    module, model, notes = loaded(tmp_path, family, "TokenClassification")
    assert isinstance(model, kzoo.TokenTagger)
    assert (model.labels, model.scheme) == (NAMES, "iob2")
    token_ids, mask = checkpoints.batch()
    expected = checkpoints.answers(module, token_ids, mask)
    actual = array(model({"token_ids": token_ids, "padding_mask": mask}))
    np.testing.assert_allclose(actual[mask], expected[mask], rtol=1e-4, atol=1e-4)
    assert not any("new" in note for note in notes)


@pytest.mark.parametrize("tied", [True, False])
def test_a_masked_language_model(family, tied, tmp_path):
    if family == "Electra" and not tied:
        pytest.skip("transformers' generator is always tied")
    more = {"tie_word_embeddings": tied, "hidden_act": "relu", "activation": "relu"}
    module, model, notes = loaded(tmp_path, family, "MaskedLM", **more)
    assert isinstance(model, kzoo.MaskedLM)
    token_ids, mask = checkpoints.batch()
    expected = checkpoints.answers(module, token_ids, mask)
    places = np.tile(np.arange(token_ids.shape[1], dtype="int32"), (len(mask), 1))
    inputs = {"token_ids": token_ids, "padding_mask": mask, "places": places}
    actual = array(model(inputs))
    np.testing.assert_allclose(actual[mask], expected[mask], rtol=1e-4, atol=1e-4)
    assert not any("new" in note for note in notes)
