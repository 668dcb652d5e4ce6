"""What `[model.encoder.attention]` and the decoder's may say.

The keys are arguments of `kzoo.layers.MultiHeadAttention`, or options of its kernel.
"""

from typing import Annotated, Literal

from .kinds import Count, Natural, Rate, Table, says

# The options of each kernel, which stand as keys beside `kernel`.
KERNEL_OPTIONS = {
    "blockwise": ("block",),
    "linear": (),
    "native": (),
    "performer": ("num_features", "kernel_seed"),
    "top_k": ("k",),
    "window": ("window",),
    "longformer": ("window", "num_global", "dilation", "own_projections"),
    "big_bird": ("block_size", "num_random", "kernel_seed"),
}
# Kernels that make no scores for positions to add to, and no weights to drop.
WITHOUT_WEIGHTS = ("linear", "native", "performer")
# Positions that add to scores.
SCORED = ("alibi", "relative", "neighbours")
# Options that are numbers of a text's tokens, and what they are where left out.
USUAL = {"k": 64, "window": 256, "num_global": 1, "block_size": 64}


class Attention(Table, kw_only=True):
    """Arguments of MultiHeadAttention."""

    num_key_value_heads: Annotated[
        Count | None,
        says(
            "Heads of keys and values, shared by groups of query heads; `num_heads` "
            "if left out."
        ),
    ] = None
    head_dim: Annotated[
        Count | None,
        says("Width of a head; `hidden_dim / num_heads` if left out."),
    ] = None
    dropout: Annotated[
        Rate | None,
        says(
            "Share of attention weights dropped in training; the encoder's `dropout` "
            "if left out, and 0 with a `kernel` that makes no weights."
        ),
    ] = None
    use_bias: Annotated[bool, says("Whether the projections add a bias.")] = True
    kernel: Annotated[
        Literal[
            "window",
            "longformer",
            "big_bird",
            "top_k",
            "linear",
            "performer",
            "blockwise",
            "native",
        ]
        | None,
        says(
            "How tokens look at each other where texts are long. `window`: at those "
            "near them. `longformer`: at those near them and the first ones, which "
            "look at all. `big_bird`: at blocks of them near, at both ends of the text "
            "and drawn once. `top_k`: at those they score highest. `linear`: at all, "
            "by products of features in place of softmax. `performer`: at all, softmax "
            "estimated by random features. `blockwise`: at all, exactly, some at a "
            "time, in memory that grows with the length. `native`: likewise, by "
            "PyTorch's or JAX's own kernel. If left out, at all, in memory that grows "
            "with length × length."
        ),
    ] = None
    block: Annotated[
        Count | None,
        says(
            "Tokens that are looked at at a time; 512 if left out. Of "
            '`kernel = "blockwise"`.'
        ),
    ] = None
    k: Annotated[
        Count | None,
        says(
            "Tokens that each looks at; of equal scores at the last place all. 64 if "
            'left out. Of `kernel = "top_k"`.'
        ),
    ] = None
    num_features: Annotated[
        Count | None,
        says(
            "Random features of each head: more come closer to softmax; 256 if left "
            'out. Of `kernel = "performer"`.'
        ),
    ] = None
    window: Annotated[
        Count | None,
        says(
            "Tokens that each looks at before itself, and as many after; 256 if left "
            'out. Of `kernel = "window"` and `"longformer"`.'
        ),
    ] = None
    num_global: Annotated[
        Natural | None,
        says(
            "Tokens at the beginning of a text that look at all and are looked at by "
            'all; 1 if left out. Of `kernel = "longformer"`.'
        ),
    ] = None
    dilation: Annotated[
        Count | None,
        says(
            "The window looks at one of so many tokens, and as many times farther; 1 "
            'if left out. Of `kernel = "longformer"`.'
        ),
    ] = None
    own_projections: Annotated[
        bool | None,
        says(
            "Whether global tokens have queries, keys and values of their own; not if "
            'left out. Of `kernel = "longformer"`.'
        ),
    ] = None
    block_size: Annotated[
        Count | None,
        says('Tokens of a block; 64 if left out. Of `kernel = "big_bird"`.'),
    ] = None
    num_random: Annotated[
        Natural | None,
        says(
            "Blocks that each looks at besides those beside it and the ends of the "
            'text; 3 if left out. Of `kernel = "big_bird"`.'
        ),
    ] = None
    kernel_seed: Annotated[
        Natural | None,
        says(
            "Which blocks, or which random features, these are follows from it, "
            "whatever the recipe's own `seed`; 0 if left out. Of "
            '`kernel = "big_bird"` and `"performer"`.'
        ),
    ] = None


def with_kernel(arguments):
    """Arguments of attention with the kernel and its options at one key.

    Args:
        arguments: dict, of a table of attention, without the keys that are None.

    Returns:
        dict, of arguments of `MultiHeadAttention`.
    """
    kind = arguments.get("kernel")
    if kind is None:
        return arguments
    names = KERNEL_OPTIONS[kind]
    options = {name: arguments[name] for name in names if name in arguments}
    others = {name: arguments[name] for name in arguments if name not in options}
    return {**others, "kernel": {"kind": kind, **options}}


def kernel_complaints(attention, position, at):
    """Yield `(keys, complaint)` for every rule that a kernel's keys break.

    Args:
        attention: `Attention`, or `None`, or a table without kernels.
        position: str. The stack's position scheme.
        at: str. What stands before the keys of the stack, such as "model.encoder.".
    """
    kind = getattr(attention, "kernel", None)
    own = KERNEL_OPTIONS.get(kind, ())
    for name in sorted({name for names in KERNEL_OPTIONS.values() for name in names}):
        if name in own or getattr(attention, name, None) is None:
            continue
        kinds = [f'"{k}"' for k, names in KERNEL_OPTIONS.items() if name in names]
        yield (
            (f"{at}attention.{name}", f"{at}attention.kernel"),
            f"is of use only with `kernel = {' or '.join(kinds)}`",
        )
    if kind not in WITHOUT_WEIGHTS:
        return
    if attention.dropout:
        yield (
            (f"{at}attention.dropout", f"{at}attention.kernel"),
            f'must be 0 with `kernel = "{kind}"`, which makes no weights to drop',
        )
    if position in SCORED:
        yield (
            (f"{at}position", f"{at}attention.kernel"),
            f'cannot be "{position}" with `kernel = "{kind}"`, which makes no scores '
            "for positions to add to",
        )


def length_complaints(attention, length, at, length_key):
    """Yield `(keys, complaint)` where a kernel looks farther than texts are long.

    Args:
        attention: `Attention` or `None`.
        length: int. Tokens of the longest text.
        at: str. What stands before the keys of the stack.
        length_key: str. The key that holds the length.
    """
    kind = getattr(attention, "kernel", None)
    if kind is None:
        return
    short = length_key.split(".")[-1]
    for name, usual in USUAL.items():
        value = getattr(attention, name)
        if name in KERNEL_OPTIONS[kind] and (value or usual) > length:
            left_out = "" if value else f" and is {usual} where left out"
            yield (
                (f"{at}attention.{name}", length_key),
                f"must be at most `{short}`{left_out}: no text has more tokens",
            )


class DecoderAttention(Table, kw_only=True):
    """Arguments of the decoder's MultiHeadAttention, to itself and to the encoder."""

    num_key_value_heads: Annotated[
        Count | None,
        says(
            "Heads of keys and values, shared by groups of query heads; as in the "
            "encoder if left out."
        ),
    ] = None
    head_dim: Annotated[
        Count | None, says("Width of a head; as in the encoder if left out.")
    ] = None
    dropout: Annotated[
        Rate | None,
        says(
            "Share of attention weights dropped in training; as in the encoder if "
            "left out."
        ),
    ] = None
    use_bias: Annotated[
        bool | None,
        says("Whether the projections add a bias; as in the encoder if left out."),
    ] = None
