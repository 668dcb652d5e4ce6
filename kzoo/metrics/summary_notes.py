"""What a reader should know of the figures of summaries."""

from kzoo.metrics.rouge_words import ROUGE_SCORE, UNICODE, Words

WORTH_SAYING = 0.01  # of all words of the references
OFFER = f"--rouge-tokenizer {UNICODE} knows all"


def notes(references, predictions, empty, words):
    """What has no words, and what rouge-score's tokenizer leaves of other letters.

    Args:
        references: list by row of lists of str.
        predictions: list of str.
        empty: bool `(rows,)`.
        words: `Words`.

    Returns:
        list of str, sentences without a full stop.
    """
    flat = [reference for own in references for reference in own]
    said = []
    if empty.any():
        said.append(f"{_counted(sum(empty), 'prediction is', 'predictions are')} empty")
        said[-1] += " and counts as 0" if sum(empty) == 1 else " and count as 0"
    wordless = sum(not words.split(text) and not words.loses(text) for text in flat)
    if wordless:
        have = _counted(wordless, "reference has", "references have")
        said.append(f"{have} no letter and no digit: what is held against it has 0")
    if words.tokenizer == ROUGE_SCORE:
        said += _lost(flat, predictions, words)
    return said


def _lost(flat, predictions, words):
    lost = [sum(map(words.loses, texts)) for texts in (flat, predictions)]
    said = []
    if any(lost):
        said.append(
            f"{_counted(lost[0], 'reference has', 'references have')} letters, but "
            "none of a–z and 0–9, which are all that rouge-score's tokenizer knows, "
            f"and so {_counted(lost[1], 'prediction has', 'predictions have')}: they "
            f"count as 0; {OFFER}"
        )
    other = Words(UNICODE)
    found = [word for text in flat for word in other.split(text)]
    broken = [word for word in found if not word.isascii()]
    if len(broken) > WORTH_SAYING * len(found):
        letters = sorted({char for word in broken for char in word if char > "\x7f"})
        more = " …" if len(letters) > 5 else ""
        said.append(
            f"{len(broken) / len(found):.1%} of the words of the references have "
            f"letters ({' '.join(letters[:5])}{more}) at which rouge-score's tokenizer "
            f"parts or drops them; {OFFER}"
        )
    return said


def _counted(number, one, many):
    return f"{number:,} {one if number == 1 else many}"
