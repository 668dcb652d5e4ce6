"""What a recipe of masked language modelling may say."""

import pytest
from kzoo_recipes import RecipeError, from_dict
from task_recipes import masked


def refused(recipe):
    with pytest.raises(RecipeError) as caught:
        from_dict(recipe, "my.toml")
    return [sentence for _, sentence in caught.value.mistakes]


def test_defaults_are_those_of_bert():
    recipe = from_dict(masked())
    masking = recipe.masking
    assert (masking.share, masking.mask_share, masking.random_share) == (0.15, 0.8, 0.1)
    assert not masking.whole_words
    assert (recipe.data.text, recipe.data.pack, recipe.data.format) == (
        *("text", True, None),
    )
    assert recipe.training.metric == "loss"


@pytest.mark.parametrize(
    "tables, said",
    [
        ({"masking": {"share": 0}}, "a number above 0"),
        ({"masking": {"mask_share": 0.95}}, "must be at most 1 together"),
        ({"masking": {"shares": 0.2}}, '"share"'),
        ({"data": {"weight": "w"}}, "texts that share a window weigh alike"),
        ({"data": {"delimiter": ";;"}}, "must be one character"),
        ({"data": {"label": "label"}}, 'has no key "label"'),
        ({"training": {"metric": "f1"}}, "is not a metric of the task"),
        ({"expect": {"rouge1": {"at_least": 1}}}, "is not a metric of the task"),
    ],
    ids=str,
)
def test_what_does_not_fit_is_refused(tables, said):
    [sentence] = refused(masked(**tables))
    assert said in sentence


def test_documentation_is_for_summarizers():
    recipe = masked()
    recipe["data"] = {"source": "kzoo:docstrings"}
    assert "only a summarizer learns" in refused(recipe)[0]
