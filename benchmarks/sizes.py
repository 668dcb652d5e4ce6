"""Shapes that the benchmark knows: a model, rows of a batch, tokens of a row."""

SIZES = {
    "mini": (  # for CPUs
        {
            "vocabulary_size": 30522,
            "num_layers": 4,
            "num_heads": 4,
            "hidden_dim": 256,
            "intermediate_dim": 1024,
        },
        32,
        128,
    ),
    "base": (  # BERT-base, for GPUs
        {
            "vocabulary_size": 30522,
            "num_layers": 12,
            "num_heads": 12,
            "hidden_dim": 768,
            "intermediate_dim": 3072,
        },
        64,
        128,
    ),
}


def forward_flops(shape, batch, length):
    """Multiplications and additions of the encoder's matrix products, once through."""
    tokens, width = batch * length, shape["hidden_dim"]
    weights = 4 * width**2 + 2 * width * shape["intermediate_dim"]
    return shape["num_layers"] * (2 * tokens * weights + 4 * tokens * length * width)
