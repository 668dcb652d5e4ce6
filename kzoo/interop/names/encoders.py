"""What most encoders call their weights, once: pieces from which families are named."""

from kzoo.interop.names.engine import Name
from kzoo.interop.names.forms import TRANSPOSED, head_bias, heads, merged_heads
from kzoo.models.families.family import ties

TABLE = "encoder/embedding/embeddings"


def dense(ours, theirs, bias=True):
    """A linear map with its bias."""
    names = [Name(f"{ours}/kernel", f"{theirs}.weight", TRANSPOSED)]
    return names + [Name(f"{ours}/bias", f"{theirs}.bias")] * bias


def norm(ours, theirs, bias=True):
    """A layer norm."""
    names = [Name(f"{ours}/gamma", f"{theirs}.weight")]
    return names + [Name(f"{ours}/beta", f"{theirs}.bias")] * bias


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


def scores(names, config, decoder, bias):
    """What scores the tokens of a `MaskedLM`: vectors of its own, or the encoder's.

    Args:
        names: list of `Name`, of the model but for this.
        config: dict.
        decoder: str, what they call the linear map to the scores.
        bias: str, what they call its bias where it is tied.

    Returns:
        list of `Name`, all of the model.
    """
    if not ties(config):
        return [
            *names,
            Name("logits/embeddings", f"{decoder}.weight"),
            Name("logits/bias", f"{decoder}.bias"),
        ]
    copies = {TABLE: (f"{decoder}.weight",)}
    names = [
        Name(n.ours, n.theirs, n.form, copies.get(n.ours, n.copies)) for n in names
    ]
    more = () if bias == f"{decoder}.bias" else (f"{decoder}.bias",)
    return [*names, Name("logits/bias", bias, copies=more)]
