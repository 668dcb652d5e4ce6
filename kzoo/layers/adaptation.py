"""What is put into a stack that stands still otherwise, so that a little is trained.

An adaptation is data: a frozen table of its arguments, by `method`. A stack puts its
layers in (`enter`) before it is built, and asks of each weight whether it is trained
(`trains`).
"""

import dataclasses
from fnmatch import fnmatchcase

from kzoo.layers.prefix import Prefix
from kzoo.layers.projection import Projection
from kzoo.layers.soft_prompt import SoftPrompt

PARTS = ("attention", "cross_attention", "feed_forward")
STEPS = ("attention_step", "cross_attention_step", "feed_forward_step")
PLACEMENTS = {"houlsby": STEPS, "pfeiffer": STEPS[-1:]}
NORMS = ("norm", "final_norm")
DENSE = ("query", "key", "value", "input", "gate", "output")  # with `_dense` behind


@dataclasses.dataclass(frozen=True)
class LoRA:
    """Updates of low rank beside projections, see `kzoo.layers.LowRank`.

    Args:
        rank: int. R, the width of the updates.
        alpha: float. They are scaled by `alpha / rank`.
        dropout: float. Share of their inputs dropped in training.
        targets: tuple of str. Which projections of the blocks have one: names of
            parts, joined by dots, that stand in a row somewhere in the projection's
            path, such as "query", "attention.value", "feed_forward" or
            "encoder.block_0". `*`, `?` and `[]` stand for letters of one name.
        new: tuple of str. Parts of the blocks, or of the stack, that are new to it and
            are trained whole, without an update: names as they stand in the path.

    Reference:
        - [Hu et al., 2021](https://arxiv.org/abs/2106.09685)
    """

    rank: int = 8
    alpha: float = 16.0
    dropout: float = 0.0
    targets: tuple = ("*",)
    new: tuple = ()

    method = "lora"
    merges = True
    own = ("lora",)  # what its layers are called

    def wants(self, path):
        """Whether the projection at `path`, from its stack on, has an update."""
        steps = path.split("/")
        whole = any(name in steps for name in self.new)
        return not whole and any(found(steps, name) for name in self.targets)

    def enter(self, stack):
        """Give the projections of a stack that are targets their updates."""
        for path, projection in projections(stack):
            if self.wants(path):
                projection.add_low_rank(self.rank, self.alpha, self.dropout)

    def trains(self, path):
        """Whether a weight of the stack, by its path below it, is trained."""
        steps = path.split("/")
        return any(name in steps for name in (*self.own, *self.new))


@dataclasses.dataclass(frozen=True)
class Adapters:
    """Bottlenecks behind sub-layers, see `kzoo.layers.Bottleneck`.

    Args:
        dim: int. The width of the bottlenecks.
        placement: "houlsby", behind every sub-layer, its output being what is read,
            and norms are trained, too; or "pfeiffer", behind the feed-forward only,
            reading what the norm after the sum would give.
        activation: a key of `kzoo.layers.feed_forward.ACTIVATIONS`.
        new: as of `LoRA`.

    Reference:
        - [Houlsby et al., 2019](https://arxiv.org/abs/1902.00751)
        - [Pfeiffer et al., 2021](https://arxiv.org/abs/2005.00247)
    """

    dim: int = 32
    placement: str = "houlsby"
    activation: str = "gelu"
    new: tuple = ()

    method = "adapters"
    merges = False
    own = ("adapter",)

    def enter(self, stack):
        """Put a bottleneck into the residual steps of a stack."""
        if self.placement not in PLACEMENTS:
            raise ValueError(
                f"`placement` must be one of {', '.join(map(repr, PLACEMENTS))}. "
                f"Received: placement={self.placement!r}"
            )
        for block in stack.blocks:
            for name in PLACEMENTS[self.placement]:
                step = getattr(block, name, None)
                if step is not None and name not in self.new:
                    reads_sum = self.placement == "pfeiffer"
                    step.add_adapter(self.dim, self.activation, reads_sum)

    def trains(self, path):
        """Whether a weight of the stack, by its path below it, is trained."""
        steps = path.split("/")
        norm = any(s.startswith("norm_") or s in NORMS for s in steps[:-1])
        return any(name in steps for name in (*self.own, *self.new)) or (
            norm and self.placement == "houlsby"
        )


@dataclasses.dataclass(frozen=True)
class BitFit:
    """What is added, of projections and norms, is trained, and nothing else.

    Args:
        new: as of `LoRA`.

    Reference:
        - [Ben Zaken et al., 2022](https://arxiv.org/abs/2106.10199)
    """

    new: tuple = ()

    method = "bitfit"
    merges = True

    def enter(self, stack):
        """Nothing is put in."""

    def trains(self, path):
        """Whether a weight of the stack, by its path below it, is trained."""
        *above, last = path.split("/")
        bias = last in ("bias", "beta") or last.endswith("_bias")
        return bias or any(name in above for name in self.new)


@dataclasses.dataclass(frozen=True)
class PromptTuning:
    """Vectors before every text that an encoder reads, see `kzoo.layers.SoftPrompt`.

    A decoder has none and stands still.

    Args:
        length: int. How many vectors.
        new: as of `LoRA`.

    Reference:
        - [Lester et al., 2021](https://arxiv.org/abs/2104.08691)
    """

    length: int = 20
    new: tuple = ()

    method = "prompt"
    merges = False
    own = ("prompt",)

    def enter(self, stack):
        """Let an encoder read the vectors first."""
        if stack.bidirectional:
            if stack.has_kernel:
                raise ValueError(
                    "A prompt would take the first places, by which a kernel of "
                    "attention knows its global tokens. Received: method='prompt'"
                )
            policy = stack.dtype_policy
            stack.prompt = SoftPrompt(self.length, name="prompt", dtype=policy)

    def trains(self, path):
        """Whether a weight of the stack, by its path below it, is trained."""
        steps = path.split("/")
        return any(name in steps for name in (*self.own, *self.new))


@dataclasses.dataclass(frozen=True)
class PrefixTuning:
    """Keys and values before those of every text, see `kzoo.layers.Prefix`.

    Every layer of an encoder or decoder has its own, for the attention of the tokens to
    each other. Attention of a decoder to its encoder has none: what it reads there has
    been moved by the encoder's.

    Args:
        length: int. How many keys and values for each layer.
        projection: bool. Whether they are made of vectors by two dense layers.
        new: as of `LoRA`.

    Reference:
        - [Li & Liang, 2021](https://arxiv.org/abs/2101.00190)
    """

    length: int = 20
    projection: bool = False
    new: tuple = ()

    method = "prefix"
    merges = False
    own = ("prefix",)

    def enter(self, stack):
        """Let the layers of a stack see the keys first."""
        if stack.has_kernel:
            raise ValueError(
                "A prefix is keys that stand at no place, and a kernel of attention "
                "goes by places. Received: method='prefix'"
            )
        attention = stack.blocks[0].attention
        stack.prefix = Prefix(
            self.length,
            stack.num_layers,
            attention.num_key_value_heads,
            attention.head_dim,
            self.projection,
            name="prefix",
            dtype=stack.dtype_policy,
        )

    def trains(self, path):
        """Whether a weight of the stack, by its path below it, is trained."""
        steps = path.split("/")
        return any(name in steps for name in (*self.own, *self.new))


METHODS = {
    kind.method: kind for kind in (LoRA, Adapters, BitFit, PromptTuning, PrefixTuning)
}


def adaptation_of(value):
    """An adaptation from its dict, as `described` gives it; another as it is.

    Raises:
        ValueError: if there is no such method, or it has no such argument.
    """
    if not isinstance(value, dict):
        return value
    arguments = dict(value)
    method = arguments.pop("method", None)
    if method not in METHODS:
        names = ", ".join(map(repr, METHODS))
        raise ValueError(
            f"`method` must be one of {names}. Received: method={method!r}"
        )
    kind = METHODS[method]
    known = {field.name for field in dataclasses.fields(kind)}
    for name in arguments:
        if name not in known:
            raise ValueError(
                f"{method!r} takes {', '.join(sorted(known))}. Received: {name}"
            )
    lists = {k: tuple(v) for k, v in arguments.items() if isinstance(v, list | tuple)}
    return kind(**{**arguments, **lists})


def described(adaptation):
    """An adaptation as JSON has it."""
    table = {"method": adaptation.method, **dataclasses.asdict(adaptation)}
    return {k: list(v) if isinstance(v, tuple) else v for k, v in table.items()}


def projections(stack):
    """Yield the path, from the stack's name on, and the layer of each projection."""
    for block in stack.blocks:
        for name in PARTS:
            part = getattr(block, name, None)
            for dense in DENSE:
                layer = getattr(part, f"{dense}_dense", None)
                if isinstance(layer, Projection):
                    yield f"{stack.name}/{block.name}/{name}/{layer.name}", layer


def found(steps, name):
    """Whether the names in `name`, joined by dots, stand in a row in `steps`."""
    wanted = name.split(".")
    return any(
        all(map(fnmatchcase, steps[start : start + len(wanted)], wanted))
        for start in range(len(steps) - len(wanted) + 1)
    )
