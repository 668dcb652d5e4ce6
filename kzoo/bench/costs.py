"""What kernels of attention cost, as plain numbers."""

import dataclasses
import math

FITTED = 3  # lengths, the longest: where they are short, other costs than these show


@dataclasses.dataclass
class Cost:
    """What one kernel costs at one length.

    Attributes:
        kernel: str. A name of `kzoo.layers.kernels`, or "dense".
        length: int. Tokens.
        seconds: float or None. The median of all rounds.
        bytes: int or None. What a call holds at its peak besides what it was given.
        problem: str or None. Why there is no number.
    """

    kernel: str
    length: int
    seconds: float | None = None
    bytes: int | None = None
    problem: str | None = None


@dataclasses.dataclass
class AttentionCosts:
    """What kernels of attention cost on one backend of one machine.

    Attributes:
        backend: str.
        device: str. As in "cpu".
        lengths: list of int, ascending.
        kernels: list of str.
        batch: int. Texts at a time.
        heads: int.
        head_dim: int. Numbers of a head.
        rounds: int. How often each was timed.
        training: bool. Whether gradients of queries, keys and values were made, too.
        costs: list of `Cost`, of each kernel at each length.
    """

    backend: str
    device: str
    lengths: list
    kernels: list
    batch: int
    heads: int
    head_dim: int
    rounds: int
    training: bool
    costs: list

    def of(self, kernel):
        """The costs of a kernel, in the order of lengths."""
        costs = [cost for cost in self.costs if cost.kernel == kernel]
        return sorted(costs, key=lambda cost: cost.length)

    @property
    def exponents(self):
        """How time and memory grow with the length.

        Returns:
            dict from kernel to a pair of floats, of time and of memory: 1 is in
            proportion, 2 with the square. `None` where fewer than two are known.
        """
        return {
            kernel: tuple(
                exponent((c.length, getattr(c, name)) for c in self.of(kernel))
                for name in ("seconds", "bytes")
            )
            for kernel in self.kernels
        }


def exponent(points):
    """Fit a power to the longest lengths, by least squares of logarithms.

    Args:
        points: iterable of (length, cost); costs that are `None` or 0 do not count.

    Returns:
        float, or `None` of fewer than two points.
    """
    known = sorted((x, y) for x, y in points if y)[-FITTED:]
    if len(known) < 2:
        return None
    xs, ys = ([math.log(value) for value in axis] for axis in zip(*known, strict=True))
    middle = sum(xs) / len(xs)
    rise = sum((x - middle) * y for x, y in zip(xs, ys, strict=True))
    return rise / sum((x - middle) ** 2 for x in xs)
