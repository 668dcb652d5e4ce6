"""The scores of a `NumpyDecoder` as naive searches ask for them, and comparisons."""

import numpy as np

from kzoo.generation import Generation, generate

START, END = 0, 1


def searched(decoder, token_ids, mask, ends=(END,), **settings):
    """What `generate` answers, as lists of `(score, text without its end)`."""
    found = generate(
        decoder, token_ids, mask, Generation(**settings), START, ends, pad_id=0
    )
    return [[(one.score, tuple(one.token_ids)) for one in row] for row in found]


def scorer(decoder, token_ids, mask):
    """A function from a text, a tuple of tokens, to the scores of what may follow."""
    source = decoder.read(token_ids[None], mask[None])
    known = {}

    def step(text):
        if text not in known:
            before = step(text[:-1])[0] if text else source
            last = np.array([text[-1] if text else START])
            state, scores = decoder.log_probabilities(before, last)
            known[text] = state, scores[0].astype("float64").tolist()
        return known[text]

    return lambda text: step(text)[1]


def same(found, expected, ends=(END,)):
    """Whether texts and scores agree; the end stands in the naive texts only."""
    bare = [tuple(t for t in text if t not in ends) for _, text in expected]
    assert [text for _, text in found] == bare
    np.testing.assert_allclose(
        [score for score, _ in found], [score for score, _ in expected], rtol=1e-5
    )
