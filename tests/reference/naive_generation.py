"""Generation by enumeration, and beam search one text at a time, in plain Python.

`score(text)` gives the log-probabilities of what may follow a tuple of tokens, the
start not among them: a list of floats, -inf at what may not follow.
"""

import math
from itertools import product


def every_text(score, vocabulary, ends, length, penalty):
    """All texts that can be written, as `(score, text)`, best first."""
    found = []
    for size in range(1, length + 1):
        for text in product(range(vocabulary), repeat=size):
            inner = any(token in ends for token in text[:-1])
            if inner or (size < length and text[-1] not in ends):
                continue
            total = sum(score(text[:place])[text[place]] for place in range(size))
            if total > -math.inf:
                found.append((total / size**penalty, text))
    return sorted(found, key=lambda one: (-one[0], one[1]))


def beam_search(score, ends, length, beams, penalty=1.0, stopping=False):
    """Hypotheses of one source as `(score, text)`, best first."""
    running, done = {(): 0.0}, {}
    for step in range(1, length + 1):
        longer = {
            (*text, token): total + gain
            for text, total in running.items()
            for token, gain in enumerate(score(text))
            if gain > -math.inf
        }
        ranked = sorted(longer, key=lambda text: (-longer[text], text))
        ranked = ranked[: max(2, 1 + len(ends)) * beams]
        if not ranked:
            break
        for text in ranked[:beams]:
            if text[-1] in ends or step == length:
                done[text] = longer[text] / step**penalty
        done = dict(sorted(done.items(), key=lambda one: -one[1])[:beams])
        running = {text: longer[text] for text in ranked if text[-1] not in ends}
        running = dict(list(running.items())[:beams])
        if not running or step == length:
            break
        if len(done) == beams:
            ahead = length if stopping == "never" and penalty > 0 else step
            hope = max(running.values()) / ahead**penalty
            if stopping is True or hope <= min(done.values()):
                break
    return sorted(((total, text) for text, total in done.items()), reverse=True)
