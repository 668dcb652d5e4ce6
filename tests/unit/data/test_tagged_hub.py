"""Tagged words as `datasets` has them: numbers that have names."""

import pytest
from kzoo_recipes import KzooError, TaggerData

from kzoo.data.tagged import load_tagged_splits, read_tagged

datasets = pytest.importorskip("datasets")

NAMES = ["O", "B-PER", "I-PER"]
ROWS = {
    "id": ["0", "1", "2"],
    "tokens": [["Ana", "Lima", "left"], ["so"], ["Bo", "did"]],
    "ner_tags": [[1, 2, 0], [0], [1, 0]],
}


@pytest.fixture
def corpus(tmp_path):
    """A dataset with the splits that the hub's have; the test split hides its tags."""
    List = datasets.Sequence
    features = datasets.Features(
        id=datasets.Value("string"),
        tokens=List(datasets.Value("string")),
        ner_tags=List(datasets.ClassLabel(names=NAMES)),
    )
    whole = datasets.Dataset.from_dict(ROWS, features)
    hidden = {**ROWS, "ner_tags": [[-1, -1, -1], [-1], [-1, -1]]}
    splits = {
        "train": whole,
        "validation": whole.select([1, 0]),
        "test": whole.select([2]),
        "hidden": datasets.Dataset.from_dict(hidden, features),
    }
    datasets.DatasetDict(splits).save_to_disk(tmp_path / "corpus")
    whole.to_parquet(tmp_path / "rows.parquet")
    return tmp_path


def test_a_source_has_words_tags_and_splits(corpus):
    splits = load_tagged_splits(TaggerData(source=f"hf:{corpus}/corpus"))
    train = splits["train"]
    assert train.words == ROWS["tokens"]
    assert train.tags == [["B-PER", "I-PER", "O"], ["O"], ["B-PER", "O"]]
    assert splits["dev"].words == [["so"], ["Ana", "Lima", "left"]]
    assert splits["test"].where(0) == f"hf:{corpus}/corpus#test, row 1"
    assert train.scheme == train.source_scheme == "iob2"


def test_one_split_by_its_name(corpus):
    rows = read_tagged(f"hf:{corpus}/corpus#validation", learn_scheme="bioes")
    assert rows.tags == [["O"], ["B-PER", "E-PER", "O"]]


def test_hidden_tags_are_refused(corpus):
    with pytest.raises(KzooError) as refusal:
        read_tagged(f"hf:{corpus}/corpus#hidden")
    assert str(refusal.value).endswith(
        '#hidden, row 1: the label in "ner_tags" is missing (-1); hidden labels are no '
        "use here: name another split."
    )


def test_a_column_that_is_not_there(corpus):
    with pytest.raises(KzooError, match='there is no column "pos_tags"; did you mean'):
        read_tagged(f"hf:{corpus}/corpus#train", tags="pos_tags")


def test_parquet_of_datasets_names_its_tags(corpus):
    rows = read_tagged(corpus / "rows.parquet")
    assert rows.tags == [["B-PER", "I-PER", "O"], ["O"], ["B-PER", "O"]]


def test_spans_as_lists_of_each_part(tmp_path):
    """What `datasets` makes of a list of objects, in older versions."""
    spans = [{"start": [0, 4], "end": [3, 8], "label": ["a", "b"]}]
    table = {"text": ["Ana Lima"], "spans": spans}
    datasets.Dataset.from_dict(table).save_to_disk(tmp_path / "corpus")
    assert read_tagged(f"hf:{tmp_path}/corpus").tags == [["B-a", "B-b"]]
