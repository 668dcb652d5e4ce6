"""What a model family is: a row of arguments for kzoo's layers, and the way back."""

import difflib
from collections.abc import Callable
from dataclasses import dataclass

import keras
from kzoo_recipes import KzooError

from kzoo.layers import FeedForward, TransformerEncoder
from kzoo.layers.feed_forward import ACTIVATIONS, FEED_FORWARDS
from kzoo.layers.normalization import norm_part

# Activations by their names elsewhere.
ACTIVATION_NAMES = {
    "gelu": "gelu",
    "gelu_python": "gelu",
    "gelu_new": "gelu_tanh",
    "gelu_pytorch_tanh": "gelu_tanh",
    "gelu_fast": "gelu_tanh",
    "quick_gelu": "quick_gelu",
    "relu": "relu",
    "silu": "silu",
    "swish": "silu",
    "tanh": "tanh",
    "linear": "linear",
}
THEIR_NAMES = {
    "gelu": "gelu",
    "gelu_tanh": "gelu_new",
    "quick_gelu": "quick_gelu",
    "relu": "relu",
    "silu": "silu",
    "tanh": "tanh",
    "linear": "linear",
}


@dataclass(frozen=True)
class Family:
    """A row of the table: how checkpoints of one kind are made of kzoo's layers.

    Attributes:
        name: str, its key in `FAMILIES`.
        model_types: tuple of str, what `model_type` of a config.json may be.
        architecture: str, what its classes in transformers begin with, as "Bert".
        stack: function from a config (dict) to the arguments of `TransformerEncoder`,
            or of a `Seq2Seq` a dict of such by "encoder", "decoder" and "model".
        config: function from arguments, as `TransformerEncoder.get_config` has them,
            and more keys (dict) to a config: the inverse of `stack`.
        classifier: function from a config to those arguments of `TextClassifier` that
            make the family's own head; `None` if it has none.
        tagger: function from a config to arguments of `TokenTagger`, likewise.
        masked_lm: function from a config to arguments of `MaskedLM`, likewise.
        head: function from a `TextClassifier` or `TokenTagger` to the keys of a config
            that say what their head is; `None` if none does.
        always_segments: bool. Whether its classes in transformers add the vector of a
            segment to every token, so that there must be one.
        sees: bool. Whether its models see images.
        reads: bool. Whether they read text, and come with a tokenizer.
    """

    name: str
    model_types: tuple
    architecture: str
    stack: Callable
    config: Callable
    classifier: Callable | None = None
    tagger: Callable | None = None
    masked_lm: Callable | None = None
    head: Callable | None = None
    always_segments: bool = False
    sees: bool = False
    reads: bool = True


def required(config, *keys):
    """The values of `keys` in a config.

    Raises:
        KzooError: if the config lacks one of them.
    """
    for key in keys:
        if config.get(key) is None:
            close = difflib.get_close_matches(key, config, n=1)
            near = f" The nearest key is {close[0]!r}." if close else ""
            raise KzooError(
                f"config.json: there is no {key!r}, which a model of type "
                f"{config.get('model_type')!r} needs.{near}"
            )
    return [config[key] for key in keys]


def sizes_of(config, names):
    """Sizes by kzoo's names.

    Args:
        config: dict, of a config.json.
        names: dict from kzoo's names to those of the config.

    Raises:
        KzooError: if the config lacks one of them, or it is no size.
    """
    found = dict(zip(names, required(config, *names.values()), strict=True))
    for ours, theirs in names.items():
        size = found[ours]
        if isinstance(size, bool) or not isinstance(size, int) or size < 1:
            raise KzooError(
                f"config.json: {theirs} must be an integer of at least 1, and is "
                f"{size!r}."
            )
    return found


def check_shares(config):
    """Refuse what is dropped, or added to a variance, if it is no number below 1.

    Raises:
        KzooError: naming the key.
    """
    for key, value in config.items():
        dropped = key.endswith(("dropout", "dropout_prob", "dropout_rate"))
        if not dropped and not key.endswith(("_eps", "_epsilon")):
            continue
        if dropped and value is None:  # A head's, which is then that of the rest.
            continue
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if not number or not 0 <= value < 1:
            raise KzooError(
                f"config.json: {key} must be a number from 0 to below 1, and is "
                f"{value!r}."
            )


def ties(config):
    """Whether the token vectors of a model score its tokens, too."""
    return config.get("tie_word_embeddings", True) is not False


def scorer(config):
    """The argument `projection` of a `MaskedLM`."""
    return None if ties(config) else {"tied": False, "use_bias": True}


def refused(config, **wanted):
    """Raise a `KzooError` if a key that is there is not what kzoo's layers do."""
    for key, value in wanted.items():
        if config.get(key, value) != value:
            raise KzooError(
                f"config.json: {key} is {config[key]!r}; of the type "
                f"{config.get('model_type')!r} kzoo has models with {value!r} only."
            )


def activation(config, key="hidden_act", default="gelu"):
    """kzoo's name of the activation that a config names under `key`."""
    name = config.get(key, default)
    if name not in ACTIVATION_NAMES:
        raise KzooError(
            f"config.json: {key} is {name!r}, an activation that kzoo does not have; "
            f"it has {', '.join(ACTIVATION_NAMES)}."
        )
    return ACTIVATION_NAMES[name]


def feed_forward(kind, hidden_dim, intermediate_dim):
    """The argument `feed_forward` of a stack for a plain one with this activation."""
    if kind not in FEED_FORWARDS:
        return FeedForward(hidden_dim, intermediate_dim, kind, name="feed_forward")
    return kind


def activation_of(arguments):
    """What transformers calls the activation of a stack with a plain feed-forward."""
    part = arguments["feed_forward"]
    return theirs_of(part["config"]["activation"] if isinstance(part, dict) else part)


def theirs_of(kind):
    """What transformers calls an activation, or "gelu" for what is none."""
    # A gated one, by its name: `config` is then of another family.
    return THEIR_NAMES[kind] if kind in ACTIVATIONS else "gelu"


def layer_norm(epsilon):
    """The argument `norm` for a layer norm with this epsilon."""
    return keras.layers.LayerNormalization(epsilon=epsilon, name="norm")


def epsilon_of(arguments):
    """The epsilon of a stack's norms."""
    norm = arguments["norm"]
    if isinstance(norm, dict):
        return norm["config"]["epsilon"]
    return {"layer_norm": 1e-5, "rms_norm": 1e-6}.get(norm, 1e-5)


def positions_of(arguments, default=512):
    """The number of learned positions of a stack, or `default` where it has none."""
    position = arguments["position"]
    if isinstance(position, dict):
        return position["config"].get("max_sequence_length", default)
    return default


def option(arguments, part, name, default):
    """One of the further arguments of a stack's "attention" or "embedding"."""
    return (arguments[part] or {}).get(name, default)


def inside(arguments, part, *keys):
    """An argument of a part of a stack, by the keys on the way to it.

    Args:
        arguments: dict, as `TransformerEncoder.get_config` has them.
        part: str, such as "position".
        *keys: str, each an argument of the part before it.

    Returns:
        Its value; `None` where there is no such part or argument.
    """
    found = arguments.get(part)
    for key in keys:
        if not isinstance(found, dict):
            return None
        found = found["config"].get(key)
    return found


def layers_in_groups(config, key):
    """How many layers in a row share weights, where `key` says in how many groups.

    Raises:
        KzooError: if the groups are not of one size.
    """
    [layers] = required(config, "num_hidden_layers")
    groups = config.get(key, 1)
    if isinstance(groups, bool) or not isinstance(groups, int) or groups < 1:
        raise KzooError(f"config.json: {key} must be at least 1, and is {groups!r}.")
    if layers % groups:
        raise KzooError(
            f"config.json: {key} is {groups!r}; kzoo has groups of one size only, so "
            f"it must divide num_hidden_layers, {layers}."
        )
    return layers // groups


# What does not change a model's answers.
BESIDE = (
    *("name", "dtype", "trainable", "module", "registered_name", "build_config"),
    "train_key_bias",
)


def differences(row, other, kind=TransformerEncoder):
    """In what two rows of arguments make other stacks, dropout aside.

    Args:
        row: dict of arguments of `kind`, or a stack of it, not built.
        other: likewise.
        kind: `TransformerEncoder` or `TransformerDecoder`.

    Returns:
        list of str, such as "embedding.num_segments is 0 and 2"; empty if they make
        the same. The first value is of `row`.
    """
    first, second = (
        _flat(_described(kind(**stack) if isinstance(stack, dict) else stack))
        for stack in (row, other)
    )
    return [
        f"{key} is {first.get(key, 'absent')} and {second.get(key, 'absent')}"
        for key in {**first, **second}
        if first.get(key, "absent") != second.get(key, "absent")
    ]


def bare(norm):
    """What tells a norm from another: its settings by name."""
    return _flat(norm_part(norm).get_config())


def _described(stack):
    """What a stack is made of, however its arguments were spelt."""
    embedding = stack.embedding
    norm = embedding.norm and embedding.norm.get_config()  # It may be but a name.
    return {
        "vocabulary_size": stack.vocabulary_size,
        "num_layers": stack.num_layers,
        "share_blocks": stack.share_blocks,
        "embedding": {**embedding.get_config(), "norm": norm},
        "position": stack.position and stack.position.get_config(),
        "kind_of_position": type(stack.position).__name__,
        "final_norm": stack.final_norm and stack.final_norm.get_config(),
        **{block.name: block.get_config() for block in stack.blocks},
    }


def _flat(value, path=""):
    """A nested dict as one level, by dotted path, without what does not matter."""
    if isinstance(value, dict):
        found = {}
        for key, inner in value.items():
            if key not in BESIDE and not key.endswith("dropout"):
                found |= _flat(inner, f"{path}.{key}" if path else key)
        return found
    return {path: list(value) if isinstance(value, tuple) else value}
