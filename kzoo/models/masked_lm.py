"""Masked language modelling: which token stands where one is hidden."""

import keras
from keras import ops

from kzoo.layers import OutputProjection, Projection
from kzoo.layers.feed_forward import activation_function
from kzoo.layers.normalization import norm_part
from kzoo.layers.parts import config_of, copy_of
from kzoo.models.filling import answers
from kzoo.models.inputs import check_batch_size, only_str
from kzoo.models.text_model import TextModel, known_to_keras, text_inputs
from kzoo.text.masking import Masking


@keras.saving.register_keras_serializable(package="kzoo")
class MaskedLM(TextModel):
    """Scores every token of the vocabulary at the places that it is asked for.

    An encoder reads a text in which some tokens are hidden. At each place asked for,
    its vector goes through the transform head of BERT, dense, activation and norm, and
    is scored against the encoder's own token vectors. What is not asked for costs
    nothing, and the others' numbers are the same.

    Args:
        encoder: `kzoo.layers.TransformerEncoder`. Maps the inputs to `(B, T, D)`.
        head_dim: int or None. Width of the head; `None` is D. With tied scores it is
            the width of the token vectors.
        activation: str. A key of `kzoo.layers.feed_forward.ACTIVATIONS`.
        norm: `None`, a key of `kzoo.layers.NORMS`, or a layer. After the activation.
        use_bias: bool. Whether the head's dense layer adds a bias.
        projection: dict of further arguments of `kzoo.layers.OutputProjection`, or
            `None`, which is `{"use_bias": True}`: the token vectors of the encoder
            score, and each token has a bias.
        sequence_length: int. Longest window in tokens, special tokens counted; longer
            texts are read in windows that overlap, and nothing is cut.
        masking: dict of arguments of `kzoo.text.masking.Masking`, or `None` for those
            of BERT. How tokens were hidden in training, and are when it is measured.

    Inputs: `{"token_ids": int (B, T), "padding_mask": bool (B, T), "places": int
    (B, P)}`. Places are numbers of tokens in [0, T); what is said at one that fills up
    a row is not looked at.
    Output: float32 logits `(B, P, V)`, whatever the compute dtype.

    Raises:
        ValueError: if an argument is out of range, or the encoder takes only shorter
            texts than `sequence_length`.

    Reference:
        - [Devlin et al., 2019](https://arxiv.org/abs/1810.04805)
    """

    has_labels = False

    def __init__(
        self,
        encoder,
        head_dim=None,
        activation="gelu",
        norm="layer_norm",
        use_bias=True,
        projection=None,
        sequence_length=128,
        masking=None,
        **kwargs,
    ):
        if projection is not None and not isinstance(projection, dict):
            raise ValueError(
                f"`projection` must be a dict or None. Received: {projection=}"
            )
        Masking.of(masking)  # Or a ValueError says what is wrong with it.
        inputs = text_inputs(encoder, sequence_length)
        inputs["places"] = keras.Input((None,), dtype="int32", name="places")
        policy = encoder.dtype_policy
        hidden = encoder(inputs["token_ids"], inputs["padding_mask"])  # (B, T, D)
        places = ops.expand_dims(inputs["places"], -1)  # (B, P, 1)
        chosen = ops.take_along_axis(hidden, places, axis=1)  # (B, P, D)
        width = head_dim or encoder.hidden_dim
        head = Projection(width, use_bias=use_bias, name="head", dtype=policy)
        inner = activation_function(activation)(head(chosen))  # (B, P, head_dim)
        if norm is not None:
            inner = copy_of(norm_part(norm), "head_norm", policy)(inner)
        project = OutputProjection(
            encoder.vocabulary_size,
            **({"use_bias": True} if projection is None else projection),
            name="logits",
            dtype=policy,
        ).tie(encoder.embedding)
        super().__init__(
            inputs=inputs, outputs=project(inner), **known_to_keras(kwargs)
        )
        self.encoder = encoder  # After super().__init__(): torch modules insist.
        self.head_dim = head_dim
        self.activation = activation
        self.use_bias = use_bias
        self.sequence_length = sequence_length
        self.masking = None if masking is None else dict(masking)
        self._norm_argument = config_of(norm)
        self._projection_arguments = None if projection is None else dict(projection)

    def attach(self, tokenizer):
        """Give the model its tokenizer.

        Args:
            tokenizer: `kzoo.text.Tokenizer`. Its ids must fit the encoder; it must
                have a token that hides others, and leave room in a window.

        Returns:
            The model.

        Raises:
            ValueError: if the tokenizer does not fit the model.
        """
        if tokenizer.mask_id is None:
            raise ValueError(
                "The tokenizer has no token that hides another, such as [MASK]. "
                f"Received: {tokenizer=}"
            )
        if self.sequence_length <= tokenizer.num_special:
            raise ValueError(
                f"`sequence_length` must be at least {tokenizer.num_special + 1}: "
                f"{tokenizer.num_special} special tokens and one of a text. "
                f"Received: sequence_length={self.sequence_length}"
            )
        self._attach_tokenizer(tokenizer)
        return self

    def fill(self, texts, top_k=5, batch_size=64):
        """Say which tokens may stand where a text has `[MASK]`.

        Args:
            texts: list of str, or one str. Where a token is asked for stands `[MASK]`,
                or the tokenizer's own such as `<mask>`; any number of them, also none.
                Texts of any length are read whole, in windows.
            top_k: int. How many tokens to name for each.
            batch_size: int. How many windows are computed at once.

        Returns:
            list with one list per text, in order, of one dict per mask, in order:
            "start" and "end", int, its place in the text, in characters, and
            "candidates", list of dict, the likeliest first: "token", str, and "id" in
            the vocabulary; "probability"; "text", the text with the token in place of
            this mask, any others left as they are. For one str, that list alone.

        Raises:
            KzooError: if the model has no tokenizer.
            TypeError: if a text is not a str, or a number not an int.
            ValueError: if `top_k` or `batch_size` is below 1.
        """
        if isinstance(texts, str):
            return self.fill([texts], top_k, batch_size)[0]
        return [answer["masks"] for answer in self.answers(texts, top_k, batch_size)]

    def answers(self, texts, top_k=5, batch_size=64):
        """What `fill` says, and how each text was read.

        Args:
            texts, top_k, batch_size: as for `fill`, but a list of texts.

        Returns:
            list of dict: "masks", as `fill` gives them, and "windows", int, how many
            windows the text was cut into.
        """
        self.require_text()
        check_batch_size(batch_size)
        check_batch_size(top_k, "top_k")
        return answers(self, only_str(texts, "texts", "str"), top_k, batch_size)

    def get_config(self):
        # Our constructor's arguments, not the graph that Functional would list.
        return {
            "name": self.name,
            "encoder": keras.saving.serialize_keras_object(self.encoder),
            "head_dim": self.head_dim,
            "activation": self.activation,
            "norm": self._norm_argument,
            "use_bias": self.use_bias,
            "projection": self._projection_arguments,
            "sequence_length": self.sequence_length,
            "masking": self.masking,
        }

    @classmethod
    def from_config(cls, config, custom_objects=None):
        encoder = keras.saving.deserialize_keras_object(
            config["encoder"], custom_objects=custom_objects
        )
        return cls(**{**config, "encoder": encoder})
