"""mBARTs are trained on what transformers' tokenizers make of target texts."""

import json

import numpy as np
import pytest
from kzoo_recipes import KzooError

from kzoo.data.pairs import load_paired_splits
from kzoo.tasks import TASKS
from kzoo.tasks.pairs import Frame
from tests.helpers import encoder_decoders
from tests.helpers.encoder_decoders import torch, transformers
from tests.helpers.paired_toys import toy_summarizer
from tests.helpers.pretrained import tuned
from tests.helpers.toys import once

pytestmark = once
LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789."


def mbart(folder, kind="MBartTokenizer", generation=None, **languages):
    """An mBART in `folder` with one of transformers' tokenizers; both of them."""
    kind = getattr(transformers, kind)
    special = [(token, 0.0) for token in ("<s>", "<pad>", "</s>", "<unk>")]
    pieces = [(f"{space}{letter}", -3.0) for space in ("▁", "") for letter in LETTERS]
    codes = [(code, 0.0) for code in ("en_XX", "ro_RO", "fr_XX")]
    vocabulary = [*special, ("▁", -2.0), *pieces, *codes, ("<mask>", 0.0)]
    tokenizer = kind(vocabulary, src_lang="en_XX", **languages)
    ids = {"vocab_size": len(tokenizer), "pad_token_id": 1, "eos_token_id": 2}
    ids |= {"bos_token_id": 0, "decoder_start_token_id": None}
    if generation is not None:
        ids |= {"decoder_start_token_id": generation["decoder_start_token_id"]}
        generation = {"eos_token_id": 2, "pad_token_id": 1, **generation}
    encoder_decoders.saved(folder, "mbart", generation=generation, **ids)
    if generation is None:
        folder.joinpath("generation_config.json").unlink(missing_ok=True)
    folder.joinpath("tokenizer.json").unlink(missing_ok=True)
    tokenizer.save_pretrained(folder)
    return tokenizer


def made(recipe):
    task = TASKS["summarizer"]()
    prepared = task.prepare(recipe)
    return task.build(recipe, prepared), prepared


def theirs_of(tokenizer, texts):
    """Labels as transformers' tokenizer makes them, unpadded."""
    return tokenizer(text_target=list(texts))["input_ids"]


def recipe_of(folder, tmp_path, **data):
    data = {"summary_length": 20, **data}
    return tuned(toy_summarizer(tmp_path, data=data), folder)


def assert_trained_alike(folder, tmp_path, tokenizer):
    recipe = recipe_of(folder, tmp_path)
    model, prepared = made(recipe)
    summaries = load_paired_splits(recipe.data)["dev"].summaries
    ours = [ids.tolist() for ids in prepared.splits["dev"].targets]
    theirs = theirs_of(tokenizer, summaries)
    short = [row for row, ids in enumerate(theirs) if len(ids) <= 20]
    assert len(short) > 2
    assert [ours[row] for row in short] == [theirs[row] for row in short]
    return model, prepared, [theirs[row] for row in short]


@pytest.mark.parametrize("target", [None, "ro_RO"])
def test_an_mbart_starts_with_the_language_and_learns_it_behind_the_end(
    tmp_path, target
):
    folder = tmp_path / "mbart"
    tokenizer = mbart(folder, tgt_lang=target)
    model, prepared, theirs = assert_trained_alike(folder, tmp_path, tokenizer)
    code = tokenizer.convert_tokens_to_ids(target or "en_XX")
    assert model.start_id == code and theirs[0][-2:] == [2, code]
    said = f"what is written begins with the language code {target or 'en_XX'}"
    assert said in prepared.notes
    # The decoder reads what transformers makes it read.
    from transformers.models.mbart.modeling_mbart import shift_tokens_right

    [read] = shift_tokens_right(torch.tensor(theirs[:1]), 1).tolist()
    assert read == [model.start_id, *theirs[0][:-1]]


def test_the_start_that_the_checkpoint_names_says_the_language(tmp_path):
    folder = tmp_path / "mbart"
    tokenizer = mbart(folder)
    code = tokenizer.convert_tokens_to_ids("ro_RO")
    mbart(folder, generation={"decoder_start_token_id": code})
    model, prepared = made(recipe_of(folder, tmp_path))
    assert model.start_id == code
    assert all(ids[-1] == code for ids in prepared.splits["dev"].targets)


@pytest.mark.parametrize("forced", [None, "fr_XX"])
def test_an_mbart_50_writes_the_language_first(tmp_path, forced):
    folder = tmp_path / "mbart"
    tokenizer = mbart(folder, "MBart50Tokenizer", tgt_lang="ro_RO")
    generation = {"decoder_start_token_id": 2}
    if forced:
        code = tokenizer.convert_tokens_to_ids(forced)
        generation["forced_bos_token_id"] = code
    mbart(folder, "MBart50Tokenizer", generation, tgt_lang="ro_RO")
    tokenizer.tgt_lang = forced or "ro_RO"
    model, _, theirs = assert_trained_alike(folder, tmp_path, tokenizer)
    assert model.start_id == 2
    assert model.settings().forced_first == theirs[0][0]
    again = Frame.of(model.tokenizer, 2, 2, model.settings().forced_first)
    assert again.before == (theirs[0][0],)  # As the saved model is evaluated.


def test_a_broken_name_of_a_language_is_none(tmp_path):
    folder = tmp_path / "mbart"
    tokenizer = mbart(folder, tgt_lang="ro_RO")
    file = folder / "tokenizer_config.json"
    settings = json.loads(file.read_text())
    file.write_text(json.dumps({**settings, "tgt_lang": "xx_XX", "src_lang": 7}))
    model, _ = made(recipe_of(folder, tmp_path))
    assert model.start_id == tokenizer.convert_tokens_to_ids("en_XX")


def test_the_shortest_summary_has_a_token_of_its_own(tmp_path):
    folder = tmp_path / "bart"
    encoder_decoders.saved(folder, "bart")
    with pytest.raises(KzooError, match="a whole number of at least 3"):
        recipe_of(folder, tmp_path, summary_length=1)
    _, prepared = made(recipe_of(folder, tmp_path, summary_length=3))
    lengths = [len(ids) for ids in prepared.splits["train"].targets]
    assert np.max(lengths) == 3
