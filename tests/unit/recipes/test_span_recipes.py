"""What a recipe of span corruption may say."""

import pytest
from kzoo_recipes import RecipeError, dict_of, from_dict, load, to_toml
from task_recipes import spans


def refused(recipe):
    with pytest.raises(RecipeError) as caught:
        from_dict(recipe, "my.toml")
    return [sentence for _, sentence in caught.value.mistakes]


def test_defaults_are_those_of_the_paper():
    recipe = from_dict(spans())
    assert (recipe.corruption.share, recipe.corruption.span_length) == (0.15, 3.0)
    assert recipe.model.decoder.hidden_dim == recipe.model.encoder.hidden_dim == 8
    assert recipe.model.share_embeddings and recipe.model.family is None
    assert (recipe.data.pack, recipe.training.metric) == (True, "loss")


def test_it_can_be_written_and_read(tmp_path):
    recipe = from_dict(spans(corruption={"share": 0.5}))
    tmp_path.joinpath("mine.toml").write_text(to_toml(recipe))
    assert dict_of(load(tmp_path / "mine.toml")) == dict_of(recipe)


@pytest.mark.parametrize(
    "tables, said",
    [
        ({"corruption": {"share": 1.0}}, "below 1"),
        ({"corruption": {"span_length": 0.5}}, "at least 1"),
        ({"corruption": {"shares": 0.2}}, '"share"'),
        ({"masking": {"share": 0.2}}, "`masking` belongs to recipes of masked_lm"),
        ({"data": {"weight": "w"}}, "texts that share a window weigh alike"),
        ({"data": {"delimiter": ";;"}}, "must be one character"),
        ({"data": {"source": "kzoo:docstrings", "train": None}}, "only a summarizer"),
        ({"training": {"metric": "rouge1"}}, "is not a metric of the task"),
        ({"model": {"decoder": {"hidden_dim": 16}}}, "must be the encoder's with"),
        ({"model": {"copy": True}}, 'has no key "copy"'),
    ],
    ids=str,
)
def test_what_does_not_fit_is_refused(tables, said):
    recipe = spans(**tables)
    recipe["data"] = {k: v for k, v in recipe["data"].items() if v is not None}
    [sentence] = refused(recipe)
    assert said in sentence


@pytest.mark.parametrize(
    "model, key",
    [
        ({"encoder": {"position": "relative"}}, "[model.encoder] position"),
        ({"encoder": {"norm": "rms_norm"}}, "[model.encoder] norm"),
        ({"encoder": {"embedding": {"scale": True}}}, "[model.encoder] embedding"),
        (
            {"encoder": {"attention": {"use_bias": False}}},
            "[model.encoder.attention] use_bias",
        ),
        ({"decoder": {"feed_forward": "relu"}}, "[model.decoder] feed_forward"),
        ({"share_embeddings": False}, "[model] share_embeddings"),
    ],
    ids=str,
)
def test_what_a_family_decides_is_refused_beside_it(model, key):
    recipe = spans()
    tables = {**model, "encoder": recipe["model"]["encoder"] | model.get("encoder", {})}
    recipe["model"] = {"family": "t5", **tables}
    sentences = refused(recipe)
    assert any(
        key in sentence and 'family = "t5"' in sentence for sentence in sentences
    )


def test_a_family_leaves_sizes_to_be_chosen():
    recipe = spans()
    encoder = {"attention": {"head_dim": 6}, "feed_forward": "relu", "dropout": 0.0}
    recipe["model"] = {
        "family": "t5",
        "encoder": recipe["model"]["encoder"] | encoder,
        "decoder": {"num_layers": 3},
    }
    assert from_dict(recipe).model.decoder.num_layers == 3
