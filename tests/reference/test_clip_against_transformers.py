"""CLIPs of transformers, read and written: the same vectors, logits and tensors."""

import json

import numpy as np
import pytest
import safetensors.numpy
from helpers import pictures
from helpers.layers import array
from kzoo_recipes import KzooError

import kzoo

CASES = {
    "as it comes": {},
    "of the first": {"legacy": True},
    "odd": {
        "text": {
            "hidden_size": 24,
            "num_attention_heads": 3,
            "num_hidden_layers": 3,
            "hidden_act": "gelu",
            "layer_norm_eps": 0.01,
        },
        "vision": {"image_size": 15, "patch_size": 5, "hidden_act": "gelu_new"},
        "projection_dim": 7,
        "scale": 1.3,
    },
}


def close(actual, expected):
    np.testing.assert_allclose(array(actual), expected, rtol=1e-4, atol=1e-4)


@pytest.fixture(scope="module", params=CASES)
def case(request, tmp_path_factory):
    """A CLIP of transformers, what kzoo makes of its folder, and the folder."""
    folder = tmp_path_factory.mktemp("clip")
    module = pictures.clip(folder, **CASES[request.param])
    notes = []
    model = kzoo.from_hugging_face(folder, note=notes.append)
    assert notes == []
    return module, model, folder


def batch(model, rows=3):
    """A padded batch of kzoo's and of transformers'."""
    tokenizer = pictures.clip_tokenizer()
    texts = tokenizer(pictures.TEXTS, padding=True, return_tensors="np")
    ids, mask = texts["input_ids"], texts["attention_mask"]
    assert 0 < mask.mean() < 1
    images = pictures.pixels(rows, model.image_encoder.image_size)
    ours = {
        "pixels": images,
        "token_ids": ids.astype("int32"),
        "padding_mask": mask.astype(bool),
    }
    others = {
        "pixel_values": pictures.theirs(images),
        "input_ids": pictures.torch.tensor(ids),
        "attention_mask": pictures.torch.tensor(mask),
    }
    return ours, others


def said(module, inputs, **more):
    with pictures.torch.no_grad():
        return module(**inputs, **more)


def test_logits_and_vectors_are_transformers(case):
    module, model, _ = case
    ours, others = batch(model)
    expected = said(module, others)
    close(model(ours), expected.logits_per_image)
    close(array(model(ours)).T, expected.logits_per_text)
    close(model.encode_text(pictures.TEXTS)["vectors"], expected.text_embeds)
    close(model.encode_image(ours["pixels"], 2), expected.image_embeds)
    cosines = model.similarity(ours["pixels"], pictures.TEXTS)
    close(cosines * model.scale, expected.logits_per_image)
    best = [
        answer["label"] for answer in model.classify(ours["pixels"], pictures.TEXTS)
    ]
    assert best == [pictures.TEXTS[i] for i in expected.logits_per_image.argmax(1)]


def test_states_are_transformers(case):
    module, model, _ = case
    ours, others = batch(model)
    expected = said(module, others)
    mask = ours["padding_mask"]
    hidden = array(model.text_encoder(ours["token_ids"], padding_mask=mask))
    theirs = expected.text_model_output.last_hidden_state.numpy()
    close(hidden[mask], theirs[mask])
    _, more = model.image_encoder(ours["pixels"], return_hidden_states=True)
    close(more["hidden_states"][-1], expected.vision_model_output.last_hidden_state)


def test_the_loss_is_transformers(case):
    module, model, _ = case
    ours, others = batch(model, rows=len(pictures.TEXTS))
    expected = said(module, others, return_loss=True).loss
    logits = model(ours)
    close(kzoo.layers.contrastive_loss(logits), expected)
    close(model.compute_loss(y_pred=logits), expected)


def test_texts_are_read_as_clips_tokenizer_does(case):
    _, model, _ = case
    expected = pictures.clip_tokenizer()(pictures.TEXTS)["input_ids"]
    found = model.tokenizer.encode(pictures.TEXTS, offsets=False).token_ids
    assert [ids.tolist() for ids in found] == expected
    long = model.encode_text(["cat " * 40, "cat"])
    assert long["truncated"] == [True, False] and model.sequence_length == 24


def test_pictures_are_made_ready_as_clips_processor_does(case):
    module, model, folder = case
    rng = np.random.default_rng(2)
    images = [
        rng.integers(0, 256, shape, dtype="uint8")
        for shape in ((40, 31, 3), (13, 50, 3), (18, 18, 3))
    ]
    processor = pictures.transformers.CLIPImageProcessorPil.from_pretrained(folder)
    pixels = processor(images, return_tensors="pt")["pixel_values"]
    with pictures.torch.no_grad():
        expected = module.get_image_features(pixel_values=pixels).pooler_output
    expected = expected / expected.norm(dim=-1, keepdim=True)
    close(model.encode_image(images), expected)
    close(model.encode_image(images[0]), expected[:1])


def test_what_is_written_answers_equally_in_transformers(case, tmp_path):
    module, model, _ = case
    out = kzoo.export_hugging_face(model, tmp_path / "out")
    assert out["family"] == "clip" and out["architecture"] == "CLIPModel"
    again = pictures.transformers.CLIPModel.from_pretrained(tmp_path / "out").eval()
    own, other = module.state_dict(), again.state_dict()
    assert own.keys() == other.keys()
    for name in own:
        np.testing.assert_array_equal(own[name], other[name], err_msg=name)
    _, inputs = batch(model)
    expected, answer = said(module, inputs), said(again, inputs)
    np.testing.assert_array_equal(answer.logits_per_text, expected.logits_per_text)
    auto = pictures.transformers.AutoTokenizer.from_pretrained(tmp_path / "out")
    assert (
        auto(pictures.TEXTS)["input_ids"]
        == (pictures.clip_tokenizer()(pictures.TEXTS)["input_ids"])
    )
    processor = pictures.transformers.CLIPImageProcessorPil.from_pretrained(
        tmp_path / "out"
    )
    assert processor.size["shortest_edge"] == model.image_encoder.image_size + 2
    back = kzoo.from_hugging_face(tmp_path / "out")
    assert back.get_config()["images"] == model.images
    ours, _ = batch(model)
    np.testing.assert_array_equal(array(back(ours)), array(model(ours)))


@pytest.mark.parametrize(
    "part, more, message",
    [
        (
            "text_config",
            {"eos_token_id": [3, 4]},
            "eos_token_id of text_config is [3, 4]",
        ),
        ("text_config", {"hidden_act": "mish"}, "hidden_act is 'mish'"),
        ("vision_config", {"patch_size": 5}, "patches of patch_size 5 do not fill"),
        (
            "vision_config",
            {"attention_dropout": 2},
            "attention_dropout must be a number",
        ),
        (
            None,
            {"projection_dim": 0},
            "projection_dim must be an integer of at least 1",
        ),
        (None, {"model_type": "siglip"}, "model_type is 'siglip'"),
    ],
)
def test_refuses_what_is_no_such_model(tmp_path, part, more, message):
    pictures.clip(tmp_path)
    config = json.loads((tmp_path / "config.json").read_text())
    (config if part is None else config[part]).update(more)
    (tmp_path / "config.json").write_text(json.dumps(config))
    with pytest.raises(KzooError) as error:
        kzoo.from_hugging_face(tmp_path)
    assert message in str(error.value)
    assert str(error.value).startswith(f"{tmp_path}/config.json: ")


@pytest.mark.parametrize(
    "more, message",
    [
        ({"do_rescale": False}, "do_rescale is False; kzoo always does it."),
        ({"rescale_factor": 1}, "rescale_factor is 1; kzoo has 1/255 only."),
        ({"resample": 7}, "resample is 7; kzoo has 0 (nearest)"),
        ({"do_center_crop": False}, "do_center_crop False; kzoo makes the shortest"),
        ({"crop_size": 8, "size": 9}, "pictures become 8 pixels wide, and the model"),
        ({"image_std": [0, 1, 1]}, "std must be positive."),
    ],
)
def test_refuses_pictures_made_ready_otherwise(tmp_path, more, message):
    pictures.clip(tmp_path)
    path = tmp_path / "preprocessor_config.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **more}))
    with pytest.raises(KzooError) as error:
        kzoo.from_hugging_face(tmp_path)
    assert message in str(error.value) and str(error.value).startswith(f"{path}: ")


def test_an_old_checkpoint_says_less_and_more(tmp_path):
    """As files of 2022: sizes in `…_config_dict`, usual ones left out, more tensors."""
    module = pictures.clip(tmp_path, text={"num_hidden_layers": 12})
    config = json.loads((tmp_path / "config.json").read_text())
    usual = ("hidden_act", "layer_norm_eps", "num_hidden_layers", "attention_dropout")
    text = {k: v for k, v in config["text_config"].items() if k not in usual}
    config |= {"text_config_dict": text, "text_config": None}
    (tmp_path / "config.json").write_text(json.dumps(config))
    path = tmp_path / "model.safetensors"
    tensors = safetensors.numpy.load_file(path)
    tensors["text_model.embeddings.position_ids"] = np.arange(24)[None]
    safetensors.numpy.save_file(tensors, path)
    notes = []
    model = kzoo.from_hugging_face(tmp_path, note=notes.append)
    [note] = notes
    assert "not read: the numbers of the positions (`text_model.embeddings." in note
    ours, others = batch(model)
    close(model(ours), said(module, others).logits_per_image)


@pytest.mark.parametrize("missing", ["logit_scale", "visual_projection.weight"])
def test_a_tensor_that_is_missing_is_named(tmp_path, missing):
    pictures.clip(tmp_path)
    path = tmp_path / "model.safetensors"
    tensors = safetensors.numpy.load_file(path)
    safetensors.numpy.save_file(
        {k: v for k, v in tensors.items() if k != missing}, path
    )
    with pytest.raises(
        KzooError, match=f"the tensor `{missing}`, which the checkpoint"
    ):
        kzoo.from_hugging_face(tmp_path)
    tensors["strange"] = np.zeros(3, "float32")
    safetensors.numpy.save_file(tensors, path)
    with pytest.raises(KzooError, match="no weight of kzoo's model is the tensor `str"):
        kzoo.from_hugging_face(tmp_path)


def test_a_recipe_that_wants_text_says_what_it_was_given(tmp_path):
    from kzoo.interop.pretrained import open_pretrained

    pictures.clip(tmp_path)
    with pytest.raises(KzooError, match="a model of the family 'clip' sees images"):
        open_pretrained(str(tmp_path))
