"""A checkpoint on its way into a model: its parts, and what is said on the way."""

import sys
from contextlib import contextmanager
from dataclasses import dataclass, field

from kzoo_recipes import KzooError
from kzoo_recipes.wording import folded

from kzoo.interop.checkpoints import Checkpoint
from kzoo.interop.names import MAPS, NameMap, Reading
from kzoo.interop.names.spelling import spelled
from kzoo.interop.tokenizers import read_limits, read_tokenizer
from kzoo.layers.seeding import drawn_from
from kzoo.models.families import Family, family_of

# How the class of transformers for a task is called, behind its family.
ENDS = {
    "encoder": "Model",
    "text_classifier": "ForSequenceClassification",
    "token_tagger": "ForTokenClassification",
    "masked_lm": "ForMaskedLM",
}
LONGEST = 512  # tokens of a text, where a checkpoint has room for any number


@dataclass
class Source:
    """What a checkpoint holds, and what was told of the model to make of it.

    Attributes:
        checkpoint: `Checkpoint`.
        family: `Family`.
        name_map: `NameMap`.
        tokenizer: `kzoo.text.Tokenizer`; `None` of a family that only sees.
        dropouts: dict, see `from_hugging_face`.
        notes: list of str, sentences on what was not read and what begins anew.
    """

    checkpoint: Checkpoint
    family: Family
    name_map: NameMap
    tokenizer: object
    dropouts: dict = field(default_factory=dict)
    notes: list = field(default_factory=list)

    @classmethod
    def of(cls, folder, dropouts=None, may_see=False):
        """The source in a folder.

        Args:
            folder: str or `Path`.
            dropouts: dict or `None`.
            may_see: bool. Whether its model may be one that sees images.

        Raises:
            KzooError: if it is no checkpoint of a family that kzoo has.
        """
        checkpoint = Checkpoint(folder)
        with in_folder(folder):
            family = family_of(checkpoint.config)
        if family.sees and not may_see:
            raise KzooError(
                f"{folder}: a model of the family {family.name!r} sees images, and "
                "here one that reads text is wanted; kzoo.from_hugging_face opens it."
            )
        tokenizer = None
        if family.reads:
            tokenizer = read_tokenizer(folder, checkpoint.config)
        name_map = MAPS[family.name]
        return cls(checkpoint, family, name_map, tokenizer, dict(dropouts or {}))

    @property
    def config(self):
        return self.checkpoint.config

    @property
    def folder(self):
        return self.checkpoint.folder

    @property
    def longest(self):
        """Tokens of the longest text that the checkpoint was made for."""
        longest, _ = read_limits(self.folder, self.config)
        return longest or LONGEST

    def said(self, notes=None):
        """Its notes as a run has them, after it said what checkpoint it begins with.

        Args:
            notes: list of str, others in place of all that were taken.
        """
        notes = self.notes if notes is None else notes
        return [n.removeprefix(f"{self.folder}: ").rstrip(".") for n in notes]

    def stack(self, task=None):
        """The arguments of the family's stack, with the dropouts that were told.

        Args:
            task: str, a key of `ENDS`, for whose model they are; `None` for that which
                the checkpoint was saved as.
        """
        config = self.config
        if task in ENDS:
            architecture = f"{self.family.architecture}{ENDS[task]}"
            config = {**config, "architectures": [architecture]}
        with in_folder(self.folder):
            return with_dropouts(self.family.stack(config), self.dropouts)

    def reading(self, task, fresh=(), anew=()):
        """The `Reading` of the weights of a task's model."""
        names = self.name_map.names(self.config, task)
        return Reading(self.checkpoint, self.name_map, names, fresh, anew)

    def made(self, kind, arguments, name, reading):
        """A stack, built with the weights that `reading` gives.

        Args:
            kind: `TransformerEncoder`, or another stack.
            arguments: dict of its arguments.
            name: str, "encoder" or "decoder".
            reading: `Reading`.
        """
        with in_folder(self.folder), drawn_from(reading.given):
            stack = kind(**arguments, name=name)
            stack.build((None, None))
        return stack

    def theirs(self, task, ours):
        """The plain name of the tensor behind a path of a task's model."""
        names = self.name_map.names(self.config, task)
        [theirs] = [name.all_theirs[0] for name in names if ours in name.all_ours]
        return theirs

    def has(self, task, ours):
        """The shape of the tensor behind a path of a task's model, or `None`."""
        theirs = self.theirs(task, ours)
        stored = spelled(self.checkpoint, self.name_map.prefixes)
        return self.checkpoint.shape(stored[theirs]) if theirs in stored else None


def tell(sentences, note=None):
    """Call `note` with each of some sentences; `None` prints them to stderr."""
    for sentence in sentences:
        if note is None:
            print(folded(sentence), file=sys.stderr)
        else:
            note(sentence)


def with_dropouts(arguments, dropouts):
    """A stack's arguments with other shares dropped.

    Args:
        arguments: dict of arguments of a stack.
        dropouts: dict. "dropout" is for all that the stack drops; "attention" and
            "embedding", dicts, for what is dropped there.

    Raises:
        KzooError: if there is anything else in `dropouts`.
    """
    merged = dict(arguments)
    if "dropout" in dropouts:
        merged["dropout"] = dropouts["dropout"]
        for part in ("attention", "embedding"):
            own = dict(merged.get(part) or {})
            own.pop("dropout", None)
            merged[part] = own
    for key, value in dropouts.items():
        if key in ("attention", "embedding") and isinstance(value, dict):
            _only_dropouts(value, f"{key}.")
            merged[key] = {**(merged.get(key) or {}), **value}
        else:
            _only_dropouts({key: value})
    return merged


def _only_dropouts(told, where=""):
    for key, value in told.items():
        if not key.endswith("dropout"):
            raise KzooError(
                f"encoder.{where}{key}: the encoder is that of the checkpoint; only "
                "dropouts can be chosen."
            )
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if not number or not 0 <= value < 1:
            raise KzooError(
                f"encoder.{where}{key}: what is dropped is a number from 0 to below 1, "
                f"and this is {value!r}."
            )


@contextmanager
def in_folder(folder):
    """Say of which config.json it is that something is wrong with."""
    try:
        yield
    except KzooError as error:
        if str(error).startswith("config.json"):
            raise KzooError(f"{folder}/{error}") from None
        raise
    except (ValueError, TypeError) as error:  # Of constructors.
        raise KzooError(
            f"{folder}/config.json: this describes no model of kzoo: "
            f"{' '.join(str(error).split())[:300].rstrip('.')}."
        ) from None
