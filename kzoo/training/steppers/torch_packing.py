"""PyTorch on a CPU: weights in the order that oneDNN reads, for a run of products.

A product of few rows takes as long as reading the weight does, and PyTorch's ordinary
one reads it slowly: it is made for many rows. oneDNN has an order of its own for few.
Putting a weight in that order costs several products, so it is worth it only where the
same weight is read again and again, as at every step of writing a text.
"""

import contextvars
import functools

import torch

from kzoo.layers import native

MANY = 64  # rows; of more, PyTorch's own product is as quick
PACKING = 12  # products that an order of the weight must serve to be worth making
LEAST = 4096  # elements of a weight; of smaller ones the call itself takes the time
# Elements, with one thread: what oneDNN is quicker by is mostly that it uses a second.
LEAST_ALONE = 2**21

_opened = contextvars.ContextVar("the run whose weights are read", default=None)


class PackedWeights:
    """The weights of one run, each put in order when it is first read.

    While it is entered, products on this thread read from it. What it holds is as the
    weights were then; it lives as long as the run, and a run lays out its own.
    """

    def __init__(self, rows):
        self.rows = rows
        self.least = LEAST if torch.get_num_threads() > 1 else LEAST_ALONE
        self.products = 0  # read from here
        self._packed = {}
        self._tokens = []

    def __enter__(self):
        self._tokens.append(_opened.set(self))
        return self

    def __exit__(self, *_):
        _opened.reset(self._tokens.pop())

    def __len__(self):
        return len(self._packed)

    def multiply(self, flat, weight, bias, transposed):
        """See `multiply`."""
        known = self._packed.get(id(weight))
        if known is None:
            if not _worth_packing(weight, self.least):
                return None
            matrix = weight.reshape(flat.shape[1], -1).T if transposed else weight
            packed = torch.ops.mkldnn._reorder_linear_weight(matrix, self.rows)
            # The weight is held, too: its number could be another's once it is gone.
            known = self._packed[id(weight)] = weight, packed
        self.products += 1
        return torch.ops.mkldnn._linear_pointwise(flat, known[1], bias, "none", [], "")


def lay_out(rows, times):
    """See `kzoo.layers.native.lay_out`: `PackedWeights`, where products gain by it."""
    if rows > MANY or times < PACKING or not works():
        return native.lay_out(rows, times)
    return PackedWeights(rows)


def multiply(flat, weight, bias=None, transposed=True):
    """Multiply by a weight that the run at work has in order.

    Args:
        flat: float `(rows, D)`.
        weight: a variable's own tensor, `(*input_dims, *output_dims)` of D inputs, or
            `(E, D)`.
        bias: float `(E,)` or `None`.
        transposed: bool. Whether the weight's first axes are the inputs'.

    Returns:
        Float `(rows, E)`, or `None` where the ordinary product is to be taken.
    """
    run = _opened.get()
    if run is None or flat.dtype != torch.float32 or flat.device.type != "cpu":
        return None
    return run.multiply(flat, weight, bias, transposed)


def _worth_packing(weight, least):
    # A variable's own tensor is a parameter and stays; what was computed from one is
    # another at every step.
    own = isinstance(weight, torch.nn.Parameter)
    plain = weight.device.type == "cpu" and weight.dtype == torch.float32
    return own and plain and weight.numel() >= least


@functools.cache
def works():
    """Whether this PyTorch has the two operations, and they give the product.

    Its compiler uses them; they are no public interface, so they are tried once.
    """
    operations = torch.ops.mkldnn
    names = "_reorder_linear_weight", "_linear_pointwise"
    there = all(hasattr(operations, name) for name in names)
    if not (there and torch.backends.mkldnn.is_available()):
        return False
    rows, weight = (torch.arange(n * 6.0).reshape(n, 6) % 5 for n in (2, 3))
    bias = torch.arange(3.0)
    try:
        packed = operations._reorder_linear_weight(weight, 2)
        found = operations._linear_pointwise(rows, packed, bias, "none", [], "")
    except (RuntimeError, TypeError):  # Of other arguments, or for other weights.
        return False
    return torch.allclose(found, rows @ weight.T + bias)
