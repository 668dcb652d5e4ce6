"""From what a model says of each piece to entities with places in the text.

The rules are those of the token classification pipeline of Hugging Face transformers
5, so that a model moved here from there answers alike. Where its rules know too little
they are added to: it has never heard of BIOES, of a CRF, of white space that a
tokenizer counts as part of a word, or of a type or a plain tag that is called `O`.
"""

from dataclasses import dataclass

import numpy as np

AGGREGATIONS = ("words", "none", "simple", "first", "average", "max")
NOTHING = "O"
BEGIN, END = "BSU", "ESLU"  # prefixes that open an entity, and that close one


class Grouping:
    """Turns the probabilities of one text's pieces into entities.

    Args:
        labels: list of str, one per class: `O`, or `PREFIX-TYPE`. A plain `O` is a tag
            like any other.
        tokenizer: `kzoo.text.Tokenizer`.
        aggregation: which pieces share a tag, and whose it is. `"words"`, which is
            kzoo's own: all pieces of a word have the tag of its first piece, as in
            training and evaluation. The others are transformers': `"none"`: each piece
            is an answer of its own. `"simple"`: each piece has its tag. `"first"`,
            `"average"`, `"max"`: all pieces of what it takes for a word have the tag
            of the first one, of the mean of their probabilities, of the surest one.
            In all but `"none"`, neighbours of one type are then one entity, unless a
            tag opens the next.
        scheme: str. What the prefixes mean. `"plain"` tags have none, and words of
            plain tags stay alone.

    Raises:
        ValueError: if there is no such aggregation.
    """

    def __init__(self, labels, tokenizer, aggregation="simple", scheme="iob2"):
        if aggregation not in AGGREGATIONS:
            raise ValueError(
                f"`aggregation` must be one of {', '.join(AGGREGATIONS)}. "
                f"Received: aggregation={aggregation!r}"
            )
        self.aggregation = aggregation
        self._alone = scheme == "plain" and aggregation == "words"
        self._labels, self._tokenizer = list(labels), tokenizer
        parted = [_parted(label, scheme) for label in labels]
        self._types = [kind for _, kind in parted]
        outside = [label == NOTHING and scheme != "plain" for label in labels]
        kinds = [*zip(self._types, outside, strict=True)]  # A type may be called `O`.
        places = {kind: place for place, kind in enumerate(dict.fromkeys(kinds))}
        self._type_of = np.array([places[kind] for kind in kinds])
        self._outside = np.array(outside)
        self._opens = np.array([prefix in BEGIN for prefix, _ in parted])
        self._closes = np.array([prefix in END for prefix, _ in parted])
        self._tokens = {}

    def __call__(self, aligned, probabilities):
        """The entities of one text, in order.

        Args:
            aligned: `kzoo.text.alignment.Aligned`, of T pieces.
            probabilities: float `(T, C)`.

        Returns:
            list of dict. `"entity_group"`, a type without prefix; or, without
            aggregation, `"entity"`, a tag, and `"index"`, the piece, special tokens
            before the text counted. `"score"`, a probability: of several pieces or
            words, the mean. `"start"`, `"end"`: where `text[start:end]` is the entity
            as written. `"word"`: with `"words"`, just that; with the others the pieces
            put together by the tokenizer, lower-cased if it lowers.
        """
        if not len(probabilities):
            return []
        if self.aggregation == "words":
            of_words = probabilities[aligned.first]
            return self.decided(aligned, *_likeliest(of_words))
        starts = np.arange(len(probabilities))
        if self.aggregation in ("none", "simple"):
            chosen = probabilities
        else:
            starts = np.flatnonzero(~self._continues(aligned))
            chosen = self._of_words(probabilities, starts)
        ends = np.append(starts[1:], len(probabilities))
        whole = self.aggregation not in ("none", "simple")
        units = _Units(
            starts,
            ends,
            whole,
            aligned.raw_offsets[:, 0][starts],
            aligned.raw_offsets[:, 1][ends - 1],
        )
        return self._entities(aligned, *_likeliest(chosen), units)

    def decided(self, aligned, classes, scores):
        """The entities of one text whose words have their tags already, as of a CRF.

        Without aggregation each word is an answer, its index that of its first piece.

        Args:
            aligned: `kzoo.text.alignment.Aligned`, of W words.
            classes: int `(W,)`.
            scores: float `(W,)`, the probability of each word's class.

        Returns:
            list of dict, as from a call.
        """
        of_word = aligned.word_of[aligned.word_of >= 0]
        ends = aligned.first + np.bincount(of_word, minlength=len(aligned.first))
        units = _Units(aligned.first, ends, True, *aligned.spans.T)
        return self._entities(aligned, classes, scores, units)

    def _entities(self, aligned, classes, scores, units):
        """Answers about units, alone or grouped."""
        if not len(classes):
            return []
        if self.aggregation == "none":
            before = self._tokenizer.num_before
            return [
                {
                    "entity": self._labels[classes[unit]],
                    "score": float(scores[unit]),
                    "index": int(units.starts[unit]) + before,
                    "word": self._word(aligned, units, unit),
                    **units.place(unit, unit, aligned.text),
                }
                for unit in range(len(classes))
                if not self._outside[classes[unit]]
            ]
        types = self._type_of[classes]
        new = self._opens[classes] | self._alone
        new[1:] |= (types[1:] != types[:-1]) | self._closes[classes[:-1]]
        new[0] = True
        firsts = np.flatnonzero(new)
        lasts = np.append(firsts[1:], len(classes)) - 1
        return [
            {
                "entity_group": self._types[classes[first]],
                "score": float(np.mean(scores[first : last + 1])),
                **self._written(aligned, units, first, last),
            }
            for first, last in zip(firsts.tolist(), lasts.tolist(), strict=True)
            if not self._outside[classes[first]]
        ]

    def _written(self, aligned, units, first, last):
        """How some units together are written, and where."""
        place = units.place(first, last, aligned.text)
        if self.aggregation == "words":
            word = aligned.text[place["start"] : place["end"]]
        else:
            parts = [self._word(aligned, units, n) for n in range(first, last + 1)]
            word = self._tokenizer.join(parts)
        return {"word": word, **place}

    def _of_words(self, probabilities, starts):
        """The probabilities of each word, whose first pieces stand at `starts`."""
        if self.aggregation == "first":
            return probabilities[starts]
        ends = np.append(starts[1:], len(probabilities))
        if self.aggregation == "average":
            sizes = (ends - starts)[:, None].astype("float32")
            return np.add.reduceat(probabilities, starts) / sizes
        surest = probabilities.max(axis=1)
        places = [
            start + int(surest[start:end].argmax())
            for start, end in zip(starts.tolist(), ends.tolist(), strict=True)
        ]
        return probabilities[places]

    def _continues(self, aligned):
        """Bool `(T,)`, whether a piece goes on with the word of the piece before.

        Where the tokenizer marks inner pieces, as by `##`, a piece does if it has
        another length than what it stands for; that is transformers' rule, and it
        takes a word that lost an accent for an inner piece, too. Otherwise it does if
        there is no space before it. An unknown piece never does, the first piece may.
        """
        places, text = aligned.raw_offsets, aligned.text
        if self._tokenizer.inner_prefix:
            tokens = map(self._token, aligned.token_ids.tolist())
            lengths = np.fromiter(map(len, tokens), "int64", len(places))
            inner = lengths != places[:, 1] - places[:, 0]
        else:
            inner = np.array(
                [
                    start > 0 and " " not in text[start - 1 : start + 1]
                    for start in places[:, 0].tolist()
                ],
                bool,
            )
        inner &= aligned.token_ids != self._tokenizer.unk_id
        inner[0] = False
        return inner

    def _word(self, aligned, units, unit):
        """The pieces of a unit as text; or the only one, as it is."""
        tokens = []
        for piece in range(units.starts[unit], units.ends[unit]):
            token_id = int(aligned.token_ids[piece])
            if token_id == self._tokenizer.unk_id:
                start, end = aligned.raw_offsets[piece].tolist()
                tokens.append(aligned.text[start:end])
            else:
                tokens.append(self._token(token_id))
        return self._tokenizer.join(tokens) if units.whole else tokens[0]

    def _token(self, token_id):
        if token_id not in self._tokens:
            self._tokens[token_id] = self._tokenizer.id_to_token(token_id) or ""
        return self._tokens[token_id]


@dataclass(frozen=True)
class _Units:
    """Stretches of pieces that have a tag each.

    Attributes:
        starts, ends: int `(units,)`, pieces.
        whole: bool. Whether they are words, put together, rather than single pieces.
        begins, stops: int `(units,)`, characters.
    """

    starts: np.ndarray
    ends: np.ndarray
    whole: bool
    begins: np.ndarray
    stops: np.ndarray

    def place(self, first, last, text):
        """Where some units stand in the text, without white space at either end."""
        start, end = int(self.begins[first]), int(self.stops[last])
        written = text[start:end]
        if written and not written.isspace():
            end -= len(written) - len(written.rstrip())
            start += len(written) - len(written.lstrip())
        return {"start": start, "end": end}


def _likeliest(probabilities):
    """The class of each row, and its probability."""
    classes = probabilities.argmax(axis=1)
    return classes, probabilities[np.arange(len(classes)), classes]


def _parted(label, scheme):
    """Prefix and type of a label; of one without, `I` and the whole."""
    prefix, sign, kind = label.partition("-")
    if scheme == "plain" or not sign or len(prefix) != 1:
        return "I", label
    return prefix, kind
