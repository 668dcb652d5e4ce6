"""Span corruption: from texts to a model that writes what is missing."""

import dataclasses

import numpy as np
from kzoo_recipes import KzooError, arguments_of

from kzoo import layers
from kzoo.data.batches import CorruptedWindows, length_buckets
from kzoo.data.texts import load_text_splits
from kzoo.models import Seq2Seq
from kzoo.models.families import FAMILIES
from kzoo.models.generation import BEAMS
from kzoo.tasks.masked_lm import SEED, MaskedLanguageModelling
from kzoo.tasks.pairs import check_ends
from kzoo.tasks.parts import (
    SHAPES,
    dtype_policy,
    make_encoder,
    split_notes,
    stack_arguments,
)
from kzoo.tasks.pretrained import opened, tokenizer_for, whole_model
from kzoo.tasks.summarizer import greedy_and_settled
from kzoo.tasks.texts import EncodedTexts, PreparedTexts, encode_texts, text_notes
from kzoo.text.masking import FIXED
from kzoo.text.spans import SENTINELS, Corrupter, Corruption

# What T5's config.json calls the feed-forwards of recipes.
FEED_FORWARDS = {
    "relu": "relu",
    "gelu": "gelu",
    "gelu_tanh": "gelu_new",
    "silu": "silu",
    "reglu": "gated-relu",
    "geglu": "gated-gelu_python",
    "geglu_tanh": "gated-gelu",
    "swiglu": "gated-silu",
}
LEAST = 2  # tokens of a window, of which one is taken out and one stays


@dataclasses.dataclass(frozen=True)
class PreparedSpans(PreparedTexts):
    """`PreparedTexts`, and how spans are taken out of them.

    Attributes:
        corruption: `kzoo.text.spans.Corruption`.
        start_id: int. What a decoder is given before the first token.
        end_id: int. What ends a text that is written.
    """

    corruption: Corruption = dataclasses.field(default_factory=Corruption)
    start_id: int = 0
    end_id: int = 0

    @property
    def corrupter(self):
        """What takes spans out of these windows, `kzoo.text.spans.Corrupter`."""
        return Corrupter(self.corruption, self.tokenizer, self.end_id)

    def windows(self, name, buckets=None, most=SHAPES):
        """A split as `kzoo.data.batches.CorruptedWindows`.

        Args:
            name: str. A key of `splits`.
            buckets: list of int. Lengths of windows; `None` fits them.
            most: int. How many, at the most.
        """
        rows, tokenizer = self.splits[name], self.tokenizer
        lengths = [len(ids) for ids in rows.token_ids]
        buckets = buckets or length_buckets(self.sequence_length, lengths, most)
        return CorruptedWindows(
            rows.token_ids, self.corrupter, buckets, tokenizer.pad_id, self.start_id
        )


class SpanCorruption(MaskedLanguageModelling):
    """Spans that were taken out. See `kzoo.tasks` for the methods of a task."""

    kinds = ("text", "mark")  # tokens of a span; sentinels and the end

    def prepare(self, recipe):
        """Read the recipe's texts, find the tokenizer, cut them into windows.

        Raises:
            KzooError: if a file or a column is not what the recipe says, or its
                tokenizer cannot end a text or has too few sentinels.
        """
        data = recipe.data
        splits = load_text_splits(data)
        texts, name = splits["train"].texts, recipe.model.pretrained
        pretrained = opened(recipe, whole=True)
        if pretrained is not None:
            check_writes(name, pretrained)
        tokenizer = tokenizer_for(recipe, pretrained, texts, SENTINELS)
        ends = tokenizer.start_id, tokenizer.end_id
        if pretrained is not None:
            ends = [pretrained.head["model"][f"{key}_id"] for key in ("start", "end")]
        else:
            check_ends(tokenizer, recipe.tokenizer.file, "a model")
        prepared = self.encode(
            splits,
            tokenizer,
            data.sequence_length,
            data.pack,
            Corruption(**arguments_of(recipe.corruption)),
            ends,
            name or recipe.tokenizer.file,
        )
        notes = [*split_notes(data, splits), *text_notes(splits), *prepared.notes]
        return dataclasses.replace(prepared, notes=notes, pretrained=pretrained)

    def encode(
        self, splits, tokenizer, sequence_length, pack, corruption, ends, named=None
    ):
        """Rows by split as `PreparedSpans`, with a tokenizer that exists.

        Args:
            splits, tokenizer, sequence_length, pack: see
                `kzoo.tasks.texts.encode_texts`. Texts that share a window follow each
                other as T5 has them, with nothing between.
            corruption: `kzoo.text.spans.Corruption`.
            ends: pair of int, the ids of the start and of the end of what is written.
            named: str. What the tokenizer is called.

        Raises:
            KzooError: if the tokenizer has too few sentinels for a window.
        """
        check_sentinels(tokenizer, corruption, sequence_length, named or "tokenizer")
        found = encode_texts(splits, tokenizer, sequence_length, pack, parted=False)
        encoded = {}
        for split, rows in found.splits.items():
            encoded[split], said = _corruptible(rows, tokenizer)
            found.notes.extend(f"{split}: {note}" for note in said)
            if not len(encoded[split]):
                raise KzooError(
                    f"{splits[split].path}: no text of {split} has the {LEAST} tokens "
                    "of which one can be taken out."
                )
        fields = dataclasses.fields(found)
        values = {field.name: getattr(found, field.name) for field in fields}
        values["splits"] = encoded
        return PreparedSpans(
            **values, corruption=corruption, start_id=ends[0], end_id=ends[1]
        )

    def encoded_for(self, model, splits, pack):
        """Rows by split as a saved model reads them, see `encode`."""
        return self.encode(
            splits,
            model.tokenizer,
            model.source_length,
            pack,
            Corruption.of(model.corruption),
            (model.start_id, model.end_id),
        )

    def build(self, recipe, prepared):
        """The model of the recipe, weights drawn from its seed."""
        layers.set_seed(recipe.seed)
        length = prepared.sequence_length
        _, target_length = prepared.corrupter.lengths(length)
        arguments = {
            "source_length": length,
            "target_length": target_length,
            "corruption": dataclasses.asdict(prepared.corruption),
            "name": "span_corruption",
        }
        with dtype_policy(recipe.training.precision):
            if prepared.pretrained is not None:
                settings = {"beams": BEAMS, "max_new_tokens": target_length}
                arguments["generation"] = settings
                model = whole_model(recipe, prepared, **arguments)
                return model.attach(prepared.tokenizer)
            if recipe.model.family is not None:
                encoder, decoder, more = family_parts(recipe, prepared.tokenizer)
            else:
                encoder = make_encoder(recipe, prepared)
                decoder = layers.TransformerDecoder(
                    prepared.tokenizer.vocabulary_size,
                    **stack_arguments(recipe.model.decoder, target_length),
                    name="decoder",
                )
                more = {"share_embeddings": recipe.model.share_embeddings}
            ends = prepared.start_id, prepared.end_id
            model = Seq2Seq(encoder, decoder, *ends, **more, **arguments)
        return model.attach(prepared.tokenizer)

    def sequences(self, prepared, split):
        """The token ids `(S,)` of a split, as the model reads them: always the same."""
        windows = prepared.windows(split)
        return [ids for ids, _ in windows.hidden(range(len(windows)), SEED, FIXED)]

    def decide(self, model, predict, inputs, prepared):
        """What the model writes, as `Summarization.decide` has it."""
        return greedy_and_settled(model, inputs)

    def kinds_of(self, tokens, batch, line, asked, tokenizer):
        """The kind of each token that a row of a batch is asked for, int64 `(P,)`."""
        del batch, line, asked
        ends = tokens == tokens[-1]
        return (ends | np.isin(tokens, tokenizer.sentinels)).astype("int64")

    def predict(self, model, texts):
        """What may stand at the blanks of each text."""
        return model.fill(texts)


def family_parts(recipe, tokenizer):
    """The stacks of a recipe's `[model] family`, and what else makes the model.

    Args:
        recipe: `SpanRecipe`.
        tokenizer: `kzoo.text.Tokenizer`.

    Returns:
        encoder; decoder, not built; dict of further arguments of `Seq2Seq`.
    """
    encoder = recipe.model.encoder
    head_dim = encoder.attention and encoder.attention.head_dim
    config = {
        "model_type": recipe.model.family,
        "vocab_size": tokenizer.vocabulary_size,
        "num_layers": encoder.num_layers,
        "num_decoder_layers": recipe.model.decoder.num_layers,
        "num_heads": encoder.num_heads,
        "d_model": encoder.hidden_dim,
        "d_kv": head_dim or encoder.hidden_dim // encoder.num_heads,
        "d_ff": encoder.intermediate_dim,
        "dropout_rate": encoder.dropout,
        "feed_forward_proj": FEED_FORWARDS[encoder.feed_forward],
    }
    row = FAMILIES[recipe.model.family].stack(config)
    return (
        layers.TransformerEncoder(**row["encoder"], name="encoder"),
        layers.TransformerDecoder(**row["decoder"], name="decoder"),
        row["model"],
    )


def check_writes(name, pretrained):
    """Raise a `KzooError` unless a checkpoint can go on as span corruption."""
    if not pretrained.writes:
        raise KzooError(
            f"{name}: this is an encoder alone, and missing spans are written by a "
            "decoder; name an encoder-decoder such as a T5."
        )
    if pretrained.head["model"]["copy"]:
        raise KzooError(
            f"{name}: this model copies from what it reads, and what is missing there "
            "cannot be copied; name one with copy = false."
        )


def check_sentinels(tokenizer, corruption, sequence_length, named):
    """Raise a `KzooError` unless each span of a window has a sentinel, and its end."""
    _, spans = corruption.counts(max(sequence_length - tokenizer.num_special, LEAST))
    have = len(tokenizer.sentinels)
    if not have:
        raise KzooError(
            f"{named}: the tokenizer has no sentinels <extra_id_0>, <extra_id_1> … to "
            "stand for spans; name that of a T5, or leave `file` out to have one "
            "trained."
        )
    if have <= spans:
        raise KzooError(
            f"{named}: the tokenizer has {have:,} sentinels, and windows of [data] "
            f"sequence_length tokens need {spans + 1:,}; choose shorter windows or a "
            f"greater [corruption] span_length. Received: {sequence_length=}"
        )


def _corruptible(rows, tokenizer):
    """The windows of a split of which something can be taken out, and notes."""
    least = tokenizer.num_special + LEAST
    short = np.array([len(ids) < least for ids in rows.token_ids], bool)
    marked = [np.isin(ids, tokenizer.sentinels).any() for ids in rows.token_ids]
    marked = np.array(marked, bool) & ~short
    notes = []
    for count, which in (
        (short.sum(), "of a single token"),
        (marked.sum(), "with a sentinel such as <extra_id_0> in the text"),
    ):
        if count:
            what = "1 window" if count == 1 else f"{count:,} windows"
            notes.append(f"{what} {which} {'was' if count == 1 else 'were'} left out")
    kept = np.flatnonzero(~(short | marked))
    return EncodedTexts(
        [rows.token_ids[row] for row in kept],
        [rows.word_of[row] for row in kept],
        rows.texts[kept],
    ), notes
