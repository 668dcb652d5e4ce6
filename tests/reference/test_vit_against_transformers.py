"""ViTs of transformers, read and written: the same states, logits and tensors."""

import json

import numpy as np
import pytest
from helpers import pictures
from helpers.layers import array
from kzoo_recipes import KzooError

import kzoo
from kzoo.interop.names import MAPS, written

CASES = {
    "as it comes": {},
    "odd": {
        "hidden_size": 21,
        "num_attention_heads": 3,
        "hidden_act": "relu",
        "layer_norm_eps": 0.01,
        "num_channels": 1,
        "image_size": 15,
        "patch_size": 5,
    },
}


def close(actual, expected):
    np.testing.assert_allclose(array(actual), expected, rtol=1e-4, atol=1e-4)


def images_of(more, **arguments):
    size, channels = more.get("image_size", 12), more.get("num_channels", 3)
    return pictures.pixels(size=size, channels=channels, **arguments)


@pytest.mark.parametrize("case", CASES)
def test_states_and_tensors_are_transformers(tmp_path, case):
    module, notes = pictures.vit(tmp_path / "vit", **CASES[case]), []
    encoder = kzoo.from_hugging_face(tmp_path / "vit", note=notes.append)
    images = images_of(CASES[case])
    with pictures.torch.no_grad():
        expected = module(pictures.theirs(images), output_hidden_states=True)
    states, more = encoder(images, return_hidden_states=True)
    close(states, expected.last_hidden_state)
    pairs = zip(more["hidden_states"], expected.hidden_states, strict=True)
    for own, other in list(pairs)[:-1]:
        close(own, other)
    assert [note for note in notes if "the pooler" in note] == notes
    out = kzoo.export_hugging_face(encoder, tmp_path / "out")
    assert out["architecture"] == "ViTModel"
    again = pictures.transformers.AutoModel.from_pretrained(
        tmp_path / "out", add_pooling_layer=False
    )
    with pictures.torch.no_grad():
        answer = again.eval()(pictures.theirs(images)).last_hidden_state
    np.testing.assert_array_equal(answer, expected.last_hidden_state)


@pytest.mark.parametrize("case", CASES)
def test_a_classifier_goes_there_and_back(tmp_path, case):
    names = {0: "cat", 1: "dog", 2: "bird"}
    more = {"id2label": names, "label2id": {v: k for k, v in names.items()}}
    module = pictures.vit(
        tmp_path / "vit", "ViTForImageClassification", **more, **CASES[case]
    )
    notes = []
    model = kzoo.from_hugging_face(tmp_path / "vit", note=notes.append)
    assert model.labels == list(names.values())
    assert len(notes) == 1 and "there is no preprocessor_config.json" in notes[0]
    images = images_of(CASES[case])
    with pictures.torch.no_grad():
        expected = module(pictures.theirs(images)).logits
    close(model({"pixels": images}), expected)
    said = [answer["label"] for answer in model.classify(images, batch_size=2)]
    assert said == [names[int(place)] for place in expected.argmax(1)]
    kzoo.export_hugging_face(model, tmp_path / "out")
    auto = pictures.transformers.AutoModelForImageClassification
    again = auto.from_pretrained(tmp_path / "out").eval()
    assert again.config.id2label == names
    with pictures.torch.no_grad():
        np.testing.assert_array_equal(again(pictures.theirs(images)).logits, expected)
    config = json.loads((tmp_path / "out" / "config.json").read_text())
    names = MAPS["vit"].names(config, "image_classifier")
    assert len(written(model, names)) == len(module.state_dict())
    model.save(tmp_path / "model.keras")
    saved = kzoo.load_model(tmp_path / "model.keras")
    assert kzoo.check_model_file(tmp_path / "model.keras")["labels"] == model.labels
    np.testing.assert_array_equal(
        array(saved({"pixels": images})), array(model({"pixels": images}))
    )


def test_a_new_head_is_said(tmp_path):
    pictures.vit(tmp_path)
    with pytest.raises(KzooError, match="no head of an image classifier"):
        kzoo.from_hugging_face(tmp_path, task="image_classifier")
    with pytest.raises(TypeError, match="`labels` must be a list of str"):
        kzoo.from_hugging_face(tmp_path, "image_classifier", labels="ab")
    notes = []
    model = kzoo.from_hugging_face(
        tmp_path, "image_classifier", labels=["a", "b"], note=notes.append
    )
    assert model.labels == ["a", "b"]
    assert any("new, and to be trained: `logits/kernel`" in note for note in notes)


@pytest.mark.parametrize(
    "more, message",
    [
        ({"image_size": 14}, "image_size is 14, which patches of patch_size 4 do not"),
        (
            {"image_size": [12, 16]},
            "image_size is 12 by 16; kzoo has models of squares",
        ),
        ({"qkv_bias": False}, "qkv_bias is False"),
        ({"hidden_act": "mish"}, "hidden_act is 'mish', an activation that kzoo does"),
        (
            {"num_channels": 0},
            "num_channels must be an integer of at least 1, and is 0",
        ),
        ({"model_type": "siglip"}, "model_type is 'siglip', a family that kzoo does"),
    ],
)
def test_refuses_what_is_no_such_model(tmp_path, more, message):
    pictures.vit(tmp_path)
    config = json.loads((tmp_path / "config.json").read_text())
    (tmp_path / "config.json").write_text(json.dumps({**config, **more}))
    with pytest.raises(KzooError) as error:
        kzoo.from_hugging_face(tmp_path)
    assert message in str(error.value)
    assert str(error.value).startswith(f"{tmp_path}/config.json: ")


def test_refuses_tasks_of_text_and_other_images(tmp_path):
    pictures.vit(tmp_path)
    with pytest.raises(KzooError, match="no text_classifier of the family 'vit', but"):
        kzoo.from_hugging_face(tmp_path, task="text_classifier")
    encoder = kzoo.from_hugging_face(tmp_path, note=lambda note: None)
    with pytest.raises(ValueError, match=r"images of 12 × 12 pixels\. Received"):
        encoder(pictures.pixels(size=16))
    with pytest.raises(ValueError, match="channels last"):
        encoder(pictures.pixels(channels=4))
