"""Adapted runs of other tasks, and with the rest of `[training]`."""

import json

import keras
import msgspec
import numpy as np
import pytest
from keras import ops
from kzoo_recipes.adaptation_schema import Adaptation, Lora, Prefix
from safetensors.numpy import load_file

import kzoo
from kzoo.interop.adapters import FILE
from kzoo.text import Tokenizer
from kzoo.training import train
from tests.helpers import encoder_decoders
from tests.helpers.interrupted import assert_equal_bits, whole_and_resumed
from tests.helpers.masked_toys import WORDS, toy_masked, toy_spans
from tests.helpers.pretrained import tiny_bert, training, tuned
from tests.helpers.toys import once, toy_recipe

PREFIX = Adaptation(method="prefix", prefix=Prefix(length=3, projection=True))
LORA = Adaptation(method="lora", lora=Lora(rank=2, dropout=0.1))


def adapted(recipe, adaptation, **changes):
    return training(msgspec.structs.replace(recipe, adaptation=adaptation), **changes)


def assert_rebuilt(folder):
    """The model of a run, which is that of its adapter and its base."""
    whole, again = kzoo.load_model(folder), kzoo.load_adapter(folder)
    theirs = {w.path: ops.convert_to_numpy(w) for w in again.weights}
    for weight in whole.weights:
        if weight.name != "state":
            np.testing.assert_array_equal(weight, theirs[weight.path], weight.path)
    return whole


@once
@pytest.mark.parametrize("adaptation", [PREFIX, LORA], ids=["prefix", "lora"])
def test_parts_of_a_step_averages_and_half_the_bits(adaptation, tmp_path):
    tiny_bert(tmp_path / "bert")
    recipe = adapted(
        tuned(toy_recipe(tmp_path), tmp_path / "bert"),
        adaptation,
        accumulation=2,
        ema_decay=0.9,
        precision="mixed_bfloat16",
        evaluate_every=2,
        steps=6,
        epochs=None,
    )
    whole, resumed = whole_and_resumed(recipe, tmp_path)
    assert_equal_bits(whole, resumed, 6)
    assert_rebuilt(whole.folder)


@once
@pytest.mark.parametrize("adaptation", [PREFIX, LORA], ids=["prefix", "lora"])
def test_missing_spans_beside_a_t5(adaptation, tmp_path):
    encoder_decoders.saved(tmp_path / "t5", "t5")
    tokenizer = Tokenizer.train([" ".join(WORDS)], "word", 60, True, 1, sentinels=8)
    (tmp_path / "t5" / "tokenizer.json").write_text(tokenizer.to_json())
    recipe = tuned(toy_spans(tmp_path), tmp_path / "t5")
    result = train(adapted(recipe, adaptation, steps=2), tmp_path / "runs")
    whole = assert_rebuilt(result.folder)
    own = "/prefix/" if adaptation is PREFIX else "/lora/"
    assert all(own in name for name in load_file(result.folder / FILE))
    found = whole.fill(f"{WORDS[0]} [MASK] {WORDS[1]}", beams=2, nbest=2)
    assert len(found) == 2 and found[0]["score"] >= found[1]["score"]


@once
def test_masked_words_beside_a_bert(tmp_path):
    tiny_bert(tmp_path / "bert", "BertForMaskedLM")
    recipe = tuned(toy_masked(tmp_path), tmp_path / "bert")
    result = train(adapted(recipe, PREFIX, steps=2), tmp_path / "runs")
    whole = assert_rebuilt(result.folder)
    assert whole.encoder.prefix.length == 3
    facts = json.loads((result.folder / "metrics.json").read_text())
    assert any(note.startswith("prefix: ") for note in facts["notes"])
    assert keras.backend.backend() in str(result.folder)
