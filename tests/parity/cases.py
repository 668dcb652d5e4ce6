"""The models that the parity suite compares, and what it feeds them."""

import types

import numpy as np

from kzoo import layers
from kzoo.models import MaskedLM, Seq2Seq, TextClassifier, TokenTagger
from kzoo.text import Tokenizer

VOCABULARY, CLASSES = 60, 3
ROWS, LENGTH = 6, 12
TEXTS = [
    "the soup was cold and the waiter was rude",
    "a lovely room with a view of the sea",
    "not bad at all, I would come again",
    "",
    "   ",
    "x",
    "\U0001f600\U0001f44d\U0001f3fd" * 5,
    "the same again and again " * 40,
]
LABELS = ["bad", "good", "mixed"]
TAGS = ["O", "B-x", "I-x"]

# One row per model: arguments of the encoder, then of the classifier on it. Those with
# one layer share nothing between layers, so a second would only be compiled again.
CLASSIFIERS = {
    "bert": (
        {
            "num_layers": 1,
            "position": "learned",
            "norm_placement": "post",
            "embedding": {"norm": "layer_norm", "num_segments": 2},
        },
        {"pooling": "first"},
    ),
    "vaswani": (
        {
            "num_layers": 1,
            "position": "sinusoidal",
            "feed_forward": "relu",
            "embedding": {"scale": True},
        },
        {"activation": "relu"},
    ),
    "llama": (
        {
            "num_layers": 2,
            "position": "rotary",
            "feed_forward": "swiglu",
            "norm": "rms_norm",
            "attention": {"num_key_value_heads": 2, "use_bias": False},
            "embedding": {"token_dropout": 0.2},
        },
        {"pooling": "mean", "head_dim": 24},
    ),
    "t5": (
        {
            "num_layers": 2,
            "position": "relative",
            "feed_forward": "geglu_tanh",
            "norm": "rms_norm",
            "attention": {"head_dim": 12, "use_bias": False, "scale": 1.0},
        },
        {"pooling": "max"},
    ),
    "deberta": (
        {
            "num_layers": 2,
            "position": layers.PositionPair(
                layers.LearnedPositions(16, 20),
                layers.DisentangledPositions(32, 20, 6, "layer_norm", dropout=0.1),
            ),
            "norm_placement": "post",
            "attention": {"scale": 24**-0.5},
            "embedding": {"norm": "layer_norm", "embedding_dim": 16},
        },
        {"pooling": "first", "activation": "gelu", "head_norm": "layer_norm"},
    ),
    "sandwich": (
        {
            "num_layers": 1,
            "position": "alibi",
            "norm_placement": "sandwich",
            "feed_forward": "reglu",
            "attention": {"kernel": {"kind": "longformer", "window": 2}},
        },
        {"pooling": "mean", "activation": "gelu"},
    ),
}
# The parts of both stacks, then arguments of the model. The first learns to write
# missing spans.
SEQ2SEQ = {
    "seq2seq": (
        {"position": "relative"},
        {"projection": {"scale": 32**-0.5}, "corruption": {}},
    ),
    "copy": (
        {
            "position": "learned",
            "norm_placement": "post",
            "embedding": {"norm": "layer_norm"},
        },
        {"copy": True, "projection": {"use_bias": True}},
    ),
}
CASES = (*CLASSIFIERS, "crf", "masked_lm", *SEQ2SEQ)


def build(case, dtype="float32"):
    """Return the model of a case, its weights drawn from seed 7."""
    layers.set_seed(7)
    if case in SEQ2SEQ:
        return build_seq2seq(case)
    if case == "crf":
        return build_tagger()
    if case == "masked_lm":
        return build_masked()
    encoder_arguments, model_arguments = CLASSIFIERS[case]
    encoder = layers.TransformerEncoder(
        VOCABULARY,
        num_heads=4,
        hidden_dim=32,
        intermediate_dim=48,
        dtype=dtype,
        name="encoder",
        **encoder_arguments,
    )
    return TextClassifier(
        encoder,
        CLASSES,
        dropout=0.1,
        sequence_length=16,
        name=case,
        **model_arguments,
    )


def build_tagger():
    """A tagger whose tags know their neighbours, on one block: its head is new here."""
    encoder = layers.TransformerEncoder(
        VOCABULARY, 1, 4, 32, 48, position="relative", name="encoder"
    )
    return TokenTagger(
        encoder, CLASSES, head="crf", dropout=0.1, sequence_length=16, name="crf"
    )


def build_masked():
    """A masked language model, on one block: its head is new here."""
    encoder = layers.TransformerEncoder(
        VOCABULARY, 1, 4, 32, 48, position="neighbours", name="encoder"
    )
    return MaskedLM(encoder, sequence_length=16, name="masked_lm")


def build_seq2seq(case):
    """Encoder and decoder, one like T5's and one like BART's that copies."""
    arguments = (VOCABULARY, 1, 4, 32, 48)
    parts, options = SEQ2SEQ[case]
    return Seq2Seq(
        layers.TransformerEncoder(*arguments, name="encoder", **parts),
        layers.TransformerDecoder(*arguments, name="decoder", **parts),
        start_id=2,
        end_id=3,
        source_length=16,
        target_length=LENGTH,
        name=case,
        **options,
    )


def batch(case, step):
    """A batch with padding, one row of it all padding, drawn from the step."""
    rng = np.random.default_rng(step)
    token_ids = rng.integers(0, VOCABULARY, (ROWS, LENGTH), dtype="int32")
    lengths = rng.integers(1, LENGTH + 1, (ROWS, 1))
    lengths[-1] = 0
    mask = np.arange(LENGTH) < lengths
    if case in SEQ2SEQ:
        inputs = {
            "encoder_token_ids": token_ids,
            "encoder_padding_mask": mask,
            "decoder_token_ids": token_ids[:, ::-1].copy(),
            "decoder_padding_mask": mask,
        }
        labels = np.roll(token_ids[:, ::-1], -1, axis=1).astype("int32")
        labels[::2] = rng.integers(0, VOCABULARY, labels[::2].shape)  # not to be copied
        weights = mask.astype("float32")
    elif case == "crf":
        inputs = {"token_ids": token_ids, "padding_mask": mask}
        labels, weights = tags_of(token_ids, mask)
    elif case == "masked_lm":
        places = np.sort(
            rng.permuted(np.tile(np.arange(LENGTH), (ROWS, 1)), axis=1)[:, :3]
        )
        places = places.astype("int32")  # (ROWS, 3)
        inputs = {"token_ids": token_ids, "padding_mask": mask, "places": places}
        labels = rng.integers(0, VOCABULARY, places.shape).astype("int32")
        weights = (places < lengths).astype("float32")
    else:
        inputs = {"token_ids": token_ids, "padding_mask": mask}
        labels = rng.integers(0, CLASSES, ROWS).astype("int32")
        weights = (lengths[:, 0] > 0).astype("float32")
    weights = weights / weights.sum()
    return types.SimpleNamespace(inputs=inputs, labels=labels, weights=weights)


def tags_of(token_ids, mask):
    """Tags that BIO allows, for two pieces of three; a row may begin with `I`."""
    labelled = mask & (token_ids % 3 > 0)
    number = np.cumsum(labelled, axis=1) + np.arange(ROWS)[:, None]
    labels = np.where(labelled, np.array([0, 1, 2, 2, 1])[number % 5], 0)
    return labels.astype("int32"), labelled.astype("float32")


def attach(model):
    """Give a model a tokenizer and, if it has any, labels, so that it reads text."""
    tokenizer = Tokenizer.train(
        TEXTS, kind="wordpiece", vocabulary_size=VOCABULARY, min_frequency=1
    )
    if not model.has_labels:
        return model.attach(tokenizer)
    return model.attach(tokenizer, TAGS if hasattr(model, "tag_words") else LABELS)


def answers(model):
    """What a model says of the texts, as JSON takes it."""
    if hasattr(model, "tag_words"):
        return model.tag_words([text.split() for text in TEXTS])
    if hasattr(model, "summarize"):
        return model.answers(TEXTS, model.settings(sample=True, max_new_tokens=8))
    if hasattr(model, "fill"):
        return model.fill([f"{text} [MASK]" for text in TEXTS[:4]])
    return model.classify(TEXTS)
