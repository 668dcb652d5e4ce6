"""One contestant of a benchmark, in a process of its own.

Reads lines `train STEPS`, `forward STEPS` or `matmul SIZES` and answers each with one
number: seconds per step, or FLOP/s. Everything else goes to stderr.
"""

import os
import sys
import time
import types

import numpy as np
from sizes import SIZES

CLASSES, RATE = 2, 1e-4
SHAPE, BATCH, LENGTH = SIZES[sys.argv[2]] if len(sys.argv) > 2 else SIZES["mini"]


def data():
    """The same batch for everyone: full rows, since padding is skipped by nobody."""
    generator = np.random.default_rng(7)
    return (
        generator.integers(5, SHAPE["vocabulary_size"], (BATCH, LENGTH), "int32"),
        np.ones((BATCH, LENGTH), bool),
        generator.integers(0, CLASSES, BATCH).astype("int32"),
    )


def kzoo():
    """kzoo's stepper over a classifier that has BERT's architecture."""
    from kzoo.layers import TransformerEncoder
    from kzoo.models import TextClassifier
    from kzoo.training.losses import make_loss
    from kzoo.training.optimizer import AdamW
    from kzoo.training.steppers import make_stepper

    encoder = TransformerEncoder(
        **SHAPE,
        dropout=0.1,
        position="learned",
        norm_placement="post",
        embedding={"norm": "layer_norm", "num_segments": 2},
    )
    model = TextClassifier(encoder, CLASSES, pooling="first")
    stepper = make_stepper(model, make_loss("cross_entropy"), AdamW())
    token_ids, mask, labels = data()
    inputs = {"token_ids": token_ids, "padding_mask": mask}
    weights = np.full(BATCH, 1 / BATCH, "float32")
    batch = types.SimpleNamespace(inputs=inputs, labels=labels, weights=weights)
    return lambda: stepper.train(batch, RATE), lambda: stepper.predict(inputs)


def transformers():
    """transformers' BERT in eager torch, trained as its examples do."""
    import torch
    from transformers import BertConfig, BertForSequenceClassification

    model = BertForSequenceClassification(
        BertConfig(
            vocab_size=SHAPE["vocabulary_size"],
            hidden_size=SHAPE["hidden_dim"],
            num_hidden_layers=SHAPE["num_layers"],
            num_attention_heads=SHAPE["num_heads"],
            intermediate_size=SHAPE["intermediate_dim"],
            num_labels=CLASSES,
        )
    )
    device = "cuda" if torch.cuda.is_available() else "cpu"
    model.to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=RATE)
    token_ids, mask, labels = (
        torch.as_tensor(array, device=device) for array in data()
    )
    inputs = {"input_ids": token_ids.long(), "attention_mask": mask.long()}

    def train():
        model.train()
        loss = model(**inputs, labels=labels.long()).loss
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        return loss.detach()

    def forward():
        model.eval()
        with torch.inference_mode():
            return model(**inputs).logits.cpu().numpy()

    return train, forward


def keras_hub():
    """keras-hub's BERT through Keras' own training step."""
    import keras
    import keras_hub

    backbone = keras_hub.models.BertBackbone(
        **SHAPE, dropout=0.1, max_sequence_length=512
    )
    model = keras_hub.models.BertTextClassifier(backbone, CLASSES, dropout=0.1)
    model.compile(
        keras.optimizers.AdamW(RATE, global_clipnorm=1.0),
        keras.losses.SparseCategoricalCrossentropy(from_logits=True),
    )
    token_ids, mask, labels = data()
    inputs = {
        "token_ids": token_ids,
        "padding_mask": mask,
        "segment_ids": np.zeros_like(token_ids),
    }
    return (
        lambda: model.train_on_batch(inputs, labels),
        lambda: model.predict_on_batch(inputs),
    )


def matmul_rate(repeats):
    """Float32 FLOP/s of a large square matrix product, the best of some."""
    import torch

    on_gpu = torch.cuda.is_available()
    size = 8192 if on_gpu else 1536
    a, b = torch.randn(2, size, size, device="cuda" if on_gpu else "cpu")
    best = float("inf")
    for _ in range(4 * repeats):
        start = time.perf_counter()
        a @ b
        if on_gpu:
            torch.cuda.synchronize()
        best = min(best, time.perf_counter() - start)
    return 2 * size**3 / best


def main():
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # Whatever a library prints must not look like an answer.
    name = sys.argv[1].split(":")[0].replace("-", "_")
    train, forward = {f.__name__: f for f in (kzoo, transformers, keras_hub)}[name]()
    works = {"train": train, "forward": forward}
    for line in sys.stdin:
        work, count = line.split()
        if work == "matmul":
            answer = matmul_rate(int(count))
        else:
            start = time.perf_counter()
            for _ in range(int(count)):
                result = works[work]()
            if hasattr(result, "detach"):
                result = result.detach().cpu()
            float(np.asarray(result).ravel()[0])  # Waits for lazy results.
            answer = (time.perf_counter() - start) / int(count)
        print(answer, file=answers, flush=True)


if __name__ == "__main__":
    main()
