"""How much memory a training step takes, estimated from the recipe alone.

Weights, gradients and moments are exact: 4 bytes a number, whatever the precision.
Activations are counted, per token and block, as the tensors that the backward pass
reads again; what a compiler fuses away or a framework keeps besides is not known
beforehand. Measured peaks of CPU runs lie within a factor of 2 of the sum.
"""

from kzoo_recipes.attention_schema import SCORED, WITHOUT_WEIGHTS

from kzoo.layers.kernels.features import stretch_of

FLOAT32 = 4


def estimate_memory(recipe, parameters, trainable, rows, length, written=None):
    """Bytes of one training step.

    Args:
        recipe: `kzoo_recipes.Recipe`.
        parameters: int. Numbers in all weights.
        trainable: int. Those that the optimizer moves.
        rows: int. B, the rows that are computed at once.
        length: int. The padded length of the longest batch.
        written: pair of int, the padded length of what a decoder writes, or how many
            places are asked for, and the size of the vocabulary; `None` where the
            vocabulary is not scored.

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
        "activations": activation_bytes(recipe, rows, length, written),
    }
    return {**parts, "total": sum(parts.values())}


def activation_bytes(recipe, rows, length, written=None):
    """Bytes of what the forward pass leaves for the backward pass."""
    model, encoder = recipe.model, recipe.model.encoder
    size = 2 if recipe.training.precision == "mixed_bfloat16" else FLOAT32
    width = encoder.hidden_dim
    fused = recipe.backend == "torch"
    if recipe.task == "image_text_classifier":  # A patch is a token, for the stack.
        length += (recipe.images.size // model.patch_size) ** 2
    numbers = stack_numbers(encoder, length, fused=fused)
    if recipe.task in ("text_classifier", "image_text_classifier"):
        numbers += 4 * (model.head_dim or width)
    elif recipe.task == "token_tagger":
        numbers += 2 * width * length  # of every token, dropped and not
    elif recipe.task == "masked_lm":
        places, vocabulary_size = written
        numbers += (5 * width + 2 * vocabulary_size * FLOAT32 // size) * places
    else:
        target_length, vocabulary_size = written
        numbers += stack_numbers(model.decoder, target_length, length, fused)
        # Scores of the whole vocabulary and their gradients, float32 in any case.
        numbers += 2 * target_length * vocabulary_size * FLOAT32 // size
    return size * rows * numbers


def stack_numbers(stack, length, read=None, fused=False):
    """Numbers that the blocks of a stack leave for the backward pass, for one row.

    Args:
        stack: `kzoo_recipes.Encoder` or `Decoder`.
        length: int. T.
        read: int. S, the tokens of another stack that this one looks at, or `None`.
        fused: bool. Whether the backend has a kernel of its own that keeps no attention
            weights. It runs where none are dropped and none are learned.
    """
    attention = stack.attention
    width, heads = stack.hidden_dim, stack.num_heads
    head_dim = (attention and attention.head_dim) or width // heads
    groups = (attention and attention.num_key_value_heads) or heads
    dropout = stack.dropout
    if attention and attention.dropout is not None:
        dropout = attention.dropout
    if getattr(attention, "kernel", None) in WITHOUT_WEIGHTS:
        dropout = 0
    copies = 2 if dropout else 1  # of attention weights: all, and those left
    fused = fused and not dropout and stack.position not in SCORED
    parts = 2 if read is None else 3
    norms = parts * (2 if stack.norm_placement == "sandwich" else 1)
    gated = "glu" in stack.feed_forward
    block = (
        (2 * norms + 2 * parts) * width  # what norms read and give; the stream
        + (3 * heads + 2 * groups) * head_dim  # queries, context, keys and values
        + copies * heads * _seen(attention, length, head_dim, fused)  # weights
        + (4 if gated else 2) * stack.intermediate_dim
    )
    if read is not None:
        block += 3 * heads * head_dim + copies * heads * (1 if fused else read)
    embedding = 4 * width
    if getattr(stack.embedding, "bigram_buckets", 0):
        embedding += 2 * width
    numbers = length * (stack.num_layers * block + embedding)
    numbers += heads * _made_again(attention, length)
    if read is not None:
        numbers += stack.num_layers * read * 2 * groups * head_dim  # keys, values
    return numbers


def _seen(attention, length, head_dim, fused):
    """Numbers that a head keeps for each query: its scores, or what a kernel does.

    That is one for each key, or for each that a kernel lays out for the query. Fused,
    blockwise and Performer attention keep a sum, since they make what they score with
    again; linear attention keeps the features that stand for scores.
    """
    kind = getattr(attention, "kernel", None)
    if kind in ("blockwise", "performer") or (fused and kind in (None, "native")):
        return 1
    if kind == "linear":
        return 2 * head_dim  # of the query and of its key
    if kind == "big_bird":
        random = 3 if attention.num_random is None else attention.num_random
        size = attention.block_size or 64
        return length if length <= (5 + 2 * random) * size else (5 + random) * size
    if kind in ("window", "longformer"):
        first = 0
        if kind == "longformer":
            first = 1 if attention.num_global is None else attention.num_global
        return min(length, 3 * (attention.window or 256)) + first
    return length


def _made_again(attention, length):
    """Numbers of a head that are there in one block at a time, on its way back.

    Performer makes its features again, those of a stretch at once, several times.
    """
    if getattr(attention, "kernel", None) != "performer":
        return 0
    return 8 * (attention.num_features or 256) * stretch_of(length)
