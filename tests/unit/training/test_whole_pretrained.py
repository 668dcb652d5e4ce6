"""Encoder-decoders that go on learning, whole: as summarizers, and on missing spans."""

import json
import shutil

import keras
import numpy as np
import pytest
from kzoo_recipes import KzooError, load

import kzoo
from kzoo.interop.names.engine import weights_of
from kzoo.interop.origins import origin_of
from kzoo.interop.pretrained_seq2seq import HEADS
from kzoo.tasks import TASKS
from kzoo.text import Tokenizer
from kzoo.training import dry_run, resume, train
from tests.helpers import encoder_decoders
from tests.helpers.interrupted import Crash, assert_equal_bits
from tests.helpers.layers import array
from tests.helpers.masked_toys import WORDS, toy_masked, toy_spans
from tests.helpers.paired_toys import toy_summarizer
from tests.helpers.pretrained import tiny_bert, training, tuned
from tests.helpers.toys import once, toy_recipe

FAMILIES = ("bart", "marian", "pegasus", "t5 v1.1")


@pytest.fixture(scope="module")
def t5(tmp_path_factory):
    """A small T5 of transformers, with a tokenizer that has sentinels."""
    folder = tmp_path_factory.mktemp("t5")
    module = encoder_decoders.saved(folder, "t5")
    words = [*WORDS, "Ada", "Bo", "Rome", "in", "sea"]
    tokenizer = Tokenizer.train([" ".join(words)], "word", 60, True, 1, sentinels=8)
    folder.joinpath("tokenizer.json").write_text(tokenizer.to_json())
    return folder, module


@pytest.fixture(scope="module")
def spans(t5, tmp_path_factory):
    """The T5, gone on with spans of other texts."""
    folder = tmp_path_factory.mktemp("spans")
    recipe = training(tuned(toy_spans(folder), t5[0]), steps=2)
    return train(recipe, folder / "runs", progress=False)


def built(recipe):
    task = TASKS[recipe.task]()
    prepared = task.prepare(recipe)
    return task.build(recipe, prepared), prepared


def assert_answers_alike(recipe, module):
    """A batch of the recipe's is scored as transformers scores it."""
    model, prepared = built(recipe)
    batch = TASKS[recipe.task]().batches(recipe, prepared).at(0)
    inputs = list(batch.inputs.values())
    expected, _ = encoder_decoders.logits(module, *inputs)
    mask = batch.inputs["decoder_padding_mask"]
    ours = array(model(batch.inputs, training=False))
    np.testing.assert_allclose(ours[mask], expected[mask], rtol=1e-4, atol=1e-4)
    return model, prepared


def test_a_summarizer_begins_as_the_whole_t5(t5, tmp_path):
    folder, module = t5
    model, prepared = assert_answers_alike(
        tuned(toy_summarizer(tmp_path), folder), module
    )
    assert (model.source_length, model.target_length) == (16, 6)
    assert (model.start_id, model.end_id) == (0, 1) and not model.copies
    assert model.settings().beams == 2  # the recipe's
    # Its tokenizer begins texts with [CLS], and the start is padding.
    targets = prepared.splits["train"].targets
    assert all((ids[0], ids[-1]) == (2, 1) and len(ids) <= 6 for ids in targets)
    assert any(note.startswith("encoder and decoder: ") for note in prepared.notes)


@once
@pytest.mark.parametrize("family", FAMILIES)
def test_a_summarizer_begins_as_each_family(tmp_path, family):
    module = encoder_decoders.saved(tmp_path, family)
    model, prepared = assert_answers_alike(
        tuned(toy_summarizer(tmp_path), tmp_path), module
    )
    start = 0 if family.startswith("t5") else 2
    assert model.start_id == prepared.frame.start_id == start
    first = {int(ids[0]) for ids in prepared.splits["train"].targets}
    assert (first == {2}) == (start != 2)


@once
def test_what_tokens_a_checkpoint_forces_it_forces_on(tmp_path):
    forced = {"forced_bos_token_id": 3, "no_repeat_ngram_size": 2, "num_beams": 3}
    encoder_decoders.saved(tmp_path, "bart", generation=forced)
    model, _ = built(tuned(toy_summarizer(tmp_path), tmp_path))
    settings = model.settings()
    assert (settings.forced_first, settings.no_repeat_ngram, settings.beams) == (
        3,
        0,
        2,
    )


@once
def test_a_t5_goes_on_with_missing_spans(t5, tmp_path):
    folder, module = t5
    model, prepared = assert_answers_alike(tuned(toy_spans(tmp_path), folder), module)
    assert model.corruption["share"] == 0.15
    for ids in prepared.windows("train").hidden(range(3), 0, 0):
        assert ids[1][-1] == 1  # the end of the checkpoint


@once
@pytest.mark.parametrize("toy", [toy_spans, toy_summarizer])
def test_a_resumed_run_needs_its_checkpoint_no_more(t5, tmp_path, toy):
    folder = tmp_path / "t5"
    shutil.copytree(t5[0], folder)
    changes = {"evaluate_every": 2, "steps": 6, "evaluation_rows": 1}
    if toy is toy_spans:
        del changes["evaluation_rows"]
    recipe = training(tuned(toy(tmp_path), folder), **changes)
    whole = train(recipe, tmp_path / "whole", progress=False)
    with pytest.raises(ZeroDivisionError):
        train(recipe, tmp_path / "cut", progress=False, callbacks=[Crash()])
    shutil.rmtree(folder)
    resumed = resume(
        tmp_path / "cut" / recipe.name / keras.backend.backend(), progress=False
    )
    assert_equal_bits(whole, resumed, 6)
    both = [kzoo.load_model(one.folder).get_config() for one in (whole, resumed)]
    assert both[0] == both[1]


@once
def test_what_learnt_spans_goes_on_as_a_summarizer_or_an_encoder(spans, tmp_path):
    before = kzoo.load_model(spans.folder)
    assert before.corruption is not None
    recipe = tuned(toy_summarizer(tmp_path), spans.folder, copy=True)
    model, prepared = built(recipe)
    own, theirs = weights_of(model), weights_of(before)
    for path, weight in theirs.items():
        np.testing.assert_array_equal(array(own[path]), array(weight), err_msg=path)
    new = own.keys() - theirs.keys()
    assert new and all(path.startswith("copy/") for path in new)
    assert any("copy: begins with new weights" in note for note in prepared.notes)
    assert model.corruption is None and model.copies
    classifier, _ = built(tuned(toy_recipe(tmp_path), spans.folder))
    table = array(classifier.encoder.embedding.table)
    np.testing.assert_array_equal(table, array(before.encoder.embedding.table))
    found = dry_run(tuned(toy_spans(tmp_path), spans.folder), tmp_path)
    assert found["recipe"]["model"]["pretrained_sha256"] and found["memory"]["total"]


@once
def test_a_summarizer_goes_on_as_one_and_says_its_weights(tmp_path):
    recipe = training(toy_summarizer(tmp_path, model={"copy": True}), steps=1)
    first = train(recipe, tmp_path / "runs", progress=False)
    again = training(tuned(toy_summarizer(tmp_path), first.folder, copy=True), steps=1)
    second = train(again, tmp_path / "more", progress=False)
    kept = load(second.folder / "recipe.toml")
    assert len(kept.model.pretrained_sha256) == 64
    wrong = tuned(
        toy_summarizer(tmp_path), first.folder, copy=True, pretrained_sha256="0" * 64
    )
    with pytest.raises(KzooError, match=r"not those of .* pretrained_sha256"):
        dry_run(wrong)
    with pytest.raises(KzooError, match="copy must be true"):
        dry_run(tuned(toy_summarizer(tmp_path), first.folder))
    with pytest.raises(KzooError, match="this model copies from what it reads"):
        dry_run(tuned(toy_spans(tmp_path), first.folder))


@once
@pytest.mark.parametrize(
    "decoder", [{"init": "random"}, {"cross_attention": "encoder"}]
)
def test_how_a_decoder_is_made_is_not_said_where_there_is_one(t5, tmp_path, decoder):
    [(key, _)] = decoder.items()
    wanted = rf"\[model.decoder\] {key} says how .* leave it out"
    with pytest.raises(KzooError, match=wanted):
        dry_run(tuned(toy_summarizer(tmp_path), t5[0], decoder=decoder))


@once
def test_fewer_blocks_are_some_of_the_decoders(t5, tmp_path):
    whole, _ = built(tuned(toy_summarizer(tmp_path), t5[0]))
    recipe = tuned(toy_summarizer(tmp_path), t5[0], decoder={"num_layers": 2})
    model, prepared = built(recipe)
    assert "decoder: its blocks begin as the blocks 0, 2 of 3" in prepared.notes
    theirs, moved = weights_of(whole), 0
    for path, weight in weights_of(model).items():
        before = path.replace("decoder/block_1/", "decoder/block_2/")
        moved += before != path
        np.testing.assert_array_equal(array(weight), array(theirs[before]), path)
    assert moved > 8
    more = tuned(toy_summarizer(tmp_path), t5[0], decoder={"num_layers": 4})
    with pytest.raises(KzooError, match=r"num_layers must be at most 3"):
        dry_run(more)


@once
def test_tables_that_are_one_stay_one(t5, tmp_path):
    with pytest.raises(KzooError, match="share_embeddings must be true"):
        dry_run(tuned(toy_summarizer(tmp_path), t5[0], share_embeddings=False))


@once
def test_texts_must_not_be_longer_than_either_side_has_positions_for(tmp_path):
    encoder_decoders.saved(tmp_path, "bart")
    recipe = toy_summarizer(tmp_path, data={"buckets": None, "summary_length": 25})
    with pytest.raises(KzooError, match=r"summary_length must be at most 24"):
        dry_run(tuned(recipe, tmp_path))


@once
def test_an_encoder_alone_writes_no_spans(tmp_path):
    folder = tmp_path / "bert"
    folder.mkdir()
    tiny_bert(folder)
    run = train(training(toy_masked(tmp_path), steps=1), tmp_path, progress=False)
    for origin in (folder, run.folder):
        with pytest.raises(KzooError, match="this is an encoder alone"):
            dry_run(tuned(toy_spans(tmp_path), origin))


@once
def test_a_checkpoint_without_sentinels_is_named(tmp_path):
    encoder_decoders.saved(tmp_path, "bart")
    with pytest.raises(KzooError, match=rf"{tmp_path}: the tokenizer has no sentinels"):
        dry_run(tuned(toy_spans(tmp_path), tmp_path))


@once
def test_marian_of_two_languages_is_refused(tmp_path):
    encoder_decoders.saved(tmp_path, "marian")
    for name in ("source", "target"):
        tmp_path.joinpath(f"{name}.spm").write_bytes(name.encode())
    origin = origin_of(str(tmp_path))
    assert HEADS[origin.kind](origin)["model"]["start_id"] == 2  # tokenizer.json wins
    tmp_path.joinpath("tokenizer.json").unlink()
    with pytest.raises(KzooError, match=r"source\.spm and target\.spm differ"):
        HEADS[origin.kind](origin)


@once
def test_a_t5_made_of_plain_text_goes_out_as_one(tmp_path):
    transformers = pytest.importorskip("transformers")
    recipe = training(toy_spans(tmp_path), steps=3)
    run = train(recipe, tmp_path / "runs", progress=False)
    model = kzoo.load_model(run.folder)
    out = kzoo.export_hugging_face(model, tmp_path / "out")
    assert out["architecture"] == "T5ForConditionalGeneration"
    module = transformers.T5ForConditionalGeneration.from_pretrained(tmp_path / "out")
    prepared = TASKS["span_corruption"]().prepare(recipe)
    batch = TASKS["span_corruption"]().batches(recipe, prepared).at(0)
    expected, _ = encoder_decoders.logits(module.eval(), *batch.inputs.values())
    mask = batch.inputs["decoder_padding_mask"]
    ours = array(model(batch.inputs, training=False))
    np.testing.assert_allclose(ours[mask], expected[mask], rtol=1e-4, atol=1e-5)
    ids = transformers.AutoTokenizer.from_pretrained(tmp_path / "out")
    text = "cat dog <extra_id_0> tower"
    [own] = model.tokenizer.encode([text]).token_ids
    assert ids(text)["input_ids"] == own.tolist()
    config = json.loads((tmp_path / "out" / "config.json").read_text())
    assert config["decoder_start_token_id"] == model.start_id
    back = kzoo.from_hugging_face(tmp_path / "out", note=lambda sentence: None)
    ours, theirs = model.fill(text), back.fill(text)
    assert [one["text"] for one in ours] == [one["text"] for one in theirs]
    # And in again, to go on.
    again, _ = built(tuned(toy_spans(tmp_path), tmp_path / "out"))
    for path, weight in weights_of(model).items():
        np.testing.assert_array_equal(
            array(weights_of(again)[path]), array(weight), err_msg=path
        )
