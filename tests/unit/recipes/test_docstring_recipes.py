"""What a recipe may say of the documentation of installed packages."""

import pytest
from kzoo_recipes import RecipeError, from_dict, load
from task_recipes import summarizer, tagger

SOURCE = {"source": "kzoo:docstrings", "train": None}


def checked(recipe):
    data = {key: value for key, value in recipe["data"].items() if value is not None}
    return from_dict({**recipe, "data": data}, "my.toml")


def refused(recipe):
    with pytest.raises(RecipeError) as caught:
        checked(recipe)
    return [sentence for _, sentence in caught.value.mistakes]


def test_packages_are_named():
    data = checked(summarizer(data={**SOURCE, "packages": ["stdlib", "numpy"]})).data
    assert (data.packages, data.package_rows) == (["stdlib", "numpy"], 2000)


@pytest.mark.parametrize(
    "data, sentence",
    [
        ({"packages": ["numpy"]}, "[data] packages is of use only with `source = "),
        ({"package_rows": 9}, "[data] package_rows is of use only with `source = "),
        ({**SOURCE, "packages": []}, "[data] packages"),
        ({**SOURCE, "weight": "w"}, "[data] weight names a column, and kzoo:docs"),
        ({**SOURCE, "document": "d"}, "[data] document names a column, and kzoo:do"),
    ],
)
def test_what_is_of_no_use_is_refused(data, sentence):
    [said] = refused(summarizer(data=data))
    assert said.startswith(f"my.toml: {sentence}")


def test_other_tasks_have_no_use_for_it():
    [said] = refused(tagger(data=SOURCE))
    assert said.startswith(
        "my.toml: [data] source has summaries, which only a summarizer"
    )


def test_files_in_its_place_need_no_packages(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(
        """task = "summarizer"
[data]
source = "kzoo:docstrings"
packages = ["numpy"]
package_rows = 9
[model.encoder]
num_layers = 1
num_heads = 2
hidden_dim = 8
intermediate_dim = 8
[expect]
rougeL = { at_least = 0.1 }
"""
    )
    assert load(path).expect
    assert load(path, ["data.packages=['json']"]).expect == {}
    data = load(path, [f"data.train={tmp_path / 'rows.csv'}"]).data
    assert (data.source, data.packages, data.package_rows) == (None, None, 2000)
