"""A document of any length is tagged as its windows are, each word by the best one."""

import numpy as np
import pytest

from kzoo import TokenTagger, layers
from kzoo.data.schemes import label_names
from kzoo.models.tagging import emissions, logits_of, transitions_of, word_tags
from kzoo.text import Tokenizer
from kzoo.text.alignment import align, joined
from kzoo.text.windows import cut
from kzoo.training.steppers import make_stepper

LABELS = label_names(["LOC", "PER"], "iob2")
LENGTH, OVERLAP = 128, 32


def document(words, seed=7):
    """Short words, one of which is nothing and one longer than a window."""
    rng = np.random.default_rng(seed)
    letters = np.array(list("abcdef"))
    drawn = ["".join(rng.choice(letters, rng.integers(1, 5))) for _ in range(words)]
    drawn[words // 3] = "\u200b"
    drawn[words // 2] = "".join(rng.choice(letters, 500))
    return drawn


def tagger(head):
    tokenizer = Tokenizer.train(document(900, seed=8), "byte_bpe", 500)
    layers.set_seed(3)
    encoder = layers.TransformerEncoder(
        tokenizer.vocabulary_size, 1, 2, 16, 32, position="rotary", name="encoder"
    )
    model = TokenTagger(
        encoder, len(LABELS), head, sequence_length=LENGTH, window_overlap=OVERLAP
    ).attach(tokenizer, LABELS)
    for weight in model.weights:  # As drawn, all pieces would be told much alike.
        if weight.path.endswith("kernel"):
            weight.assign(weight * 4)
    return model


def plain_logits(model, predict, aligned):
    """Each window by itself; each word from that in which it is farthest inside.

    Returns:
        float64 `(W, C)` of the words' first pieces; the transitions, if it has some.
    """
    windows = cut(aligned, model.tokenizer, LENGTH, OVERLAP)
    answers = []
    for window in windows:
        ids = np.zeros((1, LENGTH), "int32")
        ids[0, : len(window.token_ids)] = window.token_ids
        mask = np.arange(LENGTH)[None] < len(window.token_ids)
        inputs = {"token_ids": ids, "padding_mask": mask}
        answers.append(predict(inputs))
    taken = []
    for number, first in enumerate(aligned.first.tolist()):
        last = int(np.flatnonzero(aligned.word_of == number)[-1]) + 1
        if last - first > LENGTH - model.tokenizer.num_special:
            last = first + 1  # No window holds the word; its first piece counts.
        best, found = -1, None
        for window, answer in zip(windows, answers, strict=True):
            if window.start <= first and last <= window.end:
                left = first - window.start if window.start else np.inf
                right = window.end - last if window.end < len(aligned) else np.inf
                if min(left, right) > best:
                    place = first - window.start + model.tokenizer.num_before
                    best, found = min(left, right), logits_of(answer)[0, place]
        taken.append(found)
    return np.array(taken, "float64"), transitions_of(answers[0])


def plain_viterbi(logits, transitions):
    transitions = np.asarray(transitions, "float64")
    start, follow, end = transitions[0], transitions[1:-1], transitions[-1]
    scores, steps = start + logits[0], []
    for row in logits[1:]:
        paths = scores[:, None] + follow  # (from, to)
        steps.append(paths.argmax(axis=0))
        scores = paths.max(axis=0) + row
    labels = [int((scores + end).argmax())]
    for step in reversed(steps):
        labels.append(int(step[labels[-1]]))
    return labels[::-1]


@pytest.mark.parametrize("head", ["linear", "crf"])
def test_a_document_of_5000_words(head):
    model, words = tagger(head), document(5000)
    text, spans = joined(words)
    [aligned] = align(model.tokenizer, [text], [spans])
    assert np.bincount(aligned.word_of).max() > LENGTH and len(aligned.filled) == 0
    predict = make_stepper(model, None, None).predict
    logits, transitions = plain_logits(model, predict, aligned)
    if head == "linear":
        expected = logits.argmax(axis=1)
    else:
        expected = plain_viterbi(logits, transitions)
    answered = emissions(predict, model.tokenizer, [aligned], LENGTH, OVERLAP, 8)
    [(labels, probabilities)] = word_tags(answered, [aligned])
    assert answered.windows == [len(cut(aligned, model.tokenizer, LENGTH, OVERLAP))]
    assert labels.tolist() == list(expected)
    assert len(set(expected)) == len(LABELS)
    if head == "linear":
        likely = np.exp(logits - logits.max(axis=1, keepdims=True))
        likely /= likely.sum(axis=1, keepdims=True)
        np.testing.assert_allclose(probabilities, likely, atol=1e-4)
