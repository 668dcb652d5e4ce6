"""One contestant of `generation.py`, in a process of its own.

Reads lines `greedy` or `beam` and answers each with one line of JSON: the tokens, and
the seconds they took. Everything else goes to stderr.
"""

import json
import os
import sys
import time
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
SMALL = {"d_model": 512, "d_kv": 64, "d_ff": 2048, "num_heads": 8}
VOCABULARY, DEPTHS, BEAMS = 32128, (6, 6), {"greedy": 1, "beam": 4}


def module():
    """The weights that every contestant has.

    Token vectors are small beside what the blocks make of them, and attention is sharp:
    else each token would be followed by itself, or by the same whatever came before.
    """
    import torch
    from helpers import seq2seq_weights

    made = seq2seq_weights.t5(VOCABULARY, depths=DEPTHS, **SMALL)
    with torch.no_grad():
        made.shared.weight.normal_(0.0, 0.1)
        for name, weight in made.named_parameters():
            if name.endswith(".q.weight"):
                weight.mul_(10)
    return made


def sources(settings):
    """Token ids and padding mask of sources, the first of full length."""
    rng = np.random.default_rng(0)
    shape = settings["batch"], settings["source"]
    lengths = rng.integers(shape[1] // 2, shape[1] + 1, shape[0])
    lengths[0] = shape[1]
    mask = np.arange(shape[1]) < lengths[:, None]
    return np.where(mask, rng.integers(2, VOCABULARY, shape), 0).astype("int32"), mask


def transformers(settings):
    import torch

    model = module()
    token_ids, mask = sources(settings)
    inputs = {
        "input_ids": torch.as_tensor(token_ids, dtype=torch.long),
        "attention_mask": torch.as_tensor(mask, dtype=torch.long),
    }

    def write(beams):
        found = model.generate(
            **inputs, max_new_tokens=settings["new"], num_beams=beams, do_sample=False
        )
        return [until_end(row[1:].tolist()) for row in found.numpy()]

    return write


def until_end(tokens):
    """Tokens before the first end; after it transformers pads."""
    return tokens[: tokens.index(1)] if 1 in tokens else tokens


def kzoo(settings):
    from helpers import seq2seq_weights

    from kzoo.generation import Generation

    model = seq2seq_weights.copied(module())
    token_ids, mask = sources(settings)

    def write(beams):
        told = Generation(max_new_tokens=settings["new"], beams=beams)
        found = model.generate(token_ids, mask, told)
        return [row[0].token_ids.tolist() for row in found]

    return write


def main():
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # Whatever a library prints must not look like an answer.
    sys.path.insert(0, str(ROOT / "tests"))
    name = sys.argv[1].split(":")[0]
    write = {"transformers": transformers, "kzoo": kzoo}[name](json.loads(sys.argv[2]))
    for line in sys.stdin:
        start, cpu = time.perf_counter(), time.process_time()
        tokens = write(BEAMS[line.strip()])
        answer = {
            "seconds": time.perf_counter() - start,
            "cpu_seconds": time.process_time() - cpu,
            "tokens": tokens,
        }
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
