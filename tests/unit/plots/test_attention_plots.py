"""Attention as it is drawn is attention as the model returned it."""

import base64
import dataclasses
import hashlib
import itertools
import json
import re
from html.parser import HTMLParser

import numpy as np
import pytest
from keras import ops
from kzoo_recipes import KzooError

import kzoo
from kzoo import plots
from kzoo.layers.adaptation import PrefixTuning, PromptTuning

SIZES = {"num_layers": 3, "num_heads": 2, "hidden_dim": 8, "intermediate_dim": 8}
TEXT = "the cat sat on the red mat"


def returned(stack, *inputs):
    """What a stack itself says, `(L, N, T, S)`; of a decoder by kind."""
    _, extras = stack(*inputs, return_attention_weights=True)
    return extras["attention_weights"]


def arrays(weights):
    return np.stack([ops.convert_to_numpy(layer)[0] for layer in weights])


def inputs_of(model, text):
    ids = np.array(model.tokenizer.encode([text]).token_ids, "int32")
    return ids, np.ones(ids.shape, bool)


@pytest.mark.parametrize("name", ["classifier", "tagger", "masked", "summarizer"])
def test_every_kind_of_model(name, request):
    model = request.getfixturevalue(name)
    found = plots.attention(model, TEXT)
    expected = arrays(returned(model.encoder, *inputs_of(model, TEXT)))
    np.testing.assert_array_equal(found.weights, expected)
    assert found.queries == found.keys == ["[CLS]", *TEXT.split(), "[SEP]"]
    np.testing.assert_allclose(found.weights.sum(axis=-1), 1, rtol=1e-5)


@pytest.mark.parametrize("target", [None, "a mat"])
@pytest.mark.parametrize("kind", ["cross", "decoder"])
def test_what_a_summarizer_writes(summarizer, kind, target):
    found = plots.attention(summarizer, TEXT, kind, target)
    ids, mask = inputs_of(summarizer, TEXT)
    encoded = summarizer.encoder(ids, mask)
    if target is None:
        [[best]] = summarizer.generate(ids)
        written = best.token_ids
    else:
        written = summarizer.tokenizer.encode([target]).token_ids[0][1:-1]
    before = np.array([[summarizer.start_id, *written]], "int32")
    seen = np.ones(before.shape, bool)
    weights = returned(summarizer.decoder, before, encoded, seen, mask)
    which = "cross" if kind == "cross" else "self"
    expected = arrays([layer[which] for layer in weights])
    np.testing.assert_allclose(found.weights, expected, rtol=1e-6, atol=1e-7)
    if target is not None:
        own = ["a", "mat", "[SEP]"] if kind == "cross" else ["[CLS]", "a", "mat"]
        assert found.queries == own
    assert found.keys == (
        found.queries if kind == "decoder" else ["[CLS]", *TEXT.split(), "[SEP]"]
    )


def test_a_mask_is_read_as_one_token(masked):
    found = plots.attention(masked, "the [MASK] sat")
    assert found.keys == ["[CLS]", "the", "[MASK]", "sat", "[SEP]"]


def test_what_stood_for_unknown_tokens_and_inner_pieces(classifier):
    found = plots.attention(classifier, "The 漢 matx")
    assert found.keys[:3] == ["[CLS]", "The", "漢 [UNK]"]
    assert any("[UNK]" in key or key.startswith("##") for key in found.keys[3:])


def test_vectors_of_a_prompt_are_named(tokenizer):
    encoder = kzoo.layers.TransformerEncoder(tokenizer.vocabulary_size, **SIZES)
    PromptTuning(length=2).enter(encoder)
    model = kzoo.TextClassifier(encoder, 2, sequence_length=16)
    found = plots.attention(model.attach(tokenizer, ["no", "yes"]), "the cat")
    names = ["prompt 0", "prompt 1", "[CLS]", "the", "cat", "[SEP]"]
    assert found.queries == found.keys == names
    assert found.weights.shape == (3, 2, 6, 6)


def test_patches_of_a_picture_stand_behind_the_tokens(pictured):
    image = np.random.default_rng(3).integers(0, 256, (4, 4, 3), "uint8")
    found = plots.attention(pictured, "the cat", image=image)
    patches = ["patch 0.0", "patch 0.1", "patch 1.0", "patch 1.1"]
    assert found.queries == found.keys == ["[CLS]", "the", "cat", "[SEP]", *patches]
    pixels = kzoo.images.prepare(image, pictured.images)[None]
    inputs = inputs_of(pictured, "the cat")
    expected = arrays(returned(pictured.encoder, pixels, *inputs))
    np.testing.assert_array_equal(found.weights, expected)
    np.testing.assert_allclose(found.weights.sum(axis=-1), 1, rtol=1e-5)


def test_pictures_that_are_missing_or_not_read(pictured, classifier):
    with pytest.raises(KzooError, match="reads a picture with each text; name one"):
        plots.attention(pictured, TEXT)
    with pytest.raises(KzooError, match="reads texts alone; leave the picture out"):
        plots.attention(classifier, TEXT, image="a.png")
    encoder = kzoo.layers.ImageEncoder(4, 2, 1, 2, 8, 8)
    with pytest.raises(KzooError, match="class ImageClassifier is asked in Python"):
        plots.attention(kzoo.ImageClassifier(encoder, 2), TEXT)


def test_what_a_stack_says_stands_on_one_line(tokenizer, monkeypatch):
    encoder = kzoo.layers.TransformerEncoder(tokenizer.vocabulary_size, **SIZES)
    model = kzoo.TextClassifier(encoder, 2, sequence_length=16)
    model.attach(tokenizer, ["no", "yes"])

    def call(token_ids, padding_mask=None, **kwargs):
        raise ValueError("This kernel makes none. Received: kernel='dim'")

    monkeypatch.setattr(encoder, "call", call)
    with pytest.raises(KzooError) as error:  # Keras says more around it.
        plots.attention(model, TEXT)
    said = "there are no attention weights to draw: This kernel makes none."
    assert str(error.value) == said


def test_keys_of_a_prefix_are_named(tokenizer):
    encoder = kzoo.layers.TransformerEncoder(tokenizer.vocabulary_size, **SIZES)
    PrefixTuning(length=2).enter(encoder)
    model = kzoo.TextClassifier(encoder, 2, sequence_length=16)
    found = plots.attention(model.attach(tokenizer, ["no", "yes"]), "the cat")
    names = ["prefix 0", "prefix 1", "[CLS]", "the", "cat", "[SEP]"]
    assert found.queries == found.keys == names
    assert (found.weights[:, :, :2] == 0).all()  # They look at nothing …
    assert (found.weights[:, :, 2:] > 0).all()  # … and are seen by all.
    rolled = found.rollout().weights[:, 0]
    np.testing.assert_allclose(rolled.sum(axis=-1), 1, rtol=1e-5)
    np.testing.assert_array_equal(rolled[:, :2], np.eye(6)[None, :2].repeat(3, 0))


def test_a_kernel_gives_its_weights_in_full(tokenizer):
    attention = {"kernel": {"kind": "window", "window": 1}}
    encoder = kzoo.layers.TransformerEncoder(
        tokenizer.vocabulary_size, **SIZES, attention=attention
    )
    model = kzoo.TextClassifier(encoder, 2, sequence_length=16)
    found = plots.attention(model.attach(tokenizer, ["no", "yes"]), TEXT)
    places = np.arange(len(found.keys))
    near = np.abs(places[:, None] - places) <= 1
    assert (found.weights[..., near] > 0).all()
    assert (found.weights[..., ~near] == 0).all()


def test_rollout_is_the_sum_over_all_paths():
    rng = np.random.default_rng(3)
    weights = rng.random((3, 2, 4, 4))
    weights /= weights.sum(axis=-1, keepdims=True)
    mixed = [0.5 * layer.mean(axis=0) + 0.5 * np.eye(4) for layer in weights]
    for depth in range(3):
        expected = np.zeros((4, 4))
        for path in itertools.product(range(4), repeat=depth + 2):
            steps = itertools.pairwise(path)
            shares = [mixed[depth - at][step] for at, step in enumerate(steps)]
            expected[path[0], path[-1]] += np.prod(shares)
        np.testing.assert_allclose(plots.rollout(weights)[depth], expected, rtol=1e-12)


def test_rollout_of_a_model(classifier):
    found = plots.attention(classifier, TEXT)
    rolled = found.rollout()
    assert (rolled.heads, rolled.layers) == (["rollout"], [0, 1, 2])
    expected = plots.rollout(found.weights).astype("float32")
    np.testing.assert_array_equal(rolled.weights[:, 0], expected)
    np.testing.assert_allclose(rolled.weights.sum(axis=-1), 1, rtol=1e-5)


def test_parts(classifier):
    whole = plots.attention(classifier, TEXT)
    part = whole.chosen(layers=[2, 0], heads=[1], tokens=(1, 4))
    np.testing.assert_array_equal(part.weights, whole.weights[[2, 0], 1:2, 1:4, 1:4])
    assert (part.layers, part.heads, part.keys) == ([2, 0], [1], ["the", "cat", "sat"])
    mean = whole.chosen(heads="mean")
    np.testing.assert_allclose(
        mean.weights[:, 0], whole.weights.mean(axis=1), rtol=1e-6
    )
    assert mean.heads == ["mean of 2 heads"]


def test_a_figure_shows_what_was_returned(classifier):
    found = plots.attention(classifier, TEXT)
    figure = plots.attention_figure(found, "A title")
    maps = [axis for axis in figure.axes if axis.images]
    shown = np.stack([np.asarray(axis.images[0].get_array()) for axis in maps])
    np.testing.assert_array_equal(shown, found.weights.reshape(shown.shape))
    assert maps[-1].get_title() == "layer 2, head 1"
    labels = [label.get_text() for label in maps[4].get_xticklabels()]
    assert labels == found.keys
    assert figure.get_suptitle() == "A title"


def test_an_axis_says_which_tokens_it_names(classifier):
    found = plots.attention(classifier, TEXT)
    names = [f"token {at}" for at in range(300)]
    wide = dataclasses.replace(
        found,
        queries=names,
        keys=names,
        weights=np.full((1, 12, 300, 300), 1 / 300, "float32"),
        layers=[0],
        heads=list(range(12)),
    )
    figure = plots.attention_figure(wide)
    said = figure.get_supxlabel()
    step = int(re.search(r"\(every (\d+)\w\w is named\)", said)[1])
    labels = [label.get_text() for label in figure.axes[0].get_xticklabels()]
    assert step > 1 and labels == names[::step]


class Reader(HTMLParser):
    """Collects scripts by type, tags and the text of buttons."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.scripts, self.open, self.buttons = set(), {}, None, []
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        self.open = (tag, dict(attributes).get("type"))

    def handle_endtag(self, tag):
        self.open = None

    def handle_data(self, data):
        if self.open and self.open[0] == "script":
            self.scripts[self.open[1]] = data
        elif self.open == ("button", "button"):
            self.buttons.append(data)


def test_a_page_holds_what_was_returned_and_runs_its_own_script_only(classifier):
    found = plots.attention(classifier, "the </script><b> cat")
    page = plots.attention_page(found)
    reader = Reader(page)
    told = json.loads(reader.scripts["application/json"])
    held = np.frombuffer(base64.b64decode(told["weights"]), "<u2") / 65535
    np.testing.assert_allclose(
        held.reshape(told["shape"]), found.weights, atol=0.6 / 65535
    )
    assert reader.buttons[: len(found.keys)] == found.keys
    assert not reader.tags & {"link", "img", "iframe"} and "<b>" not in page
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)[1]
    digest = hashlib.sha256(reader.scripts[None].encode()).digest()
    own = base64.b64encode(digest).decode()
    assert policy.endswith(f"; script-src 'sha256-{own}'")
    assert "http" not in page.replace("http-equiv", "")


def test_a_page_that_is_too_large_is_refused(classifier):
    found = plots.attention(classifier, TEXT)
    weights = np.broadcast_to(np.float32(0), (12, 12, 512, 512))
    with pytest.raises(KzooError, match="choose layers, heads or tokens"):
        plots.attention_page(dataclasses.replace(found, weights=weights))


@pytest.mark.parametrize(
    "ask, message",
    [
        (
            lambda m: plots.attention(m, "the cat " * 9),
            "20 tokens, and the model reads 16",
        ),
        (lambda m: plots.attention(m, TEXT, "cross"), "an encoder only"),
        (lambda m: plots.attention(m, TEXT, target="a"), "an encoder reads the text"),
        (lambda m: plots.attention(m, TEXT).chosen([3]), "no layer 3; .* 0 to 2"),
        (lambda m: plots.attention(m, TEXT).chosen(heads=[2]), "no head 2; .* 0 to 1"),
        (lambda m: plots.attention(m, TEXT).chosen(heads=[]), "no head is chosen"),
        (lambda m: plots.attention(m, TEXT).chosen(tokens=(9, 12)), "no tokens 9:12"),
    ],
)
def test_what_cannot_be_drawn_is_said(classifier, ask, message):
    with pytest.raises(KzooError, match=message):
        ask(classifier)


def test_a_target_that_is_too_long_is_said(summarizer):
    with pytest.raises(KzooError, match="7 tokens, and the model writes 5"):
        plots.attention(summarizer, TEXT, "cross", TEXT)
    with pytest.raises(KzooError, match="not of cross-attention"):
        plots.attention(summarizer, TEXT, "cross", "a").rollout()


def test_a_kernel_without_weights_is_named(classifier, monkeypatch):
    from kzoo.plots import attention_weights

    monkeypatch.setattr(attention_weights, "_asked", lambda *_: (None, [None]))
    with pytest.raises(KzooError, match="layer 0 gives no attention weights"):
        plots.attention(classifier, TEXT)


def test_programming_errors():
    with pytest.raises(ValueError, match="Received: kind='self'"):
        plots.attention(None, TEXT, "self")
