"""How much memory a training step takes, estimated from the recipe alone.

Weights, gradients and moments are exact: 4 bytes a number, whatever the precision.
Activations are counted, per token and block, as the tensors that the backward pass
reads again; what a compiler fuses away or a framework keeps besides is not known
beforehand. Measured peaks of CPU runs lie within a factor of 2 of the sum.
"""

FLOAT32 = 4


def estimate_memory(recipe, parameters, trainable, rows, length):
    """Bytes of one training step.

    Args:
        recipe: `kzoo_recipes.Recipe`.
        parameters: int. Numbers in all weights.
        trainable: int. Those that the optimizer moves.
        rows: int. B, the rows that are computed at once.
        length: int. T, the padded length of the longest batch.

    Returns:
        dict of int: "weights", with their moving average if there is one; "gradients",
        twice where micro-batches add up to them; "moments"; "activations"; "total".
    """
    training = recipe.training
    averages = trainable if training.ema_decay else 0
    sums = trainable if training.accumulation > 1 else 0
    parts = {
        "weights": (parameters + averages) * FLOAT32,
        "gradients": (trainable + sums) * FLOAT32,
        "moments": 2 * trainable * FLOAT32,
        "activations": activation_bytes(recipe, rows, length),
    }
    return {**parts, "total": sum(parts.values())}


def activation_bytes(recipe, rows, length):
    """Bytes of what the forward pass leaves for the backward pass."""
    model, encoder = recipe.model, recipe.model.encoder
    size = 2 if recipe.training.precision == "mixed_bfloat16" else FLOAT32
    attention = encoder.attention
    width, heads = encoder.hidden_dim, encoder.num_heads
    head_dim = (attention and attention.head_dim) or width // heads
    groups = (attention and attention.num_key_value_heads) or heads
    dropout = encoder.dropout
    if attention and attention.dropout is not None:
        dropout = attention.dropout
    norms = 4 if encoder.norm_placement == "sandwich" else 2
    gated = "glu" in encoder.feed_forward
    block = (
        (2 * norms + 4) * width  # norms: what they read and what they give; the stream
        + (3 * heads + 2 * groups) * head_dim  # queries, context, keys and values
        + (2 if dropout else 1) * heads * length  # attention weights, and dropped
        + (4 if gated else 2) * encoder.intermediate_dim
    )
    embedding = 4 * width
    if encoder.embedding and encoder.embedding.bigram_buckets:
        embedding += 2 * width
    per_token = encoder.num_layers * block + embedding
    if recipe.task == "text_classifier":
        head = 4 * (model.head_dim or width)
    else:
        head = 2 * width * length  # of every token, dropped and not
    return size * rows * (length * per_token + head)
