"""Documents and summaries from the Hugging Face hub, as recipes name them."""

import io

import pytest
from test_hub import needs_datasets, probe

from tests.helpers.hub import serving

SPLITS = ("train", "validation", "test")
MAILS = {
    "email_body": ["The pipeline is closed until noon.", "Lunch on Friday?"],
    "subject_line": ["Pipeline closed\n", "Lunch"],
}
PAPERS = {
    "source": [["We count boats.", "It is fast."], ["We count ships."]],
    "source_labels": [[1, 0], [1]],
    "target": [["Boats, fast.", "A quick count of boats."], ["Ships."]],
}
WHOLE = {**PAPERS, "source": [["Boats at length."], ["Ships at length."]]}
NEWS = {
    "document": ["Rain fell all day.\nIt was wet.", "", "A bridge opened."],
    "summary": ["It rained.", "Nothing.", "A bridge is open."],
    "id": ["1", "2", "3"],
}


def parquet(columns):
    pa = pytest.importorskip("pyarrow")
    written = io.BytesIO()
    pytest.importorskip("pyarrow.parquet").write_table(pa.table(columns), written)
    return written.getvalue()


def exported(**configurations):
    """What the hub makes of a dataset at `refs/convert/parquet`."""
    return {
        f"{config}/{split}/0000.parquet": parquet(columns)
        for config, columns in configurations.items()
        for split in SPLITS
    }


CASES = {  # recipes, and other tables of [data]
    **{recipe: recipe for recipe in ("aeslc", "scitldr", "xsum")},
    "streamed": {
        "source": "hf:allenai/scitldr:FullText@refs/convert/parquet",
        "document": "source",
        "summary": "target",
        "streaming": True,
    },
    "wrong": {"source": "hf:allenai/scitldr:Nothing@refs/convert/parquet"},
    "several": {"source": "hf:allenai/scitldr@refs/convert/parquet"},
    "columns": {"source": "hf:allenai/scitldr:AIC@refs/convert/parquet"},
}


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    home = str(tmp_path_factory.mktemp("paired_hub"))
    repositories = {
        "Yale-LILY/aeslc": exported(default=MAILS),
        "allenai/scitldr": exported(AIC=WHOLE, Abstract=PAPERS, FullText=WHOLE),
        "EdinburghNLP/xsum": exported(default=NEWS),
    }
    cases = [{"summarizer": told} for told in CASES.values()]
    with serving(repositories) as address:
        told = probe(cases, HF_ENDPOINT=address, HF_HOME=home, HF_HUB_OFFLINE="0")
    return dict(zip(CASES, told, strict=True))


@needs_datasets
def test_mails_and_their_subjects(told):
    assert [*told["aeslc"]] == ["train", "dev", "test"]
    for documents, references, _, _ in told["aeslc"].values():
        assert documents == MAILS["email_body"]
        assert references == [["Pipeline closed"], ["Lunch"]]


@needs_datasets
@pytest.mark.parametrize("name, part", [("scitldr", PAPERS), ("streamed", WHOLE)])
def test_one_configuration_of_several_and_lists(told, name, part):
    assert [*told[name]] == ["train", "dev", "test"]
    for documents, references, _, _ in told[name].values():
        assert documents == [" ".join(sentences) for sentences in part["source"]]
        assert references == PAPERS["target"]


@needs_datasets
def test_news_without_a_document_are_left_out(told):
    for documents, references, _, notes in told["xsum"].values():
        assert documents == [NEWS["document"][0], NEWS["document"][2]]
        assert references == [["It rained."], ["A bridge is open."]]
        assert notes == ["1 row with an empty document was left out (row 2)"]


@needs_datasets
def test_what_is_not_there(told):
    assert told["wrong"].startswith("hf:allenai/scitldr:Nothing@refs/convert/parquet: ")
    assert told["several"] == (
        "hf:allenai/scitldr@refs/convert/parquet: the dataset has the configurations "
        "AIC, Abstract, FullText; name one of them, as in "
        "hf:allenai/scitldr:AIC@refs/convert/parquet."
    )
    assert told["columns"].startswith(
        "hf:allenai/scitldr:AIC@refs/convert/parquet#train: there is no column "
        '"document"; the columns are "source", "source_labels", "target"; choose one '
        "with --set data.document=COLUMN."
    )
