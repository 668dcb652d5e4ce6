"""Text to token ids and back, with offsets into the text as it was written."""

from pathlib import Path

import numpy as np
import tokenizers
from kzoo_recipes import KzooError

from kzoo.text import training
from kzoo.text.checking import check_tokenizer
from kzoo.text.cutting import cut
from kzoo.text.encoded import Encoded
from kzoo.text.offsets import tidy
from kzoo.text.roles import NAMES, Roles
from kzoo.text.vocabulary import pieces_of

AT_ONCE = 2048  # texts; what `tokenizers` returns is much larger than the ids
SURROGATES = dict.fromkeys(range(0xD800, 0xE000), "\ufffd")


class Tokenizer:
    """A `tokenizers` tokenizer that always answers, and always the same.

    Make one with `Tokenizer.train`, `Tokenizer.load` or `Tokenizer.from_json`. Every
    string encodes to at least one token: empty, a megabyte of emoji, NUL or lone
    surrogates. Truncation, padding and BPE dropout that a file asks for are switched
    off, since they would hide lengths or change answers.

    Args:
        backend: `tokenizers.Tokenizer`. Must hold a padding and an unknown token.
        source: str. What errors call it.
    """

    def __init__(self, backend, source="tokenizer"):
        self._roles = Roles(backend)
        backend.no_truncation()
        backend.no_padding()
        if getattr(backend.model, "dropout", None):
            backend.model.dropout = None
        self._backend = backend
        self._source = source
        self.vocabulary_size = max(backend.get_vocab().values(), default=-1) + 1
        self.pad_id = self._require("pad", "padding")
        self.unk_id = self._require("unk", "unknown")
        self.mask_id = self._roles.find("mask")
        self._gap_id = self.token_to_id("▁")
        cls, sep = self._roles.find("cls"), self._roles.find("sep")
        if backend.post_processor is None and cls is not None and sep is not None:
            training.surround(backend, self.id_to_token(cls), self.id_to_token(sep))
        # How WordPiece marks a piece inside a word, "##"; `None` where nothing does.
        self.inner_prefix = getattr(backend.model, "continuing_subword_prefix", None)
        self.special_ids = self._probe()
        self.num_before, self.num_after = map(len, self.special_ids)
        self.num_special = self.num_before + self.num_after
        # Of what a model writes, the token before the first, and what ends it. What
        # stands around a text says more than names; T5 starts with padding.
        if self.num_special:
            cls = self.special_ids[0][0] if self.num_before else None
            sep = self.special_ids[1][-1] if self.num_after else sep
        self.start_id = self.pad_id if cls is None else int(cls)
        self.end_id = None if sep is None else int(sep)
        # All that stand for no text, int64, ascending.
        self.special_tokens = self._roles.special_ids(np.concatenate(self.special_ids))
        # Those that stand for spans, int32, `<extra_id_0>` first, and none as a rule.
        self.sentinels = self._roles.sentinels()

    @classmethod
    def train(
        cls,
        texts,
        kind="wordpiece",
        vocabulary_size=8000,
        lowercase=True,
        min_frequency=2,
        sentinels=0,
    ):
        """Learn a vocabulary from `texts`. Equal texts give an equal tokenizer.

        Args:
            texts: list of str.
            kind: `"wordpiece"` (BERT), `"byte_bpe"` (GPT-2), `"unigram"` (T5), or
                `"word"`: whole words, every other one is `[UNK]`.
            vocabulary_size: int. The most; little text gives fewer pieces, see
                `tokenizer.vocabulary_size`.
            lowercase: bool. For WordPiece and words it strips accents too, like BERT.
            min_frequency: int. How often two pieces must meet to become one, or a word
                must occur. Unigram has no such setting.
            sentinels: int. How many tokens stand for spans that are taken out, as in
                T5; the vocabulary ends with them.

        Returns:
            `Tokenizer` with `[PAD] [UNK] [CLS] [SEP] [MASK]` as ids 0 to 4.
        """
        texts = [_encodable(text) for text in _checked(texts)]
        backend = training.train(
            texts, kind, vocabulary_size, lowercase, min_frequency, sentinels
        )
        if kind == "byte_bpe":
            backend.post_processor = tokenizers.processors.ByteLevel(trim_offsets=True)
        training.surround(backend, "[CLS]", "[SEP]")
        return cls(backend)

    @classmethod
    def load(cls, path, lowercase=None):
        """Read a `tokenizer.json`, or BERT's `vocab.txt` with one piece a line.

        Args:
            path: str or `Path`.
            lowercase: bool, for `vocab.txt` only, which does not say. `None` lowers
                unless a piece of the vocabulary has a capital.
        """
        path = Path(path)
        if path.suffix not in (".json", ".txt"):
            raise KzooError(
                f"{path}: a tokenizer is a tokenizer.json or a vocab.txt; name such a "
                "file."
            )
        try:
            content = path.read_bytes().decode("utf-8")
        except FileNotFoundError:
            raise KzooError(f"{path}: there is no such tokenizer file.") from None
        except OSError as error:
            raise KzooError(f"{path}: cannot be read: {error.strerror}.") from None
        except UnicodeDecodeError as error:
            raise KzooError(
                f"{path}: byte {error.start} is not UTF-8, so this is no tokenizer "
                "file; save it as UTF-8 or name another one."
            ) from None
        if path.suffix == ".json":
            return cls.from_json(content, source=str(path))
        return cls(_from_vocabulary(content, lowercase, path), source=str(path))

    @classmethod
    def from_json(cls, content, source="tokenizer.json"):
        """Read what `to_json` wrote, or the content of any `tokenizer.json`.

        Raises:
            KzooError: if the file says what no tokenizer says.
        """
        check_tokenizer(content, source)
        try:
            backend = tokenizers.Tokenizer.from_str(content)
        except BaseException as error:
            _reraise_unless_unreadable(error)
            raise KzooError(
                f"{source}: `tokenizers` cannot read this tokenizer.json: "
                f"{_said(error)}."
            ) from None
        return cls(backend, source=source)

    @property
    def kind(self):
        """What cuts words into pieces: WordPiece, BPE, Unigram or WordLevel."""
        return type(self._backend.model).__name__

    def to_json(self):
        """The whole tokenizer as the text of a `tokenizer.json`."""
        return self._roles.written(self._backend.to_str())

    def token_to_id(self, token):
        """The id of `token`, or `None`."""
        return self._backend.token_to_id(token)

    def id_to_token(self, token_id):
        """The token with this id, or `None`."""
        return self._backend.id_to_token(int(token_id))

    def encode(self, texts, sequence_length=None, offsets=True, truncate="head"):
        """Turn texts into token ids.

        Args:
            texts: list of str.
            sequence_length: int. The most tokens of a text, special ones counted,
                which are never lost. `None` keeps all.
            offsets: bool. `False` is about twice as fast.
            truncate: str. What is kept of a longer text, see `kzoo.text.cutting`.

        Returns:
            `Encoded`.
        """
        texts = _checked(texts)
        special = self.num_special
        if sequence_length is not None and sequence_length <= special:
            raise KzooError(
                f"`sequence_length` must be at least {special + 1}: {special} special "
                f"tokens and one of the text. Received: {sequence_length=}"
            )
        token_ids, places = [], []
        for start in range(0, len(texts), AT_ONCE):
            part = texts[start : start + AT_ONCE]
            found = self.encodings(part, offsets)
            for text, encoding in zip(part, found, strict=True):
                ids = np.array(encoding.ids or [self.unk_id], "int32")
                token_ids.append(ids)
                if offsets:
                    pairs = np.array(encoding.offsets or [(0, 0)], "int64")  # (T, 2)
                    places.append(self.mended(ids, pairs, text))
        lengths = np.array([len(ids) for ids in token_ids], "int64")
        truncated = lengths > (sequence_length or np.inf)
        for row in np.flatnonzero(truncated):
            kept = (sequence_length, self.num_before, self.num_after, truncate)
            token_ids[row] = cut(token_ids[row], *kept)
            if offsets:
                places[row] = cut(places[row], *kept)
        return Encoded(token_ids, places if offsets else None, lengths, truncated)

    def encodings(self, texts, offsets=True):
        """What `tokenizers` says of each text: a list of its `Encoding`s."""
        encode = "encode_batch" if offsets else "encode_batch_fast"
        try:
            return getattr(self._backend, encode)([_encodable(text) for text in texts])
        except BaseException as error:
            _reraise_unless_unreadable(error)
            raise KzooError(
                f"{self._source}: this tokenizer fails on one of the texts: "
                f"{_said(error)}."
            ) from None

    def mended(self, token_ids, offsets, text):
        """The offsets of an `Encoding`, int `(T, 2)`, as `Encoded` has them."""
        if self._gap_id is not None:  # A "▁" put before a word points at its letter.
            gaps = np.equal(token_ids, self._gap_id)
            ends = np.where(gaps, offsets[:, 0], offsets[:, 1])
            offsets = np.stack([offsets[:, 0], ends], axis=1)
        return tidy(offsets, text)

    def decode(self, token_ids):
        """The text of one sequence of ids, special tokens left out."""
        try:
            return self._backend.decode([int(token_id) for token_id in token_ids])
        except BaseException as error:
            _reraise_unless_unreadable(error)
            raise KzooError(
                f"{self._source}: this tokenizer cannot turn ids into text: "
                f"{_said(error)}."
            ) from None

    def join(self, tokens):
        """Tokens, as `id_to_token` gives them, as text."""
        decoder, tokens = self._backend.decoder, [_encodable(token) for token in tokens]
        return " ".join(tokens) if decoder is None else decoder.decode(tokens)

    def __repr__(self):
        return f"Tokenizer({self.kind}, vocabulary_size={self.vocabulary_size})"

    def _require(self, role, meaning):
        found = self._roles.find(role)
        if found is None:
            raise KzooError(
                f"{self._source}: the vocabulary has no {meaning} token; add one of "
                f"{', '.join(NAMES[role])}."
            )
        return found

    def _probe(self):
        """The ids of the special tokens before and after a text, two int32 arrays."""
        try:
            encoding = self._backend.encode("a")
            self._backend.encode("ᚠ" * 101)  # Too long for WordPiece, too rare for all.
        except BaseException as error:
            _reraise_unless_unreadable(error)
            raise KzooError(
                f"{self._source}: this tokenizer fails on a text it has not seen "
                f"({_said(error)}); give its model an unknown token."
            ) from None
        special, ids = encoding.special_tokens_mask, np.array(encoding.ids, "int32")
        before = special.index(0) if 0 in special else len(special)
        after = sum(special) - before
        return ids[:before], ids[len(ids) - after :]


def _from_vocabulary(content, lowercase, path):
    """BERT's tokenizer from the lines of its `vocab.txt`."""
    vocabulary = pieces_of(content, path)
    for token in training.SPECIAL_TOKENS[:4]:
        if token not in vocabulary:
            raise KzooError(
                f"{path}: the vocabulary lacks {token}; BERT's vocab.txt has it on a "
                "line of its own."
            )
    if lowercase is None:
        plain = (piece for piece in vocabulary if not piece.startswith("["))
        lowercase = not any(piece != piece.lower() for piece in plain)
    backend = training.wordpiece(vocabulary, lowercase)
    backend.add_special_tokens(
        [token for token in training.SPECIAL_TOKENS if token in vocabulary]
    )
    return backend


def _reraise_unless_unreadable(error):
    """`tokenizers` raises bare `Exception`s, and panics, which are not even those."""
    if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
        raise error


def _said(error):
    """The words of `tokenizers`, which may quote half a file, as a clause."""
    words = " ".join(str(error).split()) or type(error).__name__
    return words if len(words) <= 300 else f"{words[:150]} … {words[-150:]}"


def _checked(texts):
    """`texts` as a list of str, or the error that says what is wrong with it."""
    if isinstance(texts, str):
        raise KzooError(f"`texts` must be a list of strings. Received: {texts[:40]!r}")
    texts = list(texts)
    for row, text in enumerate(texts):
        if not isinstance(text, str):
            raise KzooError(
                "`texts` must be a list of strings. "
                f"Received: texts[{row}]={text!r:.60}"
            )
    return texts


def _encodable(text):
    """`text` with lone surrogates, which UTF-8 lacks, as U+FFFD: as many characters."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.translate(SURROGATES)
    return text
