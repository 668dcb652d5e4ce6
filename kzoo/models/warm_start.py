"""Decoders that begin with what an encoder has learnt."""

from keras import ops

from kzoo.layers import TransformerDecoder
from kzoo.layers.relative_positions import RelativePositions

PARTS = ("attention", "attention_step", "feed_forward", "feed_forward_step")
CROSS = {"cross_attention": "attention", "cross_attention_step": "attention_step"}


def decoder_like(encoder, num_layers=None, **kwargs):
    """A decoder with the arguments of an encoder; it looks back only, and at another.

    Args:
        encoder: `kzoo.layers.TransformerEncoder`.
        num_layers: int. Layers; as many as the encoder's if `None`.
        **kwargs: further arguments of the decoder, such as `name`.

    Returns:
        `kzoo.layers.TransformerDecoder` with cross-attention, not built.

    Raises:
        ValueError: if the encoder's layers share blocks, as no decoder's do, or its
            positions are none of a decoder's.
    """
    config = {**encoder.get_config(), **kwargs}
    share = config.pop("share_blocks")
    if share > 1:
        raise ValueError(
            "A decoder's layers share no blocks. "
            f"Received: encoder.share_blocks={share}"
        )
    config["num_layers"] = num_layers or config["num_layers"]
    own = config["embedding"] or {}
    # One token at a time cannot see pairs of them.
    config["embedding"] = {k: v for k, v in own.items() if not k.startswith("bigram_")}
    # What is written is short: each token of it looks at all before.
    own = config["attention"] or {}
    config["attention"] = {k: v for k, v in own.items() if k != "kernel"}
    position = config["position"]
    if isinstance(position, dict) and "bidirectional" in position["config"]:
        one_way = {**position["config"], "bidirectional": False}
        config["position"] = {**position, "config": one_way}
    return TransformerDecoder.from_config(config)


def warm_start(model, cross_attention=False):
    """Let a decoder begin with the weights of the encoder that it is like.

    Self-attention, feed-forward, norms, segments and positions become the encoder's, as
    do token vectors that are not shared. Positions that are distances stay new: those
    of a decoder, which looks back only, have other buckets.

    Args:
        model: `kzoo.Seq2Seq` whose decoder is from `decoder_like`, of at most as many
            blocks as its encoder.
        cross_attention: bool. Whether attention to the encoder begins as the encoder's
            self-attention; else it keeps its new weights.

    Returns:
        list of int: which block of the encoder each block of the decoder begins as,
        evenly spread.

    Raises:
        ValueError: if the decoder has more blocks, or other parts.

    Reference:
        - [Rothe et al., 2020](https://arxiv.org/abs/1907.12461)
    """
    encoder, decoder = model.encoder, model.decoder
    have, want = len(encoder.blocks), len(decoder.blocks)
    if want > have:
        raise ValueError(
            "A decoder begins with at most as many blocks as the encoder has. "
            f"Received: {want} and {have} blocks"
        )
    taken = spread(have, want)
    for block, number in zip(decoder.blocks, taken, strict=True):
        source = encoder.blocks[number]
        parts = {**dict.fromkeys(PARTS), **(CROSS if cross_attention else {})}
        for own, theirs in parts.items():
            _copy(getattr(block, own), getattr(source, theirs or own))
    _copy(decoder.embedding, encoder.embedding)
    if not isinstance(decoder.position, RelativePositions | None):
        _copy(decoder.position, encoder.position)
    if decoder.final_norm is not None:
        _copy(decoder.final_norm, encoder.final_norm)
    return taken


def spread(have, want):
    """The numbers of `want` blocks of `have`, evenly spread; a list of int."""
    return [(2 * number + 1) * have // (2 * want) for number in range(want)]


def _copy(layer, source):
    """Copy the weights of a layer that has the same ones, or some of them."""
    theirs = {_below(weight, source): weight for weight in source.weights}
    for weight in layer.weights:
        if weight.name == "state":  # The steps of dropout.
            continue
        other = theirs.get(_below(weight, layer))
        if other is None or tuple(other.shape) != tuple(weight.shape):
            raise ValueError(
                "The decoder has other parts than the encoder. "
                f"Received: {weight.path} of shape {tuple(weight.shape)}"
            )
        weight.assign(ops.convert_to_numpy(other))


def _below(weight, layer):
    return weight.path.removeprefix(f"{layer.path}/")
