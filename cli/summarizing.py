"""What `kzoo predict` says of texts that are summarized."""

import json

import click

from .flow import Flow
from .output import counted, cut, one_line, screen_width

READ = {
    "head": ("only its beginning was read", "only their beginnings were read"),
    "tail": ("only its end was read", "only their ends were read"),
    "both": ("its middle was left out", "their middles were left out"),
}


class Summaries:
    """The answers of a summarizer: a summary of each text, or several.

    In a terminal they are wrapped, and the first of those that are written together
    appears while it is written; elsewhere each is a line.

    Args:
        model: what has `answers`, `source_length` and `truncate`.
        batch_size: int.
        settings: `kzoo.generation.Generation`.
        scores: bool. Whether people are shown scores, too.
        live: bool. Whether people watch what `show` prints.
    """

    task = "summarizer"
    formats = ("table", "jsonl", "csv", "tsv")

    def __init__(self, model, batch_size, settings, scores=False, live=False):
        self._model, self._batch_size = model, batch_size
        self._settings, self._scores, self._live = settings, scores, live
        self._flow = None
        self._count = self._cut = self._unread = self._unknown = 0
        self._written = self._unfinished = 0
        # Summaries take their time, so a person waits for few of them.
        self.chunk = 4 * batch_size

    def ask(self, texts):
        """One answer for each `Text`, in order."""
        follow = None
        if self._live and self._settings.streams:
            follow = self._follow(texts)
        try:
            answers = self._model.answers(
                [text.text for text in texts],
                self._settings,
                batch_size=self._batch_size,
                on_text=follow,
                rows=[text.number - 1 for text in texts],  # Draws know no chunks.
            )
        except BaseException:
            if self._flow is not None:
                self._flow.broken()
            raise
        self._count += len(texts)
        for text, answer in zip(texts, answers, strict=True):
            self._cut += answer["truncated"]
            self._unread += answer["empty"] and not _blank(text)
            self._unknown += answer["unknown"]
            finished = [one["finished"] for one in each(answer)]
            self._written += len(finished)
            self._unfinished += finished.count(False)
        return answers

    def _follow(self, texts):
        """What prints pieces of the first text's summary as they come."""
        self._flow = Flow(self._heading(texts[0], len(texts) > 1))

        def follow(row, piece):
            if row == 0:
                self._flow.feed(piece)

        return follow

    def show(self, texts, answers, file):
        """Print answers for people."""
        for text, answer in zip(texts, answers, strict=True):
            if not self._live:
                self._list(text, answer, len(texts) > 1, file)
                continue
            if self._flow is not None:
                flow, self._flow = self._flow, None
                flow.end(answer["summary"])
                self._tell_score(answer)
                continue
            heading = self._heading(text, len(texts) > 1)
            for rank, one in enumerate(each(answer), 1):
                label = self._label(rank, one, "summaries" in answer)
                Flow(heading, label).end(one["summary"])
                heading = ""

    def _list(self, text, answer, several, file):
        """Print a line for each summary, for what reads lines.

        One summary a text needs no more: lines stand as texts do. Of several, the first
        line is what they are of.
        """
        ranked = "summaries" in answer
        if ranked and (heading := self._heading(text, several)):
            click.echo(heading, file=file)
        for rank, one in enumerate(each(answer), 1):
            label = self._label(rank, one, ranked)
            click.echo((label + one_line(one["summary"])).rstrip(), file=file)

    def _heading(self, text, several):
        """The beginning of a text, so that one sees what a summary is of."""
        if not (several or text.place or text.number > 1):
            return ""
        gap = "\n" if text.number > 1 else ""
        place = " ".join(str(value) for value in text.place.values())
        start = one_line(text.text) or "(blank)"
        line = cut(f"{place}  {start}".strip(), screen_width())
        return gap + click.style(line, dim=True)

    def _label(self, rank, one, several):
        label = f"{rank}  " if several else ""
        if several or self._scores:
            label += f"{one['score']:.3f}  "
        return label

    def _tell_score(self, answer):
        if self._scores:
            click.echo(click.style(f"score {answer['score']:.3f}", dim=True))

    def fields(self, text, answer):
        """An answer as an object of JSON."""
        return {"text": text.text, **answer}

    def rows(self, text, answer):
        """An answer as rows of CSV, one for each summary."""
        for rank, one in enumerate(each(answer), 1):
            several = {"number": text.number, "rank": rank}
            yield {
                **(several if "summaries" in answer else {}),
                **text.place,
                "text": text.text,
                "summary": one["summary"],
                "score": repr(one["score"]),
                "tokens": one["tokens"],
                "finished": json.dumps(one["finished"]),
                "truncated": json.dumps(answer["truncated"]),
            }

    def columns(self, place):
        """The columns of `rows` where there are none."""
        several = ["number", "rank"] if self._settings.nbest > 1 else []
        own = ["text", "summary", "score", "tokens", "finished", "truncated"]
        return [*several, *place, *own]

    def notes(self):
        """What a person should know of the answers."""
        longer = (
            f"longer than the {self._model.source_length} tokens that the model reads"
        )
        read = READ[self._model.truncate]
        for count, one, many in (
            (self._cut, f"was {longer}: {read[0]}", f"were {longer}: {read[1]}"),
            (
                self._unread,
                "holds no character that the model reads, so its summary is empty",
                "hold no character that the model reads, so their summaries are empty",
            ),
            (
                self._unknown,
                "holds no token that the model knows, so its summary is a guess",
                "hold no token that the model knows, so their summaries are guesses",
            ),
        ):
            if count:
                texts = counted(self._count, "text")
                yield f"{count:,} of {texts} {one if count == 1 else many}."
        if self._unfinished:
            summaries = counted(self._written, "summary", "summaries")
            yield (
                f"{self._unfinished:,} of {summaries} had not ended after "
                f"{self._settings.max_new_tokens} tokens; --max-new-tokens allows more."
            )


def each(answer):
    """The summaries of an answer, each a dict with its score."""
    if "summaries" not in answer:
        return [answer]
    names = {"summary": "summaries", "score": "scores"}
    keys = ("summary", "score", "tokens", "finished")
    columns = [answer[names.get(key, key)] for key in keys]
    return [
        dict(zip(keys, values, strict=True)) for values in zip(*columns, strict=True)
    ]


def _blank(text):
    return not text.text or text.text.isspace()
