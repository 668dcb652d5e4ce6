"""Summarization: from documents and their summaries to a model and its metrics."""

import dataclasses

import numpy as np
from kzoo_recipes import KzooError, arguments_of

from kzoo import layers
from kzoo.data.batches import PairedBatches, measuring_batches
from kzoo.data.memory import Memory
from kzoo.data.paired_checks import pair_notes
from kzoo.data.pairs import load_paired_splits
from kzoo.metrics import summary_metrics
from kzoo.metrics.rouge_words import Words
from kzoo.metrics.summary_counts import check_letters
from kzoo.models import Seq2Seq
from kzoo.tasks.pairs import (
    MEASURED,
    Frame,
    PreparedPairs,
    check_ends,
    encode_pairs,
)
from kzoo.tasks.parts import dtype_policy, make_encoder, split_notes, stack_arguments
from kzoo.tasks.pretrained import (
    begin_warm,
    check_whole,
    opened,
    tokenizer_for,
    warm_decoder,
    whole_model,
)

NOTHING = -1  # after the end of what was written


class Summarization:
    """A summary for every document. See `kzoo.tasks` for the methods of a task."""

    measured = None

    def prepare(self, recipe):
        """Read the recipe's rows, find the tokenizer, encode.

        Raises:
            KzooError: if a file, a column or a row is not what the recipe says, or its
                tokenizer cannot end a text, or ROUGE's has no words for most summaries.
        """
        data, training = recipe.data, recipe.training
        splits = load_paired_splits(data)
        train = splits["train"]
        pretrained = opened(recipe, whole=True)
        texts = [*train.documents, *train.summaries]
        tokenizer = tokenizer_for(recipe, pretrained, texts)
        frame = None
        if pretrained is not None and pretrained.writes:
            check_whole(recipe, pretrained)
            own = pretrained.head["model"]
            forced = (own["generation"] or {}).get("forced_first")
            frame = Frame.of(tokenizer, own["start_id"], own["end_id"], forced)
        else:
            check_ends(tokenizer, recipe.model.pretrained or recipe.tokenizer.file)
        words = Words(training.rouge_tokenizer, stemmer=False)
        for rows in (splits["dev"], splits["test"]):  # Before hours are spent.
            check_letters(rows.references, words, rows.where)
        self._check_beams(recipe.generation, tokenizer)
        lengths = data.sequence_length, data.summary_length
        memory = None
        if recipe.model.neighbours:
            remembered = train.documents, train.summaries
            memory = Memory.of(*remembered, recipe.model.neighbours)
        prepared = self.encode(
            splits, tokenizer, *lengths, data.truncate, memory, own="train", frame=frame
        )
        prepared = dataclasses.replace(
            prepared,
            quick_rows=training.evaluation_rows,
            seed=recipe.seed,
            rouge_tokenizer=training.rouge_tokenizer,
            pretrained=pretrained,
        )
        notes = [
            *split_notes(data, splits),
            *(f"{name}: {note}" for name, r in splits.items() for note in r.notes),
            *pair_notes(splits),
            *(frame.notes(tokenizer) if frame else []),
            *prepared.notes,
        ]
        rows = len(splits["dev"])
        if rows > training.evaluation_rows:
            notes.append(
                f"dev: {training.evaluation_rows:,} of {rows:,} documents are "
                "summarized at each evaluation; the loss is that of all"
            )
        return dataclasses.replace(prepared, notes=notes)

    def _check_beams(self, settings, tokenizer):
        if settings.beams > tokenizer.vocabulary_size:
            raise KzooError(
                "[generation] beams must be at most the number of tokens, "
                f"{tokenizer.vocabulary_size:,}. Received: beams={settings.beams}"
            )

    def encode(
        self,
        splits,
        tokenizer,
        sequence_length,
        summary_length,
        truncate,
        memory=None,
        own=None,
        frame=None,
    ):
        """Rows by split as `PreparedPairs`, with a tokenizer that exists.

        Args:
            splits: dict of `PairedRows`.
            tokenizer, sequence_length, summary_length, truncate: see
                `kzoo.tasks.pairs.encode_pairs`.
            memory: `kzoo.data.memory.Memory`, or `None`.
            own: str. The split that the memory is of, so that its rows recall others.
            frame: `kzoo.tasks.pairs.Frame`, or `None` for the tokenizer's own.
        """
        encoded, notes = {}, []
        for name, rows in splits.items():
            documents = rows.documents
            if memory is not None:
                documents = memory.before(documents, own=name == own)
            encoded[name], said = encode_pairs(
                rows,
                tokenizer,
                sequence_length,
                summary_length,
                truncate,
                documents,
                frame,
            )
            notes.extend(f"{name}: {note}" for note in said)
        return PreparedPairs(
            tokenizer,
            encoded,
            sequence_length,
            summary_length,
            notes,
            memory=memory,
            frame=frame,
        )

    def build(self, recipe, prepared):
        """The model of the recipe, weights drawn from its seed."""
        layers.set_seed(recipe.seed)
        settings, tokenizer = recipe.model, prepared.tokenizer
        pretrained = prepared.pretrained
        arguments = {
            "copy": settings.copy,
            "source_length": prepared.sequence_length,
            "target_length": prepared.summary_length,
            "truncate": recipe.data.truncate,
            "generation": arguments_of(recipe.generation),
            "name": "summarizer",
        }
        with dtype_policy(recipe.training.precision):
            if pretrained is not None and pretrained.writes:
                model = whole_model(recipe, prepared, **arguments)
                return model.attach(tokenizer, prepared.memory)
            encoder = make_encoder(recipe, prepared)
            decoder = self._decoder(recipe, prepared, encoder)
            model = Seq2Seq(
                encoder,
                decoder,
                tokenizer.start_id,
                tokenizer.end_id,
                share_embeddings=settings.share_embeddings,
                **arguments,
            )
        if pretrained is not None:
            begin_warm(recipe, model, prepared)
        return model.attach(tokenizer, prepared.memory)

    def _decoder(self, recipe, prepared, encoder):
        """The decoder of a recipe, not built."""
        if recipe.model.pretrained is not None:
            return warm_decoder(recipe, encoder)
        length = prepared.summary_length
        return layers.TransformerDecoder(
            prepared.tokenizer.vocabulary_size,
            **stack_arguments(recipe.model.decoder, length),
            name="decoder",
        )

    def loss(self, recipe, prepared):
        """The loss of the recipe: its name in `LOSSES` and its options."""
        name = "copy" if recipe.model.copy else "cross_entropy"
        return name, {"label_smoothing": recipe.training.label_smoothing}

    def finish(self, recipe, model, predict, prepared, batch_size=64):
        """After training nothing is left to do."""
        return []

    def batches(self, recipe, prepared):
        """The batches of training, in the order of the recipe's seed."""
        return PairedBatches(
            prepared.pairs("train", recipe.data.buckets),
            recipe.training.batch_size,
            recipe.seed,
            example_weights=prepared.splits["train"].weights,
            accumulation=recipe.training.accumulation,
        )

    def sequences(self, prepared, split):
        """The token ids `(S,)` of a split's documents, as the model reads them."""
        return prepared.splits[split].sources

    def decide(self, model, predict, inputs, prepared):
        """What the model writes, greedily and as the recipe says, int `(tokens,)`.

        Args:
            model: `Seq2Seq`. Its own weights write, whatever `predict` knows.
            predict: not asked.
            inputs: dict of `token_ids` and `padding_mask`.
            prepared: `PreparedPairs`.
        """
        return greedy_and_settled(model, inputs)

    def evaluate(self, model, stepper, prepared, split, batch_size, quick=False):
        """Metrics of a split: the loss, and ROUGE of what the model writes.

        Weights of rows enter neither. The model gets the stepper's weights.

        Args:
            model: `Seq2Seq`, that of the stepper.
            stepper: from `kzoo.training.steppers.make_stepper`.
            prepared: `PreparedPairs`.
            split: str. A key of `prepared.splits`.
            batch_size: int. Rows at once.
            quick: bool. Whether to summarize some of the rows only, greedily.
        """
        rows = prepared.splits[split]
        chosen = prepared.quick(split) if quick else range(len(rows))
        settings = model.settings(beams=1) if quick else model.settings()
        stepper.sync()
        documents = [rows.documents[row] for row in chosen]
        read = rows.read.rows(chosen)
        answers = model.answers(documents, settings, batch_size, encoded=read)
        figures = summary_metrics(
            [rows.references[row] for row in chosen],
            [answer["summary"] for answer in answers],
            documents,
            tokenizer=prepared.rouge_tokenizer,
        )
        loss = mean_loss(stepper, prepared.pairs(split, most=MEASURED), batch_size)
        return {**figures, "loss": loss}

    def predict(self, model, texts):
        """A summary of each text."""
        return model.summarize(texts)


def greedy_and_settled(model, inputs):
    """What a model writes, greedily and then as saved with it, int64 `(tokens,)`."""
    written = []
    for settings in (model.settings(beams=1), model.settings()):
        read = inputs["token_ids"], inputs["padding_mask"]
        for of_source in model.generate(*read, settings):
            ids = of_source[0].token_ids
            room = settings.max_new_tokens - len(ids)
            written.append(np.append(ids, np.full(room, NOTHING)))
    return np.concatenate(written).astype("int64")


def mean_loss(stepper, pairs, batch_size):
    """The mean surprise at a target's token, in nats.

    Args:
        stepper: what measures the batches.
        pairs: `kzoo.data.batches.Pairs`.
        batch_size: int. Pairs at once.
    """
    batches = measuring_batches(pairs, batch_size)
    return float(sum(float(stepper.measure(batch)) for batch in batches))
