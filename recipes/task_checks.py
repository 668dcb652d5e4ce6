"""What must hold between the keys of one task's recipes, and its metrics."""

from msgspec import to_builtins

from .data_schema import PACKAGE_ROWS
from .encodings import fit_delimiter
from .hints import did_you_mean
from .model_schema import Attention
from .schema import METRICS, MULTI_LABEL_METRICS, PLAIN_METRICS
from .sources import DOCSTRINGS, INSTALLED, PICTURES
from .stack_checks import embedding_dim, stack_complaints

# What a family decides of `[model.encoder]`, as it is where nothing is said.
DECIDED = {
    "position": "sinusoidal",
    "norm": "layer_norm",
    "norm_placement": "pre",
    "embedding": None,
    "share_blocks": 1,
}


# Positions that act on the embedding alone.
PLACED = ("none", "sinusoidal", "learned")


def task_complaints(recipe):
    """Yield `(keys, complaint)` for every rule of the recipe's task that it breaks."""
    yield from OF_TASK[recipe.task](recipe)


def metrics_of(recipe):
    """The names of the metrics that a recipe's model is measured by."""
    named = METRICS
    if recipe.task == "text_classifier" and recipe.data.multi_label:
        named = MULTI_LABEL_METRICS
    elif recipe.task == "token_tagger" and recipe.data.learn_scheme == "plain":
        named = PLAIN_METRICS
    return named[recipe.task]


def _classifier(recipe):
    data, training = recipe.data, recipe.training
    yield from _no_docstrings(data)
    alone = "is of use only with `multi_label = true`"
    yield from _delimiter(data)
    yield from _focal(training)
    if data.label_separator and not data.multi_label:
        yield ("data.label_separator", "data.multi_label"), alone
    if training.threshold != 0.5 and not data.multi_label:
        yield ("training.threshold", "data.multi_label"), alone


def _delimiter(data):
    if not fit_delimiter(data.delimiter):
        yield (
            ("data.delimiter",),
            "must be one character, and no quote or line break",
        )


def _focal(training):
    if training.focal_gamma is not None and training.loss != "focal":
        yield (
            ("training.focal_gamma", "training.loss"),
            'is of use only with `loss = "focal"`',
        )


def _pictured(recipe):
    yield from _delimiter(recipe.data)
    yield from _focal(recipe.training)
    images, model = recipe.images, recipe.model
    if recipe.data.source in INSTALLED and recipe.data.source != PICTURES:
        yield ("data.source",), f"has no pictures; {PICTURES} has"
    if recipe.training.threshold != 0.5:
        yield ("training.threshold",), "is of use only where a row has several labels"
    if images.size % model.patch_size:
        yield ("model.patch_size", "images.size"), "must divide `images.size`"
    if images.resized_to is not None and images.resize == "square":
        yield (
            ("images.resized_to", "images.resize"),
            'is of use only with `resize = "shortest"`',
        )
    elif images.resized_to is not None and images.resized_to < images.size:
        yield ("images.resized_to", "images.size"), "must be at least `size`"
    stack = model.encoder
    if stack.position not in PLACED:
        listed = ", ".join(f'"{name}"' for name in PLACED)
        yield ("model.encoder.position",), f"must be one of {listed} beside pictures"
    if stack.attention is not None and stack.attention.kernel is not None:
        yield (
            ("model.encoder.attention.kernel",),
            "is of no use beside pictures: patches have no distance to words",
        )
    if embedding_dim(stack) != stack.hidden_dim:
        yield (
            ("model.encoder.embedding.embedding_dim", "model.encoder.hidden_dim"),
            "must be `hidden_dim` beside pictures",
        )


def _tagger(recipe):
    data, training = recipe.data, recipe.training
    yield from _no_docstrings(data)
    yield from _focal(training)
    if (data.scheme == "plain") != (data.learn_scheme == "plain"):
        yield (
            ("data.learn_scheme", "data.scheme"),
            'is "plain" exactly where `scheme` is',
        )
    room = data.sequence_length - 2  # without [CLS] and [SEP]
    if data.window_overlap is not None and data.window_overlap >= room:
        yield (
            ("data.window_overlap", "data.sequence_length"),
            "must leave room in a window: at least 3 below `sequence_length`",
        )
    for key in ("words", "tags"):
        column = getattr(data, key)
        if data.columns and isinstance(column, int) and column > len(data.columns):
            yield (f"data.{key}", "data.columns"), "is none of the `columns`"
        elif data.columns and isinstance(column, str) and column not in data.columns:
            yield (
                (f"data.{key}", "data.columns"),
                "is none of the `columns`" + did_you_mean(column, data.columns),
            )
    if recipe.model.head == "crf":
        yield from _crf(data, training)


def _crf(data, training):
    """What speaks of each word by itself is of no use to a whole text's tags."""
    if data.label_pieces != "first":
        yield (
            ("data.label_pieces", "model.head"),
            'can be "all" only with `head = "linear"`',
        )
    for key, unset in (("label_smoothing", 0), ("class_weights", None)):
        if getattr(training, key) != unset:
            yield (
                (f"training.{key}", "model.head"),
                'is of use only with `head = "linear"`',
            )
    if training.loss != "cross_entropy":
        yield (
            ("training.loss", "model.head"),
            'can be "focal" only with `head = "linear"`',
        )


def renamed(labels):
    """Labels of rows have no white space around them; neither have new ones."""
    for old, new in labels.items():
        if not new.strip():
            yield (("data", "labels", old),), "must be a label, not blank"
        elif old != old.strip() or new != new.strip():
            yield (
                (("data", "labels", old),),
                "must have no white space around either label, as no label has",
            )


def _summarizer(recipe):
    data, model = recipe.data, recipe.model
    yield from _delimiter(data)
    yield from _docstrings(data)
    for key, other in (
        ("summary", "document"),
        ("references", "document"),
        ("references", "summary"),
    ):
        if getattr(data, key) == getattr(data, other):
            yield (
                (f"data.{key}", f"data.{other}"),
                f"must be another column than `{other}`",
            )
    if model.neighbours and data.truncate == "tail":
        yield (
            ("model.neighbours", "data.truncate"),
            'is of no use with `truncate = "tail"`, which cuts the beginning off',
        )
    if model.pretrained is None:
        yield from _decoder(model)
    yield from _generation(recipe)


def _masked(recipe):
    data, masking = recipe.data, recipe.masking
    yield from _delimiter(data)
    yield from _no_docstrings(data)
    yield from _no_weights(data)
    if masking.mask_share + masking.random_share > 1:
        yield (
            ("masking.mask_share", "masking.random_share"),
            "and `random_share` must be at most 1 together",
        )


def _spans(recipe):
    yield from _delimiter(recipe.data)
    yield from _no_docstrings(recipe.data)
    yield from _no_weights(recipe.data)
    if recipe.model.pretrained is None:
        yield from _decoder(recipe.model)
        if recipe.model.family is not None:
            yield from _of_family(recipe.model)


def _of_family(model):
    """Of a family's model the tables choose sizes, dropout and feed-forward alone."""
    if not model.share_embeddings:
        yield (
            ("model.share_embeddings", "model.family"),
            f'is true with `family = "{model.family}"`',
        )
    decided = f'is decided by `family = "{model.family}"`; leave it out'
    for key, usual in DECIDED.items():
        if getattr(model.encoder, key) != usual:
            yield (f"model.encoder.{key}", "model.family"), decided
    attention = model.encoder.attention or Attention()
    for key in ("num_key_value_heads", "dropout", "use_bias", "kernel"):
        if getattr(attention, key) != getattr(Attention(), key):
            yield (f"model.encoder.attention.{key}", "model.family"), decided
    ours, theirs = to_builtins(model.encoder), to_builtins(model.decoder)
    if ours["attention"]:  # A decoder's has fewer keys.
        own = theirs["attention"] or ours["attention"]
        ours["attention"] = {name: ours["attention"][name] for name in own}
    for key, value in theirs.items():
        if key != "num_layers" and value != ours[key]:
            yield (f"model.decoder.{key}", "model.family"), decided


def _no_weights(data):
    if data.weight is not None:
        yield ("data.weight",), "is of no use: texts that share a window weigh alike"


def _no_docstrings(data):
    if data.source == DOCSTRINGS:
        yield ("data.source",), "has summaries, which only a summarizer learns"
    yield from _no_pictures(data)


def _no_pictures(data):
    if data.source == PICTURES:
        yield ("data.source",), "has pictures, which only image_text_classifier learns"


def _docstrings(data):
    """Of documentation one may say what is read, of rows how they are written."""
    yield from _no_pictures(data)
    documentation = data.source == DOCSTRINGS
    for key, unset in (("packages", None), ("package_rows", PACKAGE_ROWS)):
        if not documentation and getattr(data, key) != unset:
            yield (
                (f"data.{key}", "data.source"),
                f'is of use only with `source = "{DOCSTRINGS}"`',
            )
    usual = {"document": "document", "summary": "summary"}
    for key in ("document", "summary", "references", "weight"):
        if documentation and getattr(data, key) != usual.get(key):
            yield (
                (f"data.{key}", "data.source"),
                f"names a column, and {DOCSTRINGS} has none",
            )


def _decoder(model):
    encoder, decoder = model.encoder, model.decoder
    if model.share_embeddings and decoder.hidden_dim != encoder.hidden_dim:
        yield (
            (
                *("model.decoder.hidden_dim", "model.encoder.hidden_dim"),
                "model.share_embeddings",
            ),
            "must be the encoder's with `share_embeddings = true`",
        )
    elif model.share_embeddings and embedding_dim(decoder) != embedding_dim(encoder):
        tables = ("model.decoder", "model.encoder")
        yield (
            (
                *(f"{table}.embedding.embedding_dim" for table in tables),
                "model.share_embeddings",
            ),
            "must be the encoder's with `share_embeddings = true`",
        )
    inherited = {complaint for _, complaint in _stack(encoder, "encoder")}
    for keys, complaint in _stack(decoder, "decoder"):
        if complaint.replace("decoder", "encoder") not in inherited:
            yield keys, complaint


def _stack(stack, name):
    return stack_complaints(stack, f"model.{name}")


def _generation(recipe):
    """What `kzoo.generation` would refuse, said with the keys of a recipe."""
    settings, at = recipe.generation, "generation."
    if settings.min_new_tokens > settings.max_new_tokens:
        yield (
            (at + "min_new_tokens", at + "max_new_tokens"),
            "must not be above `max_new_tokens`",
        )
    if settings.beams % settings.beam_groups:
        yield (at + "beam_groups", at + "beams"), "must divide `beams`"
    if (settings.beam_groups > 1) != (settings.diversity_penalty > 0):
        yield (
            (at + "diversity_penalty", at + "beam_groups"),
            "is above 0 exactly where `beam_groups` is above 1",
        )
    longest = recipe.data.summary_length
    learned = getattr(recipe.model.decoder, "position", None) == "learned"
    if learned and settings.max_new_tokens > longest:
        yield (
            (at + "max_new_tokens", "data.summary_length", "model.decoder.position"),
            "must not be above `summary_length`, for which positions are learned",
        )


OF_TASK = {
    "image_text_classifier": _pictured,
    "text_classifier": _classifier,
    "token_tagger": _tagger,
    "summarizer": _summarizer,
    "masked_lm": _masked,
    "span_corruption": _spans,
}
