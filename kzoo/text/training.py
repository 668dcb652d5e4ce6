"""Learning a vocabulary from texts: the same texts give the same vocabulary, always.

The trainers of `tokenizers` walk hash maps whose order differs in every process.
Byte-level BPE does not depend on it. WordPiece numbers its `##x` pieces by it, which
decides ties between merges, so kzoo hands those pieces over in order. Unigram gives
rare letters a score by it, so kzoo gives them one score for all. Whole words need no
trainer.
"""

import json
from collections import Counter

from kzoo_recipes import KzooError
from tokenizers import (
    Regex,
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
    trainers,
)

SPECIAL_TOKENS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")  # ids 0 to 4
UNK = SPECIAL_TOKENS[1]
SPECIAL = ("special tokens", "special tokens, the sentinels")  # in words
KINDS = ("wordpiece", "byte_bpe", "unigram", "word")


def train(texts, kind, vocabulary_size, lowercase, min_frequency, sentinels=0):
    """Learn a vocabulary from `texts` and return a complete `tokenizers.Tokenizer`.

    Of `sentinels`, which end the vocabulary, the first has the highest id, as in T5.
    """
    if kind not in KINDS:
        raise KzooError(f"`kind` must be one of {', '.join(KINDS)}. Received: {kind=}")
    smallest = len(SPECIAL_TOKENS) + (256 if kind == "byte_bpe" else 1) + sentinels
    if vocabulary_size < smallest:
        raise KzooError(
            f"A {kind} tokenizer needs a vocabulary_size of at least {smallest}, to "
            f"hold the {SPECIAL[bool(sentinels)]} and its alphabet. "
            f"Received: vocabulary_size={vocabulary_size}"
        )
    vocabulary_size -= sentinels
    tokenizer = _untrained(kind, lowercase)
    words = _count_words(tokenizer, texts)
    if not words:
        raise KzooError(
            "The tokenizer has nothing to learn from: no training text has a word "
            "in it. Look at the text column, or name another one."
        )
    if kind in ("wordpiece", "unigram"):
        words = _split_at_rare_letters(words, vocabulary_size)
    tokenizer.model = LEARN[kind](words, vocabulary_size, min_frequency)
    tokenizer.add_special_tokens(list(SPECIAL_TOKENS))
    names = [f"<extra_id_{number}>" for number in range(sentinels)]
    tokenizer.add_special_tokens(names[::-1])
    return tokenizer


def surround(tokenizer, cls, sep):
    """Add the tokens `cls` and `sep` around every text: `[CLS] … [SEP]`."""
    ids = {token: tokenizer.token_to_id(token) for token in (cls, sep)}
    template = processors.TemplateProcessing(
        single=f"{cls} $A {sep}",
        pair=f"{cls} $A {sep} $B:1 {sep}:1",
        special_tokens=list(ids.items()),
    )
    own = tokenizer.post_processor
    tokenizer.post_processor = (
        template if own is None else processors.Sequence([own, template])
    )


def wordpiece(vocabulary, lowercase):
    """BERT's tokenizer over a finished vocabulary, without its post-processor."""
    tokenizer = _untrained("wordpiece", lowercase)
    tokenizer.model = models.WordPiece(vocabulary, unk_token=UNK)
    return tokenizer


def _untrained(kind, lowercase):
    """Everything of a tokenizer but its vocabulary and its post-processor."""
    tokenizer = Tokenizer(models.WordPiece(unk_token=UNK))
    lower = [normalizers.Lowercase()] if lowercase else []
    if kind in ("wordpiece", "word"):
        tokenizer.normalizer = normalizers.BertNormalizer(lowercase=lowercase)
        tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        # Whole words need no decoder: they are joined by spaces.
        if kind == "wordpiece":
            tokenizer.decoder = decoders.WordPiece()
    elif kind == "byte_bpe":
        tokenizer.normalizer = normalizers.Sequence([normalizers.NFC(), *lower])
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)
        # The space put before the first word is not the text's.
        tokenizer.decoder = decoders.Sequence(
            [decoders.ByteLevel(), decoders.Strip(" ", 1, 0)]
        )
    else:
        controls = normalizers.Replace(Regex(r"[\x00-\x1f\x7f]"), " ")
        tokenizer.normalizer = normalizers.Sequence(
            [controls, normalizers.NFKC(), *lower]
        )
        # A word is "▁word" whatever white space stood before it, as in sentencepiece.
        tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
            [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()]
        )
        tokenizer.decoder = decoders.Metaspace()
    return tokenizer


def _count_words(tokenizer, texts):
    normalize = tokenizer.normalizer.normalize_str
    split = tokenizer.pre_tokenizer.pre_tokenize_str
    words = Counter()
    for text in texts:
        words.update(word for word, _ in split(normalize(text)))
    return dict(sorted(words.items()))


def _split_at_rare_letters(words, vocabulary_size):
    """Keep the alphabet to a quarter of the vocabulary: rarer letters become [UNK].

    Both trainers keep every letter they meet, WordPiece twice (`x` and `##x`), and
    Unigram stops when they do not fit.
    """
    letters = Counter()
    for word, count in words.items():
        for letter in word:
            letters[letter] += count
    most = max(1, (vocabulary_size - len(SPECIAL_TOKENS)) // 4)
    if len(letters) <= most:
        return words
    by_count = sorted(letters, key=lambda letter: (-letters[letter], letter))
    blank = dict.fromkeys(map(ord, by_count[most:]), " ")
    kept = Counter()
    for word, count in words.items():
        for part in word.translate(blank).split():
            kept[part] += count
    return dict(sorted(kept.items()))


def _learn(model, trainer, words):
    """Run `trainer` over whole words: nothing left to normalise or to split."""
    tokenizer = Tokenizer(model)
    repeated = ([word] * count for word, count in words.items())
    tokenizer.train_from_iterator(repeated, trainer)
    return tokenizer


def _learn_wordpiece(words, vocabulary_size, min_frequency):
    inner = sorted({f"##{letter}" for word in words for letter in word[1:]})
    trainer = trainers.WordPieceTrainer(
        vocab_size=vocabulary_size,
        min_frequency=min_frequency,
        special_tokens=[*SPECIAL_TOKENS, *inner],
        show_progress=False,
    )
    learnt = _learn(models.WordPiece(unk_token=UNK), trainer, words)
    return models.WordPiece(learnt.get_vocab(), unk_token=UNK)


def _learn_byte_bpe(words, vocabulary_size, min_frequency):
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary_size,
        min_frequency=min_frequency,
        special_tokens=list(SPECIAL_TOKENS),
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    return _learn(models.BPE(), trainer, words).model


def _learn_unigram(words, vocabulary_size, min_frequency):
    del min_frequency  # Its candidates are whatever occurs twice, no more, no less.
    trainer = trainers.UnigramTrainer(
        vocab_size=vocabulary_size,
        special_tokens=list(SPECIAL_TOKENS),
        unk_token=UNK,
        show_progress=False,
    )
    learnt = _learn(models.Unigram(), trainer, words)
    pieces = json.loads(learnt.to_str())["model"]["vocab"][len(SPECIAL_TOKENS) :]
    specials = [(token, 0.0) for token in SPECIAL_TOKENS]
    return models.Unigram(specials + _settled(pieces), 1, byte_fallback=False)


def _settled(pieces):
    """Scores and order that do not depend on the order of a hash map.

    Letters that did not earn a place are appended at the lowest score plus 0, 1, 2 …
    ten-thousandths, in any order; here they share the lowest score. Sums of float64
    in any order differ by about 1e-11; here scores keep three decimals.
    """
    lowest = min(score for _, score in pieces)
    letters = sum(len(piece) == 1 for piece, _ in pieces)
    settled = []
    for piece, score in pieces:
        steps = (score - lowest) / 1e-4
        appended = steps < letters and abs(steps - round(steps)) < 1e-5
        if len(piece) == 1 and appended:
            score = lowest
        settled.append((piece, round(score, 3)))
    return sorted(settled, key=lambda pair: (-pair[1], pair[0]))


def _learn_words(words, vocabulary_size, min_frequency):
    frequent = [word for word, count in words.items() if count >= min_frequency]
    if not frequent:
        raise KzooError(
            f"The tokenizer has nothing to learn from: no word occurs {min_frequency} "
            "times or more; lower min_frequency."
        )
    frequent.sort(key=lambda word: (-words[word], word))
    kept = [*SPECIAL_TOKENS, *frequent[: vocabulary_size - len(SPECIAL_TOKENS)]]
    ids = {word: number for number, word in enumerate(kept)}
    return models.WordLevel(ids, unk_token=UNK)


LEARN = {
    "wordpiece": _learn_wordpiece,
    "byte_bpe": _learn_byte_bpe,
    "unigram": _learn_unigram,
    "word": _learn_words,
}
