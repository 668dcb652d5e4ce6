"""`[expect]` speaks of the recipe's own rows, and paths of files that can exist."""

import pytest
from kzoo_recipes import KzooError, dict_of, from_dict, load
from kzoo_recipes.schema import METRICS
from recipe_files import changed


@pytest.mark.parametrize(
    "override, kept",
    [
        ("data.train=mine.csv", False),
        ("data.label=stars", False),
        ("data.labels.0=bad", False),
        ("training.epochs=1", True),
        ("data.sequence_length=32", True),
    ],
)
def test_other_rows_void_the_promise(override, kept):
    assert bool(load("text_classifier", [override]).expect) == kept


def test_a_recipe_that_waits_for_files_keeps_its_promise(tmp_path):
    path = tmp_path / "waits.toml"
    path.write_text(changed('source = "kzoo:reviews"', 'text = "text"'))
    recipe = load(path, ["data.train=a.csv", "data.test=b.csv"])
    assert recipe.expect["accuracy"].at_least == 0.9


@pytest.mark.parametrize(
    "override, sentence",
    [
        ("data.train=~nobody_here/x.csv", "there is no such user's home folder"),
        ('data.train="a\\u0000b.csv"', "a path cannot hold a NUL character"),
        (f"name={'x' * 101}", "at most 100 bytes long"),
    ],
)
def test_names_that_no_file_can_have_are_refused(override, sentence):
    with pytest.raises(KzooError, match=sentence):
        load("text_classifier", [override])


TASKS_METRICS = [(task, metric) for task in METRICS for metric in METRICS[task]]
# The least and the most of metrics; the rest are shares.
OTHERS = {"mcc": (-1, 1), "loss": (0, None), "perplexity": (1, None)}


@pytest.mark.parametrize("task, metric", TASKS_METRICS)
def test_what_a_metric_cannot_reach_is_refused(task, metric):
    recipe = dict_of(load(task))
    least, most = OTHERS.get(metric, (0, 1))

    def promised(**bound):
        return from_dict({**recipe, "expect": {metric: bound}})

    assert promised(at_least=most or 1e6, at_most=most or 1e6)
    assert promised(at_most=least)
    if most is not None:
        with pytest.raises(KzooError) as error:
            promised(at_least=most + 1.0)
        assert str(error.value) == (
            f"recipe: [expect.{metric}] at_least is out of reach: {metric} is at most "
            f"{most}. Received: at_least={most + 1.0}"
        )
    with pytest.raises(KzooError, match=f"{metric} is at least {least}"):
        promised(at_most=least - 0.5)
