"""What is done with a broken file: it is answered, or refused with a `KzooError`."""

from tests.fuzz import texts

TEXTS = ["one two", "", "Ünïcödé \U0001f600 " * 20]


def archives(rng, folder):
    """Check a model, and if it is a good one for all that, load it and use it."""
    import kzoo
    from tests.fuzz.archives import archive

    path = folder / "model.keras"
    path.write_bytes(archive(rng))
    kzoo.check_model_file(path)
    model = kzoo.load_model(path)
    encoded = model.tokenizer.encode(TEXTS, model.sequence_length)
    model.tokenizer.decode(encoded.token_ids[0])
    assert model.tokenizer.vocabulary_size <= model.encoder.vocabulary_size
    assert len(model.labels) == model.num_classes


def whole_archive(folder):
    """Load a model as it was saved: the first one brings the framework with it."""
    import kzoo
    from tests.fuzz.archives import PARTS, zipped

    path = folder / "model.keras"
    path.write_bytes(zipped(PARTS))
    kzoo.load_model(path)


def recipes(rng, folder):
    """What `kzoo validate` and `kzoo show --resolved` do."""
    from kzoo_recipes import dict_of, load, to_toml

    path = folder / "recipe.toml"
    content, overrides = texts.recipe(rng)
    path.write_bytes(content)
    recipe = load(path, overrides)
    again = folder / "again.toml"
    again.write_text(to_toml(recipe), "utf-8")
    assert dict_of(load(again)) == dict_of(recipe)


def csv(rng, folder):
    """Read all rows, and one by one with the broken ones left out."""
    _read(folder / rng.choice(("rows.csv", "rows.csv", "rows.tsv")), texts.csv(rng))


def jsonl(rng, folder):
    """The same for JSONL."""
    _read(folder / "rows.jsonl", texts.jsonl(rng))


def parquet(rng, folder):
    """The same for Parquet, which needs pyarrow."""
    _read(folder / "rows.parquet", texts.parquet(rng))


def _read(path, content):
    from kzoo.data import LabelSet, iterate, read

    path.write_bytes(content)
    broken = []
    for row in iterate(path, text="text", label="label", broken=broken.append):
        assert isinstance(row.text, str) and row.label.strip() == row.label != ""
    for problem in broken:
        assert str(problem)
    rows = read(path)
    assert not broken
    labels = LabelSet.from_rows(rows)
    assert len(labels.ids(rows)) == len(rows.texts) > 0


TARGETS = {
    "archives": archives,
    "recipes": recipes,
    "csv": csv,
    "jsonl": jsonl,
    "parquet": parquet,
}

FIRST = {"archives": whole_archive}  # before the broken files of a kind
