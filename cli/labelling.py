"""What `kzoo predict` says of texts that are labelled as a whole."""

import json

from kzoo_recipes import KzooError

from .output import counted, print_table


class Labels:
    """The answers of a classifier: a label, or several, with probabilities.

    Args:
        model: what has `classify`.
        batch_size: int.
    """

    formats = ("table", "jsonl", "csv", "tsv")
    chunk = None  # as many texts at a time as memory likes

    def __init__(self, model, batch_size):
        self._model, self._batch_size = model, batch_size
        self._cut = self._count = 0

    def ask(self, texts):
        """One answer for each `Text`, in order."""
        return self._count_cut(
            self._model.classify(
                [text.text for text in texts], batch_size=self._batch_size
            )
        )

    def _count_cut(self, answers):
        self._count += len(answers)
        self._cut += sum(answer["truncated"] for answer in answers)
        return answers

    def show(self, texts, answers, file):
        """Print answers for people: a line each, cut to the screen."""
        rows = []
        for text, answer in zip(texts, answers, strict=True):
            chances = answer["probabilities"]
            given = labels_of(answer)
            surest = max([chances[name] for name in given] or chances.values())
            rows.append((" + ".join(given) or "–", f"{surest:.3f}", text.text))
        print_table(rows, file=file)

    def fields(self, text, answer):
        """An answer as an object of JSON."""
        return {"text": text.text, **answer}

    def rows(self, text, answer):
        """An answer as rows of CSV: one."""
        chances = answer["probabilities"]
        yield {
            **text.place,
            "text": text.text,
            "label": "|".join(labels_of(answer)),
            **{
                f"probability_{name}": repr(chances[name])
                for name in self._model.labels
            },
            "truncated": json.dumps(answer["truncated"]),
        }

    def columns(self, place):
        """The columns of `rows` where there are none."""
        chances = [f"probability_{name}" for name in self._model.labels]
        return [*place, "text", "label", *chances, "truncated"]

    def notes(self):
        """What a person should know of the answers."""
        if not self._cut:
            return []
        return [
            f"{self._cut:,} of {counted(self._count, 'text')} "
            f"{'was' if self._cut == 1 else 'were'} cut: "
            f"the model reads {self._model.sequence_length} tokens."
        ]


class PicturedLabels(Labels):
    """The answers of a classifier of texts with pictures.

    Args:
        model: what has `classify`, and `images`, its settings.
        batch_size: int.
        eye: `Eye`, which is told the settings.
    """

    def __init__(self, model, batch_size, eye):
        super().__init__(model, batch_size)
        self.chunk = batch_size
        self._eye = eye
        eye.settings = model.images

    def ask(self, texts):
        """One answer for each `Text`, in order."""
        import numpy as np

        if any(text.image is None for text in texts):
            raise KzooError(
                "the model reads a picture with each text; name it with --image FILE "
                "before the text, or rows that have one with --input FILE."
            )
        pixels = [
            self._eye.see(text.image) if text.pixels is None else text.pixels
            for text in texts
        ]
        return self._count_cut(
            self._model.classify(
                np.stack(pixels),
                [text.text for text in texts],
                batch_size=self._batch_size,
            )
        )

    def notes(self):
        """What a person should know of the answers."""
        return [*super().notes(), *self._eye.notes()]

    def fields(self, text, answer):
        """An answer as an object of JSON."""
        return {"image": text.image, **super().fields(text, answer)}

    def rows(self, text, answer):
        """An answer as rows of CSV: one."""
        for row in super().rows(text, answer):
            own = {key: row.pop(key) for key in text.place}
            yield {**own, "image": text.image, **row}

    def columns(self, place):
        """The columns of `rows` where there are none."""
        return [*place, "image", *super().columns([])]


def labels_of(answer):
    """The labels that were given: one, or of a multi-label model any number."""
    return answer["labels"] if "labels" in answer else [answer["label"]]
