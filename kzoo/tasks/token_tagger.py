"""Token tagging: from sentences of tagged words to a model and its metrics."""

import dataclasses

import numpy as np

from kzoo import layers
from kzoo.data import LabelSet
from kzoo.data.batches import TrainingBatches, check_ids, length_buckets
from kzoo.data.class_weights import by_tag, class_weights
from kzoo.data.schemes import split
from kzoo.data.tagged import load_tagged_splits
from kzoo.metrics import tagging_metrics
from kzoo.models import TokenTagger
from kzoo.models.tagging import emissions, logits_of, word_tags
from kzoo.tasks.parts import (
    SHAPES,
    dtype_policy,
    make_model,
    split_notes,
    weight_note,
)
from kzoo.tasks.pretrained import opened, tokenizer_for
from kzoo.tasks.words import (
    UNKNOWN,
    EncodedWords,
    PreparedWords,
    punctuated,
    row_notes,
    seen,
    tag_names,
    tags_in,
)
from kzoo.text.alignment import align, piece_labels
from kzoo.text.chains import best_paths, log_likelihoods


class TokenTagging:
    """A tag for every word. See `kzoo.tasks` for the methods of a task."""

    measured = None

    def prepare(self, recipe):
        """Read the recipe's rows, find tokenizer and tags, encode.

        Raises:
            KzooError: if a file, a column or a tag is not what the recipe says.
        """
        data = recipe.data
        splits = load_tagged_splits(data)
        labels = LabelSet(tag_names(splits["train"], data.learn_scheme))
        pretrained = opened(recipe)
        tokenizer = tokenizer_for(recipe, pretrained, splits["train"].texts)
        prepared = self.encode(
            splits,
            tokenizer,
            labels,
            data.learn_scheme,
            data.sequence_length,
            data.window_overlap,
        )
        weights, said = self._class_weights(recipe, prepared)
        holds, held = punctuated(splits["train"])
        notes = [
            *split_notes(data, splits),
            *(
                f"{name}: {note}"
                for name, rows in splits.items()
                for note in rows.notes
            ),
            *row_notes(splits),
            *said,
            *held,
            *prepared.notes,
        ]
        return dataclasses.replace(
            prepared,
            notes=notes,
            class_weights=weights,
            split_punctuation=not holds,
            pretrained=pretrained,
        )

    def encode(self, splits, tokenizer, labels, scheme, sequence_length, overlap):
        """Rows by split as `PreparedWords`, with a tokenizer and tags that exist.

        Args:
            splits: dict of `TaggedRows`.
            tokenizer: `kzoo.text.Tokenizer`.
            labels: `LabelSet`.
            scheme: str. That of `labels`; rows of another are converted.
            sequence_length: int. Longest window in tokens.
            overlap: int. Tokens that neighbouring windows share; `None` is a quarter.
        """
        encoded = {}
        place = {name: number for number, name in enumerate(labels)}
        for name, rows in splits.items():
            tags = tags_in(rows, scheme)
            encoded[name] = EncodedWords(
                align(tokenizer, rows.texts, rows.spans),
                [np.array([place.get(t, UNKNOWN) for t in of], "int32") for of in tags],
                tags,
                rows.weights,
            )
        prepared = PreparedWords(
            tokenizer, labels, encoded, sequence_length, overlap, scheme, []
        )
        for name in splits:
            check_ids(self.sequences(prepared, name), tokenizer.vocabulary_size)
            prepared.notes.extend(f"{name}: {note}" for note in seen(prepared, name))
        return prepared

    def _class_weights(self, recipe, prepared):
        """The weights of the tags, or `None`; and a note that says them."""
        chosen, train = recipe.training.class_weights, prepared.splits["train"]
        if chosen is None:
            return None, []
        labels = np.concatenate(train.labels)
        rows = train.weights
        if rows is not None:
            rows = np.repeat(rows, [len(words) for words in train.labels])
        chosen = by_tag(chosen, prepared.labels.names)
        weights = class_weights(chosen, labels, prepared.labels.names, rows)
        shown = [f"{weight:.3g}" for weight in weights]
        return weights, [weight_note("weights of the tags", prepared.labels, shown)]

    def build(self, recipe, prepared):
        """The model of the recipe, weights drawn from its seed."""
        layers.set_seed(recipe.seed)
        with dtype_policy(recipe.training.precision):
            return make_model(
                *(TokenTagger, recipe, prepared),
                head=recipe.model.head,
                dropout=recipe.model.dropout,
                sequence_length=prepared.sequence_length,
                window_overlap=prepared.overlap,
                label_pieces=recipe.data.label_pieces,
                scheme=prepared.scheme,
                split_punctuation=prepared.split_punctuation,
                name="token_tagger",
            )

    def loss(self, recipe, prepared):
        """The loss of the recipe: its name in `LOSSES` and its options."""
        if recipe.model.head == "crf":
            return "crf", {}
        settings = recipe.training
        options = {"label_smoothing": settings.label_smoothing}
        if settings.loss == "focal" and settings.focal_gamma is not None:
            options["focal_gamma"] = settings.focal_gamma
        return settings.loss, options  # The tags' weights are in the batches.

    def finish(self, recipe, model, predict, prepared, batch_size=64):
        """After training nothing is left to do."""
        return []

    def batches(self, recipe, prepared):
        """The batches of training, in the order of the recipe's seed.

        A window trains what it is asked for: the words that stand in it farthest from
        an edge. So every word counts once, however many windows see it.
        """
        train, names = prepared.splits["train"], prepared.labels.names
        of_row = [
            self._targets(row, train, names, prepared, recipe.data.label_pieces)
            for row in range(len(train))
        ]
        windows = prepared.windows("train")
        sequences = [window.token_ids for _, window in windows]
        lengths = [len(ids) for ids in sequences]
        fitted = length_buckets(prepared.sequence_length, lengths, most=SHAPES)
        return TrainingBatches(
            sequences,
            [window.place(of_row[row][0]) for row, window in windows],
            recipe.training.batch_size,
            recipe.data.buckets or fitted,
            prepared.tokenizer.pad_id,
            recipe.seed,
            example_weights=[window.place(of_row[row][1]) for row, window in windows],
            accumulation=recipe.training.accumulation,
        )

    def _targets(self, row, train, names, prepared, label_pieces):
        """Labels and weights of a row's pieces: int32 and float32 `(pieces,)`."""
        text, labels = train.documents[row], train.labels[row]
        later = inside(names, prepared.scheme)
        placed, counts = piece_labels(text, labels, label_pieces, later)
        if prepared.class_weights is not None:
            # A piece counts what its word does, whichever tag it is given itself.
            own = prepared.class_weights[labels][text.word_of].astype("float32")
            counts = np.where(text.word_of < 0, 0, own * counts)
        if train.weights is not None:
            counts = counts * np.float32(train.weights[row])
        return placed, counts

    def sequences(self, prepared, split):
        """The token ids `(T,)` of a split, as the model reads them: its windows."""
        return [window.token_ids for _, window in prepared.windows(split)]

    def decide(self, model, predict, inputs, prepared):
        """What the model decides of every token that is no padding, int `(tokens,)`.

        Args:
            model: not asked.
            predict: function from inputs to outputs, numpy.
            inputs: dict of `token_ids` and `padding_mask`.
            prepared: `PreparedWords`.
        """
        answer = predict(inputs)
        rows = zip(logits_of(answer), inputs["padding_mask"], strict=True)
        logits = [of_row[mask] for of_row, mask in rows]
        if not isinstance(answer, dict):
            return np.concatenate(logits).argmax(-1)
        return np.concatenate(best_paths(logits, answer["transitions"][0]))

    def answers(self, predict, prepared, split, batch_size):
        """What a model says of every word of a split.

        Args:
            predict: function from inputs to outputs, numpy.
            prepared: `PreparedWords`.
            split: str. A key of `prepared.splits`.
            batch_size: int. Windows at once.

        Returns:
            `Emissions`, and a list of `(labels, probabilities)` of each row, as
            `kzoo.models.tagging.word_tags` gives it.
        """
        documents = prepared.splits[split].documents
        said = emissions(
            predict,
            prepared.tokenizer,
            documents,
            prepared.sequence_length,
            prepared.overlap,
            batch_size,
        )
        return said, word_tags(said, documents)

    def evaluate(self, model, stepper, prepared, split, batch_size, quick=False):
        """Metrics of a split; further arguments are those of `answers`.

        Weights enter none of them. Words whose tag no training row has count as wrong,
        and are left out of the loss.

        Args:
            model: `TokenTagger`.
            stepper: what predicts.
            quick: bool. All is measured in any case.
        """
        said, found = self.answers(stepper.predict, prepared, split, batch_size)
        rows, names = prepared.splits[split], prepared.labels.names
        predicted = [[names[label] for label in labels] for labels, _ in found]
        figures = tagging_metrics(rows.tags, predicted, prepared.scheme)
        return {**figures, "loss": mean_loss(said, rows.documents, rows.labels)}

    def predict(self, model, texts):
        """The entities of each text."""
        return model.tag(texts)


def inside(names, scheme):
    """The label of a word's further pieces for each of its first one, int `(C,)`.

    After the piece that begins an entity come pieces that are inside it.
    """
    place = {name: number for number, name in enumerate(names)}
    if scheme == "plain":
        return np.arange(len(names))
    return np.array(
        [
            place.get(f"I-{split(name)[1]}", number) if name[:2] == "B-" else number
            for name, number in place.items()
        ]
    )


def mean_loss(said, documents, labels):
    """The mean surprise at a word's tag, in nats, over words whose tag is known.

    Args:
        said: `Emissions`.
        documents: list of `Aligned`.
        labels: list of int32 `(W,)`.

    Returns:
        float; not a number where no word's tag is known.
    """
    known = [of_row != UNKNOWN for of_row in labels]
    logits = [
        np.asarray(pieces[text.first[keep]], "float64")
        for pieces, text, keep in zip(said, documents, known, strict=True)
    ]
    gold = [of_row[keep] for of_row, keep in zip(labels, known, strict=True)]
    words = sum(map(len, gold))
    if not words:
        return float("nan")
    if said.transitions is not None:
        return float(-np.sum(log_likelihoods(logits, gold, said.transitions)) / words)
    logits, gold = np.concatenate(logits), np.concatenate(gold)
    chosen = logits[np.arange(words), gold]
    highest = logits.max(axis=1)
    return float(
        np.mean(
            highest + np.log(np.exp(logits - highest[:, None]).sum(axis=1)) - chosen
        )
    )
