"""A small token classifier of Hugging Face transformers and what its pipeline says."""

from types import SimpleNamespace

import keras
import numpy as np
import tokenizers
import torch
import transformers
from helpers import torch_weights
from transformers.pipelines.token_classification import AggregationStrategy

import kzoo
from kzoo import layers

WIDTH, DEPTH, HEADS, INNER, LONGEST = 16, 2, 4, 24, 512


def bert(vocabulary_size, labels, seed=0):
    """`BertForTokenClassification` with weights so large that tags vary."""
    torch.manual_seed(seed)
    config = transformers.BertConfig(
        vocab_size=vocabulary_size,
        hidden_size=WIDTH,
        num_hidden_layers=DEPTH,
        num_attention_heads=HEADS,
        intermediate_size=INNER,
        max_position_embeddings=LONGEST,
        initializer_range=0.4,
        id2label=dict(enumerate(labels)),
        label2id={label: place for place, label in enumerate(labels)},
    )
    return transformers.BertForTokenClassification(config).eval()


def copied(module, sequence_length=LONGEST):
    """`kzoo.TokenTagger` with the weights of a `BertForTokenClassification`."""
    shape = module.config
    norm = keras.layers.LayerNormalization(epsilon=shape.layer_norm_eps)
    positions = layers.LearnedPositions(
        shape.hidden_size, shape.max_position_embeddings
    )
    encoder = layers.TransformerEncoder(
        shape.vocab_size,
        shape.num_hidden_layers,
        shape.num_attention_heads,
        shape.hidden_size,
        shape.intermediate_size,
        position=positions,
        norm=norm,
        norm_placement="post",
        embedding={"num_segments": shape.type_vocab_size, "norm": norm},
    )
    model = kzoo.TokenTagger(encoder, shape.num_labels, sequence_length=sequence_length)
    state = torch_weights.state_of(module.bert)
    found = torch_weights.bert(
        state, shape.num_hidden_layers, shape.num_attention_heads
    )
    torch_weights.assign(encoder, found)
    head = model.get_layer("logits")
    head.kernel.assign(torch_weights.numpy_of(module.classifier.weight).T)
    head.bias.assign(torch_weights.numpy_of(module.classifier.bias))
    return model


def pipeline(tokenizer, labels):
    """The pipeline over such a model and a `kzoo.text.Tokenizer`."""
    theirs = transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizers.Tokenizer.from_str(tokenizer.to_json()),
        model_max_length=LONGEST,
        pad_token="[PAD]",
        unk_token="[UNK]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        mask_token="[MASK]",
    )
    return transformers.pipeline(
        "token-classification",
        model=bert(tokenizer.vocabulary_size, labels),
        tokenizer=theirs,
        device="cpu",
    )


def answers(pipe, text, words=False):
    """What the pipeline says of a text, and what it says it of.

    The model runs once for all strategies; all else is the pipeline's own.

    Args:
        pipe: the pipeline.
        text: str; or, with `words`, list of str.
        words: bool. Whether the text is split into words.

    Returns:
        the pieces, as `kzoo.text.entities` reads them; float32 `(T, C)`, their
        probabilities; and a dict from strategy to entities.
    """
    given = {"is_split_into_words": words} | ({"delimiter": " "} if words else {})
    [inputs] = pipe.preprocess(text, **given)
    output = pipe.forward(inputs)
    expected, places = {}, output["offset_mapping"]
    for strategy in AggregationStrategy:
        # Of words, it adds to the places that it was handed.
        output["offset_mapping"] = places.clone()
        answer = pipe.postprocess([output], aggregation_strategy=strategy)
        expected[strategy.value] = answer
    own = ~output["special_tokens_mask"][0].numpy().astype(bool)
    pieces = SimpleNamespace(
        text=output["sentence"],
        token_ids=output["input_ids"][0].numpy().astype("int32")[own],
        raw_offsets=places[0].numpy()[own],
    )
    probabilities = torch.softmax(output["logits"][0], dim=-1).numpy()[own]
    return pieces, probabilities, expected


def assert_equal(actual, expected):
    """Entities are equal in keys, their order and values; scores within 1e-5."""
    assert [list(one) for one in actual] == [list(one) for one in expected]
    plain = [{**one, "score": 0.0} for one in actual]
    assert plain == [{**one, "score": 0.0} for one in expected]
    scores = [[one["score"] for one in some] for some in (actual, expected)]
    np.testing.assert_allclose(*scores, rtol=0, atol=1e-5)
