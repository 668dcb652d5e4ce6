"""Recipes with an `[adaptation]`: what is trained, saved, resumed and rebuilt."""

import json
import shutil

import keras
import msgspec
import numpy as np
import pytest
from keras import ops
from kzoo_recipes import KzooError, load, to_toml
from kzoo_recipes.adaptation_schema import Adaptation, Adapters, Lora, Prefix, Prompt
from safetensors.numpy import load_file

import kzoo
from kzoo.interop.adapters import FILE, read_adapter
from kzoo.training import resume, train
from kzoo.training.left_out import LeftOut
from kzoo.training.setup import set_up
from kzoo.training.steppers.variables import is_slot
from kzoo.training.unfinished import Unfinished
from tests.helpers import encoder_decoders
from tests.helpers.interrupted import (
    Crash,
    assert_equal_bits,
    state_at,
    whole_and_resumed,
)
from tests.helpers.masked_toys import toy_masked
from tests.helpers.paired_toys import toy_summarizer
from tests.helpers.pretrained import tiny_bert, training, tuned
from tests.helpers.tagged_toys import toy_tagger
from tests.helpers.toys import once, toy_recipe

TOYS = {
    "text_classifier": toy_recipe,
    "token_tagger": toy_tagger,
    "summarizer": toy_summarizer,
    "masked_lm": toy_masked,
}


def adapted(recipe, **lora):
    table = Adaptation(method="lora", lora=Lora(**{"rank": 2, **lora}))
    return msgspec.structs.replace(recipe, adaptation=table)


@pytest.fixture(scope="module")
def bert(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bert")
    tiny_bert(folder)
    return folder


@pytest.fixture(scope="module")
def run(bert, tmp_path_factory):
    """A classifier that was adapted, whole and resumed, and its recipe."""
    folder = tmp_path_factory.mktemp("run")
    recipe = training(
        adapted(tuned(toy_recipe(folder), bert), dropout=0.1),
        evaluate_every=2,
        ema_decay=0.9,
        layer_decay=0.9,
        freeze=["encoder.block_0.attention.key"],
    )
    return *whole_and_resumed(recipe, folder), recipe


def assert_same_model(one, other):
    ours, theirs = ({w.path: w for w in m.weights} for m in (one, other))
    assert ours.keys() == theirs.keys()
    for path, weight in ours.items():
        if weight.name != "state":
            np.testing.assert_array_equal(
                ops.convert_to_numpy(weight),
                ops.convert_to_numpy(theirs[path]),
                err_msg=path,
            )


def test_a_resumed_run_has_the_bits_of_a_whole_one(run):
    whole, resumed, _ = run
    assert_equal_bits(whole, resumed, 9)


def test_only_what_is_trained_has_moments_and_averages(run):
    state = state_at(run[0].folder, 9)
    moved = {n.split("/", 2)[2] for n in state if n.startswith("optimizer/first")}
    assert moved == {n.removeprefix("ema/") for n in state if n.startswith("ema/")}
    assert all("/lora/" in n or n.startswith(("head/", "logits/")) for n in moved)
    assert not any("attention/key" in n and "block_0" in n for n in moved)
    assert run[0].metrics["trained_parameters"] == sum(state[n].size for n in moved)


def test_a_checkpoint_holds_what_is_trained_only(run):
    folder = run[0].folder / "checkpoints" / "step-00000009"
    state, whole = state_at(run[0].folder, 9), kzoo.load_model(run[0].folder)
    own = {n for n in state if not is_slot(n) and not n.endswith("/state")}
    assert all("/lora/" in n or n.startswith(("head/", "logits/")) for n in own)
    assert "encoder/block_0/attention/key/lora/a" in own  # Frozen, but no base has it.
    told = json.loads((folder / "manifest.json").read_text())["left_out"]
    every = {w.path for w in whole.weights if w.name != "state"}
    assert own < every and told["weights"] == len(every - own)


@once
def test_without_its_base_as_it_was_a_run_is_not_resumed(bert, tmp_path):
    base = tmp_path / "base"
    shutil.copytree(bert, base)
    recipe = training(adapted(tuned(toy_recipe(tmp_path), base)), evaluate_every=2)
    with pytest.raises(ZeroDivisionError):
        train(recipe, tmp_path / "runs", progress=False, callbacks=[Crash()])
    run = tmp_path / "runs" / recipe.name / keras.backend.backend()
    base.rename(tmp_path / "away")
    with pytest.raises(KzooError, match="base: there is no such folder; a checkpoint"):
        resume(run, progress=False)
    tiny_bert(base, seed=5)
    with pytest.raises(KzooError, match="the weights are not those of"):
        resume(run, progress=False)
    shutil.rmtree(base)
    (tmp_path / "away").rename(base)
    home = Unfinished(run).checkpoints / "step-00000004" / "manifest.json"
    facts = json.loads(home.read_text())
    home.write_text(json.dumps({**facts, "left_out": {"weights": 1, "sha256": "0"}}))
    with pytest.raises(KzooError, match="are not those that this run was trained besi"):
        resume(run, progress=False)
    home.write_text(json.dumps(facts))
    assert resume(run, progress=False).metrics["steps"] == 9


@once
def test_checkpoints_that_hold_all_weights_need_no_base(bert, tmp_path, monkeypatch):
    """As kzoo wrote them before it left any out."""
    base = tmp_path / "base"
    shutil.copytree(bert, base)
    recipe = training(adapted(tuned(toy_recipe(tmp_path), base)), evaluate_every=2)
    with monkeypatch.context() as patch, pytest.raises(ZeroDivisionError):
        patch.setattr(LeftOut, "facts", {})
        patch.setattr(LeftOut, "without", lambda self, state: state)
        train(recipe, tmp_path / "runs", progress=False, callbacks=[Crash()])
    shutil.rmtree(base)
    run = tmp_path / "runs" / recipe.name / keras.backend.backend()
    assert resume(run, progress=False).metrics["steps"] == 9


def test_the_adapter_is_small_and_with_the_base_it_is_the_model(run, bert):
    result, _, recipe = run
    file = result.folder / "adapter.safetensors"
    held = load_file(file)
    own = load(result.folder / "recipe.toml")
    assert own.adaptation == recipe.adaptation
    assert not [n for n in held if n.endswith("kernel") and n.startswith("encoder")]
    whole = kzoo.load_model(result.folder)
    for asked in (file, result.folder):
        again = kzoo.load_adapter(asked)
        assert_same_model(again, whole)
    assert again.labels == whole.labels
    answer = again.classify("a fine film")
    assert answer == whole.classify("a fine film")
    assert read_adapter(file)[1]["base"] == {
        "name": str(bert),
        "sha256": own.model.pretrained_sha256,
    }


@once
@pytest.mark.parametrize("task", [t for t in TOYS if t != "text_classifier"])
def test_every_task(task, bert, tmp_path):
    recipe = training(adapted(tuned(TOYS[task](tmp_path), bert)), steps=2, epochs=1)
    result = train(recipe, tmp_path / "runs", progress=False)
    assert result.metrics["trained_parameters"] < result.metrics["parameters"] / 2
    whole = kzoo.load_model(result.folder)
    assert_same_model(kzoo.load_adapter(result.folder), whole)


@once
@pytest.mark.parametrize("method", ["adapters", "bitfit", "prompt", "prefix"])
@pytest.mark.parametrize("task", ["token_tagger", "summarizer"])
def test_every_method(method, task, bert, tmp_path):
    tables = {
        "adapters": Adapters(dim=2),
        "prompt": Prompt(length=3),
        "prefix": Prefix(length=3, projection=True),
    }
    own = {method: tables[method]} if method in tables else {}
    recipe = msgspec.structs.replace(
        tuned(TOYS[task](tmp_path), bert), adaptation=Adaptation(method=method, **own)
    )
    result = train(training(recipe, steps=2, epochs=1), tmp_path, progress=False)
    whole = kzoo.load_model(result.folder)
    assert_same_model(kzoo.load_adapter(result.folder), whole)
    if method == "prefix":
        assert not whole.encoder.adaptation.projection
        measured = result.metrics["trained_parameters"]
        assert sum(w.size for w in load_file(result.folder / FILE).values()) < measured
    again = training(tuned(toy_tagger(tmp_path), result.folder), steps=1)
    if method == "bitfit":
        assert set_up(again).model.encoder.adaptation is None
    else:
        with pytest.raises(KzooError, match=f"is adapted by {method}, which adds"):
            set_up(again)


@once
@pytest.mark.parametrize(
    "decoder", [{"cross_attention": "encoder"}, {"init": "random"}, {"num_layers": 1}]
)
def test_decoders_that_begin_otherwise(decoder, bert, tmp_path):
    toy = tuned(toy_summarizer(tmp_path), bert, decoder=decoder)
    recipe = training(adapted(toy), steps=2, epochs=1)
    result = train(recipe, tmp_path / "runs", progress=False)
    whole = kzoo.load_model(result.folder)
    assert_same_model(kzoo.load_adapter(result.folder), whole)
    trained = {w.path for w in whole.trainable_weights}
    new = "decoder/block_0/attention/query/kernel" in trained
    assert new == (decoder.get("init") == "random")
    cross = "decoder/block_0/cross_attention/query/kernel" in trained
    assert cross == (decoder.get("cross_attention") is None)


@once
def test_an_encoder_decoder_stands_still_whole(tmp_path):
    encoder_decoders.saved(tmp_path / "t5", "t5 v1.1")
    toy = tuned(toy_summarizer(tmp_path), tmp_path / "t5", copy=False)
    recipe = training(adapted(toy), steps=2, epochs=1)
    result = train(recipe, tmp_path / "runs", progress=False)
    held = load_file(result.folder / "adapter.safetensors")
    assert held and all("/lora/" in name for name in held)
    assert_same_model(kzoo.load_adapter(result.folder), kzoo.load_model(result.folder))


@once
def test_another_base_is_refused_and_both_are_named(run, tmp_path):
    tiny_bert(tmp_path, seed=5)
    with pytest.raises(KzooError) as raised:
        kzoo.load_adapter(run[0].folder, str(tmp_path))
    own = load(run[0].folder / "recipe.toml").model
    assert f"was trained beside {own.pretrained}, whose weights" in str(raised.value)
    assert f"{own.pretrained_sha256[:12]}…, and {tmp_path} has" in str(raised.value)


@once
@pytest.mark.parametrize(
    "lora, said",
    [
        ({"targets": ["querry"]}, r"\[adaptation.lora\] No projection of the model"),
        (
            {"rank": 17},
            r"\[adaptation.lora\] `rank` must be at most 16, the small",
        ),
    ],
)
def test_what_does_not_fit_the_model_is_one_sentence(lora, said, bert, tmp_path):
    with pytest.raises(KzooError, match=said):
        set_up(adapted(tuned(toy_recipe(tmp_path), bert), **lora))


@once
def test_an_adapted_run_is_a_base_like_any(run, tmp_path):
    """Its LoRA is merged on the way."""
    setup = set_up(adapted(tuned(toy_recipe(tmp_path), run[0].folder)))
    made = kzoo.merge(kzoo.load_model(run[0].folder))
    ids = np.array([[2, 60, 61, 3]], "int32")
    mask = np.ones(ids.shape, "bool")
    ours, theirs = (
        ops.convert_to_numpy(model.encoder(ids, mask)) for model in (setup.model, made)
    )
    np.testing.assert_allclose(ours, theirs, atol=1e-6)


@once
def test_a_broken_adapter_is_refused(run, tmp_path):
    own = (run[0].folder / "adapter.safetensors").read_bytes()
    cases = {
        "cut": (own[:-5], "not safetensors"),
        "strange": (own.replace(b"kzoo_adapter", b"kzoo_adopter"), "but no adapter"),
        "later": (own.replace(b'adapter":"1"', b'adapter":"9"'), "of format 1"),
        "class": (own.replace(b"TextClassifier", b"TextClassifieR"), "of the class"),
    }
    large = own.replace(b'vocabulary_size\\": ', b'vocabulary_size\\":9')
    assert large != own and len(large) == len(own)
    cases["large"] = large, "its base have"
    for name, (content, said) in cases.items():
        file = tmp_path / f"{name}.safetensors"
        file.write_bytes(content)
        with pytest.raises(KzooError, match=said):
            kzoo.load_adapter(file)
    with pytest.raises(KzooError, match="cannot be read"):
        kzoo.load_adapter(tmp_path)


@once
def test_the_recipe_says_it_all_again(run):
    recipe = load(run[0].folder / "recipe.toml")
    assert "[adaptation.lora]" in to_toml(recipe)
    metrics = json.loads((run[0].folder / "metrics.json").read_text())
    assert any(n.startswith("lora: ") for n in metrics["notes"])
