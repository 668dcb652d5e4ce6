"""Encoder-decoders of every family, written by transformers and read by kzoo."""

import keras
import numpy as np
import pytest
from helpers import encoder_decoders as theirs
from helpers.layers import array

import kzoo
from kzoo.interop.hugging_face import from_hugging_face


@pytest.fixture(scope="module", params=theirs.CASES, ids=str)
def case(request, tmp_path_factory):
    """The module of transformers, its folder, and the model that reads it."""
    folder = tmp_path_factory.mktemp("checkpoint")
    module = theirs.saved(folder, request.param)
    notes = []
    model = from_hugging_face(folder, note=notes.append)
    assert isinstance(model, kzoo.Seq2Seq)
    return module, folder, model, notes


def test_scores_are_transformers(case):
    module, _, model, _ = case
    token_ids, mask = theirs.sources()
    target_ids, target_mask = theirs.sources(length=9, seed=1)
    expected, encoded = theirs.logits(module, token_ids, mask, target_ids, target_mask)
    actual = array(model.encoder(token_ids, mask))
    np.testing.assert_allclose(actual[mask], encoded[mask], rtol=1e-4, atol=1e-4)
    inputs = {
        "encoder_token_ids": token_ids,
        "encoder_padding_mask": mask,
        "decoder_token_ids": target_ids,
        "decoder_padding_mask": target_mask,
    }
    actual = array(model(inputs))
    expected = expected[target_mask]
    # Of scores that deviate by 1; an untied head's are several times as large.
    within = 1e-4 * max(1.0, expected.std())
    np.testing.assert_allclose(actual[target_mask], expected, rtol=1e-4, atol=within)


def test_goes_back_and_scores_alike(case, tmp_path):
    module, _, model, _ = case
    kind = module.config.model_type
    told = "mt5" if kind == "mt5" else None  # Which a T5 without the scale is, too.
    made = kzoo.export_hugging_face(model, tmp_path / "out", told)
    assert made["architecture"] == type(module).__name__
    again = type(module).from_pretrained(tmp_path / "out")
    token_ids, mask = theirs.sources()
    expected, _ = theirs.logits(module, token_ids, mask, token_ids, mask)
    actual, _ = theirs.logits(again, token_ids, mask, token_ids, mask)
    np.testing.assert_allclose(actual, expected, rtol=1e-6, atol=1e-6)
    assert again.config.model_type == kind


WRITING = {
    "t5": {
        "max_length": 12,
        "min_length": 4,
        "num_beams": 4,
        "length_penalty": 2.0,
        "early_stopping": True,
        "no_repeat_ngram_size": 3,
        "eos_token_id": [theirs.END, 17],
    },
    "bart": {
        "max_new_tokens": 11,
        "num_beams": 4,
        "no_repeat_ngram_size": 2,
        "forced_bos_token_id": 3,
        "forced_eos_token_id": theirs.END,
    },
    "marian": {
        "max_length": 12,
        "num_beams": 4,
        "bad_words_ids": [[theirs.PAD], [5, 6]],
        "no_repeat_ngram_size": 2,
        "forced_eos_token_id": theirs.END,
    },
    "pegasus": {
        "max_length": 12,
        "num_beams": 4,
        "length_penalty": 0.6,
        "early_stopping": "never",
        "suppress_tokens": [7, 8, 9],
        "repetition_penalty": 1.5,
    },
}


@pytest.fixture(scope="module", params=WRITING, ids=str)
def writer(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("checkpoint")
    name = request.param
    # transformers' T5 does not write where the decoder has more blocks.
    depth = {"num_decoder_layers": 1}
    if name != "t5":  # Scaled, a token would be followed by itself and no other.
        depth = {"decoder_layers": 1, "scale_embedding": False}
    seed = 5 if name == "bart" else 3
    module = theirs.saved(folder, name, seed, generation=WRITING[name], **depth)
    return module, from_hugging_face(folder, note=lambda said: None)


@pytest.fixture(autouse=True, scope="module")
def uncompiled():
    """Programs by their operations: to compile them takes most of a minute."""
    if keras.backend.backend() == "tensorflow":
        import tensorflow as tf

        tf.config.run_functions_eagerly(True)
        yield
        tf.config.run_functions_eagerly(False)
    else:
        yield


@pytest.mark.parametrize("beams", [4, 1])
def test_what_it_writes_is_transformers(writer, beams):
    module, model = writer
    token_ids, mask = theirs.sources(rows=12, seed=5)
    ends = {model.end_id, *model.settings().other_ends}
    told = {} if beams == 4 else {"num_beams": 1}
    expected = theirs.generated(module, token_ids, mask, ends, **told)
    settings = None if beams == 4 else model.settings(beams=1)
    found = model.generate(token_ids, mask, settings)
    assert [[*one.token_ids] for [one] in found] == expected
    assert len({tuple(text) for text in expected}) > 6


def test_transformers_writes_the_same_after_the_way_back(writer, tmp_path):
    module, model = writer
    kzoo.export_hugging_face(model, tmp_path / "out")
    again = type(module).from_pretrained(tmp_path / "out")
    token_ids, mask = theirs.sources(rows=12, seed=6)
    ends = {model.end_id, *model.settings().other_ends}
    expected = theirs.generated(module, token_ids, mask, ends)
    assert theirs.generated(again, token_ids, mask, ends) == expected
    settings = from_hugging_face(tmp_path / "out", note=print).settings()
    assert settings == model.settings()
