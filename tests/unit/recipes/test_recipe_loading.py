"""Loading finds files, resolves paths and lets `--set` have the last word."""

import re

import pytest
from kzoo_recipes import (
    KzooError,
    arguments_of,
    describe,
    dict_of,
    find,
    from_dict,
    load,
    names,
    nearest,
)
from kzoo_recipes.sources import hub_name
from recipe_files import VALID, changed


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "my.toml"
    path.write_text(VALID)
    return path


def test_defaults_are_filled_in(file):
    recipe = load(file)
    assert recipe.backend == "jax"
    assert recipe.training.epochs == 3
    assert recipe.model.encoder.position == "sinusoidal"
    assert recipe.expect["accuracy"].at_least == 0.9


def test_recipe_is_named_by_its_file_unless_it_says_so(file):
    assert load(file).name == "my"
    file.write_text(changed("seed = 7", 'name = "other"'))
    assert load(file).name == "other"


@pytest.mark.parametrize("name", ["a\nb", "a\udcff"], ids=["line", "byte"])
def test_a_file_whose_name_names_no_run(tmp_path, name):
    path = tmp_path / f"{name}.toml"
    path.write_text(VALID)
    with pytest.raises(KzooError) as caught:
        load(path)
    assert str(caught.value) == (
        f"{str(path)!a}: the file's name names the run, so it must be usable as the "
        'name of a folder; rename it, or write name = "…" in it.'
    )
    assert load(path, ["name=fine"]).name == "fine"


@pytest.mark.parametrize("name", names())
def test_shipped_recipe(name):
    recipe = load(name)
    assert recipe.name == name == find(name).stem
    measured = "measured" not in describe(name)
    assert bool(recipe.expect) == measured, "a recipe says what it reaches, if known"
    # In the same words everywhere.
    unmeasured = r".*, from (scratch|MiniLM): not measured[., ].*"
    assert measured or re.fullmatch(unmeasured, describe(name))
    assert 30 < len(describe(name)) <= 86, "fits a line of the file"


def test_names():
    assert names() == [
        "aeslc",
        "aeslc_minilm",
        "ag_news",
        "bc5cdr",
        "bc5cdr_minilm",
        "conll2003",
        "conll2003_minilm",
        "docstrings",
        "image_text_classifier",
        "imdb",
        "long_documents",
        "masked_lm",
        "movie_reviews",
        "scitldr",
        "scitldr_minilm",
        "span_corruption",
        "sst2",
        "sst2_minilm",
        "summarizer",
        "text_classifier",
        "text_classifier_multi_label",
        "token_tagger",
        "trec6",
        "trec6_minilm",
        "ud_pos",
        "wnut17",
        "wnut17_minilm",
        "xsum",
    ]


def test_description_is_the_first_line_of_comment(file):
    assert describe(file) == "A recipe for tests."
    file.write_text("seed = 1\n# not a headline")
    assert describe(file) == ""


def test_files_are_beside_the_recipe(file, monkeypatch):
    source = 'source = "kzoo:reviews"'
    file.write_text(changed(source, 'train = "a.csv"\ndev = "/b.csv"'))
    monkeypatch.chdir("/")
    data = load(file).data
    assert data.train == str(file.parent / "a.csv")
    assert data.dev == "/b.csv"


def test_files_by_option_are_in_the_working_directory(file, tmp_path, monkeypatch):
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    monkeypatch.chdir(folder)
    assert load(file, ["data.train=x.csv"]).data.train == str(folder / "x.csv")
    tokenizer = load(file, ["tokenizer.file=vocab.txt"]).tokenizer
    assert tokenizer.file == str(folder / "vocab.txt")


def test_train_by_option_takes_the_place_of_source(file):
    data = load(file, ["data.train=/x.csv", "data.test=/y.csv"]).data
    assert (data.source, data.train, data.test) == (None, "/x.csv", "/y.csv")


def test_files_may_be_patterns_and_lists(file, tmp_path, monkeypatch):
    file.write_text(changed('source = "kzoo:reviews"', 'train = ["a.csv", "/b/*.csv"]'))
    assert load(file).data.train == [str(tmp_path / "a.csv"), "/b/*.csv"]
    monkeypatch.chdir("/")
    by_option = load(file, ['data.test=["x.csv", "y.csv"]', "data.dev=z/*.gz"]).data
    assert (by_option.test, by_option.dev) == (["/x.csv", "/y.csv"], "/z/*.gz")


def test_names_of_the_hub_are_no_files(file, tmp_path, monkeypatch):
    source = 'source = "kzoo:reviews"'
    file.write_text(changed(source, 'train = "hf:a/b:c@d#e[:9]"\ndev = "hf:./f#g"'))
    data = load(file).data
    assert (data.train, data.dev) == ("hf:a/b:c@d#e[:9]", f"hf:{tmp_path}/f#g")
    monkeypatch.chdir("/")
    assert load(file, ["data.source=hf:./f"]).data.source == "hf:/f"
    own = load("sst2", ["data.train=x.csv"])
    assert (own.data.source, own.data.label, own.expect) == (None, "label", {})


@pytest.mark.parametrize(
    "text, parts",
    [
        ("hf:a/b", ("a/b", None, None, None)),
        ("hf:b:c", ("b", "c", None, None)),
        ("hf:a/b@refs/convert/parquet#s", ("a/b", None, "refs/convert/parquet", "s")),
        ("hf:a.1/b-2_c:d@e#train[:10%]", ("a.1/b-2_c", "d", "e", "train[:10%]")),
        ("hf:~/x y#s", ("~/x y", None, None, "s")),
    ],
)
def test_parts_of_a_name_of_the_hub(text, parts):
    assert hub_name(text) == parts
    assert str(hub_name(text)) == text


@pytest.mark.parametrize("text", ["hf:", "hf:a b", "hf:a/b/c", "hf:a#", "a/b", None, 3])
def test_what_is_no_name_of_the_hub(text):
    assert hub_name(text) is None


def test_how_rows_are_written_goes_with_the_rows(file):
    layout = 'text = "body"\nweight = "w"\nencoding = "latin-1"\nlabels = { a = "b" }'
    source = 'source = "kzoo:reviews"'
    file.write_text(changed(source, f"{source}\n{layout}"))
    own = load(file).data
    assert (own.text, own.weight, own.labels) == ("body", "w", {"a": "b"})
    data = load(file, ["data.train=/x.csv", "data.labels.0=no", "data.label=y"]).data
    assert (data.text, data.label, data.weight) == ("text", "y", None)
    assert (data.encoding, data.labels) == ("utf-8", {"0": "no"})
    file.write_text(changed(source, f'train = "a"\n{layout}'))
    assert load(file, ["data.train=/x.csv"]).data.text == "body"
    assert load(file, ["data.source=kzoo:reviews"]).data.text == "text"


def test_source_by_option_takes_the_place_of_files(file):
    file.write_text(changed('source = "kzoo:reviews"', 'train = "a"\ntest = "b"'))
    data = load(file, ["data.source=kzoo:reviews"]).data
    assert (data.source, data.train, data.test) == ("kzoo:reviews", None, None)


@pytest.mark.parametrize(
    "override, get, value",
    [
        ("training.epochs=5", lambda r: r.training.epochs, 5),
        ("training.learning_rate = 5e-5", lambda r: r.training.learning_rate, 5e-5),
        ("training.learning_rate=1", lambda r: r.training.learning_rate, 1.0),
        ("training.schedule=cosine", lambda r: r.training.schedule, "cosine"),
        ('training.schedule="cosine"', lambda r: r.training.schedule, "cosine"),
        ("tokenizer.lowercase=false", lambda r: r.tokenizer.lowercase, False),
        ("data.text=12", lambda r: r.data.text, "12"),
        ("data.text=true", lambda r: r.data.text, "true"),
        ("data.text=2024-01-01", lambda r: r.data.text, "2024-01-01"),
        ("data.text=a=b", lambda r: r.data.text, "a=b"),
        ("data.buckets=[16, 64]", lambda r: r.data.buckets, [16, 64]),
        ("expect.loss.at_most=0.5", lambda r: r.expect["loss"].at_most, 0.5),
        ("model.encoder.attention.use_bias=false",
         lambda r: r.model.encoder.attention.use_bias, False),
    ],
)  # fmt: skip
def test_override(file, override, get, value):
    assert get(load(file, [override])) == value


def test_last_override_wins(file):
    assert load(file, ["seed=1", "seed=2"]).seed == 2


def test_recipe_may_wait_for_its_data(file):
    file.write_text(changed('source = "kzoo:reviews"', 'text = "body"'))
    data = load(file).data
    assert (data.source, data.train) == (None, None)


def test_dict_and_back(file):
    recipe = load(file)
    assert from_dict(dict_of(recipe)) == recipe


def test_arguments_leave_out_what_is_open(file):
    encoder = load(file, ["model.encoder.attention.head_dim=8"]).model.encoder
    arguments = arguments_of(encoder)
    assert arguments["attention"] == {"head_dim": 8, "use_bias": True}
    assert "embedding" not in arguments
    assert arguments["num_heads"] == 4


@pytest.mark.parametrize(
    "word, near",
    [
        ("Batch-Size", "batch_size"),
        ("lr", "learning_rate"),
        ("learnign_rate", "learning_rate"),
        ("zzz", None),
    ],
)
def test_nearest(word, near):
    assert nearest(word, ["batch_size", "learning_rate"]) == near


@pytest.mark.parametrize(
    "name", ["text_classifier", "text_classifier_multi_label", "token_tagger"]
)
def test_comments_show_how_to_name_files_of_ones_own(name, tmp_path):
    text = find(name).read_text("utf-8")
    own = re.sub(r"^# (\w+ = )", r"\1", text, flags=re.M)
    own = re.sub(r"^source = .*\n", "", own, flags=re.M).partition("[expect]")[0]
    tmp_path.joinpath("own.toml").write_text(own, "utf-8")
    recipe = load(tmp_path / "own.toml")
    ending = "conll" if name == "token_tagger" else "csv"
    assert [recipe.data.train, recipe.data.dev, recipe.data.test] == [
        str(tmp_path / f"{split}.{ending}") for split in ("train", "dev", "test")
    ]
    assert recipe.data.source is None and not recipe.expect
    if name == "token_tagger":
        assert (recipe.data.words, recipe.data.tags) == (1, 4)
    else:
        assert (recipe.data.text, recipe.data.label) == ("text", "label")
    assert recipe.model == load(name).model
