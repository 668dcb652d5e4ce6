"""What `kzoo predict` says of texts with blanks, into which a model writes."""

from .output import counted, one_line, print_table


class Blanks:
    """The answers of a model that writes missing spans: texts with all blanks filled.

    Args:
        model: what has `fillings`, `source_length`.
        batch_size: int.
        settings: `kzoo.generation.Generation`.
        scores: bool. Whether people are shown scores, too, also of a single answer.
    """

    formats = ("table", "jsonl", "csv", "tsv")

    def __init__(self, model, batch_size, settings, scores=False):
        self._model, self._batch_size = model, batch_size
        self._settings = settings
        self._scores = scores or settings.nbest > 1
        self._count = self._none = self._cut = 0
        self.chunk = 4 * batch_size  # A person waits for few of them.

    def ask(self, texts):
        """One answer for each `Text`, in order."""
        answers = self._model.fillings(
            [text.text for text in texts],
            self._settings,
            batch_size=self._batch_size,
            rows=[text.number - 1 for text in texts],  # Draws know no chunks.
        )
        self._count += len(texts)
        self._none += sum(not answer["blanks"] for answer in answers)
        self._cut += sum(answer["truncated"] for answer in answers if answer["blanks"])
        return answers

    def show(self, texts, answers, file):
        """Print answers for people: a line for each way to fill a text."""
        for answer in answers:
            for one in answer["candidates"]:
                line = (one_line(one["text"]),)
                if self._scores:
                    line = (f"{one['score']:.3f}", *line)
                print_table([line], file=file)

    def fields(self, text, answer):
        """An answer as an object of JSON."""
        return {"text": text.text, **answer}

    def rows(self, text, answer):
        """An answer as rows of CSV: one for each blank of each way to fill it."""
        for rank, one in enumerate(answer["candidates"], start=1):
            for number, span in enumerate(one["spans"], start=1):
                yield {
                    **text.place,
                    "text": text.text,
                    "rank": str(rank),
                    "blank": str(number),
                    "span": span or "",
                    "score": repr(one["score"]),
                    "filled": one["text"],
                }

    def columns(self, place):
        """The columns of `rows` where there are none."""
        return [*place, "text", "rank", "blank", "span", "score", "filled"]

    def notes(self):
        """What a person should know of the answers."""
        texts = counted(self._count, "text")
        if self._none:
            has_have = "has" if self._none == 1 else "have"
            yield (
                f"{self._none:,} of {texts} {has_have} no [MASK], which stands where "
                "words are missing."
            )
        if self._cut:
            was_were = "was" if self._cut == 1 else "were"
            yield (
                f"{self._cut:,} of {texts} {was_were} longer than the "
                f"{self._model.source_length:,} tokens that the model reads; blanks "
                "beyond them are left."
            )
