"""PyTorch: the same functions, eagerly; the cache is written in place."""

import torch

from kzoo.generation.programs import functions
from kzoo.layers.native import operations

BLOCK = 128  # scores, of which the maximum is looked at first


class Programs:
    """See `kzoo.generation.programs`."""

    compiled = False
    compilations = 0

    def __init__(self, model):
        self.model = model

    def read(self, token_ids, padding_mask, beams, length):
        device = self.model.weights[0].value.device
        with torch.inference_mode():
            arrays = _tensors(device, token_ids, padding_mask)
            memory, cache = functions.read(self.model, *arrays, beams, length)
        memory["weights"] = operations.lay_out(len(token_ids) * beams, length)
        return memory, cache

    def step(self, tokens, time, cache, memory, ancestry, count, kind):
        device = memory["source"]["encoded"].device  # Keras is slow to list weights.
        with torch.inference_mode(), memory["weights"]:
            tokens, ancestry = _tensors(device, tokens, ancestry)
            scores, cache = functions.score(
                self.model, tokens, time, cache, memory, ancestry
            )
            ids, values = best(scores, count, kind)
        return (None if ids is None else ids.cpu().numpy(), values.cpu().numpy()), cache


def _tensors(device, *arrays):
    return [torch.as_tensor(array, device=device) for array in arrays]


def best(scores, count, kind):
    """See `functions.best`. What is equal comes in no order from `torch.topk`."""
    if count is None or count >= scores.shape[-1]:
        ids, values = functions.best(scores, None, kind)
        if count is not None:
            values, ids = values.sort(dim=-1, descending=True, stable=True)
            ids = ids.int()
        return ids, values
    if count == 1:
        ids = _first_best(scores)
        values = scores.gather(-1, ids)
    else:
        values, ids = _top(scores, count)
    if kind == "log_probabilities":
        values = values - log_sum(scores, values[..., :1])
    return ids.int(), values


def log_sum(scores, top):
    """The logarithm of the sum of exponentials; several times faster than torch's."""
    top = torch.where(top.isfinite(), top, 0)
    return (scores - top).exp_().sum(dim=-1, keepdim=True).log_() + top


def _first_best(scores):
    """The ids of the best, `(B, K, 1)`; NumPy is 20 times faster than torch."""
    if scores.device.type != "cpu":
        return scores.argmax(dim=-1, keepdim=True)
    return torch.from_numpy(scores.numpy().argmax(axis=-1, keepdims=True))


def _top(scores, count):
    values, ids = _unordered(scores, count + 1)
    if (values[..., count - 1] == values[..., count]).any():  # Who is in is open.
        values, ids = scores.sort(dim=-1, descending=True, stable=True)
    elif (values[..., 1:] == values[..., :-1]).any():
        ids, order = ids.sort(dim=-1)
        values, order = values.gather(-1, order).sort(
            dim=-1, descending=True, stable=True
        )
        ids = ids.gather(-1, order)
    return values[..., :count], ids[..., :count]


def _unordered(scores, count):
    """What `torch.topk` gives, found in the blocks with the largest maxima."""
    blocks = scores.shape[-1] // BLOCK
    if scores.device.type != "cpu" or blocks < 4 * count:
        return scores.topk(count, dim=-1)
    whole = blocks * BLOCK
    parts = scores[..., :whole].unflatten(-1, (blocks, BLOCK))
    chosen = parts.amax(dim=-1).topk(count, dim=-1, sorted=False).indices[..., None]
    values = parts.gather(-2, chosen.expand(*chosen.shape[:-1], BLOCK)).flatten(-2)
    ids = (chosen * BLOCK + torch.arange(BLOCK)).flatten(-2)  # (B, K, count * BLOCK)
    if whole < scores.shape[-1]:
        rest = torch.arange(whole, scores.shape[-1]).expand(*scores.shape[:-1], -1)
        values = torch.cat([values, scores[..., whole:]], dim=-1)
        ids = torch.cat([ids, rest], dim=-1)
    values, places = values.topk(count, dim=-1)
    return values, ids.gather(-1, places)
