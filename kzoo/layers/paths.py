"""Sums and maxima over all paths of a chain, as many as classes to the power of places.

A path gives a class to each place that counts. Its score adds up the emissions of its
classes, and the transitions: of beginning with its first class, of each class after
the one before, and of ending with its last. Places that do not count stand between the
others as if they were not there.

Shapes: B batch, T places, C classes. Everywhere, `emissions` are float `(B, T, C)`;
`transitions` float `(B, C + 2, C)`, as `kzoo.layers.LinearChainCRF` gives them; `mask`
is bool `(B, T)`, `True` where a place counts. All is computed in float32 and in the
domain of logarithms, and is finite; a row in which no place counts has one path, of
score 0.
"""

from keras import ops

CLOSED = (
    -1e4
)  # the score of a step that is not allowed: its share of a sum is exactly 0


def negative_log_likelihood(emissions, transitions, labels, mask):
    """`-log` of the probability of one path, the softmax of its score over all paths.

    A text that is cut into windows begins and ends anywhere. So where the given path
    itself begins with a class that is closed there, beginnings are open in that row;
    ends likewise. A closed step inside of it costs 10,000.

    Args:
        labels: int `(B, T)`, from 0 to C - 1; of no account outside of the mask.

    Returns:
        Float32 `(B,)`. Its gradients are marginals minus labels and are exact; there
        are no gradients of these.
    """
    chain = _Chain(emissions, transitions, mask)
    labels = ops.where(mask, labels, -1)
    given = ops.one_hot(labels, chain.classes, dtype="float32")  # (B, T, C)
    path = chain.front(given)
    begins, ends = path[:, 0], chain.last(path)  # (B, C)
    chain.start = _opened(chain.start, begins)
    chain.end = _opened(chain.end, ends)
    steps = ops.einsum("bti,btj->bij", path[:, :-1], path[:, 1:])
    sums = _Sums(chain)
    # How likely each class is after the one before: sums of small numbers, no
    # difference of large ones.
    rows = ops.matmul(path[:, :-1], chain.follow)  # (B, T - 1, C)
    rows = ops.concatenate([chain.start[:, None], rows], axis=1)
    chances = ops.log_softmax(rows + sums.after, axis=-1)  # (B, T, C)
    return chain.with_gradients(
        -ops.sum(path * chances, axis=(1, 2)),
        sums.shares - given,
        sums.counts - _stacked(begins, steps, ends),
    )


def log_partition(emissions, transitions, mask):
    """`log` of the sum of `exp(score)` over all paths.

    Returns:
        Float32 `(B,)`. Its gradients are the marginals and are exact; there are no
        gradients of these.
    """
    chain = _Chain(emissions, transitions, mask)
    sums = _Sums(chain)
    return chain.with_gradients(sums.partition, sums.shares, sums.counts)


def marginals(emissions, transitions, mask):
    """How likely each class is at each place, over all paths.

    Returns:
        Float32 `(B, T, C)`, adding up to 1 over C; 0 where a place does not count.
    """
    return _Sums(_Chain(emissions, transitions, mask)).shares


def best_paths(emissions, transitions, mask):
    """The path of the highest score, by Viterbi's algorithm.

    Returns:
        Pair of int32 `(B, T)`, its classes, 0 where a place does not count, and
        float32 `(B,)`, its score.

    Reference:
        - [Viterbi, 1967](https://doi.org/10.1109/TIT.1967.1054010)
    """
    chain = _Chain(emissions, transitions, mask)
    best, total = _swept(ops.max, chain.start, chain.follow, chain.emissions)
    score = chain.summed(total) + ops.max(chain.last(best) + chain.end, axis=-1)
    label = ops.cast(ops.argmax(chain.last(best) + chain.end, axis=-1), "int32")  # (B,)
    origins = ops.argmax(best[:, :-1, :, None] + chain.follow[:, None], axis=2)
    stay = ops.arange(chain.classes, dtype="int32")  # behind the last place
    inside = chain.counts[:, 1:, None]
    origins = ops.where(inside, ops.cast(origins, "int32"), stay)  # (B, T - 1, C)

    def back(label, origins):
        before = ops.take_along_axis(origins, label[:, None], axis=1)[:, 0]
        return before, before

    labels = label[:, None]
    if origins.shape[1] != 0:
        _, before = ops.scan(back, label, _by_place(origins), reverse=True)
        labels = ops.concatenate([_by_place(before), labels], axis=1)  # (B, T)
    labels = ops.take_along_axis(labels, chain.rank, axis=1)
    return ops.where(mask, labels, 0), ops.where(chain.counts[:, 0], score, 0.0)


class _Chain:
    """A batch of chains, with the places that count moved to the front.

    Attributes:
        emissions: float32 `(B, T, C)`, moved.
        start: float32 `(B, C)`, how well each class begins.
        follow: float32 `(B, C, C)`, how well each class, by column, follows each.
        end: float32 `(B, C)`, how well each class ends.
        counts: bool `(B, T)`, whether a place, moved, counts.
        rank: int `(B, T)`, where each place was moved to.

    None of them has gradients; `with_gradients` puts them in.
    """

    def __init__(self, emissions, transitions, mask):
        self._given = ops.cast(emissions, "float32"), ops.cast(transitions, "float32")
        self._mask = mask
        emissions, transitions = map(ops.stop_gradient, self._given)
        self.classes = emissions.shape[-1]
        size = ops.shape(mask)[1]
        places = ops.arange(size, dtype="int32")
        self._order = ops.argsort(ops.where(mask, places, places + size), axis=1)
        self.rank = ops.argsort(self._order, axis=1)
        number = ops.sum(ops.cast(mask, "int32"), axis=1, keepdims=True)  # (B, 1)
        self.counts = places < number
        self._turned = ops.where(self.counts, number - 1 - places, places)
        self._last = ops.maximum(number - 1, 0)
        self.emissions = self.front(emissions)
        self.start, self.end = transitions[:, 0], transitions[:, -1]
        self.follow = transitions[:, 1:-1]

    def front(self, values):
        """Values `(B, T, C)`, those that count moved to the front, in their order."""
        return ops.take_along_axis(values, self._order[..., None], axis=1)

    def home(self, values):
        """The inverse of `front`."""
        return ops.take_along_axis(values, self.rank[..., None], axis=1)

    def turned(self, values):
        """Moved values `(B, T, C)`, those that count in reverse; its own inverse."""
        return ops.take_along_axis(values, self._turned[..., None], axis=1)

    def last(self, values):
        """`(B, C)`, the last of moved values `(B, T, C)` that counts."""
        return ops.take_along_axis(values, self._last[..., None], axis=1)[:, 0]

    def summed(self, values):
        """`(B,)`, the sum of the moved values `(B, T)` that count."""
        return ops.sum(ops.where(self.counts, values, 0.0), axis=1)

    def with_gradients(self, value, of_emissions, of_transitions):
        """`value` `(B,)` with these gradients, so that none goes through a scan."""
        gradients = of_emissions, of_transitions
        for given, gradient in zip(self._given, gradients, strict=True):
            nothing = given - ops.stop_gradient(given)
            value = value + ops.sum(ops.stop_gradient(gradient) * nothing, axis=(1, 2))
        return value


class _Sums:
    """Sums over all paths of a `_Chain`, by a sweep forward and one backward.

    The backward sweep is the forward one over the chain reversed, so they run as one.

    Attributes:
        partition: float32 `(B,)`, the logarithm of the sum over all paths.
        after: float32 `(B, T, C)`, moved: the logarithm of the sum over what may come
            from each place on, its emission counted, up to a constant of the place.
        shares: float32 `(B, T, C)`, not moved: the marginals, 0 outside of the mask.
        counts: float32 `(B, C + 2, C)`, how often each step is made, in the mean.
    """

    def __init__(self, chain):
        start = ops.stack([chain.start, chain.end])  # (2, B, C)
        follow = ops.stack([chain.follow, ops.swapaxes(chain.follow, 1, 2)])
        emissions = ops.stack([chain.emissions, chain.turned(chain.emissions)])
        states, total = _swept(ops.logsumexp, start, follow, emissions)
        before, self.after = states[0], chain.turned(states[1])  # (B, T, C)
        closing = ops.logsumexp(chain.last(before) + chain.end, axis=-1)
        partition = chain.summed(total[0]) + closing
        self.partition = ops.where(chain.counts[:, 0], partition, 0.0)
        shares = ops.softmax(before + self.after - chain.emissions, axis=-1)
        shares = ops.where(chain.counts[..., None], shares, 0.0)
        self.shares = chain.home(shares)
        inside = ops.cast(chain.counts[:, 1:, None], "float32")
        chances = ops.softmax(chain.follow[:, None] + self.after[:, 1:, None], axis=-1)
        steps = ops.einsum("bti,btij->bij", shares[:, :-1] * inside, chances)
        self.counts = _stacked(shares[:, 0], steps, chain.last(shares))


def _swept(combine, start, follow, emissions):
    """Go through the places, combining over the class before.

    Args:
        combine: function of a tensor and an axis, such as `ops.max`.
        start: float32 `(…, C)`.
        follow: float32 `(…, C, C)`.
        emissions: float32 `(…, T, C)`.

    Returns:
        Pair of float32 `(…, T, C)`, what was combined of all up to each place, less
        its highest, and `(…, T)`, the highest less that of the place before.
    """

    def step(state, emission):
        paths = emission + combine(state[..., None] + follow, axis=-2)
        return paths - ops.max(paths, axis=-1, keepdims=True), paths

    emissions = ops.moveaxis(emissions, -2, 0)  # (T, …, C)
    paths = start + emissions[0]
    state, paths = paths - ops.max(paths, axis=-1, keepdims=True), paths[None]
    if emissions.shape[0] != 1:
        _, rest = ops.scan(step, state, emissions[1:])
        paths = ops.concatenate([paths, rest])
    paths = ops.moveaxis(paths, 0, -2)  # (…, T, C)
    highest = ops.max(paths, axis=-1, keepdims=True)
    return paths - highest, ops.squeeze(highest, -1)


def _stacked(begins, steps, ends):
    """As transitions are laid out: `(B, C + 2, C)`."""
    return ops.concatenate([begins[:, None], steps, ends[:, None]], axis=1)


def _opened(scores, given):
    """`scores` `(B, C)`, its closed ones 0 in a row whose `given` class is closed."""
    closed = scores <= CLOSED
    cut = ops.any(ops.logical_and(closed, given > 0), axis=1, keepdims=True)
    return ops.where(ops.logical_and(closed, cut), 0.0, scores)


def _by_place(values):
    """Swap the axes of rows and places."""
    return ops.swapaxes(values, 0, 1)
