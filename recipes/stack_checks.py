"""What must hold between the keys of one stack, `[model.encoder]` or the decoder."""

from .attention_schema import kernel_complaints


def stack_complaints(stack, table):
    """Yield `(keys, complaint)` for every rule that a stack of `[table]` breaks."""
    at = f"{table}."
    share = getattr(stack, "share_blocks", 1)
    if stack.num_layers % share:
        yield ((at + "share_blocks", at + "num_layers"), "must divide `num_layers`")
    attention = stack.attention
    yield from kernel_complaints(attention, stack.position, at)
    head_dim = attention and attention.head_dim
    if head_dim is None:
        if stack.hidden_dim % stack.num_heads:
            yield (
                (at + "num_heads", at + "hidden_dim"),
                f"must divide `hidden_dim` (or set head_dim in [{table}.attention])",
            )
            return
        head_dim = stack.hidden_dim // stack.num_heads
    groups = attention and attention.num_key_value_heads
    if groups and stack.num_heads % groups:
        yield (
            (at + "attention.num_key_value_heads", at + "num_heads"),
            "must divide `num_heads`",
        )
    if stack.position == "rotary" and head_dim % 2:
        own = attention and attention.head_dim
        size = ("attention.head_dim",) if own else ("hidden_dim", "num_heads")
        yield (
            (at + "position", *(at + key for key in size)),
            'can be "rotary" only with heads of even width',
        )
    width = embedding_dim(stack)
    if stack.position == "sinusoidal" and width % 2:
        own = stack.embedding and stack.embedding.embedding_dim
        size = "embedding.embedding_dim" if own else "hidden_dim"
        yield (
            (at + "position", at + size),
            f'can be "sinusoidal" only with an even `{size.split(".")[-1]}`',
        )


def embedding_dim(stack):
    """The width of a stack's token vectors."""
    return (stack.embedding and stack.embedding.embedding_dim) or stack.hidden_dim
