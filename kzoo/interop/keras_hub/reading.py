"""Models of keras-hub as models of kzoo."""

from collections.abc import Sized
from dataclasses import dataclass

import keras
from kzoo_recipes import KzooError, did_you_mean

from kzoo.interop import encoders
from kzoo.interop.keras_hub import tokenizers
from kzoo.interop.keras_hub.held import Held
from kzoo.interop.keras_hub.library import loaded
from kzoo.interop.keras_hub.rows import ROWS, Row
from kzoo.interop.keras_hub.seq2seq import summarizer
from kzoo.interop.source import LONGEST, Source, tell
from kzoo.models.families import FAMILIES

TASKS = {
    "encoder": encoders.encoder,
    "text_classifier": encoders.text_classifier,
    "token_tagger": encoders.token_tagger,
    "summarizer": summarizer,
}


def from_keras_hub(
    preset_or_backbone,
    task=None,
    *,
    tokenizer=None,
    encoder=None,
    note=None,
    **arguments,
):
    """Make a model of one of keras-hub: its BERT, RoBERTa, DistilBERT, T5 or BART.

    Weights are copied, so the two are apart from then on. Needs `kzoo[keras-hub]`,
    which is imported here and takes some seconds.

    Args:
        preset_or_backbone: a backbone of keras-hub, one of its tasks, such as
            `BertTextClassifier`, or what its `from_preset` takes: a folder that
            `save_to_preset` wrote, or the name of a preset, which is then fetched.
        task: str. "encoder", "text_classifier" or "token_tagger"; of T5 and BART
            "summarizer". `None` is what the model is.
        tokenizer: `kzoo.text.Tokenizer` or a tokenizer of keras-hub, for a backbone
            that brings none. Presets and tasks bring theirs.
        encoder: dict or `None`. As in `kzoo.from_hugging_face`: other dropouts.
        note: function of a str, called with each sentence on what was not read and what
            begins anew; `None` prints them to stderr.
        **arguments: as in `kzoo.from_hugging_face`. Of a classifier of keras-hub,
            which has no names for its classes, `labels` gives them.

    Returns:
        As `kzoo.from_hugging_face`; what has no tokenizer reads no text.

    Raises:
        KzooError: if keras-hub is not installed or has no such preset, if kzoo does not
            have the backbone, or if a weight has no counterpart, naming both.
    """
    model, own, origin = loaded(preset_or_backbone)
    source = HubSource.over(model, tokenizer or own, origin, encoder)
    task = task or source.task
    if task not in TASKS:
        raise KzooError(
            f"{task!r} is no task that kzoo reads keras-hub's models for; it reads "
            f"them for {', '.join(TASKS)}.{did_you_mean(task, TASKS)}"
        )
    if task not in source.row.tasks:
        raise KzooError(
            f"{origin}: kzoo makes no {task} of a {source.row.backbone}, but "
            f"{' or '.join(source.row.tasks)}."
        )
    if task == "text_classifier":
        source.read_answers(origin)
    source.name_classes(arguments.get("labels"))
    made = TASKS[task](source, **arguments)
    tell(source.notes, note)
    return made


@dataclass
class HubSource(Source):
    """A `Source` over a model of keras-hub.

    Attributes:
        model: the backbone or task.
        row: `Row`.
    """

    model: object = None
    row: Row | None = None

    @classmethod
    def over(cls, model, tokenizer, origin, dropouts=None):
        """The source over a backbone or task.

        Raises:
            KzooError: if kzoo does not have its backbone.
        """
        backbone = getattr(model, "backbone", model)
        kind = type(backbone).__name__
        if kind not in ROWS:
            raise KzooError(
                f"{origin}: kzoo does not have keras-hub's {kind}; it has "
                f"{', '.join(ROWS)}.{did_you_mean(kind, ROWS)}"
            )
        row = ROWS[kind]
        config = row.config(backbone.get_config())
        if tokenizer is not None:
            tokenizer = tokenizers.from_keras_hub(tokenizer, config, origin)
        return cls(
            Held(model, config, origin),
            FAMILIES[row.family],
            row.name_map(),
            tokenizer,
            dict(dropouts or {}),
            model=model,
            row=row,
        )

    @property
    def task(self):
        """The task that the model is for."""
        if self.row.ends is not None:
            return "summarizer"
        is_classifier = type(self.model).__name__.endswith("TextClassifier")
        return "text_classifier" if is_classifier else "encoder"

    @property
    def longest(self):
        """Tokens of the longest text that the model was told to read."""
        preprocessor = getattr(self.model, "preprocessor", None)
        told = getattr(preprocessor, "sequence_length", None) or LONGEST
        backbone = getattr(self.model, "backbone", self.model)
        return min(told, getattr(backbone, "max_sequence_length", told))

    def ends(self):
        """The ids of the tokens before the first and after the last of a text."""
        start, end = self.row.ends
        if self.tokenizer is not None:
            # T5 starts with padding, BART with what ends a text.
            end_id = self.tokenizer.end_id
            start, end = (end_id if start == end else self.tokenizer.pad_id), end_id
        return {"start_id": start, "end_id": end}

    def read_answers(self, origin):
        """Take from a classifier's last activation whether labels exclude each other.

        Raises:
            KzooError: if what it gives is neither probabilities nor logits.
        """
        last = getattr(self.model, "activation", None)
        if self.task != "text_classifier" or last is None:
            return
        kind = keras.activations.serialize(last) if callable(last) else last
        if kind == "sigmoid":
            self.config["problem_type"] = "multi_label_classification"
        elif kind not in ("linear", "softmax"):
            raise KzooError(
                f"{origin}: the classifier ends in {kind}, which gives no "
                "probabilities of labels; kzoo reads those that end in nothing, "
                "softmax or sigmoid."
            )

    def name_classes(self, labels):
        """Take labels for the names of the classes that the model has, if they fit."""
        known = self.model.num_classes if self.task == "text_classifier" else None
        if isinstance(labels, Sized) and len(labels) == known:
            names = {str(place): str(name) for place, name in enumerate(labels)}
            self.config["id2label"] = names
