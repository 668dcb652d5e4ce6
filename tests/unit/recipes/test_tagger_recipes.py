"""What a recipe of token tagging may say, and what each task says of the other's."""

import pytest
from jsonschema import Draft202012Validator
from kzoo_recipes import KzooError, RecipeError, dict_of, find, from_dict, load, to_toml
from kzoo_recipes.json_schema import json_schema
from task_recipes import tagger


def refused(recipe):
    with pytest.raises(RecipeError) as caught:
        from_dict(recipe, "my.toml")
    return [sentence for _, sentence in caught.value.mistakes]


def test_defaults():
    recipe = from_dict(tagger())
    assert (recipe.data.scheme, recipe.data.learn_scheme) == ("auto", "iob2")
    assert (recipe.model.head, recipe.model.dropout) == ("linear", 0.1)
    assert recipe.training.metric == "f1"


def test_without_spans_the_metric_is_accuracy():
    recipe = from_dict(tagger(data={"scheme": "plain"}))
    assert recipe.data.learn_scheme == "plain"
    assert recipe.training.metric == "accuracy"


@pytest.mark.parametrize("name", ["bio", "BIO"])
@pytest.mark.parametrize("key", ["scheme", "learn_scheme"])
def test_bio_is_another_name_of_iob2(key, name, tmp_path):
    table = tagger(data={key: name})
    assert getattr(from_dict(table).data, key) == "iob2"
    assert Draft202012Validator(json_schema()).is_valid(table)
    tmp_path.joinpath("mine.toml").write_text(to_toml(from_dict(table)))
    overrides = [f"data.{key}={name}"]
    assert getattr(load(tmp_path / "mine.toml", overrides).data, key) == "iob2"


@pytest.mark.parametrize("data", [{}, {"scheme": "plain"}, {"tags": 2, "words": "w"}])
def test_a_tagger_written_as_toml_is_the_same(data, tmp_path):
    recipe = from_dict(tagger(data=data))
    tmp_path.joinpath("mine.toml").write_text(to_toml(recipe))
    assert dict_of(load(tmp_path / "mine.toml")) == dict_of(recipe)


@pytest.mark.parametrize(
    "tables, sentence",
    {
        "of the other task": (
            {"model": {"pooling": "mean"}},
            '[model] has no key "pooling"; `pooling` belongs to recipes of '
            'text_classifier or image_text_classifier. Received: pooling="mean"',
        ),
        "misspelt": (
            {"data": {"tag": "ner"}},
            '[data] has no key "tag"; did you mean "tags"? Received: tag="ner"',
        ),
        "scheme": (
            {"data": {"scheme": "biose"}},
            '[data] scheme must be one of "BIO", "auto", "bilou", "bio", "bioes", '
            '"io", "iob1", "iob2", "plain"; did you mean "bioes"? '
            'Received: scheme="biose"',
        ),
        "no spans to learn": (
            {"data": {"scheme": "plain", "learn_scheme": "iob2"}},
            '[data] learn_scheme is "plain" exactly where `scheme` is. '
            'Received: learn_scheme="iob2", scheme="plain"',
        ),
        "metric of spans": (
            {"data": {"scheme": "plain"}, "training": {"metric": "f1"}},
            "[training] metric is not a metric of the task; there are accuracy, "
            'macro_f1, weighted_f1, loss. Received: metric="f1"',
        ),
        "metric of texts": (
            {"training": {"metric": "mcc"}},
            "[training] metric is not a metric of the task; there are f1, precision, "
            "recall, macro_f1, weighted_f1, strict_f1, accuracy, loss. "
            'Received: metric="mcc"',
        ),
        "overlap": (
            {"data": {"sequence_length": 16, "window_overlap": 14}},
            "[data] window_overlap must leave room in a window: at least 3 below "
            "`sequence_length`. Received: window_overlap=14, sequence_length=16",
        ),
        "column by name": (
            {"data": {"columns": ["form", "upos"], "tags": "upso"}},
            '[data] tags is none of the `columns`; did you mean "upos"? '
            'Received: tags="upso", columns=["form", "upos"]',
        ),
        "column by number": (
            {"data": {"columns": ["form", "upos"], "tags": 3}},
            "[data] tags is none of the `columns`. "
            'Received: tags=3, columns=["form", "upos"]',
        ),
        "chain and smoothing": (
            {"model": {"head": "crf"}, "training": {"label_smoothing": 0.1}},
            '[training] label_smoothing is of use only with `head = "linear"`. '
            'Received: label_smoothing=0.1, head="crf"',
        ),
        "chain and weights": (
            {"model": {"head": "crf"}, "training": {"class_weights": "balanced"}},
            '[training] class_weights is of use only with `head = "linear"`. '
            'Received: class_weights="balanced", head="crf"',
        ),
        "chain and focal": (
            {"model": {"head": "crf"}, "training": {"loss": "focal"}},
            '[training] loss can be "focal" only with `head = "linear"`. '
            'Received: loss="focal", head="crf"',
        ),
        "chain and all pieces": (
            {"model": {"head": "crf"}, "data": {"label_pieces": "all"}},
            '[data] label_pieces can be "all" only with `head = "linear"`. '
            'Received: label_pieces="all", head="crf"',
        ),
    }.values(),
)
def test_mistakes_of_a_tagger(tables, sentence):
    assert refused(tagger(**tables)) == [f"my.toml: {sentence}"]


def test_a_classifier_is_told_whose_key_it_is(tmp_path):
    with pytest.raises(KzooError) as caught:
        load("text_classifier", ["data.learn_scheme=io"])
    assert str(caught.value) == (
        '--set data.learn_scheme=io: [data] has no key "learn_scheme"; `learn_scheme` '
        'belongs to recipes of token_tagger. Received: learn_scheme="io"'
    )


@pytest.mark.parametrize("task", [None, "token_tager", "tagging", 3])
def test_keys_are_those_of_the_task_that_seems_meant(task):
    """A mistake in `task` is one mistake, not one for each key of it."""
    recipe = tagger(task=task, data={"scheme": "io"}, model={"head": "crf"})
    if task is None:
        del recipe["task"]
    [sentence] = refused(recipe)
    assert sentence.startswith("my.toml: task ")
    assert ('did you mean "token_tagger"?' in sentence) == (task == "token_tager")


def test_set_needs_no_quotes_for_keys_of_its_task(tmp_path):
    tmp_path.joinpath("mine.toml").write_text(to_toml(from_dict(tagger())))
    recipe = load(tmp_path / "mine.toml", ["data.spans=true", "data.tags=4"])
    assert recipe.data.spans == "true"
    assert recipe.data.tags == 4, "a column may have a name or a number"


def test_the_task_itself_may_be_set(tmp_path):
    """Then `--set` reads the keys that follow as those of that task."""
    text = to_toml(from_dict(tagger())).replace("token_tagger", "text_classifier")
    tmp_path.joinpath("mine.toml").write_text(text)
    found = load(tmp_path / "mine.toml", ["data.spans=1", "task=token_tagger"])
    assert found.data.spans == "1"


def test_rows_by_option_bring_their_own_layout_and_keep_no_promise(tmp_path):
    promise = {"f1": {"at_least": 0.5}}
    own = tagger(data={"tags": "ner", "scheme": "iob1"}, expect=promise)
    tmp_path.joinpath("mine.toml").write_text(to_toml(from_dict(own)))
    kept = load(tmp_path / "mine.toml", ["data.invalid=refuse"])
    assert kept.expect and kept.data.tags == "ner"
    other = load(tmp_path / "mine.toml", ["data.tags=pos"])
    assert not other.expect
    hub = load(tmp_path / "mine.toml", ["data.source=hf:a/b"])
    assert (hub.data.tags, hub.data.scheme, hub.expect) == (None, "auto", {})


@pytest.mark.parametrize("name", ["a.conll", "a.conllu.gz", "a.bio", "a.iob"])
def test_a_file_of_tagged_words_is_no_recipe(name, tmp_path):
    tmp_path.joinpath(name).write_text("a O\n")
    with pytest.raises(KzooError) as caught:
        find(tmp_path / name)
    assert str(caught.value) == (
        f"{tmp_path / name} holds data and is no recipe; use it with one, as in "
        f"`kzoo train token_tagger --set data.train={tmp_path / name}`."
    )


def test_editors_know_which_keys_are_whose():
    editor = Draft202012Validator(json_schema())
    assert editor.is_valid(tagger(data={"scheme": "io"}))
    [error] = editor.iter_errors(tagger(model={"pooling": "mean"}))
    assert "'pooling' was unexpected" in error.message
