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
    return group_search(score, ends, length, [beams], 0.0, penalty, stopping)


def group_search(score, ends, length, widths, diversity, penalty=1.0, stopping=False):
    """The same of several groups of beams, each of its width."""
    groups = [
        {"width": width, "running": {(): 0.0}, "done": {}, "open": True}
        for width in widths
    ]
    for step in range(1, length + 1):
        chosen = []
        for group in groups:
            if group["open"]:
                _advance(
                    group,
                    score,
                    ends,
                    step,
                    length,
                    penalty,
                    stopping,
                    diversity,
                    chosen,
                )
    found = [(total, text) for group in groups for text, total in group["done"].items()]
    return sorted(found, key=lambda one: -one[0])


def _advance(group, score, ends, step, length, penalty, stopping, diversity, chosen):
    width, done = group["width"], group["done"]
    longer = {
        (*text, token): total + gain - diversity * chosen.count(token)
        for text, total in group["running"].items()
        for token, gain in enumerate(score(text))
        if gain > -math.inf
    }
    ranked = sorted(longer, key=lambda text: (-longer[text], text))
    ranked = ranked[: max(2, 1 + len(ends)) * width]
    for text in ranked[:width]:
        if text[-1] in ends or step == length:
            done[text] = longer[text] / step**penalty
    group["done"] = done = dict(sorted(done.items(), key=lambda one: -one[1])[:width])
    going = [text for text in ranked if text[-1] not in ends][:width]
    group["running"] = {text: longer[text] for text in going}
    chosen += [text[-1] for text in going]
    if not going:
        group["open"] = False
    elif len(done) == width:
        ahead = length if stopping == "never" and penalty > 0 else step
        hope = max(longer[text] for text in going) / ahead**penalty
        if stopping is True or hope <= min(done.values()):
            group["open"] = False


def ruled(score, start, ends, settings):
    """`score` under rules, as a scorer of its own; only what it says of one text.

    Args:
        settings: `kzoo.generation.Generation`.
    """

    def told(text):
        written = [start, *text]
        last = len(text) == settings.max_new_tokens - 1
        forced = settings.forced_last if last else None
        if forced is None and not text:
            forced = settings.forced_first
        if forced is not None:
            return [
                0.0 if token == forced else -math.inf
                for token in range(len(score(text)))
            ]
        answer = []
        for token, value in enumerate(score(text)):
            if token in written:
                penalty = settings.repetition_penalty
                value = value * penalty if value < 0 else value / penalty
            banned = token in settings.suppress
            banned |= token in ends and len(text) < settings.min_new_tokens
            longer = [*written, token]
            for word in settings.bad_words:
                banned |= longer[-len(word) :] == list(word)
            size = settings.no_repeat_ngram
            if size:
                grams = [longer[i : i + size] for i in range(len(longer) - size + 1)]
                banned |= len(grams) > 0 and grams[-1] in grams[:-1]
            answer.append(-math.inf if banned else value)
        return answer

    return told
