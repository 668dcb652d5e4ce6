"""How much of a summary its document has already: fragments and n-grams."""

from collections import Counter, defaultdict


def fragments(document, summary):
    """The lengths of what a summary copies, by the procedure of Grusky et al.

    From the summary's first word on, the longest run of words that stands in the
    document, too, is a fragment, and the next begins behind it; a word that the
    document does not have is none. As in the paper, a run in the document that was
    looked at is not looked into again.

    Args:
        document: list of str, words.
        summary: list of str, words.

    Returns:
        list of int, in the order of the summary. Of n words, coverage is their sum by
        n, density the sum of their squares by n.

    Reference:
        - [Grusky et al., 2018](https://arxiv.org/abs/1804.11283), figure 1
    """
    places = defaultdict(list)
    for place, word in enumerate(document):
        places[word].append(place)
    found, at = [], 0
    while at < len(summary):
        longest, free = 0, 0
        for place in places.get(summary[at], ()):
            if place < free:
                continue
            end, there = at, place
            while (
                end < len(summary)
                and there < len(document)
                and summary[end] == document[there]
            ):
                end, there = end + 1, there + 1
            longest, free = max(longest, end - at), there
        if longest:
            found.append(longest)
        at += max(longest, 1)
    return found


def ngrams(words, n):
    """How often each run of `n` words occurs: `Counter` of tuples."""
    return Counter(zip(*(words[start:] for start in range(n)), strict=False))


def novel(document, summary, n):
    """How many of a summary's n-grams its document does not have, and of how many.

    Every occurrence counts.

    Returns:
        pair of int.
    """
    there = ngrams(document, n)
    own = ngrams(summary, n)
    new = sum(count for gram, count in own.items() if gram not in there)
    return new, own.total()


def repeated(summary, n):
    """How many of a summary's n-grams stood in it before, and of how many: pair."""
    own = ngrams(summary, n)
    return own.total() - len(own), own.total()
