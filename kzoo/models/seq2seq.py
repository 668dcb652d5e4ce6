"""Sequence to sequence: a text read by an encoder, another written by a decoder."""

from pathlib import Path

import keras
from keras import ops
from kzoo_recipes import LONGEST

from kzoo.data.memory import Memory
from kzoo.generation import Generation
from kzoo.layers import CopyMechanism, OutputProjection
from kzoo.layers.copying import copy_loss, mixture, repeats
from kzoo.layers.native import operations
from kzoo.layers.parts import config_of
from kzoo.models import blanks
from kzoo.models import generation as writing
from kzoo.models.text_model import TextModel, known_to_keras
from kzoo.text.spans import Corruption

MEMORY = "memory.safetensors"
TRUNCATIONS = ("head", "tail", "both")


@keras.saving.register_keras_serializable(package="kzoo")
class Seq2Seq(TextModel):
    """Writes a text token by token, each from those before and from the text it read.

    Args:
        encoder: `kzoo.layers.TransformerEncoder`. Reads the source.
        decoder: `kzoo.layers.TransformerDecoder` with cross-attention, of the same
            vocabulary. Not built: the model makes it read the encoder's token vectors.
        start_id: int. The token before the first; BERT's `[CLS]`, T5's padding.
        end_id: int. The token after the last; BERT's `[SEP]`, T5's `</s>`.
        copy: bool. Whether tokens may be copied from the source, see
            `kzoo.layers.CopyMechanism`.
        share_embeddings: bool. Whether encoder and decoder have one table of token
            vectors. What else their embeddings have stays apart.
        source_length: int. Most tokens of a source, special tokens counted.
        target_length: int. Most tokens of a target, `end_id` counted.
        truncate: "head", "tail" or "both". Which part of a longer source is kept; both
            is half of each.
        projection: dict of further arguments of `kzoo.layers.OutputProjection`, or
            `None`: as a rule the decoder's token vectors score the next token.
        generation: dict of the settings of `kzoo.generation.Generation` that
            `generate` and `summarize` take where they are told no others, or `None`.
        corruption: dict of arguments of `kzoo.text.spans.Corruption` of a model that
            learnt to write the spans that are missing in a text, see `fill`; `None`
            is any other.

    Inputs: `{"encoder_token_ids": int (B, S), "encoder_padding_mask": bool (B, S),
    "decoder_token_ids": int (B, T), "decoder_padding_mask": bool (B, T)}`. The decoder
    reads `start_id` and the target up to its last token; what it is to say is the
    target and `end_id`.
    Output: float32 logits `(B, T, V)`, whatever the compute dtype; with `copy` a dict
    of them and of what `kzoo.layers.copying.copy_loss` needs besides: "places", "gate"
    and "source". `compile` takes no loss: `fit(inputs, labels, sample_weight)` trains
    on int labels `(B, T)`, those of positive weight, or all that are no padding.

    Raises:
        ValueError: if an argument is out of range, or the parts do not fit together.

    Reference:
        - [Vaswani et al., 2017](https://arxiv.org/abs/1706.03762)
        - [Raffel et al., 2020](https://arxiv.org/abs/1910.10683)
        - [See et al., 2017](https://arxiv.org/abs/1704.04368), copying
    """

    has_labels = False
    memory = None
    _generation_decoder = None
    generation_decoder = writing.generation_decoder
    settings = writing.settings
    generate = writing.generate
    summarize = writing.summarize
    answers = writing.answers
    fill = blanks.fill
    fillings = blanks.fillings

    def __init__(
        self,
        encoder,
        decoder,
        start_id,
        end_id,
        copy=False,
        share_embeddings=True,
        source_length=256,
        target_length=64,
        truncate="head",
        projection=None,
        generation=None,
        corruption=None,
        **kwargs,
    ):
        if corruption is not None:
            Corruption.of(corruption)  # Or a ValueError says what is wrong with it.
        _check_stacks(encoder, decoder)
        _check_length("source_length", source_length, encoder)
        _check_length("target_length", target_length, decoder)
        _check_id("start_id", start_id, decoder)
        _check_id("end_id", end_id, decoder)
        for name, value in (("copy", copy), ("share_embeddings", share_embeddings)):
            if not isinstance(value, bool):
                raise ValueError(
                    f"`{name}` must be True or False. Received: {name}={value!r}"
                )
        if truncate not in TRUNCATIONS:
            raise ValueError(
                f"`truncate` must be one of {', '.join(map(repr, TRUNCATIONS))}. "
                f"Received: truncate={truncate!r}"
            )
        for name, value in (("generation", generation), ("projection", projection)):
            if value is not None and not isinstance(value, dict):
                raise ValueError(
                    f"`{name}` must be a dict or None. Received: {name}={value!r}"
                )
        if generation:
            own = Generation().told(**{"max_new_tokens": target_length, **generation})
            own.check(decoder.vocabulary_size, decoder.max_sequence_length, [end_id])
        if share_embeddings:
            decoder.embedding.share(encoder.embedding)
        inputs = {
            f"{stack}_{name}": keras.Input((None,), dtype=dtype, name=f"{stack}_{name}")
            for stack in ("encoder", "decoder")
            for name, dtype in (("token_ids", "int32"), ("padding_mask", "bool"))
        }
        source, mask = inputs["encoder_token_ids"], inputs["encoder_padding_mask"]
        encoded = encoder(source, mask)  # (B, S, D)
        hidden = decoder(
            inputs["decoder_token_ids"], encoded, inputs["decoder_padding_mask"], mask
        )  # (B, T, D)
        policy = decoder.dtype_policy
        project = OutputProjection(
            decoder.vocabulary_size, **(projection or {}), name="logits", dtype=policy
        ).tie(decoder.embedding)
        outputs = project(hidden)  # (B, T, V)
        pointer = None
        if copy:
            pointer = CopyMechanism(encoder.hidden_dim, name="copy", dtype=policy)
            outputs = {"logits": outputs, "source": source}
            outputs |= pointer(hidden, encoded, mask)
        super().__init__(inputs=inputs, outputs=outputs, **known_to_keras(kwargs))
        self.encoder = encoder  # After super().__init__(): torch modules insist.
        self.decoder = decoder
        self.projection = project
        self.pointer = pointer
        self.start_id = start_id
        self.end_id = end_id
        self.share_embeddings = share_embeddings
        self.source_length = source_length
        self.target_length = target_length
        self.truncate = truncate
        self.generation = dict(generation) if generation else None
        self.corruption = None if corruption is None else dict(corruption)
        self._projection_arguments = dict(projection) if projection else None

    @property
    def copies(self):
        """Whether tokens may be copied from the source."""
        return self.pointer is not None

    def attach(self, tokenizer, memory=None):
        """Give the model its tokenizer.

        Args:
            tokenizer: `kzoo.text.Tokenizer`. Its ids must fit encoder and decoder.
            memory: `kzoo.data.memory.Memory`. What it recalls stands before each text
                that `summarize` reads; it is saved with the model.

        Returns:
            The model.

        Raises:
            ValueError: if the tokenizer does not fit the model.
        """
        for name in ("start_id", "end_id"):
            if getattr(self, name) >= tokenizer.vocabulary_size:
                raise ValueError(
                    f"The tokenizer has no token of the model's `{name}`. Received: "
                    f"tokenizer.vocabulary_size={tokenizer.vocabulary_size}, "
                    f"{name}={getattr(self, name)}"
                )
        if self.source_length <= tokenizer.num_special:
            raise ValueError(
                f"`source_length` must be at least {tokenizer.num_special + 1}: "
                f"{tokenizer.num_special} special tokens and one of a text. "
                f"Received: source_length={self.source_length}"
            )
        self._attach_tokenizer(tokenizer)
        self.memory = memory
        return self

    def save_assets(self, dir_path):
        super().save_assets(dir_path)
        if self.memory is not None:
            Path(dir_path, MEMORY).write_bytes(self.memory.to_bytes())

    def load_assets(self, dir_path):
        super().load_assets(dir_path)
        remembered = Path(dir_path, MEMORY)
        if remembered.exists():
            self.memory = Memory.from_bytes(remembered.read_bytes())

    def compile(self, optimizer="rmsprop", loss=None, **kwargs):
        """Keras' own; the loss is the model's.

        Raises:
            ValueError: if a loss is given.
        """
        if loss is not None:
            raise ValueError(
                "The loss of a Seq2Seq is its own, so `compile` takes none. "
                f"Received: loss={loss!r}"
            )
        super().compile(optimizer=optimizer, **kwargs)

    def compute_loss(
        self, x=None, y=None, y_pred=None, sample_weight=None, training=True
    ):
        """The mean surprise at the labels, as `fit` and `evaluate` report it."""
        weights = x["decoder_padding_mask"] if sample_weight is None else sample_weight
        weights = ops.cast(weights, "float32")  # (B, T)
        weights = weights / ops.maximum(ops.sum(weights), 1e-12)
        if self.copies:
            return copy_loss(y, y_pred, weights)
        surprise = keras.losses.sparse_categorical_crossentropy(
            y, y_pred, from_logits=True
        )
        return ops.sum(weights * surprise)

    def read(self, token_ids, padding_mask):
        """What generation needs of the source, computed once. Tensors only.

        Args:
            token_ids: int32 `(B, S)`.
            padding_mask: bool `(B, S)`. `True` marks a token.

        Returns:
            dict of tensors: "encoded", float `(B, S, D)`, "padding_mask", and with
            `copy` what `scores` reads besides.
        """
        encoded = operations.encode(self.encoder, token_ids, padding_mask)
        source = {"encoded": encoded, "padding_mask": padding_mask}
        if self.copies:
            source["token_ids"] = token_ids
            source["votes"] = self.pointer.votes(encoded)
            source |= repeats(token_ids)
        return source

    def scores(self, hidden, source):
        """Score every next token. Tensors only.

        Args:
            hidden: float `(B, K, D)`, what the decoder made of K beams of each source.
            source: dict, as `read` gives it.

        Returns:
            Float32 `(B, K, V)`: logits, or with `copy` the logarithms of probabilities.
        """
        logits = self.projection.call(hidden)
        if not self.copies:
            return logits
        pointed = self.pointer.point(
            hidden, source["encoded"], source["padding_mask"], source["votes"]
        )
        words = (source[name] for name in ("token_ids", "same", "first"))
        return mixture(logits, pointed["places"], pointed["gate"], *words)

    def get_config(self):
        # Our constructor's arguments, not the graph that Functional would list.
        return {
            "name": self.name,
            "encoder": config_of(self.encoder),
            "decoder": config_of(self.decoder),
            "start_id": self.start_id,
            "end_id": self.end_id,
            "copy": self.copies,
            "share_embeddings": self.share_embeddings,
            "source_length": self.source_length,
            "target_length": self.target_length,
            "truncate": self.truncate,
            "projection": self._projection_arguments,
            "generation": self.generation,
            "corruption": self.corruption,
        }

    @classmethod
    def from_config(cls, config, custom_objects=None):
        stacks = {
            name: keras.saving.deserialize_keras_object(
                config[name], custom_objects=custom_objects
            )
            for name in ("encoder", "decoder")
        }
        return cls(**{**config, **stacks})


def _check_stacks(encoder, decoder):
    if not decoder.cross_attention:
        raise ValueError(
            "The decoder of a Seq2Seq looks at the encoder's output. "
            "Received: decoder.cross_attention=False"
        )
    if decoder.embedding.bigram_buckets:
        raise ValueError(
            "A decoder that writes one token at a time cannot see pairs of them. "
            f"Received: bigram_buckets={decoder.embedding.bigram_buckets}"
        )
    if encoder.vocabulary_size != decoder.vocabulary_size:
        raise ValueError(
            "Encoder and decoder must have one vocabulary. Received: "
            f"encoder.vocabulary_size={encoder.vocabulary_size}, "
            f"decoder.vocabulary_size={decoder.vocabulary_size}"
        )


def _check_length(name, value, stack):
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ValueError(
            f"`{name}` must be an int of at least 1. Received: {name}={value!r}"
        )
    if value > LONGEST:
        raise ValueError(
            f"`{name}` must be at most {LONGEST}. Received: {name}={value}"
        )
    stack.check_room(value, name, called=stack.name)


def _check_id(name, value, stack):
    whole = isinstance(value, int) and not isinstance(value, bool)
    if not whole or not 0 <= value < stack.vocabulary_size:
        raise ValueError(
            f"`{name}` must be a token id in [0, {stack.vocabulary_size}). "
            f"Received: {name}={value!r}"
        )
