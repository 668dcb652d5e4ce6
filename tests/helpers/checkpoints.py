"""Small checkpoints that transformers itself writes, and what it answers."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="transformers runs on torch")
transformers = pytest.importorskip("transformers", reason="it writes the checkpoints")

SIZES = {
    "vocab_size": 60,
    "hidden_size": 20,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 28,
    "max_position_embeddings": 24,
}


def saved(folder, architecture, config, seed=0, **more):
    """A model of transformers with random weights, every one of which counts.

    Args:
        folder: where to save it.
        architecture: str, such as "BertForSequenceClassification".
        config: str, such as "BertConfig".
        seed: int.
        **more: of the config, over `SIZES`.

    Returns:
        The module, in eval mode.
    """
    torch.manual_seed(seed)
    settings = getattr(transformers, config)(**{**SIZES, **more})
    module = getattr(transformers, architecture)(settings)
    with torch.no_grad():
        for weight in module.parameters():
            size = 0.2 if weight.ndim == 1 else 0.5 * weight.shape[-1] ** -0.5
            weight.add_(size * torch.randn(weight.shape))
    module.eval().save_pretrained(folder)
    return module


def batch(vocabulary_size=60, pad_id=0, rows=4, length=11, seed=0):
    """Token ids `(B, T)` and their mask; the first row is full, the others padded."""
    rng = np.random.default_rng(seed)
    token_ids = rng.integers(5, vocabulary_size, (rows, length))
    lengths = [length, *rng.integers(1, length, rows - 1)]
    mask = np.arange(length) < np.array(lengths)[:, None]
    return np.where(mask, token_ids, pad_id).astype("int32"), mask


def answers(module, token_ids, mask, output="logits"):
    """What a module says of a batch, as NumPy."""
    with torch.no_grad():
        out = module(
            input_ids=torch.tensor(token_ids, dtype=torch.long),
            attention_mask=torch.tensor(mask, dtype=torch.long),
        )
    return getattr(out, output).numpy()
