"""Token tagging: one label for every word of a text."""

import keras
from keras import ops
from kzoo_recipes import KzooError

from kzoo.data.schemes import PREFIXES
from kzoo.layers import Dropout, LinearChainCRF, Projection
from kzoo.layers.crf import crf_loss
from kzoo.layers.parts import config_of
from kzoo.models.crf_classes import label_fault, open_steps
from kzoo.models.entities import answers
from kzoo.models.heads import inner_layer
from kzoo.models.inputs import check_batch_size, listed, only_str
from kzoo.models.tagging import emissions, word_tags
from kzoo.models.text_model import TextModel, known_to_keras, text_inputs
from kzoo.text.alignment import align, joined
from kzoo.text.windows import room_for

HEADS = ("linear", "crf")
PIECES = ("first", "all")


@keras.saving.register_keras_serializable(package="kzoo")
class TokenTagger(TextModel):
    """Projects each vector of an encoder to class logits.

    Args:
        encoder: `kzoo.layers.TransformerEncoder`. Maps the inputs to `(B, T, D)`.
        num_classes: int. C, the number of tags, "O" counted; at least 2.
        head: "linear", each label for itself; or "crf", the labels of a text as one
            path, in which each knows the one before, see `kzoo.layers.LinearChainCRF`.
            Steps that the scheme does not allow are closed to it.
        dropout: float. Share of the encoder's vectors dropped in training.
        sequence_length: int. Longest window in tokens, special tokens counted; longer
            texts are read in windows that overlap, and nothing is cut.
        window_overlap: int or None. Pieces that neighbouring windows share; `None` is
            a quarter of `sequence_length`.
        label_pieces: "first" or "all". Which pieces of a word bear its label in
            training; a word's answer is always its first piece's. A CRF takes "first".
        scheme: a key of `kzoo.data.schemes.PREFIXES`. How tags say where an entity
            begins and ends; "plain" tags have none, as parts of speech.
        split_punctuation: bool. Whether in raw text punctuation inside a word, as in
            `Jean-Luc` or `U.N.`, is a word of its own, as the tokenizer has it; if not,
            words are those of `kzoo.text.raw_words`. As in training, or names are cut.
        inner_activation: a key of `kzoo.layers.feed_forward.ACTIVATIONS`, of one more
            layer before the logits, as wide as the encoder; `None` for no such layer.
        inner_norm: `None`, a key of `kzoo.layers.NORMS`, or a layer. Applied behind the
            inner activation.
        inner_bias: bool. Whether the inner layer adds a bias.

    Inputs: `{"token_ids": int (B, T), "padding_mask": bool (B, T)}`.
    Output: float32 logits `(B, T, C)`, whatever the compute dtype; with a CRF
    `{"logits": (B, T, C), "transitions": (B, C + 2, C)}`. The loss of a CRF is the
    model's own, so `compile` takes none: `fit(inputs, labels, sample_weight)` trains on
    int labels `(B, T)`, those of positive weight, or all that are no padding.

    Raises:
        ValueError: if an argument is out of range, the encoder takes only shorter
            texts than `sequence_length`, or a CRF's classes are not "O" and all
            prefixes of some types.
    """

    def __init__(
        self,
        encoder,
        num_classes,
        head="linear",
        dropout=0.1,
        sequence_length=128,
        window_overlap=None,
        label_pieces="first",
        scheme="iob2",
        split_punctuation=True,
        inner_activation=None,
        inner_norm=None,
        inner_bias=True,
        **kwargs,
    ):
        if num_classes < 2:
            raise ValueError(
                "A tagger needs at least 2 classes. "
                f"Received: num_classes={num_classes}"
            )
        _one_of("head", head, HEADS)
        _one_of("label_pieces", label_pieces, PIECES)
        _one_of("scheme", scheme, PREFIXES)
        _one_of("split_punctuation", split_punctuation, (True, False))
        if head == "crf" and label_pieces != "first":
            raise ValueError(
                'A CRF runs through words, so `label_pieces` must be "first". '
                f"Received: label_pieces={label_pieces!r}"
            )
        if not isinstance(sequence_length, int) or sequence_length < 1:
            raise ValueError(
                "`sequence_length` must be an int of at least 1. "
                f"Received: {sequence_length=}"
            )
        inputs = text_inputs(encoder, sequence_length)
        if window_overlap is not None and not 0 <= window_overlap < sequence_length:
            raise ValueError(
                f"`window_overlap` must be in [0, {sequence_length}), the window's "
                f"length. Received: window_overlap={window_overlap}"
            )
        crf = None
        if head == "crf":
            steps = open_steps(num_classes, scheme)
            crf = LinearChainCRF(num_classes, steps, dtype="float32", name="crf")
        hidden = encoder(inputs["token_ids"], inputs["padding_mask"])  # (B, T, D)
        policy = encoder.dtype_policy
        if inner_activation is not None:
            hidden = inner_layer(
                hidden,
                encoder.hidden_dim,
                inner_activation,
                inner_norm,
                inner_bias,
                policy,
            )  # (B, T, D)
        hidden = Dropout(dropout, name="head_dropout", dtype=policy)(hidden)
        outputs = Projection(num_classes, dtype="float32", name="logits")(hidden)
        if crf is not None:
            outputs = {"logits": outputs, "transitions": crf(outputs)}
        super().__init__(
            inputs=inputs,
            outputs=outputs,
            **known_to_keras(kwargs),
        )
        self.encoder = encoder  # After super().__init__(): torch modules insist.
        self.num_classes = num_classes
        self.head = head
        self.dropout_rate = dropout
        self.sequence_length = sequence_length
        self.window_overlap = window_overlap
        self.label_pieces = label_pieces
        self.scheme = scheme
        self.split_punctuation = split_punctuation
        self.inner_activation = inner_activation
        self.inner_norm = config_of(inner_norm)
        self.inner_bias = inner_bias

    @property
    def overlap(self):
        """Pieces that neighbouring windows share."""
        if self.window_overlap is None:
            return self.sequence_length // 4
        return self.window_overlap

    def attach(self, tokenizer, labels):
        """Give the model its tokenizer and the names of its classes.

        Args:
            tokenizer: `kzoo.text.Tokenizer`. Its ids must fit the encoder, and its
                special tokens must leave room for others in a window.
            labels: list of str, one per class, in the order of the logits. With a CRF,
                "O" and then all prefixes of one type after the other, in the order of
                `kzoo.data.schemes.label_names`.

        Returns:
            The model.

        Raises:
            ValueError: if tokenizer or labels do not fit the model.
        """
        labels = [str(label) for label in labels]
        fault = label_fault(labels, self.scheme) if self.head == "crf" else None
        if fault:
            raise ValueError(
                f"The labels do not fit: {fault}. Received: scheme={self.scheme!r}"
            )
        try:
            room_for(tokenizer, self.sequence_length, self.overlap)
        except KzooError as error:
            raise ValueError(str(error)) from None
        return super().attach(tokenizer, labels)

    def compute_loss(
        self, x=None, y=None, y_pred=None, sample_weight=None, training=True
    ):
        """Keras' own, but for a CRF: the mean of its loss over the labels."""
        if self.head != "crf":
            return super().compute_loss(x, y, y_pred, sample_weight, training)
        weights = x["padding_mask"] if sample_weight is None else sample_weight
        weights = ops.cast(weights, "float32")  # (B, T)
        return crf_loss(y, y_pred, weights / ops.maximum(ops.sum(weights), 1e-12))

    def tag(self, texts, aggregation="words", batch_size=64):
        """Find entities in texts, as a pipeline of Hugging Face transformers does.

        Args:
            texts: list of str, or of lists of str, which are words; or one str. Any
                text gets an answer, an empty one too; none is cut.
            aggregation: "words", each word has the tag of its first piece, as in
                training and evaluation; or what transformers calls so: "none",
                "simple", "first", "average" or "max". With a CRF each word has the tag
                of the best path. What the words of a str are, `split_punctuation` says.
            batch_size: int. How many windows are computed at once.

        Returns:
            list with one list per text, in order, of one dict per entity, in order:
            "entity_group", str, its type; "score", float, the mean probability of its
            tags; "start" and "end", int, places in the text, or of words in
            `" ".join(words)`; "word", str, what stands there, `text[start:end]`, but
            with transformers' strategies its pieces put together, lower-cased if the
            tokenizer lowers. With "none", "entity", the tag, in place of the type, and
            "index", the number of its piece, special tokens before the text counted.
            For one str, that list alone.

        Raises:
            KzooError: if the model has no tokenizer and labels.
            TypeError: if a text or word is not a str, or `batch_size` not an int.
            ValueError: if there is no such aggregation, or `batch_size` is below 1.
        """
        if isinstance(texts, str):
            return self.tag([texts], aggregation, batch_size)[0]
        found = self.answers(texts, aggregation, batch_size)
        return [answer["entities"] for answer in found]

    def answers(self, texts, aggregation="words", batch_size=64):
        """What `tag` finds, and how each text was read.

        Args:
            texts, aggregation, batch_size: as for `tag`, but a list of texts.

        Returns:
            list of dict: "entities", as `tag` gives them, and "windows", int, how many
            windows the text was cut into.
        """
        self.require_text()
        check_batch_size(batch_size)
        return answers(self, texts, aggregation, batch_size)

    def tag_words(self, sentences, batch_size=64):
        """Tag texts that are split into words already.

        Args:
            sentences: list of lists of str. Of any length, none too.
            batch_size: int. How many windows are computed at once.

        Returns:
            list with one list per sentence, in order, of one dict per word: "tag",
            str, one of the model's labels, and "score", its probability.

        Raises:
            KzooError: if the model has no tokenizer and labels.
            TypeError: if a word is not a str, or `batch_size` not an int.
            ValueError: if `batch_size` is below 1.
        """
        self.require_text()
        check_batch_size(batch_size)
        pairs = [
            joined(only_str(words, f"sentences[{row}]", "lists of str"))
            for row, words in enumerate(listed(sentences, "sentences", "lists of str"))
        ]
        texts, spans = zip(*pairs, strict=True) if pairs else ((), ())
        aligned = align(self.tokenizer, list(texts), list(spans))
        return [
            [
                {"tag": self.labels[label], "score": float(row[label])}
                for label, row in zip(labels, probabilities, strict=True)
            ]
            for labels, probabilities in word_tags(
                self.emissions(aligned, batch_size), aligned
            )
        ]

    def emissions(self, aligned, batch_size=64):
        """What the model says of every piece of every text.

        Args:
            aligned: list of `kzoo.text.alignment.Aligned`.
            batch_size: int. How many windows are computed at once.

        Returns:
            `kzoo.models.tagging.Emissions`.
        """
        return emissions(
            self.predict_on_batch,
            self.tokenizer,
            aligned,
            self.sequence_length,
            self.overlap,
            batch_size,
        )

    def get_config(self):
        # Our constructor's arguments, not the graph that Functional would list.
        return {
            "name": self.name,
            "encoder": keras.saving.serialize_keras_object(self.encoder),
            "num_classes": self.num_classes,
            "head": self.head,
            "dropout": self.dropout_rate,
            "sequence_length": self.sequence_length,
            "window_overlap": self.window_overlap,
            "label_pieces": self.label_pieces,
            "scheme": self.scheme,
            "split_punctuation": self.split_punctuation,
            "inner_activation": self.inner_activation,
            "inner_norm": self.inner_norm,
            "inner_bias": self.inner_bias,
        }

    @classmethod
    def from_config(cls, config, custom_objects=None):
        encoder = keras.saving.deserialize_keras_object(
            config["encoder"], custom_objects=custom_objects
        )
        return cls(**{**config, "encoder": encoder})


def _one_of(name, value, known):
    if value not in known:
        raise ValueError(
            f"`{name}` must be one of {', '.join(map(repr, known))}. "
            f"Received: {name}={value!r}"
        )
