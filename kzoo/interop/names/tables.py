"""The tables of token vectors: one for all, or one for each who reads or scores.

A config says little of them that holds: T5 v1.1 calls tied what is not, and files
repeat tables that are one. So `settled` looks at the tensors themselves and puts what
it found into the config: `share_encoder_decoder_embeddings`, whether encoder and
decoder read one table, and `tie_word_embeddings`, whether the decoder's scores the next
token.
"""

import numpy as np

from kzoo.interop.names.engine import Name
from kzoo.interop.names.forms import Form
from kzoo.interop.names.spelling import spelled
from kzoo.models.families.t5 import scales

SHARED = "shared.weight"
ENCODER = "encoder.embed_tokens.weight"
DECODER = "decoder.embed_tokens.weight"
HEAD = "lm_head.weight"
BIAS = "final_logits_bias"
ROWS = 4096  # of a table that are compared at once, so that no second copy is made


def copied(times):
    """One of ours that others write several times over."""
    return Form(lambda *theirs: theirs[0], lambda x: (x,) * times)


def token_tables(config):
    """The names of the tables, of a config that is settled."""
    encoder, decoder, head = (
        f"{place}/embeddings"
        for place in ("encoder/embedding", "decoder/embedding", "logits")
    )
    shared = config.get("share_encoder_decoder_embeddings", True)
    tied = config.get("tie_word_embeddings", True)
    if shared and tied:
        return [Name(encoder, SHARED, copies=(ENCODER, DECODER, HEAD))]
    if shared:
        return [
            Name(encoder, (ENCODER, DECODER, SHARED), copied(3)),
            Name(head, HEAD),
        ]
    if tied:
        return [Name(encoder, ENCODER), Name(decoder, (DECODER, HEAD), copied(2))]
    return [Name(encoder, ENCODER), Name(decoder, DECODER), Name(head, HEAD)]


class Settled:
    """A checkpoint whose config says what its tables are, and that has all of them.

    Args:
        checkpoint: `Checkpoint`.
        config: dict, the config as it is settled.
        aliases: dict from a plain name that the checkpoint lacks to the full name of
            the tensor that is the same weight.
        zeros: dict from such a name to the shape of what is zero where it is absent.
    """

    def __init__(self, checkpoint, config, aliases, zeros):
        self._checkpoint, self._aliases, self._zeros = checkpoint, aliases, zeros
        self.folder = checkpoint.folder
        self.config = config
        self.names = (*checkpoint.names, *aliases, *zeros)

    def __contains__(self, name):
        return name in self.names

    def shape(self, name):
        if name in self._zeros:
            return self._zeros[name]
        return self._checkpoint.shape(self._aliases.get(name, name))

    def is_float(self, name):
        if name in self._zeros:
            return True
        return self._checkpoint.is_float(self._aliases.get(name, name))

    def where(self, name):
        if name in self._zeros:
            return self.folder
        return self._checkpoint.where(self._aliases.get(name, name))

    def read(self, name):
        if name in self._zeros:
            return np.zeros(self._zeros[name], "float32")
        return self._checkpoint.read(self._aliases.get(name, name))


def settled(checkpoint, prefixes):
    """A checkpoint of an encoder-decoder with its tables found out.

    Args:
        checkpoint: `Checkpoint`.
        prefixes: tuple of str, of the family's `NameMap`.

    Returns:
        `Settled`, and a list of str, notes.
    """
    config, stored = checkpoint.config, spelled(checkpoint, prefixes)

    def found(*names):
        return next((stored[name] for name in names if name in stored), None)

    apart = config.get("share_encoder_decoder_embeddings") is False
    encoder = found(ENCODER, SHARED, DECODER, HEAD)
    decoder = found(DECODER, SHARED, ENCODER, HEAD)
    head = found(HEAD, *([DECODER] if apart else []), SHARED, DECODER, ENCODER)
    if encoder is None:
        return checkpoint, []  # The engine says what is missing.
    shared = equal(checkpoint, encoder, decoder)
    tied = equal(checkpoint, head, decoder)
    config = {
        **config,
        "scale_decoder_outputs": scales(config),
        "share_encoder_decoder_embeddings": shared,
        "tie_word_embeddings": tied,
    }
    theirs = {ENCODER: encoder, DECODER: decoder, HEAD: head, SHARED: encoder}
    wanted = {
        plain
        for name in token_tables(config)
        for plain in name.all_theirs
        if plain not in stored
    }
    zeros = {}
    if config.get("model_type") not in ("t5", "mt5") and BIAS not in stored:
        zeros[BIAS] = (1, checkpoint.shape(head)[0])
    notes = []
    promised = checkpoint.config.get("tie_word_embeddings") is False
    if HEAD not in stored and promised and config["model_type"] not in ("t5", "mt5"):
        notes.append(
            f"{checkpoint.folder}: config.json promises token vectors of their own for "
            f"the scores, but there is no `{HEAD}`; those of the decoder score."
        )
    aliases = {plain: theirs[plain] for plain in wanted}
    return Settled(checkpoint, config, aliases, zeros), notes


def equal(checkpoint, first, second):
    """Whether two tensors of a checkpoint, by full name, hold the same numbers."""
    if first == second:
        return True
    if checkpoint.shape(first) != checkpoint.shape(second):
        return False
    one, other = checkpoint.read(first), checkpoint.read(second)
    return all(
        np.array_equal(one[row : row + ROWS], other[row : row + ROWS])
        for row in range(0, len(one), ROWS)
    )
