"""One token after the other: the best, or one that is drawn."""

import numpy as np

from kzoo.generation.hypotheses import hypothesis
from kzoo.generation.sampling import draw


def one_by_one(run, settings, rules, special, numbers=None, on_token=None):
    """Follow each text by itself.

    Args:
        run: what `decoder.begin` returned.
        settings: `Generation`.
        rules: `Rules`.
        special: `Special`. The ids of start, ends and padding.
        numbers: float64 `(B, K, length)` to draw by; `None` takes the best.
        on_token: called with `(row, token_id)` for each token as it comes, the end
            left out.

    Returns:
        list for each source of its `Hypothesis`es.
    """
    sources, texts = run.sources, settings.nbest
    length, ends = settings.max_new_tokens, special.ends
    history = np.full((sources, texts, length + 1), special.pad, "int32")
    history[:, :, 0] = special.start
    sums = np.zeros((sources, texts))
    lengths = np.zeros((sources, texts), int)
    going = np.ones((sources, texts), bool)
    parents = np.zeros((sources, texts), "int32")
    for step in range(length):
        ids, scores, total = run.step(history[:, :, step], parents)
        if step == 0:
            parents = np.broadcast_to(np.arange(texts, dtype="int32"), parents.shape)
        token = rules.forced(step)
        if token is None:
            ruled = rules.apply(ids, scores, history[:, :, : step + 1])
            going &= ruled.max(axis=-1) > -np.inf
            if numbers is None:
                place = ruled.argmax(axis=-1)
            else:
                ruled = np.where(going[..., None], ruled, 0)
                place = draw(ids, ruled, numbers[:, :, step], settings)
            place = place[..., None]
            token = place if ids is None else np.take_along_axis(ids, place, -1)
            token = token[..., 0]
            gain = np.take_along_axis(scores, place, -1) - total
            sums += np.where(going, gain[..., 0], 0)
        history[:, :, step + 1] = np.where(going, token, special.pad)
        lengths += going
        ended = (history[:, :, step + 1, None] == ends).any(axis=-1)
        if on_token is not None:
            for row in np.flatnonzero((going & ~ended)[:, 0]):
                on_token(int(row), int(history[row, 0, step + 1]))
        going &= ~ended
        if not going.any():
            break
    scores = sums / np.maximum(lengths, 1) ** float(settings.length_penalty)
    return [
        [
            hypothesis(tokens[1 : count + 1], score, ends)
            for tokens, count, score in zip(*row, strict=True)
        ]
        for row in zip(history, lengths, scores, strict=True)
    ]
