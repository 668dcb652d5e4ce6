"""One set of compiled programs per backend, all with the same methods.

    programs = make_programs(model)
    memory, cache = programs.read(token_ids, padding_mask, beams, length)
    scores, cache = programs.step(tokens, time, cache, memory, ancestry, best, kind)

What goes in and what `scores` holds is numpy; `memory` and `cache` are whatever the
backend keeps between steps. Weights are read as they are when `read` is called, and a
model that was trained on needs no new programs. `programs.compilations` counts those
that were built, and `programs.compiled` says whether a new shape costs one.
"""

import importlib

import keras


def make_programs(model):
    """The programs of the running backend.

    Args:
        model: built model with `read(token_ids, padding_mask)`,
            `scores(hidden, source)` and a `decoder`, see `kzoo.models.Seq2Seq`.
    """
    module = importlib.import_module(f"{__name__}.{keras.backend.backend()}")
    return module.Programs(model)
