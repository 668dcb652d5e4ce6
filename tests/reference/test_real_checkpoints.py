"""Checkpoints of the hub, which kzoo cannot ship: KZOO_CHECKPOINTS names the folder."""

import os
import subprocess
import sys
from pathlib import Path

import keras
import numpy as np
import pytest
from helpers import checkpoints
from helpers.layers import array
from helpers.peaks import READS_PEAKS
from helpers.sentences import sentences

import kzoo
from kzoo.data.batches import inference_batches, length_buckets

FOLDER = os.environ.get("KZOO_CHECKPOINTS")
torch, transformers = checkpoints.torch, checkpoints.transformers


def folder(name):
    if not FOLDER or not Path(FOLDER, name).is_dir():
        pytest.skip(f"KZOO_CHECKPOINTS names no folder with {name}")
    return Path(FOLDER, name)


def mean_vectors(hidden, mask):
    """The mean of each text's tokens, of length 1."""
    kept = mask[..., None]
    mean = (hidden * kept).sum(1) / kept.sum(1)
    return mean / np.linalg.norm(mean, axis=-1, keepdims=True)


def test_sentence_vectors_of_minilm():
    path = folder("all-MiniLM-L6-v2")
    notes = []
    encoder, tokenizer = kzoo.from_hugging_face(path, "encoder", note=notes.append)
    assert [note.partition(": not read: ")[2] for note in notes] == [
        "the numbers of the positions (`embeddings.position_ids`).",
        "the pooler (`pooler.dense.bias`, `pooler.dense.weight`).",
    ]
    texts = sentences(200)
    theirs = transformers.AutoModel.from_pretrained(path).eval()
    read = transformers.AutoTokenizer.from_pretrained(path)
    encoded = tokenizer.encode(texts, 128, offsets=False)
    batches = inference_batches(
        encoded.token_ids, 32, length_buckets(128), tokenizer.pad_id
    )
    for rows, inputs in batches:
        batch = [texts[row] for row in rows]
        their_batch = read(
            batch, padding=True, truncation=True, max_length=128, return_tensors="pt"
        )
        with torch.no_grad():
            hidden = theirs(**their_batch).last_hidden_state.numpy()
        mask = their_batch["attention_mask"].numpy().astype(bool)
        own = array(encoder(inputs["token_ids"], inputs["padding_mask"]))
        ours = mean_vectors(own, inputs["padding_mask"])[: len(rows)]
        for row, ids in zip(rows, their_batch["input_ids"].numpy(), strict=True):
            np.testing.assert_array_equal(
                encoded.token_ids[row], ids[: len(encoded.token_ids[row])]
            )
        np.testing.assert_allclose(ours, mean_vectors(hidden, mask), atol=1e-5)


def test_masked_tokens_of_bert_tiny():
    path = folder("bert-tiny-splade")
    model = kzoo.from_hugging_face(path, note=lambda sentence: None)
    theirs = transformers.AutoModelForMaskedLM.from_pretrained(path).eval()
    read = transformers.AutoTokenizer.from_pretrained(path)
    texts = [
        "the capital of france is [MASK].",
        "she [MASK] the book on the table and left.",
        "[MASK] is the largest [MASK] in the world.",
    ]
    for text, found in zip(texts, model.fill(texts, top_k=10), strict=True):
        encoded = read(text, return_tensors="pt")
        with torch.no_grad():
            logits = theirs(**encoded).logits[0]
        masks = logits[encoded["input_ids"][0] == read.mask_token_id]
        expected = torch.topk(masks, 10).indices.tolist()
        assert [[one["id"] for one in of["candidates"]] for of in found] == expected


PROBE = """
import sys
import kzoo
from helpers.peaks import peak_memory

def kilobytes(what):
    lines = open("/proc/self/status").read().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(what))

kzoo.layers.TransformerEncoder(9, 1, 2, 4, 8).build((None, None))  # Keras imports, too
open("/proc/self/clear_refs", "w").write("5")  # The peak is counted from here.
before = kilobytes("VmRSS")
pair = kzoo.from_hugging_face(sys.argv[1], "encoder", note=lambda sentence: None)
print(peak_memory() // 1024 - before)
"""


def test_loading_takes_little_memory():
    """Twice the file would be the weights and a copy of each."""
    path = folder("all-MiniLM-L6-v2")
    if not os.access("/proc/self/clear_refs", os.W_OK):
        pytest.skip("the peak of a process can be counted anew on Linux only")
    out = subprocess.run(
        [sys.executable, "-c", PROBE, path],
        env={**os.environ, **READS_PEAKS, "KERAS_BACKEND": keras.config.backend()},
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    kilobytes = int(out.splitlines()[-1])
    size = path.joinpath("model.safetensors").stat().st_size
    assert kilobytes * 1024 < 2.2 * size
