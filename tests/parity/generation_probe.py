"""Write texts in a process of its own: `theirs FOLDER`, then `ours FOLDER BACKEND`.

`theirs` runs on PyTorch: it makes models of transformers, lets them generate, and saves
kzoo's models with their weights. `ours` loads those on any backend and generates.
"""

import json
import sys
from pathlib import Path

from kzoo_cli.start import start_keras

from tests.parity.generation_cases import (
    ENDS,
    PADS,
    STARTS,
    V,
    cases,
    cases_on,
    own_cases,
    sources,
)


def theirs(folder):
    import torch
    from helpers import seq2seq_weights

    modules = {
        "t5": seq2seq_weights.t5(V, seed=3, depths=(2, 2), factor=1.0),
        "bart": seq2seq_weights.bart(V, seed=4, depths=(2, 2)),
    }
    for name, module in modules.items():
        with torch.no_grad():  # So that some texts end.
            module.get_input_embeddings().weight[ENDS[name]] *= 2
        seq2seq_weights.copied(module).save(folder / f"{name}.keras")
        found = {case: written(module, name, given) for case, given in cases().items()}
        (folder / f"{name}-theirs.json").write_text(json.dumps(found))


def written(module, name, given):
    """Texts that transformers writes: for each source a list of lists of tokens."""
    from helpers.hugging_face import generated

    special = (ENDS[name],), STARTS[name], PADS[name]
    found = generated(module, *sources(), given, *special)
    return [[tokens for tokens, _ in of_source] for of_source in found]


def ours(folder, backend):
    start_keras(backend)  # In half the time, as the commands do it.
    import keras

    import kzoo  # noqa: F401  Loading a model needs its classes.
    from kzoo.generation import Generation, generate
    from kzoo.generation.decoder import Decoder

    assert keras.config.backend() == backend
    asked = cases_on(backend) | own_cases()
    for name in ENDS:
        model = keras.saving.load_model(folder / f"{name}.keras")
        decoder, found = Decoder(model), {}
        for case, given in asked.items():
            texts = generate(
                *(decoder, *sources(), Generation(**given)),
                *(STARTS[name], ENDS[name], PADS[name]),
            )
            found[case] = [[one.token_ids.tolist() for one in row] for row in texts]
        (folder / f"{name}-{backend}.json").write_text(json.dumps(found))


if __name__ == "__main__":
    stage, folder, *backend = sys.argv[1:]
    {"theirs": theirs, "ours": ours}[stage](Path(folder), *backend)
