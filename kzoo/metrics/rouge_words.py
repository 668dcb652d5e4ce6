"""What ROUGE takes for a word: rouge-score's rule, or one for any script."""

import functools
import unicodedata

ROUGE_SCORE, UNICODE = "rouge-score", "unicode"
TOKENIZERS = (ROUGE_SCORE, UNICODE)
STEMMER = "porter"
UNSPACED = (  # scripts without spaces between words, as names of characters begin
    *("CJK UNIFIED", "CJK COMPATIBILITY", "HIRAGANA", "KATAKANA"),
    *("THAI", "LAO", "KHMER", "MYANMAR"),
)
REMEMBERED = 64  # texts; a prediction is held against several references


class Words:
    """Texts to words, as rouge-score's `tokenizer=` takes it.

    Two rules. `"rouge-score"` is that of the original ROUGE: capitals lowered, words of
    a–z and 0–9, everything else parts them, so that text in other letters has no words.
    `"unicode"` has letters, marks and digits of any script as words, without regard to
    case and width (NFKC); each character of a script that is written without spaces
    (Chinese, Japanese, Thai, Lao, Khmer, Burmese) is a word. On ASCII both are equal.

    Args:
        tokenizer: str, `"rouge-score"` or `"unicode"`.
        stemmer: bool. Whether words of more than three characters, all of them a–z
            or 0–9, lose their endings by Porter's rules, which are those of English.
            `None`: with `"rouge-score"` only.
    """

    def __init__(self, tokenizer=ROUGE_SCORE, stemmer=None):
        if tokenizer not in TOKENIZERS:
            raise ValueError(
                f"`tokenizer` must be one of {TOKENIZERS}. "
                f"Received: tokenizer={tokenizer!r}"
            )
        self.tokenizer = tokenizer
        self.stems = tokenizer == ROUGE_SCORE if stemmer is None else bool(stemmer)
        self._stem = _stemmer() if self.stems else None
        self._spaced = _Spaced()
        remember = functools.lru_cache(REMEMBERED)
        self.split, self.tokenize = remember(self._split), remember(self._tokenize)

    @property
    def stemmer(self):
        """The stemmer's name, or `None`."""
        return STEMMER if self.stems else None

    def loses(self, text):
        """Whether a text has letters or digits, and nothing is left of them."""
        if self.tokenizer == UNICODE or text.isascii() or self.split(text):
            return False
        return any(char.isalnum() for char in text)

    def _split(self, text):
        """The words of a text as they are, but for case: list of str, to be read."""
        if self.tokenizer == UNICODE:
            text = unicodedata.normalize("NFKC", text).casefold()
            return text.translate(self._spaced).split()
        from rouge_score.tokenize import tokenize

        return tokenize(text, None)

    def _tokenize(self, text):
        """The words of a text, stemmed if they are to be: list of str, to be read."""
        words = self.split(text)
        if self._stem is None:
            return words
        return [
            self._stem(word) if len(word) > 3 and word.isascii() else word
            for word in words
        ]


def _stemmer():
    """Porter's stemmer as rouge-score has it, which remembers what it has stemmed."""
    from nltk.stem.porter import PorterStemmer

    return functools.cache(PorterStemmer().stem)


class _Spaced(dict):
    """A table for `str.translate` that leaves words and spaces between them."""

    def __missing__(self, code):
        char = chr(code)
        if unicodedata.category(char)[0] not in "LMN":
            said = " "
        elif unicodedata.name(char, "").startswith(UNSPACED):
            said = f" {char} "
        else:
            said = code
        self[code] = said
        return said
