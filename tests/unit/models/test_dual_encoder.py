"""Two towers: what they are given, how they are trained, and every refusal."""

import numpy as np
import pytest
from helpers.layers import array, assert_close, fill
from kzoo_cli.answering import Wish, kind_of
from kzoo_recipes import KzooError

import kzoo
from kzoo.layers import contrastive_loss
from kzoo.text import Tokenizer
from kzoo.training.answers import task_of

TEXTS = ["a red square", "a blue circle", "a green line"]
TOKENIZER = Tokenizer.train(TEXTS * 2, "word", 30, min_frequency=1)
END = int(TOKENIZER.special_ids[1][-1])
rng = np.random.default_rng(5)


def image_encoder(**more):
    return kzoo.layers.ImageEncoder(8, 4, 1, 2, 12, 16, **more)


def text_encoder(kind=kzoo.layers.TransformerDecoder, **more):
    if kind is kzoo.layers.TransformerDecoder:
        more = {"cross_attention": False, **more}
    return kind(
        TOKENIZER.vocabulary_size, 1, 2, 16, 24, dropout=0.0, position="learned", **more
    )


def model_of(**more):
    arguments = {"end_id": END, "sequence_length": 10, **more}
    return kzoo.DualEncoder(text_encoder(), image_encoder(), 6, **arguments)


def pictures(rows=3):
    return rng.integers(0, 256, (rows, 11, 14, 3), dtype="uint8")


def test_the_loss_is_the_papers():
    logits = rng.normal(size=(5, 5)).astype("float32")
    exact = logits.astype("float64")

    def entropy(rows):
        shares = np.exp(rows) / np.exp(rows).sum(axis=1, keepdims=True)
        return -np.log(np.diag(shares)).mean()

    assert_close(contrastive_loss(logits), (entropy(exact) + entropy(exact.T)) / 2)


def test_scores_are_scaled_cosines_of_the_end():
    model = fill(model_of()).attach(TOKENIZER)
    encoded = TOKENIZER.encode(TEXTS, offsets=False)
    length = max(map(len, encoded.token_ids))
    ids = np.full((3, length + 2), TOKENIZER.pad_id, "int32")
    for row, own in enumerate(encoded.token_ids):
        ids[row, : len(own)] = own
    mask = ids != TOKENIZER.pad_id
    pixels = rng.normal(size=(2, 8, 8, 3)).astype("float32")
    hidden = array(model.text_encoder(ids, padding_mask=mask)).astype("float64")
    ends = np.stack(
        [
            rows[len(own) - 1]
            for rows, own in zip(hidden, encoded.token_ids, strict=True)
        ]
    )
    kernels = [
        array(model.get_layer(f"{name}_projection").kernel).astype("float64")
        for name in ("text", "image")
    ]
    texts = ends @ kernels[0]
    images = array(model.image_encoder(pixels))[:, 0].astype("float64") @ kernels[1]
    texts /= np.linalg.norm(texts, axis=1, keepdims=True)
    images /= np.linalg.norm(images, axis=1, keepdims=True)
    scale = float(array(model.get_layer("similarity").log_scale))
    logits = model({"pixels": pixels, "token_ids": ids, "padding_mask": mask})
    np.testing.assert_allclose(
        array(logits), np.exp(scale) * images @ texts.T, rtol=1e-5, atol=1e-5
    )
    np.testing.assert_allclose(
        model.similarity(pixels, TEXTS), images @ texts.T, rtol=1e-4, atol=1e-5
    )


def test_answers_do_not_depend_on_batches_or_others():
    model = fill(model_of(), seed=1).attach(TOKENIZER)
    images = pictures(5)
    whole = model.classify(images=list(images), texts=TEXTS)
    one = [model.classify(image, TEXTS)[0] for image in images]
    assert [answer["label"] for answer in whole] == [a["label"] for a in one]
    for answer in whole:
        assert sum(answer["probabilities"].values()) == pytest.approx(1.0)
    vectors = model.encode_image(list(images), batch_size=2)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, rtol=1e-6)
    np.testing.assert_allclose(vectors, model.encode_image(list(images)), atol=1e-6)
    said = model.encode_text([*TEXTS, "a red " * 20])
    assert said["truncated"] == [False, False, False, True]
    alone = model.encode_text(TEXTS[0])["vectors"]
    np.testing.assert_allclose(alone[0], said["vectors"][0], atol=1e-6)


def test_it_is_saved_whole(tmp_path):
    model = fill(model_of(end_id=None)).attach(TOKENIZER)
    model.save(tmp_path / "model.keras")
    told = kzoo.check_model_file(tmp_path / "model.keras")
    assert told["class"] == "DualEncoder" and told["labels"] is None
    again = kzoo.load_model(tmp_path / "model.keras")
    for key in ("projection_dim", "end_id", "sequence_length", "images"):
        assert again.get_config()[key] == model.get_config()[key]
    images = list(pictures())
    np.testing.assert_array_equal(
        again.similarity(images, TEXTS), model.similarity(images, TEXTS)
    )


@pytest.mark.parametrize(
    "arguments, message",
    [
        ({"end_id": 99}, r"Received: end_id=99"),
        ({"end_id": -1}, r"Received: end_id=-1"),
        ({"sequence_length": 900}, r"512 tokens only\. Received: sequence_length=900"),
        ({"images": {"size": 16}}, r"Received: size=16, image_size=8"),
        ({"images": {"size": 8, "std": [0, 1, 1]}}, r"`std` must be positive"),
    ],
)
def test_arguments_that_do_not_fit(arguments, message):
    with pytest.raises(ValueError, match=message):
        model_of(**arguments)


def test_a_projection_has_a_width():
    with pytest.raises(ValueError, match="Received: projection_dim=0"):
        kzoo.DualEncoder(text_encoder(), image_encoder(), 0, sequence_length=10)


def test_calls_that_do_not_fit():
    model = model_of()
    with pytest.raises(KzooError, match="has no tokenizer, so it cannot read text"):
        model.encode_text(TEXTS)
    model.attach(TOKENIZER)
    with pytest.raises(ValueError, match=r"must be different.*Received: texts=\["):
        model.classify(pictures(), ["a", "a"])
    with pytest.raises(ValueError, match=r"Received: images of shape \(2, 8, 8\)"):
        model.encode_image(np.zeros((2, 8, 8), "float32"))
    with pytest.raises(TypeError, match=r"Received: images\[0\] of type int"):
        model.encode_image([3])
    with pytest.raises(KzooError, match=r"none\.png: there is no such file"):
        model.encode_image("none.png")
    with pytest.raises(ValueError, match="pairs of a batch are its targets"):
        model.compute_loss(y=np.zeros(3), y_pred=np.zeros((3, 3)))


def test_what_transformers_lacks_is_not_exported(tmp_path):
    causal = model_of().attach(TOKENIZER)
    with pytest.raises(KzooError, match=r"the nearest is CLIP, but .*image: "):
        kzoo.export_hugging_face(causal, tmp_path / "out")
    both = kzoo.DualEncoder(
        *(text_encoder(kzoo.layers.TransformerEncoder), image_encoder(), 6, END, 10)
    ).attach(TOKENIZER)
    with pytest.raises(KzooError, match="a text sees what follows here, and not"):
        kzoo.export_hugging_face(both, tmp_path / "out")
    second = model_of(end_id=2).attach(TOKENIZER)
    with pytest.raises(KzooError, match="takes the highest id of a text for its end"):
        kzoo.export_hugging_face(second, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_commands_say_that_they_do_not_ask_it():
    said = "Models of the class DualEncoder are asked in Python"
    with pytest.raises(KzooError, match=said):
        task_of(model_of())
    wish = Wish(8, False, {}, {}, False, False)
    with pytest.raises(KzooError, match=said):
        kind_of(model_of(), "pairs", wish, "text")


def test_sizes_of_an_encoder():
    with pytest.raises(ValueError, match=r"Received: image_size=9, patch_size=4"):
        kzoo.layers.ImageEncoder(9, 4, 1, 2, 12, 16)
    encoder = image_encoder(norm="rms_norm", embedding={"num_channels": 1})
    again = kzoo.layers.ImageEncoder.from_config(encoder.get_config())
    assert again.get_config() == encoder.get_config()
    pixels = rng.normal(size=(2, 8, 8, 1)).astype("float32")
    _, more = encoder(pixels, return_attention_weights=True)
    assert tuple(more["attention_weights"][0].shape) == (2, 2, 5, 5)


def test_a_classifier_has_labels():
    model = kzoo.ImageClassifier(image_encoder(), 2)
    with pytest.raises(KzooError, match="has no labels, so it cannot name its answers"):
        model.classify(pictures())
    with pytest.raises(ValueError, match="needs 2 different labels"):
        model.attach(["a", "a"])
    with pytest.raises(ValueError, match="Received: num_classes=1"):
        kzoo.ImageClassifier(image_encoder(), 1)
