"""An encoder-decoder that goes on learning, whole: both stacks and how it writes."""

import dataclasses

from keras import ops
from kzoo_recipes import KzooError

from kzoo.interop import seq2seq
from kzoo.interop.languages import writes_code
from kzoo.interop.names.engine import weights_of
from kzoo.interop.origins import CHECKPOINT, HEAD, KEPT, MODEL
from kzoo.interop.pretrained import arguments_of, plain_model, read_kept
from kzoo.interop.source import Source, with_dropouts
from kzoo.layers import TransformerDecoder, TransformerEncoder
from kzoo.layers.seeding import drawn_from
from kzoo.models import Seq2Seq
from kzoo.models.sizes import count_parameters
from kzoo.models.warm_start import spread

# Of a saved `Seq2Seq`, the arguments that are the checkpoint's, not the recipe's.
OWN = ("start_id", "end_id", "copy", "share_embeddings", "projection", "generation")
# Settings of generation that say which tokens are written, which no recipe does.
TOKENS = ("forced_first", "forced_last", "suppress", "bad_words", "other_ends")
STACKS = {"encoder": TransformerEncoder, "decoder": TransformerDecoder}


def with_decoder(pretrained):
    """A `PretrainedEncoder` that knows the decoder beside it, if there is one.

    Its `head` is then a dict of "decoder", arguments of `TransformerDecoder`, and
    "model", arguments of `Seq2Seq`.

    Args:
        pretrained: `PretrainedEncoder`, or `None`.
    """
    if pretrained is None:
        return None
    head = HEADS[pretrained.origin.kind](pretrained.origin)
    return dataclasses.replace(pretrained, head=head)


def seq2seq_of(pretrained, dropouts, num_layers=None, **arguments):
    """The model, with all weights that there are.

    Args:
        pretrained: from `with_decoder`, with a decoder.
        dropouts: dict, see `kzoo.interop.source.with_dropouts`; of both stacks.
        num_layers: int or `None`. Blocks of the decoder, if not all: some of the
            checkpoint's, evenly spread.
        **arguments: of `Seq2Seq`, but for what the checkpoint decides.

    Returns:
        `Seq2Seq`, and a list of str, what it is and what was not read.

    Reference:
        - [Shleifer and Rush, 2020](https://arxiv.org/abs/2010.13002), fewer blocks
    """
    have = pretrained.head["decoder"]["num_layers"]
    taken = spread(have, num_layers or have)
    own, origin = pretrained.head["model"], pretrained.origin
    carried = {k: v for k, v in (own["generation"] or {}).items() if k in TOKENS}
    told = arguments.pop("generation", None)
    generation = {**carried, **(told or {})} or None
    arguments = {**own, **arguments, "generation": generation}
    if origin.kind == CHECKPOINT and not arguments["copy"] and len(taken) == have:
        source = Source.of(origin.path, dropouts)
        kept = {k: v for k, v in arguments.items() if k not in OWN or k == "copy"}
        model = seq2seq.summarizer(source, dropouts, generation=generation, **kept)
        model.generation = generation  # Nothing of the checkpoint's that a run forgets.
        model.start_id = own["start_id"]
        return model, [_described(pretrained, model), *source.said()]
    if origin.kind == KEPT:
        with drawn_from(lambda path, shape: None):  # A checkpoint has all of them.
            return _built(pretrained, dropouts, arguments, len(taken)), []
    model, notes = _built(pretrained, dropouts, arguments, len(taken)), []
    if origin.kind == CHECKPOINT:
        source = Source.of(origin.path)
        theirs = weights_of(seq2seq.summarizer(source))
        notes += source.said()
    else:
        theirs = weights_of(plain_model(origin))
    new = False
    for path, weight in weights_of(model).items():
        other = theirs.get(_before(path, taken))
        if other is None:
            new = True
        else:
            weight.assign(ops.convert_to_numpy(other))
    if new:
        notes.append("copy: begins with new weights, for it has never copied")
    if len(taken) < have:
        shown = ", ".join(map(str, taken))
        notes.append(f"decoder: its blocks begin as the blocks {shown} of {have}")
    return model, [_described(pretrained, model), *notes]


def _before(path, taken):
    """Where a weight was before some blocks of the decoder were left out."""
    stack, block, *rest = [*path.split("/"), ""]
    if stack != "decoder" or not block.startswith("block_"):
        return path
    number = taken[int(block.removeprefix("block_"))]
    return "/".join(["decoder", f"block_{number}", *rest[:-1]])


def _built(pretrained, dropouts, arguments, num_layers):
    """The model with weights that are drawn."""
    decoder = {**pretrained.head["decoder"], "num_layers": num_layers}
    tables = pretrained.arguments, decoder
    stacks = [
        kind(**with_dropouts(table, dropouts), name=side)
        for (side, kind), table in zip(STACKS.items(), tables, strict=True)
    ]
    return Seq2Seq(*stacks, **arguments)


def _described(pretrained, model):
    """What a model is, for the person who runs it."""
    depths = (getattr(model, side).get_config()["num_layers"] for side in STACKS)
    return (
        f"encoder and decoder: {pretrained.origin.name}, "
        f"{' and '.join(map(str, depths))} layers, "
        f"{count_parameters(model.weights):,} parameters"
    )


def _of_checkpoint(origin):
    _check_one_language(origin)
    source = Source.of(origin.path)
    if source.family.classifier is not None:
        return None
    rows, writing = seq2seq.described(source)
    start, settings = writes_code(source, writing.start_id, writing.settings)
    model = {"copy": False, "start_id": start, "end_id": writing.end_id}
    return {
        "decoder": arguments_of(TransformerDecoder(**rows["decoder"])),
        "model": {**rows["model"], **model, "generation": settings},
    }


def _check_one_language(origin):
    """Marian cuts what it reads and what it writes by models of their own."""
    files = [origin.path / f"{side}.spm" for side in ("source", "target")]
    whole = origin.path / "tokenizer.json"
    if whole.exists() or not all(file.exists() for file in files):
        return
    if files[0].read_bytes() != files[1].read_bytes():
        raise KzooError(
            f"{origin.name}: source.spm and target.spm differ, so what it writes is "
            "cut into other pieces than what it reads, and kzoo has one tokenizer for "
            "both; name another checkpoint."
        )


def _of_model(origin):
    model = plain_model(origin)
    if not isinstance(model, Seq2Seq):
        return None
    config = model.get_config()
    return {
        "decoder": arguments_of(model.decoder),
        "model": {key: config[key] for key in OWN},
    }


def _of_kept(origin):
    if not (origin.path / HEAD).is_file():
        return None  # An encoder alone.
    return read_kept(origin, HEAD)


HEADS = {CHECKPOINT: _of_checkpoint, MODEL: _of_model, KEPT: _of_kept}
