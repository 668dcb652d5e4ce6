"""Recipes that begin with a pretrained encoder: what it decides, what they do."""

import msgspec
from kzoo_recipes import Attention, Encoder, KzooError, SpanModel, arguments_of

from kzoo.interop.pretrained import fingerprint_of, open_pretrained
from kzoo.interop.pretrained_seq2seq import seq2seq_of, with_decoder
from kzoo.layers import TransformerDecoder
from kzoo.layers.feed_forward import GatedFeedForward
from kzoo.models.warm_start import decoder_like, warm_start
from kzoo.text import make_tokenizer


def opened(recipe, whole=False):
    """What `[model] pretrained` of a recipe names, or `None` where it names nothing.

    Args:
        recipe: `Recipe`.
        whole: bool. Whether a decoder goes on learning, too, where there is one.

    Returns:
        `kzoo.interop.pretrained.PretrainedEncoder`.

    Raises:
        KzooError: if it cannot be used, or has no positions for texts so long.
    """
    name = recipe.model.pretrained
    if name is None:
        return None
    pretrained = open_pretrained(name, whole=whole, task=recipe.task)
    if whole:
        pretrained = with_decoder(pretrained)
    reads = writes = pretrained.max_sequence_length
    if pretrained.writes:
        table = pretrained.head["decoder"]
        writes = TransformerDecoder(**table).max_sequence_length
    for key, longest in (("sequence_length", reads), ("summary_length", writes)):
        length = getattr(recipe.data, key, 0)
        if longest is not None and length > longest:
            raise KzooError(
                f"[data] {key} must be at most {longest}, for so many tokens {name} "
                f"has positions. Received: {key}={length}"
            )
    return pretrained


def tokenizer_for(recipe, pretrained, texts, sentinels=0):
    """The tokenizer of a checkpoint, else the one that the recipe describes.

    Args:
        recipe: `Recipe`.
        pretrained: from `opened`.
        texts: list of str. The training texts.
        sentinels: int. How many a trained one has, see `Tokenizer.train`.
    """
    if pretrained is not None:
        return pretrained.tokenizer
    return make_tokenizer(recipe.tokenizer, texts, sentinels)


def pretrained_encoder(recipe, prepared):
    """The encoder of a recipe; notes on its weights go to `prepared.notes`."""
    pretrained = prepared.pretrained
    encoder, notes = pretrained.made(arguments_of(recipe.model.encoder))
    prepared.notes.extend(notes)
    return encoder


def with_fingerprint(recipe, model, prepared):
    """The recipe, which then says of what weights its model was made.

    Args:
        recipe: `Recipe`.
        model: the task's model, as it was built.
        prepared: what the task made of the rows.

    Raises:
        KzooError: if it says already, and these are others.
    """
    pretrained = prepared.pretrained
    if pretrained is None or not pretrained.has_weights:
        return recipe
    if pretrained.writes:
        new = () if pretrained.head["model"]["copy"] else ("copy/",)
        found = fingerprint_of(model, but=new)
    else:
        found = fingerprint_of(model.encoder)
    if recipe.model.pretrained_sha256 not in (None, found):
        raise KzooError(
            f"{recipe.model.pretrained}: the weights are not those of [model] "
            "pretrained_sha256; name the checkpoint that the run began with, or leave "
            f"the key out. Received: {found}"
        )
    return with_table(recipe, pretrained_sha256=found)


def with_table(recipe, **changes):
    """The recipe with other keys of its `[model]`."""
    model = msgspec.structs.replace(recipe.model, **changes)
    return msgspec.structs.replace(recipe, model=model)


def described(recipe, model):
    """A recipe that says the sizes of its stacks, also where they are a checkpoint's.

    Args:
        recipe: `Recipe`.
        model: the task's model, as it was built.

    Returns:
        `Recipe` to be read, not trained: of the parts only sizes are right.
    """
    if recipe.model.pretrained is None:
        return recipe
    changes = {"encoder": _sizes_of(model.encoder)}
    if hasattr(model, "decoder"):
        changes["decoder"] = _sizes_of(model.decoder)
    if recipe.task == "span_corruption":  # Tuned, its table knows no decoder.
        return msgspec.structs.replace(recipe, model=SpanModel(**changes))
    return with_table(recipe, **changes)


def _sizes_of(stack):
    config, [block, *_] = stack.get_config(), stack.blocks
    gated = isinstance(block.feed_forward, GatedFeedForward)
    own = dict(config["attention"] or {})
    if isinstance(own.get("kernel"), dict):  # Its options are keys beside it.
        own |= {**own["kernel"], "kernel": own["kernel"].get("kind")}
    keys = ("num_layers", "num_heads", "hidden_dim", "intermediate_dim", "dropout")
    return Encoder(
        **{key: config[key] for key in keys},
        norm_placement=config["norm_placement"],
        feed_forward="swiglu" if gated else "gelu",
        attention=Attention(
            **{k: own[k] for k in Attention.__struct_fields__ if k in own}
        ),
    )


def whole_model(recipe, prepared, **arguments):
    """The encoder-decoder of a recipe; notes on its weights go to `prepared.notes`.

    Args:
        recipe: `Recipe`.
        prepared: what the task made of the rows.
        **arguments: of `Seq2Seq`, but for what the checkpoint decides.
    """
    dropouts = arguments_of(recipe.model.encoder)
    table = getattr(recipe.model, "decoder", None)
    num_layers = table and table.num_layers
    model, notes = seq2seq_of(prepared.pretrained, dropouts, num_layers, **arguments)
    prepared.notes.extend(notes)
    return model


def check_whole(recipe, pretrained):
    """Refuse what a summarizer's recipe says of what its checkpoint decides.

    Args:
        recipe: `TunedSummarizerRecipe`.
        pretrained: from `opened`, with a decoder.

    Raises:
        KzooError: naming the key.
    """
    model, own = recipe.model, pretrained.head["model"]
    most, asked = pretrained.head["decoder"]["num_layers"], model.decoder.num_layers
    if asked is not None and asked > most:
        raise KzooError(
            f"[model.decoder] num_layers must be at most {most}, the blocks of the "
            f"decoder of {model.pretrained}. Received: num_layers={asked}"
        )
    usual = type(model.decoder)()
    for key in ("init", "cross_attention"):
        if getattr(model.decoder, key) != getattr(usual, key):
            raise KzooError(
                f"[model.decoder] {key} says how a decoder is made like an encoder, "
                f"and {model.pretrained} has one of its own; leave it out. "
                f"Received: {key}={getattr(model.decoder, key)!r}"
            )
    if own["copy"] and not model.copy:
        raise KzooError(
            f"[model] copy must be true: {model.pretrained} has learnt to copy."
        )
    if own["share_embeddings"] and not model.share_embeddings:
        raise KzooError(
            f"[model] share_embeddings must be true, or left out: encoder and decoder "
            f"of {model.pretrained} have one table of token vectors."
        )


def warm_decoder(recipe, encoder):
    """A decoder like the encoder, not built.

    Args:
        recipe: `TunedSummarizerRecipe`.
        encoder: `TransformerEncoder`.

    Raises:
        KzooError: if it shall have more blocks than the encoder, or the encoder has
            what no decoder can have.
    """
    layers = recipe.model.decoder.num_layers
    most = encoder.get_config()["num_layers"]
    if layers is not None and layers > most:
        raise KzooError(
            f"[model.decoder] num_layers must be at most {most}, the blocks of the "
            f"pretrained encoder. Received: num_layers={layers}"
        )
    try:
        return decoder_like(encoder, layers, name="decoder")
    except (TypeError, ValueError) as error:
        raise KzooError(
            f"{recipe.model.pretrained}: no decoder is like this encoder "
            f"({error}); name another checkpoint."
        ) from error


def begin_warm(recipe, model, prepared):
    """Give a summarizer's decoder the weights of its encoder, as the recipe says.

    What begins with what is added to `prepared.notes`.

    Args:
        recipe: `TunedSummarizerRecipe`.
        model: `Seq2Seq`.
        prepared: `PreparedPairs`.
    """
    table = recipe.model.decoder
    if not prepared.pretrained.has_weights:
        return
    if table.init == "random":
        prepared.notes.append("decoder: begins with new weights")
        return
    cross = table.cross_attention == "encoder"
    blocks = warm_start(model, cross_attention=cross)
    shown = ", ".join(f"block_{number}" for number in blocks)
    prepared.notes.append(
        f"decoder: begins as {shown} of the encoder, its attention to the encoder "
        f"{'as the attention in it' if cross else 'with new weights'}"
    )
