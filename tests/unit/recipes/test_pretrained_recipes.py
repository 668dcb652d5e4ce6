"""Recipes that begin with a pretrained encoder: what they may say, and how."""

import copy

import pytest
from kzoo_recipes import KzooError, from_dict, load, to_toml
from kzoo_recipes.fields import TUNED_KEYS, is_table
from kzoo_recipes.fine_tuning_schema import TUNED_RECIPES
from kzoo_recipes.hints import TUNED
from kzoo_recipes.json_schema import json_schema
from task_recipes import masked, spans, summarizer, tagger

jsonschema = pytest.importorskip("jsonschema")
CLASSIFIER = {"task": "text_classifier", "name": "mine", "data": {"train": "/a.csv"}}
OF_TASK = {
    "text_classifier": CLASSIFIER,
    "token_tagger": tagger(),
    "summarizer": summarizer(),
    "masked_lm": masked(),
    "span_corruption": spans(),
}


def tables(task, **model):
    found = copy.deepcopy(OF_TASK[task])
    found["model"] = {"pretrained": "hf:org/name", **model}
    return found


def complaint(found):
    with pytest.raises(KzooError) as raised:
        from_dict(found, "mine.toml")
    return str(raised.value)


@pytest.mark.parametrize("task", TUNED_RECIPES)
def test_a_name_is_enough(task, tmp_path):
    recipe = from_dict(tables(task))
    assert type(recipe) is TUNED_RECIPES[task]
    assert recipe.model.pretrained == "hf:org/name"
    assert recipe.tokenizer is None
    file = tmp_path / "mine.toml"
    file.write_text(to_toml(recipe))
    assert load(file) == recipe


@pytest.mark.parametrize("task", TUNED_RECIPES)
@pytest.mark.parametrize(
    "key, value", [("num_layers", 2), ("position", "none"), ("norm", "rms_norm")]
)
def test_what_the_checkpoint_decides_is_refused_by_name(task, key, value):
    found = tables(task, encoder={"dropout": 0.2, key: value})
    assert f'[model.encoder] has no key "{key}" with `pretrained`' in complaint(found)


@pytest.mark.parametrize("task", TUNED_RECIPES)
def test_the_tokenizer_is_the_checkpoints(task):
    found = tables(task) | {"tokenizer": {"lowercase": True}}
    assert "whose checkpoint brings its own tokenizer" in complaint(found)


@pytest.mark.parametrize("name", ["hf:", "hf:a/b/c", "hf:org/name:config", "hf:a/b#c"])
def test_names_of_the_hub_must_be_well_spelt(name):
    found = tables("text_classifier", pretrained=name)
    assert "[model] pretrained must be written hf:ORG/NAME" in complaint(found)


def test_a_fingerprint_says_what_it_looks_like():
    found = complaint(tables("text_classifier", pretrained_sha256="abc"))
    assert (
        "pretrained_sha256 must be a string that fits the pattern ^[0-9a-f]{64}$"
        in (found)
    )


@pytest.mark.parametrize("task", TUNED_RECIPES)
def test_a_recipe_from_scratch_is_told_where_to_begin(task):
    sizes = ("num_layers", "num_heads", "hidden_dim", "intermediate_dim")
    found = tables(task, encoder=dict.fromkeys(sizes, 4)) | {"tokenizer": {}}
    with pytest.raises(KzooError) as raised:
        from_dict(found, "mine.toml")
    [(key, first), *others] = raised.value.mistakes
    assert key == "model.pretrained" and len(others) == 5
    begin = f'begin with the recipe "{TUNED[task]}", or ' if task in TUNED else ""
    assert first == (
        "mine.toml: [model] pretrained brings encoder and tokenizer, and this recipe "
        f"describes its own; {begin}take out [tokenizer] and what is named below. "
        'Received: pretrained="hf:org/name"'
    )
    if task in TUNED:
        recipe = load(TUNED[task])
        assert recipe.task == task and recipe.model.pretrained


def test_a_key_too_many_is_named_alone():
    found = tables("text_classifier", encoder={"num_layers": 2, "hidden_dim": 4})
    assert complaint(found).startswith('mine.toml: [model.encoder] has no key "num_lay')


def test_other_names_of_it_are_understood():
    found = tables("text_classifier", checkpoint="bert")
    assert 'has no key "checkpoint"; did you mean "pretrained"?' in complaint(found)


def test_without_it_the_encoder_is_described_as_ever():
    found = copy.deepcopy(CLASSIFIER)
    found["model"] = {"encoder": {"num_layers": 2}}
    assert "[model.encoder] num_heads is missing" in complaint(found)
    found["model"] = {"pooling": "mean"}
    assert "[model] encoder is missing" in complaint(found)


def test_folders_lie_beside_the_recipe_and_of_set_in_the_working_directory(
    tmp_path, monkeypatch
):
    file = tmp_path / "mine.toml"
    file.write_text(
        'task = "text_classifier"\n[data]\ntrain = "a.csv"\n[model]\n'
        'pretrained = "bert"\n'
    )
    assert load(file).model.pretrained == str(tmp_path / "bert")
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    given = load(file, ["model.pretrained=bert"]).model.pretrained
    assert given == str(tmp_path / "here" / "bert")
    for name in ("hf:org/name@main", "zoo:text_classifier"):
        assert load(file, [f"model.pretrained={name}"]).model.pretrained == name


def test_a_decoder_may_say_how_it_begins_and_no_sizes():
    decoder = {"num_layers": 2, "init": "random", "cross_attention": "encoder"}
    recipe = from_dict(tables("summarizer", decoder=decoder))
    assert recipe.model.decoder.num_layers == 2
    found = tables("summarizer", decoder={"num_heads": 2})
    assert '[model.decoder] has no key "num_heads" with' in complaint(found)


@pytest.mark.parametrize("task", TUNED_RECIPES)
def test_editors_know_it(task):
    editor = jsonschema.Draft202012Validator(json_schema())
    assert not list(editor.iter_errors(tables(task)))
    for wrong in (
        tables(task, encoder={"num_layers": 2}),
        tables(task) | {"tokenizer": {"kind": "word"}},
        {**tables(task), "model": {"pretrained": 3}},
    ):
        assert list(editor.iter_errors(wrong)), wrong


@pytest.mark.parametrize("task", TUNED_KEYS)
def test_every_key_says_what_it_means(task):
    def walk(path):
        for key in TUNED_KEYS[task].keys_at(path):
            assert TUNED_KEYS[task].description((*path, key)), (*path, key)
            if is_table(TUNED_KEYS[task].type_at((*path, key))):
                walk((*path, key))

    walk(("model",))
