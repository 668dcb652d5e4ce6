"""Which classes a saved model may name, and where: the allow-list.

This is the one place that says so. A class that kzoo registers with Keras has its line
here (a test compares the two), and `SLOTS` says under which key of a `config` each may
stand, so that parts cannot hold stacks that hold parts.
"""

PACKAGE = "kzoo"

# kzoo's own classes: the module each lives in.
MODELS = {
    "DualEncoder": "kzoo.models.dual_encoder",
    "ImageClassifier": "kzoo.models.image_classifier",
    "ImageTextClassifier": "kzoo.models.image_text_classifier",
    "MaskedLM": "kzoo.models.masked_lm",
    "Seq2Seq": "kzoo.models.seq2seq",
    "TextClassifier": "kzoo.models.text_classifier",
    "TokenTagger": "kzoo.models.token_tagger",
}
WITHOUT_LABELS = ("DualEncoder", "MaskedLM", "Seq2Seq")  # They say tokens or scores.
WITHOUT_TOKENIZER = ("ImageClassifier",)
IMAGE_ENCODERS = {"ImageEncoder": "kzoo.layers.image_encoder"}
ENCODERS = {
    "ImageTextEncoder": "kzoo.layers.image_text_encoder",
    "TransformerEncoder": "kzoo.layers.encoder",
}
DECODERS = {"TransformerDecoder": "kzoo.layers.decoder"}
ADDED_POSITIONS = {
    "LearnedPositions": "kzoo.layers.positions",
    "SinusoidalPositions": "kzoo.layers.positions",
}
SCORED_POSITIONS = {
    "AlibiPositions": "kzoo.layers.relative_positions",
    "DisentangledPositions": "kzoo.layers.disentangled_positions",
    "RelativePositions": "kzoo.layers.relative_positions",
    "RotaryPositions": "kzoo.layers.positions",
}
POSITIONS = {
    **ADDED_POSITIONS,
    **SCORED_POSITIONS,
    "AlternatingPositions": "kzoo.layers.composed_positions",
    "PositionPair": "kzoo.layers.composed_positions",
}
FEED_FORWARDS = {
    "FeedForward": "kzoo.layers.feed_forward",
    "GatedFeedForward": "kzoo.layers.feed_forward",
}
KERNELS = {
    "BigBirdKernel": "kzoo.layers.kernels.big_bird",
    "BlockwiseKernel": "kzoo.layers.kernels.blockwise",
    "LinearKernel": "kzoo.layers.kernels.linear",
    "LongformerKernel": "kzoo.layers.kernels.longformer",
    "NativeKernel": "kzoo.layers.kernels.native",
    "PerformerKernel": "kzoo.layers.kernels.performer",
    "TopKKernel": "kzoo.layers.kernels.top_k",
    "WindowKernel": "kzoo.layers.kernels.window",
}
# Made by the classes above from their arguments: a config never names them.
INSIDE = {
    "Bottleneck": "kzoo.layers.bottleneck",
    "CopyMechanism": "kzoo.layers.copying",
    "DecoderBlock": "kzoo.layers.blocks",
    "Dropout": "kzoo.layers.dropout",
    "EncoderBlock": "kzoo.layers.blocks",
    "ImageEmbedding": "kzoo.layers.image_embedding",
    "LinearChainCRF": "kzoo.layers.crf",
    "LowRank": "kzoo.layers.low_rank",
    "MultiHeadAttention": "kzoo.layers.attention",
    "OutputProjection": "kzoo.layers.output",
    "PatchEmbedding": "kzoo.layers.patches",
    "Pooling": "kzoo.layers.pooling",
    "Prefix": "kzoo.layers.prefix",
    "Projection": "kzoo.layers.projection",
    "ResidualStep": "kzoo.layers.residual",
    "Similarity": "kzoo.layers.similarity",
    "SoftPrompt": "kzoo.layers.soft_prompt",
    "TokenEmbedding": "kzoo.layers.embedding",
}

# Keras' own: the public module each is found in.
NORMS = {"LayerNormalization": "keras.layers", "RMSNormalization": "keras.layers"}
POLICIES = {"DTypePolicy": "keras"}
INITIALIZERS = {"Ones": "keras.initializers", "Zeros": "keras.initializers"}

# What may stand under a key, at any depth; "" is the whole model.
SLOTS = {
    "": MODELS,
    "encoder": {**ENCODERS, **IMAGE_ENCODERS},
    "image_encoder": IMAGE_ENCODERS,
    "text_encoder": {**ENCODERS, **DECODERS},
    "decoder": DECODERS,
    "position": POSITIONS,
    "added": ADDED_POSITIONS,
    "scored": SCORED_POSITIONS,
    "far": SCORED_POSITIONS,
    "near": SCORED_POSITIONS,
    "feed_forward": FEED_FORWARDS,
    "norm": NORMS,
    "kernel": KERNELS,
    "head_norm": NORMS,
    "inner_norm": NORMS,
    "dtype": POLICIES,
    "beta_initializer": INITIALIZERS,
    "gamma_initializer": INITIALIZERS,
    "scale_initializer": INITIALIZERS,
}
# What `compile` left behind: kzoo does not read it, but Keras' own loader would.
COMPILED = ("keras.optimizers", "keras.losses", "keras.metrics")
# Schedules; and on PyTorch, Keras saves the class behind `keras.optimizers.AdamW`.
OPTIMIZERS = ("keras.optimizers.", "keras.src.backend.torch.optimizers.torch_")


def registered_name(class_name, module):
    """What Keras calls a class: kzoo's by package and name, its own by nothing."""
    return f"{PACKAGE}>{class_name}" if module.startswith(f"{PACKAGE}.") else None


# Integers that a model may be made of, by their key: the least and the most. Those that
# have weights are held to the file's own besides; the others have this bound alone.
DIMENSION = (1, 1 << 20)
INTEGERS = {
    "vocabulary_size": (1, (1 << 31) - 1),
    "bigram_buckets": (0, (1 << 31) - 1),
    "hidden_dim": DIMENSION,
    "embedding_dim": DIMENSION,
    "intermediate_dim": DIMENSION,
    "head_dim": DIMENSION,
    "image_size": (1, 1 << 12),
    "num_channels": (1, 1 << 10),
    "patch_size": (1, 1 << 12),
    "projection_dim": DIMENSION,
    "resized_to": (1, 1 << 12),
    "size": (1, 1 << 12),
    "rank": DIMENSION,
    "dim": DIMENSION,
    "length": (1, 1 << 16),
    "num_heads": (1, 1 << 16),
    "num_key_value_heads": (1, 1 << 16),
    "num_layers": (1, 1 << 12),
    "share_blocks": (1, 1 << 12),
    "every": (1, 1 << 12),
    "window": (0, 1 << 24),
    "block": (1, 1 << 24),
    "k": (1, 1 << 24),
    "num_features": (1, 1 << 16),
    "num_global": (0, 1 << 24),
    "dilation": (1, 1 << 24),
    "block_size": (1, 1 << 24),
    "num_random": (0, 1 << 16),
    "num_segments": (0, 1 << 20),
    "num_classes": (1, 1 << 24),
    "num_buckets": (2, 1 << 16),
    "max_distance": (2, 1 << 20),
    "max_sequence_length": (1, 1 << 24),
    "sequence_length": (1, 1 << 16),
    "source_length": (1, 1 << 16),
    "target_length": (1, 1 << 16),
    "start_id": (0, (1 << 31) - 1),
    "end_id": (0, (1 << 31) - 1),
    "window_overlap": (0, 1 << 16),
}
NUMBER = (-(1 << 31), (1 << 31) - 1)  # any other
