"""Encoder-decoders of checkpoints: read as a `Seq2Seq`, and written from one."""

import numpy as np
from kzoo_recipes import KzooError

from kzoo.interop.generation import read_generation
from kzoo.interop.names.tables import settled
from kzoo.interop.source import in_folder, with_dropouts
from kzoo.interop.tokenizers import read_limits
from kzoo.layers import SinusoidalPositions, TransformerDecoder, TransformerEncoder
from kzoo.layers.seeding import drawn_from
from kzoo.models.seq2seq import Seq2Seq

TARGET = 128  # tokens of a text, where the checkpoint does not say
CLOSE = 2e-3  # How well float16 holds a sine.


def summarizer(source, decoder=None, **arguments):
    """A `Seq2Seq` with the weights, ids and settings of a checkpoint.

    Args:
        source: `Source`.
        decoder: dict or `None`. Other dropouts of the decoder, as `encoder` of the
            encoder.
        **arguments: of `Seq2Seq`: `source_length`, `target_length`, `truncate`, and
            `generation`, settings over those of the checkpoint.
    """
    rows, writing = described(source)
    source.notes += writing.notes
    _check_waves(source)
    told = {"encoder": source.dropouts, "decoder": dict(decoder or {})}
    reading = source.reading("summarizer")
    with in_folder(source.folder), drawn_from(reading.given):
        stacks = {
            side: kind(**with_dropouts(rows[side], told[side]), name=side)
            for side, kind in (
                ("encoder", TransformerEncoder),
                ("decoder", TransformerDecoder),
            )
        }
        model = _model(source, stacks, rows["model"], arguments, writing)
    source.notes += reading.into(model)
    return model


def described(source):
    """What a checkpoint says of its model; its tables of token vectors are settled.

    Args:
        source: `Source`.

    Returns:
        dict of arguments of "encoder", "decoder" and "model"; and `Writing`.
    """
    _require(source)
    source.checkpoint, notes = settled(source.checkpoint, source.name_map.prefixes)
    source.notes += notes
    rows = _rows(source)
    positions = TransformerDecoder(**rows["decoder"]).max_sequence_length
    ends = positions, source.tokenizer.end_id
    return rows, read_generation(source.folder, source.config, *ends)


def _rows(source):
    with in_folder(source.folder):
        return source.family.stack(source.config)


def _require(source):
    if source.family.classifier is not None:
        raise KzooError(
            f"{source.folder}: a model of the family {source.family.name!r} only "
            "reads; a summarizer needs one that also writes, such as T5 or BART."
        )


def _model(source, stacks, own, arguments, writing):
    positions = stacks["decoder"].max_sequence_length
    settings = {**writing.settings, **(arguments.pop("generation", None) or {})}
    most = settings.get("max_new_tokens")
    room = stacks["encoder"].max_sequence_length or source.longest
    _, kept = read_limits(source.folder, source.config)
    lengths = {
        "truncate": kept,
        "source_length": min(source.longest, room),
        "target_length": most or min(TARGET, positions or TARGET),
        **arguments,
    }
    if most is None:
        settings["max_new_tokens"] = lengths["target_length"]
        source.notes.append(
            f"{source.folder}: nothing says how long texts may be, so they have at "
            f"most {lengths['target_length']} tokens (transformers' `generate`: 20)."
        )
    model = Seq2Seq(
        stacks["encoder"],
        stacks["decoder"],
        writing.start_id,
        writing.end_id,
        **own,
        **lengths,
        generation=settings,
    )
    return model.attach(source.tokenizer)


def _check_waves(source):
    """Refuse positions that are stored and are other numbers than kzoo computes."""
    checkpoint = source.checkpoint
    for name in checkpoint.names:
        if not name.endswith("embed_positions.weight"):
            continue
        row = _rows(source)["encoder"]
        if not isinstance(row["position"], SinusoidalPositions):
            continue
        table = checkpoint.read(name)
        if table.ndim != 2 or table.shape[1] != row["hidden_dim"]:
            continue
        if not np.allclose(table, waves(*table.shape), rtol=0, atol=CLOSE):
            raise KzooError(
                f"{checkpoint.where(name)}: `{name}` is not the sines and cosines that "
                f"a model of the family {source.family.name!r} has for positions."
            )


def waves(positions, width):
    """The positions of Marian and Pegasus, float32 `(positions, width)`."""
    turns = 10000.0 ** (-np.arange(0, width, 2) / width)
    angles = np.arange(positions)[:, None] * turns  # (positions, width / 2)
    return np.concatenate([np.sin(angles), np.cos(angles)], axis=1).astype("float32")
