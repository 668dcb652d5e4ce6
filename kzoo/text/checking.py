"""A `tokenizer.json` checked before `tokenizers` reads it.

The library panics, aborts the process or never ends on files that say what no tokenizer
says. So every part must be one it knows, every id must be one of the vocabulary, and no
text may grow on its way.
"""

import base64
import binascii

from kzoo_recipes import KzooError

from kzoo.safety import parse

INT32_MAX = 2**31 - 1
MOST_PARTS = 64  # of a section, sequences within sequences counted
MOST_GROWTH = 64  # times that replacements may lengthen a text
LONGEST_PATTERN = 2000  # characters
LONGEST_PIECE = 10_000
KEYS = {
    *("version", "truncation", "padding", "added_tokens", "normalizer"),
    *("pre_tokenizer", "post_processor", "decoder", "model"),
}
MODELS = {"WordLevel", "WordPiece", "BPE", "Unigram"}
# Each section: the parts it may have, and the key that holds those of a sequence.
SECTIONS = {
    "normalizer": (
        {
            *("BertNormalizer", "Strip", "StripAccents", "NFC", "NFD", "NFKC", "NFKD"),
            *("Lowercase", "Nmt", "Precompiled", "Replace", "Prepend", "ByteLevel"),
        },
        "normalizers",
    ),
    "pre_tokenizer": (
        {
            *("BertPreTokenizer", "ByteLevel", "CharDelimiterSplit", "Metaspace"),
            *("Whitespace", "WhitespaceSplit", "Split", "Punctuation", "Digits"),
            *("UnicodeScripts", "FixedLength"),
        },
        "pretokenizers",
    ),
    "post_processor": (
        {"BertProcessing", "RobertaProcessing", "ByteLevel", "TemplateProcessing"},
        "processors",
    ),
    "decoder": (
        {
            *("BPEDecoder", "ByteLevel", "WordPiece", "Metaspace", "CTC", "Replace"),
            *("Fuse", "Strip", "ByteFallback"),
        },
        "decoders",
    ),
}


def check_tokenizer(content, where):
    """Refuse a `tokenizer.json` that could hurt `tokenizers`.

    Args:
        content: bytes or str.
        where: str. What errors call it.

    Returns:
        int, one more than the largest id.

    Raises:
        KzooError: naming the key.
    """
    described = parse(content, where)
    if not isinstance(described, dict) or not isinstance(described.get("model"), dict):
        raise KzooError(f"{where}: this describes no tokenizer: it has no model.")
    check = _Check(where)
    strange = sorted(described.keys() - KEYS)
    if strange:
        check.refuse(f"there is a key {strange[0]!r:.60} that kzoo does not know")
    ids = check.vocabulary(described["model"])
    ids |= check.added(described.get("added_tokens"))
    for section in SECTIONS:
        check.section(section, described.get(section), ids)
    return max(ids, default=-1) + 1


class _Check:
    def __init__(self, where):
        self.where = where

    def refuse(self, what):
        raise KzooError(f"{self.where}: {what}.")

    def vocabulary(self, model):
        """The ids of a model's pieces."""
        kind, pieces = model.get("type"), model.get("vocab")
        if kind is None:  # What older versions of `tokenizers` wrote.
            kind = "Unigram" if isinstance(pieces, list) else "WordLevel"
            kind = "BPE" if "merges" in model else kind
        if not isinstance(kind, str) or kind not in MODELS:
            self.refuse(f"model.type is {kind!r:.60}; kzoo knows {_listed(MODELS)}")
        if not isinstance(pieces, list if kind == "Unigram" else dict) or not pieces:
            self.refuse("model.vocab holds no pieces")
        if kind == "Unigram":
            return self.unigram(model, pieces)
        for piece, number in pieces.items():
            self.piece(piece)
            self.id(number, f"model.vocab, {piece!r:.60},")
        if kind == "BPE":
            self.merges(model, pieces)
        if kind == "WordPiece":
            self.count(model, "max_input_chars_per_word", 0, INT32_MAX)
        return set(pieces.values())

    def unigram(self, model, pieces):
        for place, pair in enumerate(pieces):
            if not (
                isinstance(pair, list)
                and len(pair) == 2
                and isinstance(pair[0], str)
                and isinstance(pair[1], int | float)
                and abs(pair[1]) < 1e30
            ):
                self.refuse(f"model.vocab[{place}] is not a piece and its score")
            self.piece(pair[0])
        self.count(model, "unk_id", 0, len(pieces) - 1)
        return set(range(len(pieces)))

    def merges(self, model, pieces):
        merges, prefix = model.get("merges"), model.get("continuing_subword_prefix")
        if not isinstance(merges, list):
            self.refuse("model.merges is no list")
        if not isinstance(prefix, str | None):
            self.refuse("model.continuing_subword_prefix is no text")
        for place, merge in enumerate(merges):
            pair = merge.split(" ") if isinstance(merge, str) else merge
            if not (isinstance(pair, list) and len(pair) == 2):
                self.refuse(f"model.merges[{place}] is not a pair of pieces")
            left, right = pair
            if not (isinstance(left, str) and isinstance(right, str)):
                self.refuse(f"model.merges[{place}] is not a pair of pieces")
            if prefix and not right.startswith(prefix):
                self.refuse(
                    f"model.merges[{place}] joins {right!r:.60} without the prefix "
                    f"{prefix!r:.60}"
                )
            joined = left + right[len(prefix or "") :]
            for piece in (left, right, joined):
                if piece not in pieces:
                    self.refuse(
                        f"model.merges[{place}] needs the piece {piece!r:.60}, which "
                        "model.vocab lacks"
                    )

    def piece(self, piece):
        if len(piece) > LONGEST_PIECE:
            self.refuse(f"a piece has {len(piece):,} characters")

    def id(self, number, what):
        good = isinstance(number, int) and not isinstance(number, bool)
        if not good or not 0 <= number < INT32_MAX:
            self.refuse(
                f"{what} has the id {number!r:.60}; ids are in [0, {INT32_MAX})"
            )

    def count(self, table, key, least, most):
        value = table.get(key)
        if value is None:
            return
        good = isinstance(value, int) and not isinstance(value, bool)
        if not good or not least <= value <= most:
            self.refuse(f"{key} must be in [{least}, {most}], not {value!r:.60}")

    def added(self, tokens):
        if not isinstance(tokens, list | None):
            self.refuse("added_tokens is no list")
        found = set()
        for place, token in enumerate(tokens or ()):
            if not isinstance(token, dict) or not isinstance(token.get("content"), str):
                self.refuse(f"added_tokens[{place}] has no content")
            self.piece(token["content"])
            self.id(token.get("id"), f"added_tokens[{place}]")
            found.add(token["id"])
        return found

    def section(self, section, described, ids):
        """Check every part of a section, those within sequences too."""
        known, inner = SECTIONS[section]
        waiting, parts, growth = [described], 0, 1.0
        while waiting:
            part = waiting.pop()
            if part is None:
                continue
            parts += 1
            if parts > MOST_PARTS:
                self.refuse(f"{section} has more than {MOST_PARTS} parts")
            if not isinstance(part, dict):
                self.refuse(f"{section} is {part!r:.60}, which is no part")
            kind = part.get("type")
            if kind == "Sequence":
                if not isinstance(part.get(inner), list):
                    self.refuse(f"{section}: a sequence has no {inner}")
                waiting += part[inner]
            elif not isinstance(kind, str) or kind not in known:
                self.refuse(
                    f"{section}.type is {kind!r:.60}; kzoo knows {_listed(known)}"
                )
            else:
                growth *= self.part(section, kind, part, ids)
        if growth > MOST_GROWTH:
            self.refuse(
                f"{section} may make a text {growth:,.0f} times as long; "
                f"{MOST_GROWTH} times is the most"
            )

    def part(self, section, kind, part, ids):
        """Check one part; how many times as long it may make a text."""
        for key in ("start", "stop"):
            self.count(part, key, 0, MOST_PARTS)
        self.count(part, "length", 1, INT32_MAX)
        if kind == "Precompiled":
            self.charsmap(section, part.get("precompiled_charsmap"))
            return 1
        if kind == "Prepend":
            return 1 + len(str(part.get("prepend")))
        if kind == "TemplateProcessing":
            self.template(section, part, ids)
        if kind in ("BertProcessing", "RobertaProcessing"):
            for key in ("sep", "cls"):
                pair = part.get(key)
                pair = pair if isinstance(pair, list) else []
                if not (len(pair) == 2 and isinstance(pair[1], int) and pair[1] in ids):
                    self.refuse(f"{section}.{key} is not a token of the vocabulary")
        if "pattern" in part:
            pattern = self.pattern(section, part["pattern"])
            if kind == "Replace":
                content = str(part.get("content"))
                return max(1, len(content) / pattern)
        return 1

    def pattern(self, section, pattern):
        """The fewest characters that a pattern is sure to take, or less."""
        if isinstance(pattern, dict) and len(pattern) == 1:
            [(kind, text)] = pattern.items()
            if kind in ("String", "Regex") and isinstance(text, str) and text:
                if len(text) > LONGEST_PATTERN:
                    self.refuse(f"{section}.pattern has {len(text):,} characters")
                return len(text) if kind == "String" else 1
        self.refuse(f"{section}.pattern is no String and no Regex, or empty")

    def template(self, section, part, ids):
        special = part.get("special_tokens")
        if not isinstance(special, dict) or len(special) > MOST_PARTS:
            self.refuse(f"{section}.special_tokens is no table of tokens")
        for name, token in special.items():
            numbers = token.get("ids") if isinstance(token, dict) else None
            if not isinstance(numbers, list) or not 0 < len(numbers) <= MOST_PARTS:
                self.refuse(f"{section}.special_tokens, {name!r:.60}, has no ids")
            for number in numbers:
                if not isinstance(number, int) or number not in ids:
                    self.refuse(
                        f"{section}.special_tokens, {name!r:.60}, has the id "
                        f"{number!r:.60}, which no token has"
                    )
        for key in ("single", "pair"):
            pieces = part.get(key)
            if not isinstance(pieces, list) or len(pieces) > MOST_PARTS:
                self.refuse(
                    f"{section}.{key} is no list of at most {MOST_PARTS} tokens"
                )
        sequences = [
            p for p in part["single"] if isinstance(p, dict) and "Sequence" in p
        ]
        if len(sequences) != 1:
            self.refuse(f"{section}.single does not hold the text once")

    def charsmap(self, section, written):
        """Check the table of characters that SentencePiece compiles: sizes in order."""
        try:
            blob = base64.b64decode(written, validate=True)
        except (TypeError, ValueError, binascii.Error):
            self.refuse(f"{section}.precompiled_charsmap is not base64")
        size = int.from_bytes(blob[:4], "little")
        if len(blob) < 8 or size % 4 or not 4 <= size <= len(blob) - 4:
            self.refuse(f"{section}.precompiled_charsmap is cut off or altered")
        try:
            blob[4 + size :].decode("utf-8")
        except UnicodeDecodeError:
            self.refuse(f"{section}.precompiled_charsmap is cut off or altered")


def _listed(names):
    return ", ".join(sorted(names))
