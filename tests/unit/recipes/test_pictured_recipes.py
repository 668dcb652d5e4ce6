"""What a recipe of texts with pictures may say, and what is refused by name."""

import pytest
from kzoo_recipes import RecipeError, arguments_of, from_dict, to_toml
from kzoo_recipes.images_schema import Images
from task_recipes import masked, pictured, summarizer

from kzoo.images import ImageSettings


def test_the_keys_of_images_are_those_of_the_settings():
    own = arguments_of(Images())
    assert ImageSettings(**own) == ImageSettings()
    every = {"size": 9, "resized_to": 12, "resample": "lanczos", "mean": [0, 0.5, 1]}
    recipe = from_dict(pictured(images=every, model={"patch_size": 3}))
    assert ImageSettings(**arguments_of(recipe.images)).resized_to == 12
    assert 'resample = "lanczos"' in to_toml(recipe)


@pytest.mark.parametrize(
    "tables, sentence",
    {
        "patches": (
            {"images": {"size": 100}},
            "[model] patch_size must divide `images.size`. "
            "Received: patch_size=16, size=100",
        ),
        "another size": (
            {"images": {"resized_to": 200}},
            "[images] resized_to must be at least `size`. Received: ",
        ),
        "a square": (
            {"images": {"resized_to": 256, "resize": "square"}},
            '[images] resized_to is of use only with `resize = "shortest"`. Received: ',
        ),
        "positions": (
            {"model": {"encoder": {"position": "rotary"}}},
            '[model.encoder] position must be one of "none", "sinusoidal", "learned" '
            'beside pictures. Received: position="rotary"',
        ),
        "a kernel": (
            {"model": {"encoder": {"attention": {"kernel": "linear"}}}},
            "[model.encoder.attention] kernel is of no use beside pictures: ",
        ),
        "two widths": (
            {"model": {"encoder": {"embedding": {"embedding_dim": 4}}}},
            "embedding_dim must be `hidden_dim` beside pictures. Received: ",
        ),
        "a threshold": (
            {"training": {"threshold": 0.4}},
            "[training] threshold is of use only where a row has several labels. ",
        ),
        "rows without pictures": (
            {"data": {"source": "kzoo:reviews", "train": None}},
            "[data] source has no pictures; kzoo:pictures has. ",
        ),
        "a spread": (
            {"images": {"std": [1.0, 1.0, 0.0]}},
            "[images] std",
        ),
        "a checkpoint": (
            {"model": {"pretrained": "zoo:text_classifier"}},
            '[model] has no key "pretrained"',
        ),
    }.values(),
)
def test_what_is_refused(tables, sentence):
    stack = pictured()["model"]["encoder"]
    encoder = {**stack, **tables.get("model", {}).get("encoder", {})}
    if "model" in tables:
        tables = {**tables, "model": {**tables["model"], "encoder": encoder}}
    recipe = pictured(**tables)
    recipe["data"] = {k: v for k, v in recipe["data"].items() if v is not None}
    with pytest.raises(RecipeError) as error:
        from_dict(recipe)
    assert sentence in str(error.value)


@pytest.mark.parametrize("other", [masked, summarizer])
def test_other_tasks_have_no_use_for_pictures(other):
    recipe = other()
    recipe["data"] = {"source": "kzoo:pictures"}
    with pytest.raises(RecipeError, match="which only image_text_classifier learns"):
        from_dict(recipe)
