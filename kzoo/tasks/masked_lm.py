"""Masked language modelling: from texts to a model that knows what is missing."""

import dataclasses
import math

import numpy as np
from keras import ops
from kzoo_recipes import KzooError, arguments_of

from kzoo import layers
from kzoo.data.batches import (
    MaskedBatches,
    MaskedWindows,
    fixed_batches,
    length_buckets,
)
from kzoo.data.texts import load_text_splits
from kzoo.interop.pretrained_masked import masked_lm_of, with_head
from kzoo.models import MaskedLM
from kzoo.tasks.parts import SHAPES, dtype_policy, make_encoder, split_notes
from kzoo.tasks.pretrained import opened, tokenizer_for
from kzoo.tasks.texts import PreparedTexts, encode_texts, text_notes
from kzoo.text.masking import FIXED, Masker, Masking

MEASURED = 2  # lengths of batches that are measured
SEED = 0  # of the masks that never change, whatever the recipe's


@dataclasses.dataclass(frozen=True)
class PreparedMasks(PreparedTexts):
    """`PreparedTexts`, and how their tokens are hidden.

    Attributes:
        masking: `kzoo.text.masking.Masking`.
    """

    masking: Masking = dataclasses.field(default_factory=Masking)

    def windows(self, name, buckets=None, most=SHAPES):
        """A split as `kzoo.data.batches.MaskedWindows`.

        Args:
            name: str. A key of `splits`.
            buckets: list of int. Lengths of batches; `None` fits them.
            most: int. How many, at the most.
        """
        rows = self.splits[name]
        lengths = [len(ids) for ids in rows.token_ids]
        buckets = buckets or length_buckets(self.sequence_length, lengths, most)
        masker = Masker(self.masking, self.tokenizer)
        return MaskedWindows(
            rows.token_ids, rows.word_of, masker, buckets, self.tokenizer.pad_id
        )


class MaskedLanguageModelling:
    """The tokens that are hidden. See `kzoo.tasks` for the methods of a task."""

    measured = "each_token"
    kinds = ("masked", "random", "kept")  # what stood in place of a hidden token

    def prepare(self, recipe):
        """Read the recipe's texts, find the tokenizer, cut them into windows.

        Raises:
            KzooError: if a file or a column is not what the recipe says, or its
                tokenizer has no token that hides others.
        """
        data = recipe.data
        splits = load_text_splits(data)
        pretrained = with_head(opened(recipe))
        tokenizer = tokenizer_for(recipe, pretrained, splits["train"].texts)
        if tokenizer.mask_id is None:
            raise KzooError(
                f"{recipe.model.pretrained or recipe.tokenizer.file}: the tokenizer "
                "has no token that hides another, [MASK] or <mask>; name another one, "
                "or leave it out to have one trained."
            )
        prepared = self.encode(
            splits,
            tokenizer,
            data.sequence_length,
            data.pack,
            Masking(**arguments_of(recipe.masking)),
        )
        notes = [*split_notes(data, splits), *text_notes(splits), *prepared.notes]
        return dataclasses.replace(prepared, notes=notes, pretrained=pretrained)

    def encode(self, splits, tokenizer, sequence_length, pack, masking):
        """Rows by split as `PreparedMasks`, with a tokenizer that exists.

        Args:
            splits, tokenizer, sequence_length, pack: see
                `kzoo.tasks.texts.encode_texts`.
            masking: `kzoo.text.masking.Masking`.
        """
        prepared = encode_texts(splits, tokenizer, sequence_length, pack)
        fields = dataclasses.fields(prepared)
        values = {field.name: getattr(prepared, field.name) for field in fields}
        return PreparedMasks(**values, masking=masking)

    def build(self, recipe, prepared):
        """The model of the recipe, weights drawn from its seed."""
        layers.set_seed(recipe.seed)
        arguments = {
            "sequence_length": prepared.sequence_length,
            "masking": dataclasses.asdict(prepared.masking),
            "name": "masked_lm",
        }
        with dtype_policy(recipe.training.precision):
            if prepared.pretrained is not None:
                dropouts = arguments_of(recipe.model.encoder)
                model, notes = masked_lm_of(prepared.pretrained, dropouts, **arguments)
                prepared.notes.extend(notes)
            else:
                model = MaskedLM(
                    make_encoder(recipe, prepared),
                    activation=recipe.model.activation,
                    norm=recipe.model.encoder.norm,
                    **arguments,
                )
        return model.attach(prepared.tokenizer)

    def loss(self, recipe, prepared):
        """The loss of the recipe: its name in `LOSSES` and its options."""
        return "cross_entropy", {"label_smoothing": recipe.training.label_smoothing}

    def finish(self, recipe, model, predict, prepared, batch_size=64):
        """After training nothing is left to do."""
        return []

    def batches(self, recipe, prepared):
        """The batches of training, in the order of the recipe's seed."""
        return MaskedBatches(
            prepared.windows("train", recipe.data.buckets),
            recipe.training.batch_size,
            recipe.seed,
            accumulation=recipe.training.accumulation,
        )

    def sequences(self, prepared, split):
        """The token ids `(T,)` of a split, as the model reads them: its windows."""
        return prepared.splits[split].token_ids

    def decide(self, model, predict, inputs, prepared):
        """What the model takes for each token that is no padding, int `(tokens,)`.

        Args:
            model: not asked.
            predict: function from inputs to logits, numpy.
            inputs: dict of `token_ids` and `padding_mask`.
            prepared: `PreparedMasks`.
        """
        mask = inputs["padding_mask"]
        places = np.tile(np.arange(mask.shape[1], dtype="int32"), (len(mask), 1))
        return predict({**inputs, "places": places})[mask].argmax(-1)

    def answers(self, stepper, prepared, split, batch_size):
        """What a model makes of what it is asked for, by row.

        What is hidden in a row is the same always, whatever the seed of the recipe.

        Args:
            stepper: what measures, by the loss `each_token`.
            prepared: `PreparedMasks`.
            split: str. A key of `prepared.splits`.
            batch_size: int. Windows at once.

        Yields:
            `(row, tokens, kinds, surprises, right)`: int; int32 `(P,)`, what was asked
            for; int64 `(P,)`, places in `kinds`; float64 `(P,)`, in nats; bool `(P,)`,
            whether it was the first choice.
        """
        windows = prepared.windows(split, most=MEASURED)
        for batch in fixed_batches(windows, batch_size, SEED, FIXED):
            said = np.asarray(ops.convert_to_numpy(stepper.measure(batch)), "float64")
            for line, row in enumerate(batch.rows):
                asked = batch.weights[line] > 0
                tokens = batch.labels[line][asked]
                kinds = self.kinds_of(tokens, batch, line, asked, prepared.tokenizer)
                surprises, right = said[line, asked].T
                yield int(row), tokens, kinds, surprises, right > 0

    def kinds_of(self, tokens, batch, line, asked, tokenizer):
        """The kind of each token that a row of a batch is asked for, int64 `(P,)`."""
        places = batch.inputs["places"][line][asked]
        read = batch.inputs["token_ids"][line][places]
        kept = np.where(read == tokens, 2, 1)
        return np.where(read == tokenizer.mask_id, 0, kept)

    def evaluate(self, model, stepper, prepared, split, batch_size, quick=False):
        """Metrics of a split: `loss`, in nats, `perplexity` and `accuracy`.

        All are of the tokens that are asked for, over which the means are taken;
        further arguments are those of `answers`.

        Args:
            model: not asked.
            quick: bool. All is measured in any case.
        """
        surprises, right = [], []
        for *_, surprise, hits in self.answers(stepper, prepared, split, batch_size):
            surprises.append(surprise)
            right.append(hits)
        loss = float(np.concatenate(surprises).mean())
        return {
            "accuracy": float(np.concatenate(right).mean()),
            "perplexity": perplexity(loss),
            "loss": loss,
        }

    def encoded_for(self, model, splits, pack):
        """Rows by split as a saved model reads them, see `encode`."""
        masking = Masking.of(model.masking)
        length = model.sequence_length
        return self.encode(splits, model.tokenizer, length, pack, masking)

    def predict(self, model, texts):
        """What may stand at each mask of each text."""
        return model.fill(texts)


def perplexity(loss):
    """How many tokens, all as likely, would be as hard to tell apart: `exp(loss)`."""
    return math.exp(loss) if loss < 700 else math.inf
