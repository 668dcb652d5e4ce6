"""One contestant of `tagging.py`, in a process of its own.

Reads lines `entities`, `seconds` or `document` and answers each with one line of JSON.
Everything else goes to stderr.
"""

import json
import os
import sys
import time
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
REVIEWS = ROOT / "kzoo" / "data" / "bundled" / "reviews" / "train.csv"
LABELS = ["O", "B-LOC", "I-LOC", "B-PER", "I-PER", "B-ORG", "I-ORG"]
MINI = {
    "hidden_size": 256,
    "num_hidden_layers": 4,
    "num_attention_heads": 4,
    "intermediate_size": 1024,
    "max_position_embeddings": 512,
}
WORDS = 5000  # of the long document


def reviews():
    """The reviews that ship with kzoo, real sentences of many lengths."""
    import csv

    with REVIEWS.open(encoding="utf-8", newline="") as file:
        return [row["text"] for row in csv.DictReader(file)]


def tokenizer():
    from kzoo.text import Tokenizer

    return Tokenizer.train(reviews(), vocabulary_size=8000)


def module(vocabulary_size):
    """The weights that every contestant has, so large that tags vary."""
    import torch
    from transformers import BertConfig, BertForTokenClassification

    torch.manual_seed(0)
    shape = BertConfig(
        **MINI,
        vocab_size=vocabulary_size,
        initializer_range=0.05,
        id2label=dict(enumerate(LABELS)),
        label2id={label: place for place, label in enumerate(LABELS)},
    )
    model = BertForTokenClassification(shape).eval()
    with torch.no_grad():
        model.classifier.weight.mul_(8)
    return model


def transformers(strategy):
    """The pipeline as one calls it; its default is a text at a time."""
    import tokenizers
    from transformers import PreTrainedTokenizerFast, pipeline

    own = tokenizer()
    theirs = PreTrainedTokenizerFast(
        tokenizer_object=tokenizers.Tokenizer.from_str(own.to_json()),
        model_max_length=512,
        **{f"{name}_token": f"[{name.upper()}]" for name in ("pad", "unk", "cls")},
        sep_token="[SEP]",
        mask_token="[MASK]",
    )
    model = module(own.vocabulary_size)
    pipe = pipeline("token-classification", model=model, tokenizer=theirs)
    return (lambda texts: pipe(texts, aggregation_strategy=strategy)), None


def kzoo(strategy):
    """kzoo's tagger with the same weights."""
    sys.path[:0] = [str(ROOT / "tests" / "reference"), str(ROOT / "tests")]
    from hugging_face_tagger import copied

    own = tokenizer()
    model = copied(module(own.vocabulary_size), sequence_length=128)
    model.attach(own, LABELS)
    return (lambda texts: model.tag(texts, strategy)), model


def document(tag, model):
    """Time per token of a long document, relative to the same words in short texts.

    Tokens are those that the model reads: pieces that two windows share count twice.
    """
    from kzoo.text.alignment import align
    from kzoo.text.windows import cut

    words = " ".join(reviews()).split()[:WORDS]
    short = [" ".join(words[at : at + 20]) for at in range(0, WORDS, 20)]
    per_token = {}
    for name, texts in (("long", [" ".join(words)]), ("short", short)):
        windows = [
            window
            for text in align(model.tokenizer, texts)
            for window in cut(text, model.tokenizer, 128, model.overlap)
        ]
        tokens = sum(len(window.token_ids) for window in windows)
        tag(texts)
        start = time.perf_counter()
        tag(texts)
        per_token[name] = (time.perf_counter() - start) / tokens
    return {
        "long_to_short": per_token["long"] / per_token["short"],
        "microseconds_per_token": per_token["long"] * 1e6,
    }


def main():
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # Whatever a library prints must not look like an answer.
    settings = json.loads(sys.argv[2])
    name = sys.argv[1].split(":")[0]
    make = {"transformers": transformers, "kzoo": kzoo}[name]
    tag, model = make(settings["aggregation"])
    rng = np.random.default_rng(0)
    texts = reviews()
    rows = rng.choice(len(texts), settings["sentences"], replace=False)
    texts = [texts[row] for row in rows]
    for line in sys.stdin:
        if line.strip() == "document":
            answer = document(tag, model)
        else:
            start = time.perf_counter()
            found = tag(texts)
            answer = time.perf_counter() - start
            if line.strip() == "entities":
                answer = [
                    [{**one, "score": float(one["score"])} for one in some]
                    for some in found
                ]
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
