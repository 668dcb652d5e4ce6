"""A masked language model that goes on learning: an encoder with the head it had."""

import dataclasses

from keras import ops
from kzoo_recipes import KzooError

from kzoo.interop import encoders
from kzoo.interop.origins import CHECKPOINT, HEAD, KEPT, MODEL
from kzoo.interop.pretrained import described_as, plain_model, read_kept
from kzoo.interop.source import Source
from kzoo.layers.parts import config_of
from kzoo.models import MaskedLM, load_model

OWN = ("head_dim", "activation", "norm", "use_bias", "projection")
ANEW = "head: begins with new weights, for there are none of a masked language model"


def with_head(pretrained):
    """A `PretrainedEncoder` that knows the arguments of the head, too.

    Args:
        pretrained: `PretrainedEncoder`, or `None`.

    Raises:
        KzooError: if kzoo makes no masked language model of its family.
    """
    if pretrained is None:
        return None
    head = HEADS[pretrained.origin.kind](pretrained.origin)
    return dataclasses.replace(pretrained, head=head)


def masked_lm_of(pretrained, dropouts, **arguments):
    """The model, with all weights that there are.

    Args:
        pretrained: from `with_head`.
        dropouts: dict, see `kzoo.interop.source.with_dropouts`.
        **arguments: of `MaskedLM`, but for its head's.

    Returns:
        `MaskedLM` without a tokenizer, and a list of str, what it is and what was not
        read.
    """
    if pretrained.origin.kind == CHECKPOINT:
        source = Source.of(pretrained.origin.path, dropouts)
        model = encoders.masked_lm(source, **arguments)
        said = described_as(pretrained, source.family.name, model.encoder)
        return model, [said, *source.said()]
    encoder, notes = pretrained.made(dropouts)
    model = MaskedLM(encoder, **pretrained.head, **arguments)
    if pretrained.origin.kind == KEPT:
        return model, notes
    theirs = plain_model(pretrained.origin)
    if not isinstance(theirs, MaskedLM):
        return model, [*notes, ANEW]
    values = _head_of(theirs)
    for path, weight in _head_of(model).items():
        weight.assign(ops.convert_to_numpy(values[path]))
    return model, notes


def _head_of(model):
    """The weights of a model that are not its encoder's, by path."""
    own = {weight.path for weight in model.encoder.weights}
    return {weight.path: weight for weight in model.weights if weight.path not in own}


def _of_checkpoint(origin):
    source = Source.of(origin.path)
    if source.family.masked_lm is None:
        raise KzooError(
            f"{origin.name}: kzoo makes no masked language model of the family "
            f"{source.family.name!r}; name another checkpoint."
        )
    own = source.family.masked_lm(source.config)
    return {key: config_of(own[key]) for key in OWN if key in own}


def _of_model(origin):
    model = load_model(origin.path)
    if not isinstance(model, MaskedLM):
        return {}
    config = model.get_config()
    return {key: config[key] for key in OWN}


def _of_kept(origin):
    return read_kept(origin, HEAD)


HEADS = {CHECKPOINT: _of_checkpoint, MODEL: _of_model, KEPT: _of_kept}
