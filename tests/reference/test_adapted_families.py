"""A LoRA in every family that kzoo reads: at first its base, merged the same model."""

import numpy as np
import pytest
from helpers import checkpoints, encoder_decoders
from helpers.layers import array
from test_heads_against_transformers import FAMILIES, NAMES, named, tokenizer

import kzoo
from kzoo.interop.tokenizers import write_tokenizer
from kzoo.models.adaptation import stacks_of
from tests.helpers.toys import once

pytestmark = once  # Of each backend there is test_adaptation.py.


def check(plain, inputs, tolerance=1e-5):
    """Fail unless a LoRA begins as `plain`, then moves, and is merged to the same."""
    made = kzoo.adapt(plain, {"method": "lora", "rank": 2, "alpha": 4})
    began, before = (model.predict_on_batch(inputs) for model in (made, plain))
    np.testing.assert_array_equal(began, before)
    rng = np.random.default_rng(0)
    inside = [w for s in stacks_of(made).values() for w in s.trainable_weights]
    for weight in inside:
        weight.assign(array(weight) + rng.normal(0, 0.1, weight.shape))
    moved = made.predict_on_batch(inputs)
    assert np.abs(moved - before).max() > 1e-2
    merged = kzoo.merge(made).predict_on_batch(inputs)
    close = tolerance * np.abs(moved).max()
    np.testing.assert_allclose(merged, moved, rtol=0, atol=close)


@pytest.mark.parametrize("family", FAMILIES)
def test_an_encoder(family, tmp_path):
    settings = {**named(NAMES), "pad_token_id": 0, **FAMILIES[family]}
    kinds = f"{family}ForSequenceClassification", f"{family}Config"
    config = checkpoints.saved(tmp_path, *kinds, **settings).config
    write_tokenizer(tokenizer(config.pad_token_id), tmp_path, config.to_dict())
    token_ids, mask = checkpoints.batch(pad_id=config.pad_token_id)
    inputs = {"token_ids": token_ids, "padding_mask": mask}
    check(kzoo.from_hugging_face(tmp_path, note=[].append), inputs)


@pytest.mark.parametrize("case", encoder_decoders.CASES)
def test_an_encoder_decoder(case, tmp_path):
    encoder_decoders.saved(tmp_path, case)
    plain = kzoo.from_hugging_face(tmp_path, note=[].append)
    rng = np.random.default_rng(1)
    inputs = {}
    for side, length in (("encoder", 9), ("decoder", 6)):
        inputs[f"{side}_token_ids"] = rng.integers(5, 60, (3, length)).astype("int32")
        inputs[f"{side}_padding_mask"] = np.ones((3, length), bool)
    # A T5 does not scale its scores, so that roundings grow.
    check(plain, inputs, 1e-4 if "t5" in case else 1e-5)
