"""What a recipe may say: every key, its type, its range and its default.

The keys of `[model.encoder]` are the arguments of `kzoo.layers.TransformerEncoder`.
TOML has no null, so `None` always means "the key is not there".
"""

from typing import Annotated, Literal

from msgspec import Meta, Struct

BACKENDS = ("tensorflow", "torch", "jax")
TASKS = ("text_classifier",)
METRICS = {"text_classifier": ("accuracy", "macro_f1", "loss")}

INT32_MAX = 2**31 - 1
Count = Annotated[int, Meta(ge=1, le=INT32_MAX)]
Natural = Annotated[int, Meta(ge=0, le=INT32_MAX)]
Length = Annotated[int, Meta(ge=3, le=INT32_MAX)]  # [CLS], one piece, [SEP]
Positive = Annotated[float, Meta(gt=0)]
Share = Annotated[float, Meta(gt=0, lt=1)]
Rate = Annotated[float, Meta(ge=0, lt=1)]
Text = Annotated[str, Meta(min_length=1)]


class Table(Struct, frozen=True, forbid_unknown_fields=True):
    """One table of a recipe: immutable, without unknown keys."""


class Data(Table, kw_only=True):
    """Where rows come from. Files exclude `source`; naming neither waits for --set."""

    source: Literal["kzoo:reviews"] | None = None  # shipped with kzoo; no network
    train: Text | None = None
    dev: Text | None = None
    test: Text | None = None
    format: Literal["csv", "tsv", "jsonl"] | None = None  # None = by the file's ending
    text: Text = "text"  # columns
    label: Text = "label"
    dev_share: Share = 0.1  # split off train, by a hash of the text, when no dev file
    test_share: Share = 0.1
    sequence_length: Length = 128  # tokens, special ones counted; longer is truncated
    buckets: list[Length] | None = None  # padded lengths; None = chosen


class Tokenizer(Table, kw_only=True):
    """Trained on the training text, or read from `file`."""

    kind: Literal["wordpiece", "byte_bpe", "unigram", "word"] = "wordpiece"
    vocabulary_size: Annotated[int, Meta(ge=6, le=INT32_MAX)] = 8000  # five are special
    lowercase: bool = True
    min_frequency: Count = 2
    file: Text | None = None  # tokenizer.json or vocab.txt


class Attention(Table, kw_only=True):
    """None = follows from the encoder."""

    num_key_value_heads: Count | None = None
    head_dim: Count | None = None
    dropout: Rate | None = None
    use_bias: bool = True


class Embedding(Table, kw_only=True):
    """What happens to token vectors before the first block."""

    num_segments: Natural = 0
    scale: bool = False  # by sqrt(hidden_dim)
    norm: Literal["layer_norm", "rms_norm"] | None = None  # None = no norm
    dropout: Rate | None = None  # None = the encoder's
    token_dropout: Rate = 0.0
    bigram_buckets: Natural = 0  # vectors shared by pairs of neighbours; 0 = none
    bigram_dropout: Rate = 0.0


class Encoder(Table, kw_only=True):
    """Arguments of TransformerEncoder; `vocabulary_size` comes from the tokenizer."""

    num_layers: Count
    num_heads: Count
    hidden_dim: Count
    intermediate_dim: Count
    dropout: Rate = 0.1
    position: Literal[
        "none",
        "sinusoidal",
        "learned",
        "rotary",
        "alibi",
        "relative",
        "neighbours",
    ] = "sinusoidal"
    feed_forward: Literal[
        "relu", "gelu", "gelu_tanh", "silu", "reglu", "geglu", "geglu_tanh", "swiglu"
    ] = "gelu"
    norm: Literal["layer_norm", "rms_norm"] = "layer_norm"
    norm_placement: Literal["pre", "post", "sandwich"] = "pre"
    attention: Attention | None = None
    embedding: Embedding | None = None


class Model(Table, kw_only=True):
    """The encoder and the head on it."""

    encoder: Encoder
    pooling: Literal["mean", "first", "max"] = "mean"
    head_dim: Count | None = None  # None = the encoder's hidden_dim
    activation: Literal["tanh", "relu", "gelu", "silu", "linear"] = "tanh"
    dropout: Rate = 0.1  # inside the head
    pooled_dropout: Rate = 0.0  # before it


class Training(Table, kw_only=True):
    """The optimizer is AdamW; matrices decay, biases and norms do not."""

    epochs: Count = 3
    steps: Count | None = None  # wins over epochs
    batch_size: Count = 32
    evaluation_batch_size: Count = 64
    learning_rate: Positive = 5e-4
    schedule: Literal["constant", "linear", "cosine", "inverse_square_root"] = "linear"
    warmup_steps: Natural | None = None  # wins over warmup_share
    warmup_share: Annotated[float, Meta(ge=0, le=1)] = 0.1
    weight_decay: Annotated[float, Meta(ge=0)] = 0.01
    beta_1: Rate = 0.9
    beta_2: Rate = 0.999
    epsilon: Annotated[float, Meta(ge=1e-16)] = 1e-8  # less vanishes in float32
    clip_norm: Annotated[float, Meta(ge=0)] = 1.0  # 0 = no clipping
    label_smoothing: Rate = 0.0
    precision: Literal["float32", "mixed_bfloat16"] = "float32"
    evaluate_every: Count | None = None  # steps; None = after each epoch
    metric: Text = "accuracy"  # chooses the best checkpoint, on dev


class Bound(Table, kw_only=True):
    """What a metric on the test split must reach."""

    at_least: float | None = None
    at_most: float | None = None


class Recipe(Table, kw_only=True):
    """One run, completely described."""

    schema: Literal[1] = 1
    name: Text | None = None  # names the run's folder; None = the file's name
    task: Literal["text_classifier"]
    backend: Literal["tensorflow", "torch", "jax"] = "jax"
    seed: Natural = 0
    data: Data
    tokenizer: Tokenizer = Tokenizer()
    model: Model
    training: Training = Training()
    expect: dict[str, Bound] = {}
