"""Who looked at whom: the attention weights of a saved model for one text."""

import dataclasses

import numpy as np
from kzoo_recipes import KzooError

from kzoo.plots.pictured import check_seen, patches_of

KINDS = ("encoder", "decoder", "cross")


@dataclasses.dataclass(frozen=True, eq=False)
class Attention:
    """Attention weights of every layer and head for one text.

    Attributes:
        kind: str. "encoder" or "decoder", each token looks at those of its own text;
            or "cross", those of what was written look at those of the text that was
            read.
        queries: list of T str, the tokens that look; of a model with a trained prompt
            its vectors first, "prompt 0" and on; likewise "prefix 0" and on, which
            look at nothing.
        keys: list of S str, the tokens that are looked at.
        weights: float32 `(L, N, T, S)`. The share that key S has of what query T sees,
            as the model returned it.
        text: str. What was read.
        target: str. What was written, or `None` of an encoder.
        layers: list of int, the numbers of the layers, from 0.
        heads: list of int, the numbers of the heads, from 0; or of str, what else
            stands in their place.
    """

    kind: str
    queries: list
    keys: list
    weights: np.ndarray
    text: str
    target: str | None
    layers: list
    heads: list

    def chosen(self, layers=None, heads=None, tokens=None):
        """A part of it.

        Args:
            layers: iterable of int, numbers from 0; `None` takes all.
            heads: iterable of int, numbers from 0; "mean" for their mean; `None` for
                all.
            tokens: pair of int. The first token to show and the one after the last, on
                both axes; `None` for all.

        Returns:
            `Attention`.

        Raises:
            KzooError: if there is no such layer, head or token.
        """
        layers = _numbers("layer", layers, self.layers)
        weights = self.weights[[self.layers.index(layer) for layer in layers]]
        if isinstance(heads, str):
            if heads != "mean":
                raise ValueError(
                    f'`heads` must be numbers or "mean". Received: heads={heads!r}'
                )
            weights = weights.mean(axis=1, keepdims=True)
            names = [f"mean of {len(self.heads)} heads"]
            if self.heads == names or len(self.heads) == 1:
                names = self.heads
        else:
            names = _numbers("head", heads, self.heads)
            weights = weights[:, [self.heads.index(head) for head in names]]
        rows, columns = _part(tokens, self.queries), _part(tokens, self.keys)
        return dataclasses.replace(
            self,
            queries=self.queries[rows],
            keys=self.keys[columns],
            weights=weights[:, :, rows, columns],
            layers=layers,
            heads=names,
        )

    def rollout(self):
        """What each layer's tokens are made of, through all layers below it.

        Each head counts alike, and half of a token is what the residual stream brings
        of itself: with A the mean over heads, each layer is (A + I) / 2 times that of
        the layer below.

        Returns:
            `Attention` with one head, "rollout", its weights float32 `(L, 1, T, T)`.

        Raises:
            KzooError: of cross-attention, which looks at another text.

        Reference:
            - [Abnar and Zuidema, 2020](https://arxiv.org/abs/2005.00928), section 3
        """
        if self.kind == "cross":
            raise KzooError(
                "a rollout follows a text through the layers that read it: it is of "
                "encoder or decoder, not of cross-attention."
            )
        weights = rollout(self.weights).astype("float32")[:, None]
        return dataclasses.replace(self, weights=weights, heads=["rollout"])

    def as_dict(self):
        """All of it as JSON holds it; the weights as lists, `(L, N, T, S)`."""
        return {
            **{name: getattr(self, name) for name in ("kind", "text", "target")},
            **{name: getattr(self, name) for name in ("layers", "heads")},
            **{name: getattr(self, name) for name in ("queries", "keys")},
            "weights": self.weights.tolist(),
        }


def rollout(weights):
    """Attention rollout, see `Attention.rollout`. What sees nothing is made of itself.

    Args:
        weights: float `(L, N, T, T)`, of L layers and N heads.

    Returns:
        Float64 `(L, T, T)`: what the tokens of each layer are made of.
    """
    means = np.asarray(weights, "float64").mean(axis=1)  # (L, T, T)
    mixed = means + np.eye(means.shape[-1])
    mixed /= mixed.sum(axis=-1, keepdims=True)
    found = [mixed[0]]
    for layer in mixed[1:]:
        found.append(layer @ found[-1])
    return np.stack(found)


def attention(model, text, kind="encoder", target=None, image=None):
    """Ask a model for a text's attention weights.

    Args:
        model: a kzoo model with its tokenizer: classifier, of texts with pictures, too,
            tagger, masked language model or summarizer.
        text: str. What it reads; a masked language model understands `[MASK]`.
        kind: str. "encoder"; of a summarizer also "decoder" and "cross".
        target: str. What the summarizer wrote; `None` lets it write. Only with
            "decoder" and "cross".
        image: of a model that reads a picture with each text, the picture; its patches
            stand behind the tokens, named "patch 0.0", its row and column, and on.

    Returns:
        `Attention`.

    Raises:
        KzooError: if the model has no such attention, the text has more tokens than
            the model reads, or a layer gives no weights.
        ValueError: if there is no such kind.
    """
    if kind not in KINDS:
        raise ValueError(f"`kind` must be one of {KINDS}. Received: kind={kind!r}")
    check_seen(model, image)
    model.require_text()
    decoder = getattr(model, "decoder", None)
    if decoder is None and kind != "encoder":
        raise KzooError(
            f"{type(model).__name__} {model.name!r} has an encoder only, so it has no "
            f"{kind} attention."
        )
    if target is not None and kind == "encoder":
        raise KzooError("a target is what a decoder writes; an encoder reads the text.")
    read, token_ids, places = _read(model, text)
    names = _names(model.tokenizer, token_ids, read, places)
    one = np.array([token_ids], "int32")
    everything = np.ones(one.shape, bool)
    inputs = one, everything
    if image is not None:
        pixels, patches = patches_of(model, image)
        names, inputs = [*names, *patches], (pixels, *inputs)
    encoded, weights = _asked(model.encoder, *inputs)
    if kind == "encoder":
        return _attention(kind, names, names, weights, read, None)
    written, text_written = _written(model, one, target)
    before = np.array([[model.start_id, *written]], "int32")
    _, weights = _asked(
        model.decoder, before, encoded, np.ones(before.shape, bool), everything
    )
    weights = [layer["cross" if kind == "cross" else "self"] for layer in weights]
    tokenizer = model.tokenizer
    said = _names(tokenizer, written)
    end = tokenizer.id_to_token(model.end_id) or ""
    if kind == "cross":  # The state that looks is the one that says the next token.
        return _attention(kind, [*said, end], names, weights, read, text_written)
    start = tokenizer.id_to_token(model.start_id) or ""
    own = [start, *said]
    return _attention(kind, own, own, weights, read, text_written)


def _attention(kind, queries, keys, weights, text, target):
    arrays = []
    for number, layer in enumerate(weights):
        if layer is None:
            raise KzooError(
                f"layer {number} gives no attention weights: its kernel makes none."
            )
        arrays.append(_numpy(layer)[0])
    weights = np.stack(arrays).astype("float32")  # (L, N, T, S)
    looking, seen = weights.shape[2:]
    before = 0 if kind == "cross" else seen - looking
    what = "prefix" if before else "prompt"
    weights = np.pad(weights, ((0, 0), (0, 0), (before, 0), (0, 0)))
    queries = _after(what, queries, before + looking)
    keys = _after(what, keys, seen)
    layers, heads = (list(range(size)) for size in weights.shape[:2])
    return Attention(kind, queries, keys, weights, text, target, layers, heads)


def _after(what, names, size):
    """Names of tokens, after those of trained vectors that stand before the text."""
    return [*(f"{what} {at}" for at in range(size - len(names))), *names]


def _asked(stack, *inputs):
    """What a stack makes of one text, and its weights, one entry a layer."""
    try:
        hidden, extras = stack(*inputs, return_attention_weights=True, training=False)
    except ValueError as error:  # A kernel whose attention has no weights.
        said = str(error).partition(" Received:")[0]
        # Keras names the layer in a line of its own before what `call` raised.
        why = said.rpartition("\n\n")[2].removeprefix("\x1b[1m").rstrip(".")
        raise KzooError(f"there are no attention weights to draw: {why}.") from error
    return hidden, extras["attention_weights"]


def _numpy(tensor):
    from keras import ops

    return np.asarray(ops.convert_to_numpy(tensor))


def _read(model, text):
    """The text as the model reads it, its token ids, `(T,)`, and where they stand."""
    if not isinstance(text, str):
        raise TypeError(f"`text` must be a str. Received: text={text!r}")
    if getattr(model, "memory", None) is not None:
        [text] = model.memory.before([text])
    if hasattr(model, "fill") and not hasattr(model, "decoder"):
        from kzoo.models.filling import with_own_masks

        text = with_own_masks(text, model.tokenizer)
    room = getattr(model, "source_length", None) or model.sequence_length
    encoded = model.tokenizer.encode([text])
    [token_ids] = encoded.token_ids
    if len(token_ids) > room:
        raise KzooError(
            f"the text has {len(token_ids):,} tokens, and the model reads {room:,} at "
            "once; give it a part of the text."
        )
    return text, token_ids, encoded.offsets[0]


def _written(model, token_ids, target):
    """The ids, int list, and the text that a summarizer writes, or that it is told."""
    tokenizer = model.tokenizer
    if target is None:
        [[best, *_]] = model.generate(token_ids)
        return list(map(int, best.token_ids)), tokenizer.decode(best.token_ids)
    [ids] = tokenizer.encode([target], offsets=False).token_ids
    ids = ids[tokenizer.num_before : len(ids) - tokenizer.num_after]
    room = model.target_length - 1  # The end takes one, too.
    if len(ids) > room:
        raise KzooError(
            f"the target has {len(ids):,} tokens, and the model writes {room:,}; give "
            "it a part of it."
        )
    return list(map(int, ids)), target


def _names(tokenizer, token_ids, text=None, places=()):
    """How each token is written: as the vocabulary has it, if that can be read.

    Pieces of bytes cannot, so of a text they are what they stand for there.
    """
    names = [tokenizer.id_to_token(token_id) or "" for token_id in token_ids]
    if text is None:
        return [_plain(tokenizer, name) for name in names]
    special = {int(one) for one in tokenizer.special_tokens}
    shown = []
    for name, token_id, (start, end) in zip(names, token_ids, places, strict=True):
        said = text[start:end]
        if int(token_id) == tokenizer.unk_id and said.strip():
            shown.append(f"{said} {name}")
        elif int(token_id) in special or not said.strip():
            shown.append(name)
        else:
            inner = tokenizer.inner_prefix
            goes_on = bool(inner) and name.startswith(inner)
            shown.append(f"{inner}{said}" if goes_on else said)
    return shown


def _plain(tokenizer, name):
    inner = tokenizer.inner_prefix
    if inner and name.startswith(inner):
        return name
    return tokenizer.join([name]).strip() or name


def _numbers(what, asked, known):
    """The numbers asked for, all if none are; each must be known."""
    if asked is None:
        return list(known)
    asked = list(dict.fromkeys(asked))
    for one in asked:
        if one not in known:
            span = f"{known[0]} to {known[-1]}" if len(known) > 1 else f"{known[0]}"
            raise KzooError(
                f"there is no {what} {one}; {what}s are counted from 0, and there "
                f"{'are' if len(known) > 1 else 'is'} {span}."
            )
    if not asked:
        raise KzooError(f"no {what} is chosen; leave the choice out for all.")
    return asked


def _part(tokens, names):
    if tokens is None:
        return slice(0, len(names))
    start, end = tokens
    if not 0 <= start < min(end, len(names)):
        raise KzooError(
            f"there are no tokens {start}:{end}; there are {len(names):,}, counted "
            "from 0."
        )
    return slice(start, min(end, len(names)))
