"""Text classification: from rows of text and labels to a model and its metrics."""

import dataclasses

import numpy as np

from kzoo import layers
from kzoo.data import LabelSet, load_splits
from kzoo.data.batches import (
    TrainingBatches,
    check_ids,
    inference_batches,
    length_buckets,
)
from kzoo.data.checks import check_rows
from kzoo.data.class_weights import class_weights
from kzoo.interop.pretrained import PretrainedEncoder
from kzoo.metrics import (
    classification_metrics,
    multi_label_metrics,
    tuned_thresholds,
)
from kzoo.models import TextClassifier
from kzoo.tasks.parts import (
    SHAPES,
    dtype_policy,
    make_model,
    share,
    split_notes,
    weight_note,
)
from kzoo.tasks.pretrained import opened, tokenizer_for
from kzoo.text import Tokenizer


@dataclasses.dataclass(frozen=True)
class Encoded:
    """One split as numbers.

    Attributes:
        token_ids: list of int32 `(T,)`.
        labels: int32 `(rows,)`, or uint8 `(rows, C)` of 0 and 1.
        weights: list of float, what each row counts. `None` where all count alike.
    """

    token_ids: list
    labels: np.ndarray
    weights: list | None = None

    def __len__(self):
        return len(self.labels)

    def numbers(self):
        """All that a run depends on: arrays, lists of arrays and `None`."""
        return self.token_ids, self.labels, self.weights


@dataclasses.dataclass(frozen=True)
class Prepared:
    """All that a model and its training need of the data.

    Attributes:
        tokenizer: `kzoo.text.Tokenizer`.
        labels: `kzoo.data.LabelSet`.
        splits: dict of `Encoded`.
        sequence_length: int. Longest text in tokens.
        notes: list of str. What was done to the data, for the person who runs it.
        class_weights: float64 `(C,)`, or `(2, C)` of no and yes where a row has any
            number of labels. `None` where all count alike.
        pretrained: `kzoo.interop.pretrained.PretrainedEncoder`, or `None`.
    """

    tokenizer: Tokenizer
    labels: LabelSet
    splits: dict
    sequence_length: int
    notes: list
    class_weights: np.ndarray | None = None
    pretrained: PretrainedEncoder | None = None


class TextClassification:
    """Labels for a whole text. See `kzoo.tasks` for the methods of a task."""

    measured = None

    def prepare(self, recipe):
        """Read the recipe's rows, find tokenizer and labels, encode.

        Raises:
            KzooError: if a file, a column or a label is not what the recipe says.
        """
        splits = load_splits(recipe.data)
        labels = LabelSet.from_rows(splits["train"])
        for rows in splits.values():
            labels.ids(rows)  # Before the tokenizer, which takes its time.
        weights, said = self._class_weights(recipe, splits["train"], labels)
        pretrained = opened(recipe)
        tokenizer = tokenizer_for(recipe, pretrained, splits["train"].texts)
        prepared = self.encode(splits, tokenizer, labels, recipe.data.sequence_length)
        return dataclasses.replace(
            prepared,
            notes=[
                *split_notes(recipe.data, splits),
                *row_notes(splits),
                *said,
                *prepared.notes,
            ],
            class_weights=weights,
            pretrained=pretrained,
        )

    def _class_weights(self, recipe, train, labels):
        """The weights of the classes, or `None`; and a note that says them."""
        chosen = recipe.training.class_weights
        if chosen is None:
            return None, []
        weights = class_weights(chosen, labels.ids(train), labels.names, train.weights)
        columns = np.atleast_2d(weights).T  # of the weight, or of no and yes
        shown = [" to ".join(f"{weight:.3g}" for weight in row) for row in columns]
        kind = (
            "weights of no and yes" if labels.multi_label else "weights of the labels"
        )
        return weights, [weight_note(kind, labels, shown)]

    def encode(self, splits, tokenizer, labels, sequence_length):
        """Rows by split as `Prepared`, with a tokenizer and labels that exist."""
        encoded, notes = {}, []
        for split, rows in splits.items():
            texts = tokenizer.encode(rows.texts, sequence_length, offsets=False)
            encoded[split] = Encoded(texts.token_ids, labels.ids(rows), rows.weights)
            check_ids(texts.token_ids, tokenizer.vocabulary_size)
            cut = int(texts.truncated.sum())
            if cut:
                notes.append(
                    f"{split}: {share(cut, len(rows), 'texts')} longer than "
                    f"{sequence_length} tokens and {'was' if cut == 1 else 'were'} cut"
                )
        return Prepared(tokenizer, labels, encoded, sequence_length, notes)

    def build(self, recipe, prepared):
        """The model of the recipe, weights drawn from its seed."""
        layers.set_seed(recipe.seed)
        settings = recipe.model
        with dtype_policy(recipe.training.precision):
            return make_model(
                *(TextClassifier, recipe, prepared),
                pooling=settings.pooling,
                head_dim=settings.head_dim,
                activation=settings.activation,
                dropout=settings.dropout,
                pooled_dropout=settings.pooled_dropout,
                sequence_length=prepared.sequence_length,
                multi_label=prepared.labels.multi_label,
                thresholds=self._threshold(recipe),
                name="text_classifier",
            )

    def _threshold(self, recipe):
        """What the recipe says, one half until it is tuned; `None` for one label."""
        threshold = recipe.training.threshold
        if not recipe.data.multi_label:
            return None
        return 0.5 if threshold == "tuned" else threshold

    def loss(self, recipe, prepared):
        """The loss of the recipe: its name in `LOSSES` and its options."""
        settings = recipe.training
        options = {"label_smoothing": settings.label_smoothing}
        if settings.loss == "focal" and settings.focal_gamma is not None:
            options["focal_gamma"] = settings.focal_gamma
        if not prepared.labels.multi_label:
            return settings.loss, options  # The classes' weights are in the batches.
        return f"sigmoid_{settings.loss}", {
            **options,
            "class_weights": prepared.class_weights,
        }

    def finish(self, recipe, model, predict, prepared, batch_size=64):
        """After training: choose the thresholds on dev, if the recipe says so.

        Returns:
            list of str, what was done.
        """
        if recipe.training.threshold != "tuned":
            return []
        logits = self.logits(predict, prepared, "dev", batch_size)
        labels = prepared.splits["dev"].labels
        model.set_thresholds(tuned_thresholds(labels, logits))
        pairs = zip(prepared.labels, model.thresholds, strict=True)
        shown = ", ".join(f'"{name}" {value:.3f}' for name, value in pairs)
        notes = [f"thresholds tuned on {len(labels):,} dev rows: {shown}"]
        absent = np.flatnonzero(~labels.any(axis=0))
        if len(absent):
            names = ", ".join(f'"{prepared.labels.names[place]}"' for place in absent)
            notes.append(f"no dev row has {names}: the threshold stays 0.5")
        return notes

    def batches(self, recipe, prepared):
        """The batches of training, in the order of the recipe's seed."""
        train = prepared.splits["train"]
        lengths = [len(ids) for ids in train.token_ids]
        fitted = length_buckets(prepared.sequence_length, lengths, most=SHAPES)
        return TrainingBatches(
            train.token_ids,
            train.labels,
            recipe.training.batch_size,
            recipe.data.buckets or fitted,
            prepared.tokenizer.pad_id,
            recipe.seed,
            example_weights=self.example_weights(prepared),
            accumulation=recipe.training.accumulation,
        )

    def example_weights(self, prepared):
        """What each training row counts, by itself and by its label; or `None`."""
        train = prepared.splits["train"]
        weights = train.weights
        if prepared.class_weights is not None and train.labels.ndim == 1:
            of_class = prepared.class_weights[train.labels]
            weights = of_class if weights is None else of_class * weights
        return weights

    def sequences(self, prepared, split):
        """The token ids `(T,)` of a split, as the model reads them."""
        return prepared.splits[split].token_ids

    def decide(self, model, predict, inputs, prepared):
        """What the model decides: int `(B,)`, or bool `(B, C)` of several labels.

        Args:
            model: not asked.
            predict: function from inputs to logits, numpy.
            inputs: dict of `token_ids` and `padding_mask`.
            prepared: `Prepared`.
        """
        answer = predict(inputs)
        return answer > 0 if prepared.labels.multi_label else answer.argmax(-1)

    def logits(self, predict, prepared, split, batch_size):
        """What a model says about every row of a split, float32 `(rows, classes)`.

        Args:
            predict: function from inputs to logits, numpy.
            prepared: `Prepared`.
            split: str. A key of `prepared.splits`.
            batch_size: int.
        """
        data = prepared.splits[split]
        logits = np.zeros((len(data), len(prepared.labels)), "float32")
        for rows, inputs in inference_batches(
            data.token_ids,
            batch_size,
            length_buckets(prepared.sequence_length),
            prepared.tokenizer.pad_id,
        ):
            logits[rows] = predict(inputs)[: len(rows)]
        return logits

    def evaluate(self, model, stepper, prepared, split, batch_size, quick=False):
        """Metrics of a split; further arguments are those of `logits`.

        Neither row weights nor class weights enter them.

        Args:
            model: `TextClassifier`. Where a row has any number of labels, its
                thresholds decide.
            stepper: what predicts.
            quick: bool. All is measured in any case.
        """
        logits = self.logits(stepper.predict, prepared, split, batch_size)
        labels, names = prepared.splits[split].labels, prepared.labels.names
        if prepared.labels.multi_label:
            return multi_label_metrics(labels, logits, model.thresholds, names)
        return classification_metrics(labels, logits, names)

    def predict(self, model, texts):
        """A label, or labels, with probabilities for each text."""
        return model.classify(texts)


def row_notes(splits):
    """What a cheap look at the rows found; `kzoo check-data` says where."""
    found = [f.message for f in check_rows(splits) if f.fault]
    return [f"{message} (`kzoo check-data` lists them)" for message in found]
