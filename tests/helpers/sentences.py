"""Sentences with whatever a text may hold, drawn from a seed."""

import numpy as np

LINES = (
    "the a of in and to was with for Anna Berg Köln São Paulo New York U.S. E.U.",
    "don't it's O'Neill Rimsky-Korsakov state-of-the-art co-operation e-mail 3,000",
    "$4.50 50% 2026-11-29 10:30 http://a.example/b?c=d @someone #topic COVID-19",
    "naïve café cafe\u0301 re\u0301sume\u0301 Zu\u0308rich İstanbul straße Αθήνα",
    "Москва 東京 日本語 한국 שלום العربية हिन्दी ไทย ﬁnal ½ x² 😀 👩\u200d🔬 🇩🇪 👍🏽",
    "word\u200bword a\u00adb \u2014 “quoted” ‘so’ … (in) [sic] {x} <b> A&B C++ C#",
    ".NET foo_bar snake_case CamelCase ALLCAPS mIxEd antidisestablishmentarianism",
    "pneumonoultramicroscopic aaaaaaaaaaaaaaaaaaaa [SEP] [UNK] ## ##ing \\ | ~ ` ^",
)
WORDS = " ".join(LINES).split()
GAPS = (" ",) * 12 + (
    "  ",
    "\t",
    "\u00a0",
    "\n",
    "",
    ", ",
    ". ",
    " - ",
    "\u3000",
    "\r\n",
)
FIXED = ("", " ", "\n\t ", ".", "a", "\u0301", "\u200b", "😀", "x" * 150, "é" * 3)


def sentences(count, seed=0, longest=18):
    """`count` texts: some empty or blank, some without any letter, most like prose."""
    rng = np.random.default_rng(seed)
    texts = list(FIXED[:count])
    while len(texts) < count:
        words = rng.choice(WORDS, rng.integers(1, longest + 1))
        gaps = rng.choice(GAPS, len(words))
        texts.append("".join(f"{w}{g}" for w, g in zip(words, gaps, strict=True)))
    return texts
