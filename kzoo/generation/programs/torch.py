"""PyTorch: the same functions, eagerly; the cache is written in place."""

import torch

from kzoo.generation.programs import functions


class Programs:
    """See `kzoo.generation.programs`."""

    compiled = False
    compilations = 0

    def __init__(self, model):
        self.model = model

    def _tensor(self, value):
        return torch.as_tensor(value, device=self.model.weights[0].value.device)

    def read(self, token_ids, padding_mask, beams, length):
        with torch.inference_mode():
            arrays = map(self._tensor, (token_ids, padding_mask))
            return functions.read(self.model, *arrays, beams, length)

    def step(self, tokens, time, cache, memory, ancestry, count, kind):
        with torch.inference_mode():
            tokens, ancestry = map(self._tensor, (tokens, ancestry))
            scores, cache = functions.score(
                self.model, tokens, time, cache, memory, ancestry
            )
            ids, values = best(scores, count, kind)
        return (None if ids is None else ids.cpu().numpy(), values.cpu().numpy()), cache


def best(scores, count, kind):
    """See `functions.best`. What is equal comes in no order from `torch.topk`."""
    if count is None or count >= scores.shape[-1]:
        ids, values = functions.best(scores, None, kind)
        if count is not None:
            values, ids = values.sort(dim=-1, descending=True, stable=True)
            ids = ids.int()
        return ids, values
    if count == 1:
        ids = scores.argmax(dim=-1, keepdim=True)
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


def _top(scores, count):
    values, ids = scores.topk(count + 1, dim=-1)
    if (values[..., count - 1] == values[..., count]).any():  # Who is in is open.
        values, ids = scores.sort(dim=-1, descending=True, stable=True)
    elif (values[..., 1:] == values[..., :-1]).any():
        ids, order = ids.sort(dim=-1)
        values, order = values.gather(-1, order).sort(
            dim=-1, descending=True, stable=True
        )
        ids = ids.gather(-1, order)
    return values[..., :count], ids[..., :count]
