"""What encoder and decoder stacks have in common: parts, positions, final norm."""

import functools

import keras
from keras import ops

from kzoo.layers.adaptation import adaptation_of, described
from kzoo.layers.attention import MultiHeadAttention
from kzoo.layers.embedding import TokenEmbedding
from kzoo.layers.feed_forward import feed_forward_part
from kzoo.layers.kernels.named import kernel_part
from kzoo.layers.norm_placement import placement_of
from kzoo.layers.normalization import norm_part
from kzoo.layers.parts import config_of, copy_of
from kzoo.layers.position_schemes import position_part


class TransformerStack(keras.layers.Layer):
    """Embedding, `num_layers` equal blocks and the norm after them.

    Subclasses say how a block is made (`_block`), how the blocks are run (`call`) and,
    if they read no tokens, what makes vectors of what they read (`_embedding`); then
    `vocabulary_size` is `None`. See `TransformerEncoder` for the arguments.
    """

    bidirectional = True
    share_blocks = 1
    adaptation = None

    def __init__(
        self,
        vocabulary_size,
        num_layers,
        num_heads,
        hidden_dim,
        intermediate_dim,
        dropout=0.1,
        position="sinusoidal",
        feed_forward="gelu",
        norm="layer_norm",
        norm_placement="pre",
        attention=None,
        embedding=None,
        **kwargs,
    ):
        super().__init__(**kwargs)
        self._config = {
            "vocabulary_size": vocabulary_size,
            "num_layers": num_layers,
            "num_heads": num_heads,
            "hidden_dim": hidden_dim,
            "intermediate_dim": intermediate_dim,
            "dropout": dropout,
            "position": config_of(position),
            "feed_forward": config_of(feed_forward),
            "norm": config_of(norm),
            "norm_placement": norm_placement,
            "attention": _config_of_all(attention),
            "embedding": _config_of_all(embedding),
        }
        for name in ("vocabulary_size", "num_layers", "num_heads", "hidden_dim"):
            if self._config[name] is not None and self._config[name] < 1:
                raise ValueError(
                    f"`{name}` must be at least 1. "
                    f"Received: {name}={self._config[name]}"
                )
        if self.share_blocks < 1 or num_layers % self.share_blocks:
            raise ValueError(
                "`share_blocks` must be at least 1 and divide `num_layers`. Received: "
                f"share_blocks={self.share_blocks}, num_layers={num_layers}"
            )
        self.prompt = self.prefix = None
        self.num_layers = num_layers
        self.hidden_dim = hidden_dim
        self.vocabulary_size = vocabulary_size
        policy = self.dtype_policy
        self.embedding = self._embedding(
            vocabulary_size,
            hidden_dim,
            **{"dropout": dropout, **(embedding or {})},
            name="embedding",
            dtype=policy,
        )
        attention = {"kernel": None, **(attention or {})}
        attention["kernel"] = kernel_part(attention["kernel"])
        if attention["kernel"] is None or attention["kernel"].drops:
            attention.setdefault("dropout", dropout)
        attention_part = MultiHeadAttention(hidden_dim, num_heads, **attention)
        feed_forward = feed_forward_part(feed_forward, hidden_dim, intermediate_dim)
        norm = norm_part(norm)
        self.blocks = [
            self._block(
                attention_part,
                feed_forward,
                norm,
                placement_of(index, norm_placement),
                dropout,
                name=f"block_{index}",
                dtype=policy,
            )
            for index in range(num_layers // self.share_blocks)
        ]
        # Post-norm blocks end in a norm; the others leave the stream as it is.
        self.final_norm = None
        if norm_placement != "post":
            self.final_norm = copy_of(norm, "final_norm", policy)
        scheme = position_part(
            position,
            self.embedding.embedding_dim,
            num_heads,
            attention_part.head_dim,
            bidirectional=self.bidirectional,
        )
        if scheme is not None and not (self.bidirectional or scheme.for_decoders):
            raise ValueError(
                "A decoder takes positions that say the same in every layer and of "
                f"every single place. Received: position={type(scheme).__name__}"
            )
        self.position = None if scheme is None else copy_of(scheme, "position", policy)
        self.has_kernel = attention_part.kernel is not None
        if self.has_kernel:
            self._check_kernel(attention_part.kernel)

    def _embedding(self, vocabulary_size, hidden_dim, **options):
        return TokenEmbedding(vocabulary_size, hidden_dim, **options)

    def _block(self, attention, feed_forward, norm, norm_placement, dropout, **kwargs):
        raise TypeError("A stack of blocks needs a subclass that makes the blocks")

    def adapt(self, adaptation):
        """Put an adaptation into the stack, which then trains what that says only.

        Args:
            adaptation: of `kzoo.layers.adaptation`, such as `LoRA`, or its dict.

        Returns:
            The stack.

        Raises:
            ValueError: if the stack is built or adapted already, or there is no such
                adaptation.
        """
        if self.built or self.adaptation is not None:
            raise ValueError(
                "A stack is adapted once, before it is built. Received: "
                f"{self.name}, built={self.built}, adaptation={self.adaptation}"
            )
        self.adaptation = adaptation_of(adaptation)
        self.adaptation.enter(self)
        return self

    def _check_kernel(self, kernel):
        if self.position is not None and not self.position.for_decoders:
            raise ValueError(
                "Attention with a kernel takes positions that go by the distance alone "
                "and say the same in every layer. Received: "
                f"kernel={type(kernel).__name__}, "
                f"position={type(self.position).__name__}"
            )
        if not self.bidirectional and not kernel.for_decoders:
            raise ValueError(
                "A decoder takes kernels that can go on token by token. "
                f"Received: kernel={type(kernel).__name__}"
            )

    @property
    def layers_in_turn(self):
        """The block of each layer, the first first; shared ones several times."""
        return [block for block in self.blocks for _ in range(self.share_blocks)]

    @property
    def max_sequence_length(self):
        """Longest input in tokens, or `None` where any length goes."""
        return getattr(self.position, "max_sequence_length", None)

    def check_room(self, size, what, called):
        """Raise a `ValueError` unless there are positions for so many tokens.

        Args:
            size: int.
            what: str. What errors call the size.
            called: str. What they call the stack.
        """
        longest = self.max_sequence_length
        if longest is not None and size > longest:
            raise ValueError(
                f"The {called} has positions for {longest} tokens only. "
                f"Received: {what}={size}"
            )

    def build(self, token_ids_shape):
        self._build(token_ids_shape)

    def _build(self, token_ids_shape, *read_shapes):
        """Build all parts; `read_shapes` is what blocks read besides the stream."""
        hidden_shape = (*token_ids_shape[:2], self.hidden_dim)
        self.embedding.build(token_ids_shape)
        if self.position is not None:
            self.position.build(hidden_shape)
        for block in self.blocks:
            block.build(hidden_shape, *read_shapes)
        if self.final_norm is not None:
            self.final_norm.build(hidden_shape)
        for layer in (self.prompt, self.prefix):
            if layer is not None:
                layer.build(hidden_shape)
        if self.adaptation is not None:
            for weight in self.trainable_weights:
                below = weight.path.removeprefix(f"{self.path}/")
                weight.trainable = self.adaptation.trains(below)

    def _positions(self, length, start=0):
        """Return int32 `(T,)`: the positions of T tokens, the first at `start`."""
        longest = self.max_sequence_length
        if longest is not None and isinstance(length, int) and length > longest:
            raise ValueError(
                f"This model has positions for {longest} tokens; cut the texts "
                f"or choose a larger `max_sequence_length`. Received: {length} tokens"
            )
        return ops.arange(length, dtype="int32") + start

    def _position_tensors(self, positions, key_positions=None):
        """Return what the scheme adds to the embedding, to the scores, and rotates.

        Nothing is added to the scores where no keys are named.
        """
        if self.position is None:
            return None, None, None
        bias = None
        if key_positions is not None:
            bias = self.position.bias(positions, key_positions)  # (1, N, T, S) or None
        return (
            self.position.embedding(positions),  # (T, E) or None
            bias,
            self.position.rotary(positions),  # 2 × (T, 1, H / 2) or None
        )

    def _bias_of_places(self, training=None):
        """Return what kernels ask for the bias of some places, or `None`."""
        if self.position is None:
            return None
        return functools.partial(self.position.bias, training=training)

    def _run(
        self,
        hidden,
        return_hidden_states,
        return_attention_weights,
        by_layer=None,
        **arguments,
    ):
        """Run the blocks and the norm after them; collect what was asked for.

        `by_layer` holds the arguments of each layer apart, `arguments` those of all.
        """
        hidden_states, attention_weights = [hidden], []
        prefixes = None if self.prefix is None else self.prefix.call()
        for index, block in enumerate(self.layers_in_turn):
            own = {} if by_layer is None else by_layer[index]
            if prefixes is not None:
                own = {**own, "prefix": prefixes[index]}
            hidden = block.call(
                hidden, return_weights=return_attention_weights, **arguments, **own
            )
            if return_attention_weights:
                hidden, weights = hidden
                attention_weights.append(weights)
            hidden_states.append(hidden)
        if self.final_norm is not None:
            hidden = self.final_norm.call(hidden)
        extras = {}
        if return_hidden_states:
            extras["hidden_states"] = hidden_states
        if return_attention_weights:
            extras["attention_weights"] = attention_weights
        return (hidden, extras) if extras else hidden

    def get_config(self):
        config = {**super().get_config(), **self._config}
        if self.adaptation is not None:
            config["adaptation"] = described(self.adaptation)
        return config

    @classmethod
    def from_config(cls, config):
        config = dict(config)
        adaptation = config.pop("adaptation", None)
        stack = super().from_config(config)
        return stack if adaptation is None else stack.adapt(adaptation)


def _config_of_all(arguments):
    """The JSON form of a part's further arguments."""
    return arguments and {name: config_of(value) for name, value in arguments.items()}
