"""Recipes that begin with a pretrained encoder, from the checkpoint to a run."""

import pickle
import shutil

import keras
import numpy as np
import pytest
from keras import ops
from kzoo_recipes import KzooError, load, to_toml

import kzoo
from kzoo.interop.names.engine import weights_of
from kzoo.tasks import TASKS
from kzoo.training import dry_run, evaluate, resume, train, train_seeds
from tests.helpers import encoder_decoders
from tests.helpers.checkpoints import answers
from tests.helpers.interrupted import Crash, assert_equal_bits
from tests.helpers.paired_toys import toy_summarizer
from tests.helpers.pretrained import tiny_bert, training, tuned
from tests.helpers.tagged_toys import toy_tagger
from tests.helpers.toys import once, toy_recipe

BACKEND = keras.backend.backend()
TOYS = {
    "text_classifier": toy_recipe,
    "token_tagger": toy_tagger,
    "summarizer": toy_summarizer,
}
DECODER = [
    "decoder: begins as block_0, block_1 of the encoder, its attention to the encoder "
    "with new weights"
]


@pytest.fixture(scope="module")
def bert(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bert")
    return folder, tiny_bert(folder)


@pytest.fixture(scope="module")
def run(bert, tmp_path_factory):
    """A classifier that was fine-tuned, and its recipe."""
    folder = tmp_path_factory.mktemp("run")
    recipe = tuned(toy_recipe(folder), bert[0])
    return train(recipe, folder / "runs", progress=False), recipe


def built(recipe):
    task = TASKS[recipe.task]()
    prepared = task.prepare(recipe)
    return task.build(recipe, prepared), prepared


@pytest.mark.parametrize("task", TOYS)
def test_the_encoder_of_each_task_answers_as_transformers_does(bert, tmp_path, task):
    folder, module = bert
    model, prepared = built(tuned(TOYS[task](tmp_path), folder))
    read = TASKS[task]().sequences(prepared, "dev")[0]
    token_ids, mask = np.array([read], "int32"), np.ones((1, len(read)), "bool")
    ours = ops.convert_to_numpy(model.encoder(token_ids, mask))
    theirs = answers(module, token_ids, mask, "last_hidden_state")
    np.testing.assert_allclose(ours, theirs, atol=1e-5)
    again = pickle.loads(pickle.dumps(prepared))  # As parity hands it on.
    assert again.pretrained.arguments == prepared.pretrained.arguments
    assert [note for note in prepared.notes if note.startswith("decoder")] == (
        DECODER if task == "summarizer" else []
    )


@once
def test_tokens_and_special_tokens_are_the_checkpoints(bert, tmp_path):
    _, prepared = built(tuned(toy_recipe(tmp_path), bert[0]))
    tokenizer = prepared.tokenizer
    pieces = [
        tokenizer.id_to_token(i) for i in tokenizer.encode(["a film"]).token_ids[0]
    ]
    assert pieces == ["[CLS]", "a", "film", "[SEP]"]
    assert tokenizer.pad_id == 0
    assert prepared.splits["train"].token_ids[0][0] == tokenizer.start_id


@once
def test_notes_say_what_it_is_and_what_was_not_read(bert, tmp_path):
    _, prepared = built(tuned(toy_recipe(tmp_path), bert[0]))
    assert any(note.startswith(f"encoder: {bert[0]} (bert)") for note in prepared.notes)
    assert any("not read: the pooler" in note for note in prepared.notes)


@once
def test_what_is_dropped_is_the_recipes_or_the_checkpoints(bert, tmp_path):
    def rates(encoder):
        block = encoder.blocks[0]
        return (
            block.attention_step.dropout.rate,
            block.attention.get_config()["dropout"],
            encoder.embedding.dropout.rate,
            encoder.embedding.token_dropout.rate,
        )

    recipe = toy_recipe(tmp_path)
    own, _ = built(tuned(recipe, bert[0]))
    assert rates(own.encoder) == (0.1, 0.1, 0.1, 0)
    all_of_it, _ = built(tuned(recipe, bert[0], encoder={"dropout": 0.3}))
    assert rates(all_of_it.encoder) == (0.3, 0.3, 0.3, 0)
    each = {"attention": {"dropout": 0.0}, "embedding": {"token_dropout": 0.2}}
    some, _ = built(tuned(recipe, bert[0], encoder=each))
    assert rates(some.encoder) == (0.1, 0.0, 0.1, 0.2)


def test_a_run_says_what_it_began_with_and_is_used_like_any(run):
    result, _ = run
    recipe = load(result.folder / "recipe.toml")
    assert len(recipe.model.pretrained_sha256) == 64
    assert recipe.tokenizer is None
    model = kzoo.load_model(result.folder)
    assert model.classify(["a fine film"])[0]["label"] in ("good", "bad")
    again = evaluate(result.folder, resamples=0)
    assert again["accuracy"] == result.metrics["test"]["accuracy"]


@once
def test_the_encoder_of_a_run_is_pretrained_too(run, tmp_path):
    result, _ = run
    before = weights_of(kzoo.load_model(result.folder).encoder)
    for name in (result.folder, result.folder / "model.keras"):
        model, prepared = built(tuned(toy_tagger(tmp_path), name))
        assert any("(of kzoo)" in note for note in prepared.notes)
        for path, weight in weights_of(model.encoder).items():
            np.testing.assert_array_equal(weight, before[path], err_msg=path)


@once
@pytest.mark.parametrize("task", ["text_classifier", "summarizer"])
def test_a_resumed_run_needs_the_checkpoint_no_more(bert, tmp_path, task):
    folder = tmp_path / "bert"
    shutil.copytree(bert[0], folder)
    recipe = training(tuned(TOYS[task](tmp_path), folder), evaluate_every=2, epochs=2)
    whole = train(recipe, tmp_path / "whole", progress=False)
    with pytest.raises(ZeroDivisionError):
        train(recipe, tmp_path / "cut", progress=False, callbacks=[Crash()])
    shutil.rmtree(folder)
    resumed = resume(tmp_path / "cut" / recipe.name / BACKEND, progress=False)
    last = max(int(p.name[5:]) for p in (whole.folder / "checkpoints").iterdir())
    assert_equal_bits(whole, resumed, last)


@once
def test_the_recipe_as_it_was_written_resumes_the_run(run):
    result, recipe = run
    longer = training(recipe, epochs=recipe.training.epochs + 1)
    file = result.folder.parent / "again.toml"
    file.write_text(to_toml(longer))
    assert resume(result.folder, file, progress=False).folder == result.folder


@once
def test_seeds_stand_together_with_runs_that_are_there(bert, tmp_path):
    recipe = training(tuned(toy_recipe(tmp_path), bert[0]), epochs=1)
    train_seeds(recipe, [1], tmp_path, say=print)
    result = train_seeds(recipe, [1, 2], tmp_path, say=print)
    assert sorted(result.runs) == [1, 2]


@once
def test_other_weights_than_those_of_the_recipe_are_refused(bert, tmp_path):
    recipe = tuned(toy_recipe(tmp_path), bert[0], pretrained_sha256="0" * 64)
    with pytest.raises(KzooError, match=r"not those of .* pretrained_sha256"):
        dry_run(recipe)


@once
def test_longer_texts_than_there_are_positions_for_are_refused(bert, tmp_path):
    recipe = toy_summarizer(tmp_path, data={"buckets": None, "summary_length": 25})
    wanted = r"summary_length must be at most 24, .* Received: summary_length=25"
    with pytest.raises(KzooError, match=wanted):
        dry_run(tuned(recipe, bert[0]))


@once
@pytest.mark.parametrize(
    "break_it, complaint",
    [
        (lambda folder: shutil.rmtree(folder), "there is no such folder"),
        (lambda folder: (folder / "vocab.txt").unlink(), "there is no tokenizer"),
        (lambda folder: (folder / "config.json").unlink(), "there is no config.json"),
    ],
)
def test_what_is_no_checkpoint_is_refused(bert, tmp_path, break_it, complaint):
    folder = tmp_path / "bert"
    shutil.copytree(bert[0], folder)
    break_it(folder)
    with pytest.raises(KzooError, match=complaint):
        dry_run(tuned(toy_recipe(tmp_path), folder))


@once
def test_a_whole_encoder_decoder_is_no_encoder(tmp_path):
    encoder_decoders.saved(tmp_path, next(iter(encoder_decoders.CASES)))
    with pytest.raises(KzooError, match="a whole encoder-decoder"):
        dry_run(tuned(toy_recipe(tmp_path), tmp_path))


@once
def test_a_dry_run_knows_the_sizes_of_the_checkpoint(bert, tmp_path):
    found = dry_run(tuned(toy_summarizer(tmp_path), bert[0]), tmp_path)
    assert found["recipe"]["model"]["pretrained_sha256"]
    assert found["vocabulary_size"] > 100
    assert found["memory"]["activations"] > 0
    assert found["parameters"]["parts"]["decoder blocks"] > 0
