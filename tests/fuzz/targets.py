"""What is done with a broken file: it is answered, or refused with a `KzooError`."""

from kzoo_recipes import KzooError

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


def conll(rng, folder):
    """Read all sentences of CoNLL, and one by one with the broken ones left out."""
    content, options = texts.conll(rng)
    _read_tagged(folder / "rows.conll", content, options)


def tagged_jsonl(rng, folder):
    """The same for JSONL of tokens and of spans."""
    _read_tagged(folder / "rows.jsonl", texts.tagged_jsonl(rng), {})


def _read_tagged(path, content, options):
    from kzoo.data import iterate, schemes
    from kzoo.data.tagged import TaggedLayout, read_tagged

    path.write_bytes(content)
    broken = []
    for row in iterate(path, TaggedLayout(**options), broken=broken.append):
        assert len(row.words) == len(row.tags) == len(row.spans) == len(row.lines)
        for word, (start, end) in zip(row.words, row.spans, strict=True):
            assert word and row.text[start:end] == word
    for problem in broken:
        assert str(problem)
    rows = read_tagged(path, **options)
    assert not broken and len(rows) > 0
    for tags in rows.tags:
        assert rows.source_scheme == "plain" or not schemes.invalid(tags, rows.scheme)


def paired_jsonl(rng, folder):
    """Read all documents with summaries, and one by one without the broken ones."""
    from kzoo.data import iterate
    from kzoo.data.pairs import PairedLayout, read_paired

    path = folder / "rows.jsonl"
    path.write_bytes(texts.paired_jsonl(rng))
    layout, broken = PairedLayout(references="more", some_references=False), []
    for row in iterate(path, layout, broken=broken.append):
        assert isinstance(row.text, str) and row.references[0] == row.summary
        assert all(one.strip() == one != "" for one in row.references)
    for problem in broken:
        assert str(problem)
    rows = read_paired(path, layout)
    assert not broken and all(map(str.strip, rows.documents)) and len(rows) > 0


def python(rng, folder):
    """Make pairs of a Python file, or say why there are none."""
    from kzoo.data.docstrings.described import described_in
    from kzoo.data.docstrings.sentences import Unfit

    try:
        found, left_out = described_in(texts.python(rng), "sea")
    except Unfit as reason:
        raise KzooError(str(reason)) from None
    for pair in found:
        assert pair.summary.strip() == pair.summary != "" and "\n" not in pair.summary
        assert pair.document.encode() and pair.line > 0
    if not found:
        raise KzooError(f"nothing: {left_out}")


TARGETS = {
    "archives": archives,
    "recipes": recipes,
    "csv": csv,
    "jsonl": jsonl,
    "parquet": parquet,
    "conll": conll,
    "tagged_jsonl": tagged_jsonl,
    "paired_jsonl": paired_jsonl,
    "python": python,
}

FIRST = {"archives": whole_archive}  # before the broken files of a kind
