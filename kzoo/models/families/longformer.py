"""Longformer: a RoBERTa for long texts, whose tokens see what is near them."""

from kzoo_recipes import KzooError

from kzoo.layers.kernels.named import kernel_part
from kzoo.models.families import bert
from kzoo.models.families.family import Family, option, required

CLASSIFIER = "ForSequenceClassification"


def stack(config):
    """A Longformer as arguments of `TransformerEncoder`.

    transformers lets the first token of a text see all where it is classified, and no
    token where it is not told which.
    """
    row = bert.roberta_stack(config)
    kernel = {
        "kind": "longformer",
        "window": window_of(config),
        "num_global": int(classifies(config)),
        "own_projections": True,
    }
    return {**row, "attention": {**row["attention"], "kernel": kernel}}


def classifies(config):
    """Whether the class of transformers that a config names is a classifier."""
    names = config.get("architectures") or ()
    names = (names,) if isinstance(names, str) else names
    return any(str(name).endswith(CLASSIFIER) for name in names)


def window_of(config):
    """How many tokens before and after it a token sees, in each layer."""
    [layers] = required(config, "num_hidden_layers")
    told = config.get("attention_window", 512)
    windows = told if isinstance(told, list) else [told] * layers
    fit = [isinstance(w, int) and w > 0 and w % 2 == 0 for w in windows]
    if not all(fit) or len(windows) != layers:
        raise KzooError(
            "config.json: attention_window must be an even number above 0, or a list "
            f"of one for each of the {layers} layers, and is {told!r}."
        )
    if len(set(windows)) > 1:
        raise KzooError(
            f"config.json: attention_window is {told!r}; of Longformers kzoo has those "
            "with one window for all layers only."
        )
    return windows[0] // 2


def config(arguments, more):
    """The inverse of `stack`."""
    kernel = kernel_part(option(arguments, "attention", "kernel", None))
    windows = [2 * getattr(kernel, "window", 256)] * arguments["num_layers"]
    return bert.roberta_config(arguments, {"attention_window": windows, **more})


def dropped(config):
    """Share dropped in the heads: that of all else."""
    return config.get("hidden_dropout_prob", 0.1)


def classifier(config):
    """RoBERTa's head."""
    return {
        "pooling": "first",
        "activation": "tanh",
        "dropout": dropped(config),
        "pooled_dropout": dropped(config),
    }


def tagger(config):
    """Nothing but dropout between the encoder and the logits."""
    return {"dropout": dropped(config)}


def head(model):
    """What a config says of the head of a model: of a classifier, that it is one."""
    if hasattr(model, "pooling"):
        return {"architectures": [f"Longformer{CLASSIFIER}"]}
    return {}


LONGFORMER = Family(
    *("longformer", ("longformer",), "Longformer"),
    *(stack, config, classifier, tagger, bert.gelu_filler),
    head=head,
    always_segments=True,
)
