"""The Hugging Face hub, through the real `datasets`, from a server of our own."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from kzoo_recipes import ClassifierData, KzooError, load

from kzoo.data import iterate, load_splits, read
from tests.helpers.hub import serving

try:
    import datasets
except ImportError:
    datasets = None

needs_datasets = pytest.mark.skipif(
    datasets is None, reason='datasets is not installed: pip install "kzoo[hub]"'
)

CARD = """\
---
configs:
- config_name: plain
  default: true
  data_files:
  - {split: train, path: train.jsonl}
  - {split: validation, path: dev.jsonl}
  - {split: test, path: hidden.jsonl}
- config_name: other
  data_files:
  - {split: odd, path: dev.jsonl}
dataset_info:
- config_name: plain
  features:
  - {name: sentence, dtype: string}
  - {name: label, dtype: {class_label: {names: {'0': bad, '1': good}}}}
---
"""


def lines(count, label):
    rows = [{"sentence": f"row {n}", "label": label(n)} for n in range(count)]
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def one_file():
    rows = [f"row {n},{n % 2}" for n in range(100)]
    return "\n".join(["text,label", *rows]).encode()


REPOSITORIES = {
    "org/reviews": {
        "README.md": CARD.encode(),
        "train.jsonl": lines(2500, lambda n: n % 2),
        "dev.jsonl": lines(4, lambda n: n % 2),
        "hidden.jsonl": lines(3, lambda n: -1),
    },
    "org/one_file": {"train.csv": one_file()},
    "org/broken": {"train.csv": b'text,label\n"x,1\ny,2\n'},
    "org/program": {"program.py": b"raise SystemExit"},
}


def with_columns(*labels, names=None):
    """A dataset as the hub has it: some texts, a label in each of its columns."""
    rows = [{"text": f"row {n}", **label} for n in range(150) for label in labels]
    written = "".join(json.dumps(row) + "\n" for row in rows).encode()
    files = {"train.jsonl": written, "test.jsonl": written}
    if names:
        classes = (
            "{" + ", ".join(f"'{n}': {name}" for n, name in enumerate(names)) + "}"
        )
        files["README.md"] = (
            "---\ndataset_info:\n  features:\n  - {name: text, dtype: string}\n  - "
            f"{{name: label, dtype: {{class_label: {{names: {classes}}}}}}}\n---\n"
        ).encode()
    return files


# What the shipped recipes read, by the columns that the hub's pages show.
SST2 = [{"label": n, "label_text": ("negative", "positive")[n]} for n in (0, 1)]
TREC = [
    {"label": 2 * n, "label_text": "fine", "label_coarse_original": name}
    for n, name in enumerate(["DESC", "ENTY", "ABBR", "HUM", "NUM", "LOC"])
]
TOPICS = ["World", "Sports", "Business", "Sci/Tech"]
CLASSES = [{"label": n} for n in range(4)]
REPOSITORIES |= {
    "SetFit/sst2": {
        **with_columns(*SST2),
        "dev.jsonl": with_columns(*SST2)["test.jsonl"],
    },
    "SetFit/TREC-QC": with_columns(*TREC),
    "stanfordnlp/imdb": with_columns(*CLASSES[:2], names=["neg", "pos"]),
    "fancyzhx/ag_news": with_columns(*CLASSES, names=TOPICS),
}
RECIPES = {
    "sst2": ["negative", "positive"],
    "trec6": ["ABBR", "DESC", "ENTY", "HUM", "LOC", "NUM"],
    "imdb": ["neg", "pos"],
    "ag_news": sorted(TOPICS),
}
NAME = "hf:org/reviews"
WHOLE = {"text": "sentence", "train": f"{NAME}#train", "dev": f"{NAME}#validation"}
CASES = [
    {"source": NAME, "text": "sentence"},
    {**WHOLE, "test": f"{NAME}#train[:3]"},
    {"text": "sentence", "train": NAME, "dev": NAME, "test": f"{NAME}:other#odd"},
    {**WHOLE, "test": f"{NAME}#validation", "streaming": True},
    {"iterate": f"{NAME}#nope"},
    {"iterate": f"{NAME}:nope#train"},
    {"iterate": NAME},
    {"iterate": f"{NAME}#validation", "options": {"text": "sentences"}},
    {"iterate": "hf:org/nothing#train"},
    {"iterate": "hf:org/program#train"},
    {"source": "hf:org/one_file"},
    {"iterate": f"{NAME}:other@main#odd", "options": {"text": "sentence"}},
    {"iterate": "hf:org/one_file", "options": {"streaming": True}},
    {"iterate": "hf:org/one_file", "options": {"streaming": True, "text": "txt"}},
    {"iterate": "hf:org/broken"},
    *({"recipe": name} for name in RECIPES),
]
OFFLINE = [
    {**WHOLE, "train": f"{NAME}:plain#train", "dev": None},
    {"iterate": f"{NAME}#train"},
    {"iterate": "hf:org/unseen#train"},
]


def probe(cases, **environment):
    done = subprocess.run(
        [sys.executable, Path(__file__).with_name("hub_probe.py")],
        input=json.dumps(cases),
        env=os.environ | {"HF_HUB_DISABLE_TELEMETRY": "1"} | environment,
        cwd=Path(__file__).parents[3],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    """What every case gave: the first ones served, the last ones from the cache."""
    home = str(tmp_path_factory.mktemp("hub"))
    with serving(REPOSITORIES) as address:
        served = probe(CASES, HF_ENDPOINT=address, HF_HOME=home, HF_HUB_OFFLINE="0")
    offline = probe(OFFLINE, HF_ENDPOINT=address, HF_HOME=home, HF_HUB_OFFLINE="1")
    return [*served, *offline]


TRAIN = [f"row {n}" for n in range(2500)]
DEV = [["row 0", "row 1", "row 2", "row 3"], ["bad", "good"] * 2, f"{NAME}#validation"]


@needs_datasets
def test_a_source_whose_test_labels_are_hidden_says_so(told):
    assert told[0] == (
        f'{NAME}#test, row 1: the label in "label" is missing (-1); hidden labels are '
        "no use here: name another split."
    )


@needs_datasets
def test_splits_by_name_with_names_for_classes(told):
    assert told[1]["train"] == [TRAIN, ["bad", "good"] * 1250, f"{NAME}#train"]
    assert told[1]["dev"] == DEV
    assert told[1]["test"][0] == TRAIN[:3]


@needs_datasets
def test_a_name_without_its_split_means_the_fitting_one(told):
    assert (len(told[2]["train"][0]), told[2]["dev"]) == (2500, DEV)
    assert told[2]["test"] == [DEV[0], ["0", "1", "0", "1"], f"{NAME}:other#odd"]


@needs_datasets
def test_streamed_rows_are_the_same(told):
    assert told[3] == {**told[1], "test": DEV}


@needs_datasets
def test_what_the_hub_has_not_is_said(told):
    assert told[4] == (
        f'{NAME}#nope: Unknown split "nope". Should be one of '
        "['train', 'validation', 'test']."
    )
    assert told[5].startswith(f"{NAME}:nope#train: BuilderConfig 'nope' not found.")
    assert told[6] == (
        f"{NAME}: the dataset has the splits train, validation, test; name one of "
        f"them, as in {NAME}#train."
    )
    assert told[7] == (
        f'{NAME}#validation: there is no column "sentences"; did you mean "sentence"? '
        'The columns are "sentence", "label"; choose one with --set data.text=COLUMN.'
    )
    assert told[8] == (
        "hf:org/nothing#train: the hub has no such dataset, or none that is open to "
        "you; look at the name, or log in with `hf auth login`."
    )
    assert told[9] == (
        "hf:org/program#train: the dataset is a program, which is not run; the hub may "
        "have it as Parquet: hf:org/program@refs/convert/parquet#train."
    )


@needs_datasets
def test_a_dataset_without_dev_and_test_is_split_by_a_hash(told):
    assert {path for _, _, path in told[10].values()} == {"hf:org/one_file#train"}
    assert sum(len(texts) for texts, _, _ in told[10].values()) == 100


@needs_datasets
def test_a_stream_that_does_not_know_its_columns(told):
    assert told[12][99] == ["row 99", "1", "hf:org/one_file, row 100"]
    assert told[13] == (
        'hf:org/one_file: there is no column "txt"; did you mean "text"? The columns '
        'are "text", "label"; choose one with --set data.text=COLUMN.'
    )


@needs_datasets
def test_a_file_of_the_hub_that_cannot_be_read(told):
    assert told[14].startswith("hf:org/broken: cannot be read (ParserError: Error tok")


@needs_datasets
def test_a_configuration_and_a_revision_can_be_named(told):
    assert told[11][1] == ["row 1", "1", f"{NAME}:other@main#odd, row 2"]


@needs_datasets
@pytest.mark.parametrize("name", RECIPES)
def test_shipped_recipes_read_their_columns(told, name):
    splits = told[CASES.index({"recipe": name})]
    for texts, labels, _ in splits.values():
        assert texts and set(labels) <= set(RECIPES[name])
    assert sorted(set(splits["train"][1])) == RECIPES[name]
    own_dev = splits["dev"][2] != splits["train"][2]
    assert own_dev == (name == "sst2")


@needs_datasets
def test_offline_what_was_read_before_is_there(told):
    parts = told[-3].values()
    assert {path for _, _, path in parts} == {f"{NAME}:plain#train"}
    assert sum(len(texts) for texts, _, _ in parts) == 2500
    assert told[-2] == (
        f"{NAME}#train: There are multiple 'org/reviews' configurations in the cache: "
        "other, plain; name one of them, as in hf:ORG/NAME:CONFIG."
    )
    assert told[-1] == (
        "hf:org/unseen#train is not in the cache, and HF_HUB_OFFLINE keeps from "
        "fetching it; go online once, or name files with --set data.train=FILE."
    )


@needs_datasets
def test_a_hub_that_cannot_be_reached(monkeypatch):
    def unreachable(*arguments, **options):
        raise ConnectionError("Couldn't reach 'a/b' on the Hub (ConnectError)")

    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    monkeypatch.setattr(datasets, "load_dataset", unreachable)
    with pytest.raises(KzooError) as caught:
        read("hf:a/b#train")
    assert str(caught.value) == (
        "hf:a/b#train is not in the cache, and the hub cannot be reached; go online "
        "once, or name files with --set data.train=FILE."
    )


@needs_datasets
def test_datasets_saved_to_disk(tmp_path):
    features = datasets.Features(
        {
            "text": datasets.Value("string"),
            "label": datasets.ClassLabel(names=["a", "b"]),
        }
    )
    rows = {"text": [f"x{n}" for n in range(40)], "label": [0, 1] * 20}
    part = datasets.Dataset.from_dict(rows, features=features)
    datasets.DatasetDict({"train": part, "valid": part}).save_to_disk(tmp_path / "two")
    part.save_to_disk(tmp_path / "one")
    recipe = load("text_classifier", [f"data.source=hf:{tmp_path}/two"])
    splits = load_splits(recipe.data)
    assert splits["dev"].labels == ["a", "b"] * 20
    assert splits["dev"].where(2) == f"hf:{tmp_path}/two#valid, row 3"
    assert read(f"hf:{tmp_path}/two#train").texts == rows["text"]
    for keep, kept in ((("label",), {"label": 1}), (("all",), {"label": 1})):
        one = list(iterate(f"hf:{tmp_path}/one", label=None, keep=keep))[1]
        assert (one.text, one.kept) == ("x1", kept)
    with pytest.raises(KzooError, match='no column "lable"; did you mean "label"'):
        next(iterate(f"hf:{tmp_path}/one", label=None, keep=("lable",)))
    assert len(list(iterate(f"hf:{tmp_path}/one"))) == 40
    with pytest.raises(KzooError, match='no split "vaild"; did you mean "valid"'):
        read(f"hf:{tmp_path}/two#vaild")
    with pytest.raises(KzooError, match=r"hf:.*/three: there is no such folder\."):
        read(f"hf:{tmp_path}/three")


@needs_datasets
def test_a_folder_of_files(tmp_path, monkeypatch):
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "cache")
    folder = tmp_path / "rows"
    folder.mkdir()
    for name in ("train", "test"):
        folder.joinpath(f"{name}.csv").write_text("text,label\nx,1\ny,2\n" * 20)
    splits = load_splits(ClassifierData(source=f"hf:{folder}"))
    assert splits["test"].path == f"hf:{folder}#test"


def test_without_datasets_it_says_what_brings_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "datasets", None)
    with pytest.raises(KzooError) as caught:
        load_splits(load("sst2").data)
    assert str(caught.value) == (
        "hf:SetFit/sst2: the hub is read by the package datasets; "
        '`pip install "kzoo[hub]"` brings it.'
    )
