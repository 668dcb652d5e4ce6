"""Which token pads, which is unknown, which one is masked, what stands around a text.

A `tokenizer.json` says some of it: its padding, the unknown token of its model, the
tokens its post-processor puts around a text. What it does not say goes by the names
that families have, special tokens first: MPNet pads with `<pad>`, and has a `[PAD]`
left over from BERT.
"""

import itertools
import json

import numpy as np

# One meaning, several spellings: BERT's, RoBERTa's and T5's, GPT-2's.
NAMES = {
    "pad": ("[PAD]", "<pad>", "<|endoftext|>"),
    "unk": ("[UNK]", "<unk>", "<|endoftext|>"),
    "cls": ("[CLS]", "<s>"),
    "sep": ("[SEP]", "</s>"),
    "mask": ("[MASK]", "<mask>", "<mask_2>"),  # the last is Pegasus'
}


class Roles:
    """The tokens of a `tokenizers.Tokenizer` by what they mean.

    Args:
        backend: `tokenizers.Tokenizer`, as it was read.
    """

    def __init__(self, backend):
        self._backend = backend
        added = backend.get_added_tokens_decoder().values()
        self._special = {token.content for token in added if token.special}
        self._padding = backend.padding
        self._unknown = getattr(backend.model, "unk_token", None)

    def find(self, role):
        """The id of the token that has a role, a key of `NAMES`, or `None`."""
        told = {"pad": (self._padding or {}).get("pad_token"), "unk": self._unknown}
        known = [name for name in NAMES[role] if self._id(name) is not None]
        special = [name for name in known if name in self._special]
        for name in (told.get(role), *special, *known):
            if name is not None and self._id(name) is not None:
                return self._id(name)
        return None

    def special_ids(self, around):
        """The ids of the tokens that stand for no text, int64, ascending.

        Args:
            around: ids, of those that stand around a text.
        """
        ids = {self._id(name) for name in self._special}
        ids |= {self.find(role) for role in NAMES}
        return np.array(sorted({*ids, *map(int, around)} - {None}), "int64")

    def sentinels(self):
        """The ids of T5's sentinels, int32, from the first on until one is missing."""
        found = []
        for number in itertools.count():
            name = f"<extra_id_{number}>"
            # The vocabulary of mT5 has them as words.
            ids = [self._id(one) for one in (name, f"▁{name}")]
            known = [one for one in ids if one is not None]
            if not known:
                return np.array(found, "int32")
            found.append(known[0])

    def written(self, content):
        """The text of a `tokenizer.json`, with the padding that the file named.

        `tokenizers` pads what it encodes as soon as it knows how, so the tokenizer at
        work does not know, and what it writes is completed here.
        """
        if self._padding is None or self._id(self._padding["pad_token"]) is None:
            return content
        token = self._padding["pad_token"]
        padding = {
            "strategy": "BatchLongest",
            "direction": "Right",
            "pad_to_multiple_of": None,
            "pad_id": self._id(token),
            "pad_type_id": 0,
            "pad_token": token,
        }
        # The first one is the file's own: only the version and truncation precede it.
        return content.replace('"padding":null', f'"padding":{json.dumps(padding)}', 1)

    def _id(self, name):
        return self._backend.token_to_id(name)
