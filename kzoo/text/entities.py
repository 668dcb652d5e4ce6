"""From what a model says of each piece to entities with places in the text.

The rules are those of the token classification pipeline of Hugging Face transformers
5, so that a model moved here from there answers alike. Where its rules know too little
they are added to: it has never heard of BIOES, of a CRF, or of white space that a
tokenizer counts as part of a word.
"""

import numpy as np

AGGREGATIONS = ("none", "simple", "first", "average", "max")
NOTHING = "O"
BEGIN, END = "BSU", "ESLU"  # prefixes that open an entity, and that close one


class Grouping:
    """Turns the probabilities of one text's pieces into entities.

    Args:
        labels: list of str, one per class: `O`, or `PREFIX-TYPE`.
        tokenizer: `kzoo.text.Tokenizer`.
        aggregation: which pieces share a tag, and whose it is. `"none"`: each piece is
            an answer of its own. `"simple"`: each piece has its tag. `"first"`,
            `"average"`, `"max"`: all pieces of a word have the tag of its first piece,
            of the mean of their probabilities, of the piece that is surest. In all but
            `"none"`, neighbours of one type are then one entity, unless a tag opens
            the next.
        scheme: str. What the prefixes mean. Of `"plain"` tags there are none.

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
        self._labels, self._tokenizer = list(labels), tokenizer
        parted = [_parted(label, scheme) for label in labels]
        self._types = [kind for _, kind in parted]
        places = {kind: place for place, kind in enumerate(dict.fromkeys(self._types))}
        self._type_of = np.array([places[kind] for kind in self._types])
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
            words, the mean. `"word"`: the pieces put together by the tokenizer,
            lower-cased if it lowers. `"start"`, `"end"`: where `text[start:end]` is
            the entity as written.
        """
        if not len(probabilities):
            return []
        starts = np.arange(len(probabilities))
        if self.aggregation in ("none", "simple"):
            classes = probabilities.argmax(axis=1)
            scores = probabilities[starts, classes]
        else:
            starts = np.flatnonzero(~self._continues(aligned))
            classes, scores = self._of_words(probabilities, starts)
        ends = np.append(starts[1:], len(probabilities))
        joins = self.aggregation not in ("none", "simple")
        return self._entities(aligned, classes, scores, starts, ends, joins)

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
        starts = np.asarray(aligned.first)
        ends = np.append(starts[1:], len(aligned.token_ids))[: len(starts)]
        return self._entities(aligned, classes, scores, starts, ends, True)

    def _entities(self, aligned, classes, scores, starts, ends, joins):
        """Answers about units, pieces `starts` to `ends` each, alone or grouped."""
        if not len(classes):
            return []
        if self.aggregation == "none":
            before = self._tokenizer.num_before
            return [
                {
                    "entity": self._labels[classes[unit]],
                    "score": float(scores[unit]),
                    "index": int(starts[unit]) + before,
                    "word": self._word(aligned, starts[unit], ends[unit], joins),
                    **_place(aligned, starts[unit], ends[unit]),
                }
                for unit in range(len(classes))
                if self._labels[classes[unit]] != NOTHING
            ]
        types = self._type_of[classes]
        new = self._opens[classes]
        new[1:] |= (types[1:] != types[:-1]) | self._closes[classes[:-1]]
        new[0] = True
        groups = np.flatnonzero(new)
        last = np.append(groups[1:], len(classes))
        found = []
        for group, after in zip(groups.tolist(), last.tolist(), strict=True):
            kind = self._types[classes[group]]
            if kind == NOTHING:
                continue
            words = [
                self._word(aligned, starts[unit], ends[unit], joins)
                for unit in range(group, after)
            ]
            found.append(
                {
                    "entity_group": kind,
                    "score": float(np.mean(scores[group:after])),
                    "word": self._tokenizer.join(words),
                    **_place(aligned, starts[group], ends[after - 1]),
                }
            )
        return found

    def _of_words(self, probabilities, starts):
        """Class and score of each word, whose first pieces stand at `starts`."""
        if self.aggregation == "first":
            chosen = probabilities[starts]
        elif self.aggregation == "average":
            sizes = np.diff(np.append(starts, len(probabilities)))[:, None]
            chosen = np.add.reduceat(probabilities, starts) / sizes.astype("float32")
        else:
            surest = probabilities.max(axis=1)
            ends = np.append(starts[1:], len(probabilities))
            places = [
                start + int(surest[start:end].argmax())
                for start, end in zip(starts.tolist(), ends.tolist(), strict=True)
            ]
            chosen = probabilities[places]
        classes = chosen.argmax(axis=1)
        return classes, chosen[np.arange(len(classes)), classes]

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

    def _word(self, aligned, start, end, joins):
        """The pieces from `start` to `end` as text; or the only one, as it is."""
        tokens = []
        for piece in range(start, end):
            token_id = int(aligned.token_ids[piece])
            if token_id == self._tokenizer.unk_id:
                first, last = aligned.raw_offsets[piece].tolist()
                tokens.append(aligned.text[first:last])
            else:
                tokens.append(self._token(token_id))
        return self._tokenizer.join(tokens) if joins else tokens[0]

    def _token(self, token_id):
        if token_id not in self._tokens:
            self._tokens[token_id] = self._tokenizer.id_to_token(token_id) or ""
        return self._tokens[token_id]


def _parted(label, scheme):
    """Prefix and type of a label; of one without, `I` and the whole."""
    prefix, sign, kind = label.partition("-")
    if scheme == "plain" or not sign or len(prefix) != 1:
        return "I", label
    return prefix, kind


def _place(aligned, start, end):
    """Where pieces stand in the text, without white space at either end."""
    text = aligned.text
    first, last = (
        int(aligned.raw_offsets[start, 0]),
        int(aligned.raw_offsets[end - 1, 1]),
    )
    written = text[first:last]
    if written and not written.isspace():
        last -= len(written) - len(written.rstrip())
        first += len(written) - len(written.lstrip())
    return {"start": first, "end": last}
