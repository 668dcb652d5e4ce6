"""Writing text with a model: settings, sources in batches, texts out, as they come.

The functions that take a model first are methods of `Seq2Seq`.
"""

import numpy as np
from kzoo_recipes import KzooError

from kzoo.data.batches import check_ids
from kzoo.generation import Generation, NotNumbers
from kzoo.generation import generate as search
from kzoo.generation.decoder import Decoder, source_bucket
from kzoo.models.inputs import check_batch_size, only_str
from kzoo.models.streaming import Stream, text_of

BEAMS = 4  # where neither caller nor model says anything


def generation_decoder(model):
    """The model as generation sees it, `kzoo.generation.decoder.Decoder`.

    It is made once and lives with the model, as do the programs it compiles. They
    read the weights anew for every text.
    """
    if model._generation_decoder is None:
        model._generation_decoder = Decoder(model)
    return model._generation_decoder


def settings(model, **told):
    """How the model writes: as told, else as saved with it (`model.generation`).

    Args:
        **told: fields of `kzoo.generation.Generation`.

    Returns:
        `Generation`, which fits the model. What was neither told nor saved is the
        default there, but for `beams`, 4, and `max_new_tokens`, `target_length`.

    Raises:
        ValueError: if settings contradict each other or the model cannot follow
            them.
    """
    saved = {"max_new_tokens": model.target_length}
    saved |= {"beams": BEAMS} if model.generation is None else model.generation
    return fitting(model, Generation().told(**saved).told(**told))


def fitting(model, settings):
    if not isinstance(settings, Generation):
        raise ValueError(
            "`settings` must be a `Generation` or None. "
            f"Received: settings={settings!r}"
        )
    return settings.check(
        model.decoder.vocabulary_size,
        model.decoder.max_sequence_length,
        [model.end_id],
    )


def generate(model, encoder_token_ids, padding_mask=None, settings=None):
    """Write texts for one batch of sources that are token ids already.

    Args:
        encoder_token_ids: int `(B, S)`.
        padding_mask: bool `(B, S)`. `True` marks a token; `None` means all are.
        settings: `Generation`. `None` means `model.settings()`.

    Returns:
        list for each source of `kzoo.generation.Hypothesis`es, best first; without
        `nbest` or beams, of one.

    Raises:
        KzooError: if an id is not in the vocabulary, a source has no tokens, or the
            model's scores are not numbers.
        ValueError: if shapes or settings do not fit the model.
    """
    settings = model.settings() if settings is None else fitting(model, settings)
    token_ids = even("encoder_token_ids", encoder_token_ids)
    mask = np.ones(token_ids.shape, bool) if padding_mask is None else padding_mask
    mask = even("padding_mask", mask)
    if token_ids.ndim != 2 or token_ids.dtype.kind not in "iu":
        raise ValueError(
            "`encoder_token_ids` must be integers `(B, S)`. Received: "
            f"shape={token_ids.shape}, dtype={token_ids.dtype}"
        )
    if mask.shape != token_ids.shape:
        raise ValueError(
            f"`padding_mask` must have the shape of the ids, {token_ids.shape}. "
            f"Received: shape={mask.shape}"
        )
    if mask.dtype.kind not in "biuf":
        raise ValueError(
            f"`padding_mask` must be bool. Received: padding_mask of {mask.dtype}"
        )
    mask = mask.astype("bool")
    check_ids(token_ids, model.encoder.vocabulary_size)
    some = mask.any(axis=1)
    if not some.all():
        raise KzooError(
            f"Text {some.argmin()} has no tokens; every text needs at least one."
        )
    return _write(model, model.generation_decoder(), token_ids, mask, settings)


def even(name, rows):
    """Rows of one length as an array.

    Raises:
        ValueError: if they are not.
    """
    try:
        return np.asarray(rows)
    except ValueError:
        lengths = sorted({len(row) for row in rows})
        raise ValueError(
            f"All rows of `{name}` must have one length. "
            f"Received: rows of {lengths[0]} to {lengths[-1]}"
        ) from None


def _write(model, decoder, token_ids, padding_mask, settings, **more):
    try:
        return search(
            decoder,
            token_ids,
            padding_mask,
            settings,
            model.start_id,
            list(dict.fromkeys([model.end_id, *settings.other_ends])),
            0 if model.tokenizer is None else model.tokenizer.pad_id,
            **more,
        )
    except NotNumbers as error:
        row = more.get("rows", range(len(token_ids)))[error.row]
        raise KzooError(
            f"Text {row}: the model's scores are not numbers, as its weights are not "
            "or are beyond all bounds; train it again, or load another."
        ) from error


def summarize(model, texts, batch_size=16, on_text=None, **told):
    """Summarize texts.

    Args:
        texts: list of str, or one str. Any text gets a summary; that of a text
            without any token is empty.
        batch_size: int. How many texts are summarized at once.
        on_text: as for `answers`.
        **told: fields of `kzoo.generation.Generation`, as `beams=4`,
            `no_repeat_ngram=3` or `sample=True`. Others are as saved with the
            model, see `settings`.

    Returns:
        list with one str per text, in order; with `nbest` above 1 one list of str,
        best first. For one str, that str or list alone.

    Raises:
        KzooError: if the model has no tokenizer, or its scores are not numbers.
        TypeError: if a text is not a str, or `batch_size` not an int.
        ValueError: if `batch_size` is below 1, settings contradict each other, or
            the model cannot follow them.
    """
    if isinstance(texts, str):
        return model.summarize([texts], batch_size, on_text, **told)[0]
    settings = model.settings(**told)
    found = model.answers(texts, settings, batch_size, on_text)
    name = "summary" if settings.nbest == 1 else "summaries"
    return [answer[name] for answer in found]


def answers(
    model, texts, settings=None, batch_size=16, on_text=None, rows=None, encoded=None
):
    """What `summarize` writes, and how each text was read.

    Texts are put into batches by length. What a text gets does not depend on the
    others, nor on `batch_size`.

    Args:
        texts: list of str.
        settings: `Generation`. `None` means `model.settings()`.
        batch_size: int. How many texts are summarized at once.
        on_text: called with `(row, piece)` as text comes that will not change any
            more. The pieces of a row put together are its summary. For settings
            that stream: greedy search and samples, one for each text.
        rows: ints, each text's own number, from which its samples follow; its place
            in the list where `None`.
        encoded: `kzoo.text.Encoded`, what the model's tokenizer made of the texts for
            its `source_length` and `truncate`, where that is known already.

    Returns:
        list of dict, in order: "summary", str; "score", float, see `Hypothesis`;
        "tokens", int, those of the summary; "finished", bool, whether it ended
        before `max_new_tokens`; with `nbest` above 1 instead "summaries", "scores",
        "tokens" and "finished", lists, best first. Then "truncated", bool, whether
        a part of the text was not read; "empty", bool, whether it has no tokens, so
        that the model was not asked; "unknown", bool, whether all of its tokens are
        unknown to the tokenizer.

    Raises:
        KzooError: if the model has no tokenizer, or its scores are not numbers.
        TypeError: if a text is not a str, `batch_size` not an int, or `on_text` not a
            function.
        ValueError: if `batch_size` is below 1, the model cannot follow the
            settings, or they do not stream and `on_text` is given.
    """
    model.require_text()
    check_batch_size(batch_size)
    settings = model.settings() if settings is None else fitting(model, settings)
    if on_text is not None and not settings.streams:
        raise ValueError(
            "Text comes piece by piece only without beams and for one summary of "
            f"each text. Received: beams={settings.beams}, nbest={settings.nbest}"
        )
    if on_text is not None and not callable(on_text):
        raise TypeError(f"`on_text` must be a function. Received: on_text={on_text!r}")
    texts = only_str(texts, "texts", "str")
    rows = np.arange(len(texts)) if rows is None else np.asarray(rows)
    if len(rows) != len(texts):
        raise ValueError(
            "`rows` must have a number for each of the texts. Received: "
            f"{len(rows)} rows, {len(texts)} texts"
        )
    if not texts:
        return []
    if encoded is None:
        read = texts if model.memory is None else model.memory.before(texts)
        encoded = model.tokenizer.encode(
            read, model.source_length, offsets=False, truncate=model.truncate
        )
    empty = _without_tokens(model, texts, encoded)
    asked = np.flatnonzero(~empty)
    found = written(
        model, encoded.token_ids, asked, settings, batch_size, on_text, rows
    )
    return [
        {
            **_told(model, found[row], settings),
            "truncated": bool(encoded.truncated[row]),
            "empty": bool(empty[row]),
            "unknown": not empty[row] and _unknown(model, encoded.token_ids[row]),
        }
        for row in range(len(texts))
    ]


def written(model, token_ids, asked, settings, batch_size, on_text, rows):
    """What the model writes about sources of any length, in batches by length.

    Args:
        token_ids: list of int32 `(S,)`.
        asked: int64, the sources to write about.
        settings: `Generation`, which fits the model.
        batch_size, on_text: see `answers`.
        rows: int64, each source's own number.

    Returns:
        list with a list of `Hypothesis`es for each source, best first; none for those
        that were not asked.
    """
    found = [[] for _ in token_ids]
    decoder = model.generation_decoder().filling(min(batch_size, len(asked)))
    for part in batches(token_ids, asked, batch_size):
        read, mask = padded([token_ids[row] for row in part])
        stream = on_text and Stream(model.tokenizer.decode, on_text, part)
        texts = _write(
            model,
            decoder,
            read,
            mask,
            settings,
            rows=rows[part],
            on_token=stream and stream.token,
        )
        for row, hypotheses in zip(part, texts, strict=True):
            found[row] = hypotheses
        if stream:
            stream.end()
    return found


def _without_tokens(model, texts, encoded):
    """Bool `(texts,)`: texts of which only special tokens are left."""
    if model.tokenizer.num_special:
        return encoded.lengths <= model.tokenizer.num_special
    return np.array([not text.strip() for text in texts])


def _unknown(model, token_ids):
    last = len(token_ids) - model.tokenizer.num_after
    inner = token_ids[model.tokenizer.num_before : last]
    return bool((inner == model.tokenizer.unk_id).all())


def _told(model, hypotheses, settings):
    """The part of an answer that is of what was written."""
    columns = {
        "summary": [text_of(model.tokenizer.decode, h.token_ids) for h in hypotheses],
        "score": [float(h.score) for h in hypotheses],
        "tokens": [len(h.token_ids) for h in hypotheses],
        "finished": [bool(h.finished) for h in hypotheses],
    }
    if not hypotheses:  # Nothing to say of nothing.
        columns = {"summary": [""], "score": [0.0], "tokens": [0]}
        columns["finished"] = [True]
    if settings.nbest == 1:
        return {name: values[0] for name, values in columns.items()}
    several = {"summary": "summaries", "score": "scores"}
    return {several.get(name, name): values for name, values in columns.items()}


def batches(token_ids, rows, batch_size):
    """Yield the rows of each batch, int `(n,)`, alike in length to pad little."""
    lengths = np.array([len(token_ids[row]) for row in rows])
    buckets = np.array([source_bucket(int(length)) for length in lengths])
    for bucket in np.unique(buckets):
        own = np.flatnonzero(buckets == bucket)
        own = rows[own[np.argsort(lengths[own], kind="stable")]]
        for start in range(0, len(own), batch_size):
            yield own[start : start + batch_size]


def padded(sequences):
    """Sequences as token ids `(B, S)`, int32, and their padding mask, bool."""
    lengths = np.array([len(sequence) for sequence in sequences])
    mask = np.arange(lengths.max()) < lengths[:, None]
    token_ids = np.zeros(mask.shape, "int32")
    token_ids[mask] = np.concatenate(sequences)
    return token_ids, mask
