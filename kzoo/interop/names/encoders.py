"""What most encoders call their weights, once: pieces from which families are named."""

from kzoo.interop.names.engine import Name
from kzoo.interop.names.forms import TRANSPOSED, head_bias, heads, merged_heads


def dense(ours, theirs, bias=True):
    """A linear map with its bias."""
    names = [Name(f"{ours}/kernel", f"{theirs}.weight", TRANSPOSED)]
    return names + [Name(f"{ours}/bias", f"{theirs}.bias")] * bias


def norm(ours, theirs):
    """A layer norm."""
    return [
        Name(f"{ours}/gamma", f"{theirs}.weight"),
        Name(f"{ours}/beta", f"{theirs}.bias"),
    ]


def attention(ours, theirs, num_heads, bias=True):
    """The four projections of `MultiHeadAttention`.

    Args:
        ours: str, the attention's path.
        theirs: four str, their names of query, key, value and output.
        num_heads: int. N, of the queries as of keys and values.
        bias: bool. Whether they add one.
    """
    names = []
    for part, name in zip(("query", "key", "value"), theirs[:3], strict=True):
        names.append(Name(f"{ours}/{part}/kernel", f"{name}.weight", heads(num_heads)))
        if bias:
            form = head_bias(num_heads)
            names.append(Name(f"{ours}/{part}/bias", f"{name}.bias", form))
    output = Name(
        f"{ours}/output/kernel", f"{theirs[3]}.weight", merged_heads(num_heads)
    )
    return [*names, output, *[Name(f"{ours}/output/bias", f"{theirs[3]}.bias")] * bias]
