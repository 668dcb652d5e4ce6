"""What `[training]` may say: steps, rates, losses and when to look."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from .kinds import STRICT, Count, Natural, Positive, Rate, Share, Text, says

FocalGamma = Annotated[
    Annotated[float, Meta(ge=0)] | None,
    says(
        "How much less: a label of probability p counts (1 - p) to this power; 2 if "
        "left out."
    ),
]


class Training(Struct, **STRICT):
    """The keys of every task, which may say more of some."""

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
    layer_decay: Annotated[
        float,
        Meta(gt=0, le=1),
        says(
            "Factor of the rate from each layer to the one below it: the head has the "
            "full rate, the embedding the least; 1 is the same for all."
        ),
    ] = 1.0
    learning_rates: Annotated[
        dict[str, Positive] | None,
        says(
            "Peak rates of parts, named as in `freeze`, in place of `learning_rate`; "
            "`layer_decay` lowers these, too."
        ),
    ] = None
    weight_decays: Annotated[
        dict[str, Annotated[float, Meta(ge=0)]] | None,
        says("Decay of the matrices of parts, in place of `weight_decay`."),
    ] = None
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
    unfreeze_every: Annotated[
        Count | None,
        says(
            "Updates after which one more layer is trained: first the head alone, then "
            "the top block, down to the embedding. All from the start if left out."
        ),
    ] = None
    unfreeze_every_epochs: Annotated[
        Positive | None,
        says("The same in epochs, as in 0.5; excludes `unfreeze_every`."),
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
    metric: Text | None = None
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


class ClassifierTraining(Training, kw_only=True):
    """The optimizer is AdamW; matrices decay, biases and norms do not."""

    loss: Annotated[
        Literal["cross_entropy", "focal"],
        says(
            "What is made small: cross-entropy, or with `focal` the same with less "
            "weight on what the model already knows. With `multi_label` it is the "
            "binary one, the mean over the labels."
        ),
    ] = "cross_entropy"
    focal_gamma: FocalGamma = None
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
    metric: Annotated[Text, says("Metric on dev that chooses the best checkpoint.")] = (
        "accuracy"
    )


class TaggerTraining(Training, kw_only=True):
    """The optimizer is AdamW; matrices decay, biases and norms do not."""

    batch_size: Annotated[
        Count, says("Windows of one update: texts, or pieces of long ones.")
    ] = 32
    evaluation_batch_size: Annotated[Count, says("Windows at once in evaluation.")] = 64
    loss: Annotated[
        Literal["cross_entropy", "focal"],
        says(
            "What is made small: cross-entropy, or with `focal` the same with less "
            "weight on what the model already knows."
        ),
    ] = "cross_entropy"
    focal_gamma: FocalGamma = None
    class_weights: Annotated[
        Literal["balanced"] | dict[str, Positive] | None,
        says(
            "What words of a tag count: a table by tag or by type, as in "
            '`{ LOC = 3, O = 0.5 }`, 1 for those not named; or `"balanced"`, so '
            "that all tags together count alike."
        ),
    ] = None
    metric: Annotated[
        Text | None,
        says(
            "Metric on dev that chooses the best checkpoint; `f1` if left out, or "
            "`accuracy` where tags mark no entities."
        ),
    ] = None


class MaskedTraining(Training, kw_only=True):
    """The optimizer is AdamW; matrices decay, biases and norms do not."""

    batch_size: Annotated[Count, says("Windows of one update.")] = 32
    evaluation_batch_size: Annotated[Count, says("Windows at once in evaluation.")] = 64
    label_smoothing: Annotated[
        Rate, says("Share of the target spread evenly over the whole vocabulary.")
    ] = 0.0
    metric: Annotated[Text, says("Metric on dev that chooses the best checkpoint.")] = (
        "loss"
    )


class SummarizerTraining(Training, kw_only=True):
    """The optimizer is AdamW; matrices decay, biases and norms do not."""

    batch_size: Annotated[Count, says("Documents of one update.")] = 32
    evaluation_batch_size: Annotated[
        Count, says("Documents at once in evaluation.")
    ] = 64
    label_smoothing: Annotated[
        Rate, says("Share of the target spread evenly over the whole vocabulary.")
    ] = 0.0
    evaluation_rows: Annotated[
        Count,
        says(
            "Documents of dev that are summarized at each evaluation, greedily: the "
            "same ones each time, all if there are no more. The loss is that of all."
        ),
    ] = 200
    rouge_tokenizer: Annotated[
        Literal["rouge-score", "unicode"],
        says(
            "Words that ROUGE compares: those of rouge-score, which are of a-z and "
            "0-9, or those of any script."
        ),
    ] = "rouge-score"
    metric: Annotated[Text, says("Metric on dev that chooses the best checkpoint.")] = (
        "rougeL"
    )
