"""From texts to one tag per word: windows through the model, and back together."""

import dataclasses

import numpy as np

from kzoo.data.batches import inference_batches, length_buckets
from kzoo.data.labels import softmax
from kzoo.text import chains
from kzoo.text.windows import cut, merge


@dataclasses.dataclass(frozen=True)
class Emissions:
    """What a tagger says of the pieces of some texts.

    Attributes:
        pieces: list of float32 `(pieces, C)`, one per text, in order: the logits of
            each piece, from the window in which its word stands farthest from an edge.
        windows: list of int. How many windows each text was read in.
        transitions: float32 `(C + 2, C)`, as `kzoo.layers.LinearChainCRF` lays them
            out. `None` where tags know nothing of their neighbours.
    """

    pieces: list
    windows: list
    transitions: np.ndarray | None = None

    def __len__(self):
        return len(self.pieces)

    def __iter__(self):
        return iter(self.pieces)

    def __getitem__(self, row):
        return self.pieces[row]


def emissions(predict, tokenizer, aligned, sequence_length, overlap, batch_size=64):
    """What a tagger says of every piece of every text, whatever their lengths.

    Args:
        predict: function from inputs, a dict as of `kzoo.data.batches.pad`, to what a
            `kzoo.TokenTagger` gives, in numpy.
        tokenizer: `kzoo.text.Tokenizer`.
        aligned: list of `kzoo.text.alignment.Aligned`.
        sequence_length: int. Longest window in tokens, special tokens counted.
        overlap: int. Pieces that neighbouring windows of a long text share.
        batch_size: int. How many windows are computed at once.

    Returns:
        `Emissions`.
    """
    windows = [cut(text, tokenizer, sequence_length, overlap) for text in aligned]
    flat = [window for of_text in windows for window in of_text]
    answers, transitions = [None] * len(flat), None
    # A short list does not pay for a full batch, nor for a shape of its own.
    rows_at_once = min(batch_size, 1 << max(len(flat) - 1, 0).bit_length())
    for rows, inputs in inference_batches(
        [window.token_ids for window in flat],
        rows_at_once,
        length_buckets(sequence_length),
        tokenizer.pad_id,
    ):
        answer = predict(inputs)
        logits = logits_of(answer)
        transitions = transitions_of(answer)
        for place, row in enumerate(rows):
            answers[row] = logits[place, : len(flat[row].token_ids)]
    answers = iter(answers)
    return Emissions(
        [merge(of_text, [next(answers) for _ in of_text]) for of_text in windows],
        [len(of_text) for of_text in windows],
        transitions,
    )


def logits_of(answer):
    """The logits `(B, T, C)` of what a tagger gives, with a CRF or without."""
    return answer["logits"] if isinstance(answer, dict) else answer


def transitions_of(answer):
    """The transitions `(C + 2, C)` of what a tagger gives; `None` without a CRF."""
    return answer["transitions"][0] if isinstance(answer, dict) else None


def word_tags(answered, aligned):
    """The tag of every word, and how likely each tag is: its first piece's.

    With a CRF, the tags are those of the best path through the text, whatever its
    length, and the probabilities are marginals over all paths.

    Args:
        answered: `Emissions` of the texts.
        aligned: list of `kzoo.text.alignment.Aligned`, the texts.

    Returns:
        list with one pair per text: int64 `(W,)`, the class of each word, and float64
        `(W, C)`, its probabilities.
    """
    pairs = zip(answered, aligned, strict=True)
    words = [np.asarray(pieces[text.first], "float64") for pieces, text in pairs]
    if answered.transitions is not None:
        labels = chains.best_paths(words, answered.transitions)
        shares = chains.marginals(words, answered.transitions)
        return list(zip(labels, shares, strict=True))
    if not words:
        return []
    cuts = np.cumsum([len(rows) for rows in words])[:-1]
    logits = np.concatenate(words)  # (words of all texts, C)
    probabilities = softmax(logits)
    labels = probabilities.argmax(axis=1)
    return list(zip(np.split(labels, cuts), np.split(probabilities, cuts), strict=True))
