"""Texts on which tokenizers differ if they do at all, and a corpus to learn from."""

CORPUS = [
    "The staff were lovely, but the food was cold and the room too small.",
    "Not bad at all! A café I'd recommend to anyone who likes good coffee.",
    "Broke after two days; asked for my money back, and they said 10,000 times no.",
    "Still going strong after three years, 10/10, would buy it again.",
    "naïve Ünïcode straße 東京 Москва café 🎉 Ελλάδα हिन्दी",
    "Prices rose by 1,250 in 2019, then fell; nobody knows why (or says so).",
] * 3
TEXTS = [
    "",
    " ",
    "Hello, world!",
    "good food",
    "  two  spaces\tand\nlines \r\n",
    "Café naïve ÀÉ Ünïcödé straße ﬁ ① … “quoted”",
    "東京 日本語 한국어 Москва Ελλάδα हिन्दी",
    "🎉👍🏽 👨\u200d👩\u200d👧 \u200b\ufeff\x00\x07",
    "a" * 300,
    "word " * 500,
    "e\u0301 \u00a0nbsp\u3000wide Ａ",
    "[MASK] <mask> <s> </s> [SEP] <pad> it's don't 1,000.50",
    "again<mask>again [MASK]. a <unk> [UNK]",
    "``back'' \"to\" 'the' <extra_id_0> x<extra_id_1>",
    "İstanbul ǅ ẞ K Å ½ ™ a\u0300\u0301",
]


def ids(tokenizer, texts=TEXTS):
    """What kzoo makes of the texts: a list of lists of int."""
    return [row.tolist() for row in tokenizer.encode(texts).token_ids]


def their_ids(tokenizer, texts=TEXTS):
    """What a tokenizer of transformers makes of them."""
    return [tokenizer(text)["input_ids"] for text in texts]
