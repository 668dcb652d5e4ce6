"""A tagger's entities: what it says of pieces, put together as a reader wants it."""

import numpy as np

from kzoo.data.labels import softmax
from kzoo.models.inputs import listed, only_str
from kzoo.models.tagging import word_tags
from kzoo.text.alignment import align, joined
from kzoo.text.entities import Grouping
from kzoo.text.raw_words import raw_words

WHAT = "str, or lists of str"


def answers(model, texts, aggregation, batch_size):
    """The entities of texts; see `kzoo.TokenTagger.answers`.

    Args:
        model: `kzoo.TokenTagger` with tokenizer and labels.
        texts: list of str, or of lists of str, which are words.
        aggregation: str, one of `kzoo.text.entities.AGGREGATIONS`.
        batch_size: int. How many windows are computed at once.

    Returns:
        list of dict.
    """
    texts = listed(texts, "texts", WHAT)
    grouping = Grouping(model.labels, model.tokenizer, aggregation, model.scheme)
    # transformers, too, looks at the tokenizer's words when it was given others.
    heeds_words = aggregation == "words" or model.head == "crf"
    aligned = _aligned(model, texts, heeds_words)
    said = model.emissions(aligned, batch_size)
    if model.head == "crf":
        found = [
            grouping.decided(text, tags, chances[np.arange(len(tags)), tags])
            for text, (tags, chances) in zip(
                aligned, word_tags(said, aligned), strict=True
            )
        ]
    else:
        found = [
            grouping(text, softmax(logits))
            for text, logits in zip(aligned, said, strict=True)
        ]
    return [
        {"entities": entities, "windows": windows}
        for entities, windows in zip(found, said.windows, strict=True)
    ]


def _aligned(model, texts, heeds_words):
    """Each text as `Aligned`; if words are heeded, those given or as it learnt them."""
    aligned = [None] * len(texts)
    by_spans = [], []
    for place, text in enumerate(texts):
        if isinstance(text, str):
            plain, spans = text, None if model.split_punctuation else raw_words(text)
        else:
            plain, spans = joined(only_str(text, f"texts[{place}]", WHAT))
        told = heeds_words and spans is not None
        by_spans[told].append((place, plain, spans))
    for told, part in enumerate(by_spans):
        places, plain, spans = zip(*part, strict=True) if part else ((), (), ())
        found = align(model.tokenizer, list(plain), list(spans) if told else None)
        for place, text in zip(places, found, strict=True):
            aligned[place] = text
    return aligned
