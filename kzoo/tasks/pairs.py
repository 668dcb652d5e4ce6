"""Documents and summaries as numbers: what a summarizer and its training need."""

import dataclasses
from typing import NamedTuple

import numpy as np
from kzoo_recipes import KzooError

from kzoo.data.batches import Pairs, check_ids, length_buckets
from kzoo.data.batches.order import shuffled
from kzoo.data.memory import Memory
from kzoo.interop.languages import is_code
from kzoo.interop.pretrained import PretrainedEncoder
from kzoo.tasks.parts import share
from kzoo.text import Encoded, Tokenizer


class Frame(NamedTuple):
    """What stands around a target.

    Attributes:
        start_id: int. What the decoder is given before the first token.
        before: tuple of int, what it is to write first: BART begins with its `<s>`
            after another start, as its tokenizer begins a text, and an mBART-50 with
            the code of its language.
        end_id: int. What it is to write last.
        after: tuple of int, what it learns to write behind the end, which nobody will
            see: mBART's code of the language.
    """

    start_id: int
    before: tuple
    end_id: int
    after: tuple = ()

    @classmethod
    def of(cls, tokenizer, start_id, end_id, forced=None):
        """The frame of a model with this tokenizer.

        Args:
            tokenizer: `kzoo.text.Tokenizer`.
            start_id, end_id: int, of the model.
            forced: int or `None`. What it must write first, if anything.
        """
        first, last = (tuple(map(int, ids)) for ids in tokenizer.special_ids)
        before = first[1:] if first[:1] == (start_id,) else first
        if forced is not None and len(first) == 1:
            before = (forced,)
        # A source ends with the code of its language, a target with that of its own.
        more = last[last.index(end_id) + 1 :] if end_id in last else ()
        return cls(start_id, before, end_id, (start_id,) * len(more))

    @property
    def size(self):
        """How many tokens stand around a target, its end counted and not its start."""
        return len(self.before) + 1 + len(self.after)

    def notes(self, tokenizer):
        """Say which language is written, of a model that is told."""
        for one in (self.start_id, *self.before):
            if is_code(tokenizer, one):
                code = tokenizer.id_to_token(one)
                return [f"what is written begins with the language code {code}"]
        return []


SHAPES = 3, 2  # lengths of sources and of targets; a compiled step costs seconds each
MEASURED = 2, 1  # likewise, of the batches whose loss is measured


@dataclasses.dataclass(frozen=True)
class EncodedPairs:
    """One split as numbers.

    Attributes:
        read: `kzoo.text.Encoded`, the documents, as far as a model reads them.
        targets: list of int32 `(T,)`, the summaries without special tokens, but with
            those that their `Frame` has.
        documents: list of str, whole.
        references: list of list of str, what a summary is compared with.
        weights: list of float, what each row counts. `None` where all count alike.
    """

    read: Encoded
    targets: list
    documents: list
    references: list
    weights: list | None = None

    def __len__(self):
        return len(self.read)

    @property
    def sources(self):
        """List of int32 `(S,)`, the documents, special tokens counted."""
        return self.read.token_ids

    def numbers(self):
        """All that a run depends on: arrays, lists of arrays and `None`."""
        texts = ["\0".join(of_row) for of_row in self.references]
        bytes_of = [text.encode("utf-8", "surrogatepass") for text in texts]
        references = [np.frombuffer(text, "uint8") for text in bytes_of]
        return self.sources, self.targets, references, self.weights


@dataclasses.dataclass(frozen=True)
class PreparedPairs:
    """All that a summarizer and its training need of the data.

    Attributes:
        tokenizer: `kzoo.text.Tokenizer`.
        splits: dict of `EncodedPairs`.
        sequence_length: int. Longest source in tokens.
        summary_length: int. Longest target in tokens, its end counted.
        notes: list of str. What was done to the data, for the person who runs it.
        quick_rows: int. How many rows are summarized while it trains.
        seed: int. Chooses them.
        rouge_tokenizer: str. See `kzoo.metrics.summary_metrics`.
        pretrained: `kzoo.interop.pretrained.PretrainedEncoder`, or `None`.
        memory: `kzoo.data.memory.Memory`, from which summaries are recalled before each
            document; or `None`.
        frame: `Frame`, what stands around a target; `None` is the tokenizer's own.
        labels: `None`; there are none.
    """

    tokenizer: Tokenizer
    splits: dict
    sequence_length: int
    summary_length: int
    notes: list
    quick_rows: int = 200
    seed: int = 0
    rouge_tokenizer: str = "rouge-score"
    pretrained: PretrainedEncoder | None = None
    memory: Memory | None = None
    frame: Frame | None = None
    labels: None = None

    def pairs(self, name, buckets=None, most=SHAPES):
        """A split's sources and targets as `kzoo.data.batches.Pairs`.

        Args:
            name: str. A key of `splits`.
            buckets: list of int. Lengths of sources; `None` fits them.
            most: pair of int. Lengths of sources and of targets, at the most. Sources
                of one length have targets of one length.
        """
        rows = self.splits[name]
        lengths = [len(ids) for ids in rows.sources]
        buckets = buckets or length_buckets(self.sequence_length, lengths, most[0])
        lengths = [len(ids) for ids in rows.targets]
        most = min(most[1], len(buckets))
        targets = length_buckets(self.summary_length, lengths, most)
        tokenizer = self.tokenizer
        return Pairs(
            rows.sources,
            rows.targets,
            (buckets, targets),
            tokenizer.pad_id,
            tokenizer.start_id if self.frame is None else self.frame.start_id,
        )

    def quick(self, name):
        """The rows of a split that are summarized while it trains, int64, ascending."""
        count = len(self.splits[name])
        drawn = shuffled(count, np.random.Philox(key=self.seed))
        return np.sort(drawn[: self.quick_rows])


def encode_pairs(
    rows,
    tokenizer,
    sequence_length,
    summary_length,
    truncate,
    documents=None,
    frame=None,
):
    """Rows as `EncodedPairs`, and notes on what was cut.

    Args:
        rows: `kzoo.data.pairs.PairedRows`.
        tokenizer: `kzoo.text.Tokenizer`, with a token that ends a text.
        sequence_length: int. The most tokens of a source.
        summary_length: int. The most tokens of a target.
        truncate: str. What is kept of longer sources, see `kzoo.text.cutting`.
        documents: list of str, one per row, in place of its own: with what is recalled.
        frame: `Frame`; `None` is the tokenizer's own.
    """
    documents = rows.documents if documents is None else documents
    read = tokenizer.encode(documents, sequence_length, False, truncate)
    said = tokenizer.encode(rows.summaries, offsets=False).token_ids
    check_ids(read.token_ids, tokenizer.vocabulary_size)
    frame = frame or Frame.of(tokenizer, tokenizer.start_id, tokenizer.end_id)
    room = max(summary_length - frame.size, 0)
    targets, long = [], 0
    for ids in said:
        pieces = ids[tokenizer.num_before : len(ids) - tokenizer.num_after]
        long += len(pieces) > room
        kept = [frame.before, pieces[:room], [frame.end_id], frame.after]
        targets.append(np.concatenate(kept).astype("int32"))
    encoded = EncodedPairs(read, targets, rows.documents, rows.references, rows.weights)
    cut = int(read.truncated.sum())
    notes = []
    if cut:
        notes.append(
            f"{share(cut, len(rows), 'documents')} longer than "
            f"{sequence_length} tokens: {KEPT[truncate]}"
        )
    if long:
        notes.append(
            f"{share(long, len(rows), 'summaries')} longer than {summary_length} "
            f"tokens and {'was' if long == 1 else 'were'} cut for the loss"
        )
    return encoded, notes


KEPT = {
    "head": "the beginning is read",
    "tail": "the end is read",
    "both": "beginning and end are read, half and half",
}


def check_ends(tokenizer, file, what="a summarizer"):
    """Raise a `KzooError` unless the tokenizer has a token that ends a text."""
    if tokenizer.end_id is None:
        raise KzooError(
            f"{file}: the tokenizer has no token that ends a text, [SEP] or </s>, so "
            f"{what} could not stop; name another one, or leave out `file` to "
            "have one trained."
        )
