"""Tensors into weights and back: every one is used, listed or an error."""

import numpy as np
import pytest
from kzoo_recipes import KzooError

from kzoo.interop.checkpoints import Checkpoint, write
from kzoo.interop.names import Name, NameMap, forms, read_into, weights_of, written
from kzoo.interop.names.spelling import plain
from kzoo.layers import TransformerEncoder

RNG = np.random.default_rng(3)


def drawn(*shape):
    return RNG.normal(size=shape).astype("float32")


@pytest.mark.parametrize(
    "form, theirs, ours",
    [
        (forms.SAME, (4, 3), (4, 3)),
        (forms.TRANSPOSED, (4, 3), (3, 4)),
        (forms.heads(2), (6, 5), (5, 2, 3)),
        (forms.head_bias(2), (6,), (2, 3)),
        (forms.merged_heads(2), (5, 6), (2, 3, 5)),
    ],
)
def test_forms_go_there_and_back(form, theirs, ours):
    x = drawn(*theirs)
    assert form.read(x).shape == ours
    np.testing.assert_array_equal(form.write(form.read(x)), x)


def test_heads_are_those_of_attention():
    """Projecting and then splitting is projecting into heads."""
    weight, x = drawn(6, 5), drawn(7, 5)
    split = (x @ weight.T).reshape(7, 2, 3)
    into = np.einsum("td,dnh->tnh", x, forms.heads(2).read(weight))
    np.testing.assert_allclose(into, split, atol=1e-6)
    back = drawn(5, 6)
    out = np.einsum("tnh,nhd->td", split, forms.merged_heads(2).read(back))
    np.testing.assert_allclose(out, split.reshape(7, 6) @ back.T, atol=1e-5)


def test_rows_before_the_first_come_back_as_zeros():
    table = drawn(7, 3)
    ours = forms.rows_from(2).read(table)
    np.testing.assert_array_equal(ours, table[2:])
    back = forms.rows_from(2).write(ours)
    np.testing.assert_array_equal(back[2:], table[2:])
    assert not back[:2].any()


def test_fused_and_stacked_are_each_other_s_inverse():
    fused = forms.fused(forms.heads(2), forms.heads(2))
    whole = drawn(12, 5)
    queries, keys = fused.read(whole)
    np.testing.assert_array_equal(keys, forms.heads(2).read(whole[6:]))
    np.testing.assert_array_equal(fused.write(queries, keys), whole)
    stacked = forms.stacked(forms.SAME, forms.SAME)
    parts = drawn(3, 2), drawn(3, 2)
    assert stacked.read(*parts).shape == (6, 2)
    np.testing.assert_array_equal(stacked.write(stacked.read(*parts)), parts)


@pytest.mark.parametrize(
    "name, expected",
    [
        ("bert.embeddings.LayerNorm.gamma", "embeddings.LayerNorm.weight"),
        ("embeddings.LayerNorm.beta", "embeddings.LayerNorm.bias"),
        ("module.bert.pooler.dense.weight", "pooler.dense.weight"),
        ("_orig_mod.module.classifier.bias", "classifier.bias"),
        ("0.auto_model.pooler.dense.bias", "pooler.dense.bias"),
        ("model.bert.pooler.dense.bias", "pooler.dense.bias"),
        ("model.classifier.bias", "classifier.bias"),
        ("berth.weight", "berth.weight"),
    ],
)
def test_old_spellings(name, expected):
    assert plain(name, ("bert.",)) == expected


def encoder():
    made = TransformerEncoder(9, 1, 2, 4, 6, position="none", name="some_name")
    made.build((None, None))
    return made


def names_of(model):
    today = str.maketrans({"/": "."})
    return [
        Name(path, plain(path.translate(today)))  # A norm's weight and bias.
        for path in weights_of(model)
    ]


MAP = NameMap(None, prefixes=("base.",), aside={"pooler.*": "the pooler"})


@pytest.fixture
def parts(tmp_path):
    """An encoder, its names and the folder with tensors for it."""
    model = encoder()
    names = names_of(model)
    stored = {
        f"base.{name.theirs}": drawn(*weights_of(model)[name.ours].shape)
        for name in names
    }
    return model, names, stored, tmp_path


def read(model, names, stored, folder, **more):
    write(folder, stored, {"model_type": "bert"})
    return read_into(model, Checkpoint(folder), MAP, names, **more)


def test_there_and_back(parts):
    model, names, stored, _ = parts
    assert read(*parts) == []
    back = written(model, names)
    assert {f"base.{name}" for name in back} == set(stored)
    for name, array in back.items():
        np.testing.assert_array_equal(array, stored[f"base.{name}"])


def test_paths_begin_with_the_role_and_not_with_the_name():
    paths = weights_of(encoder())
    assert "encoder/block_0/attention/query/kernel" in paths
    assert all(path.startswith("encoder/") for path in paths)
    assert not any(path.endswith("state") for path in paths)


def test_what_is_known_to_be_of_no_use_is_said(parts):
    parts[2]["base.pooler.dense.weight"] = drawn(4, 4)
    [note] = read(*parts)
    assert note == (f"{parts[3]}: not read: the pooler (`base.pooler.dense.weight`).")


def test_a_stranger_is_an_error(parts):
    parts[2]["base.encoder.block_0.attention.query.kernels"] = drawn(4, 4)
    with pytest.raises(KzooError) as error:
        read(*parts)
    assert str(error.value) == (
        f"{parts[3]}/model.safetensors: no weight of kzoo's model is the tensor "
        "`base.encoder.block_0.attention.query.kernels` of shape (4, 4). The nearest "
        "is `encoder.block_0.attention.query.kernel`."
    )


def test_a_missing_tensor_is_an_error_that_names_both_sides(parts):
    del parts[2]["base.encoder.block_0.feed_forward.input.bias"]
    with pytest.raises(KzooError) as error:
        read(*parts)
    assert str(error.value).startswith(
        f"{parts[3]}: kzoo's weight encoder/block_0/feed_forward/input/bias is the "
        "tensor `encoder.block_0.feed_forward.input.bias`, which the checkpoint does "
        "not hold. The nearest is `"
    )


@pytest.mark.parametrize("shape", [(9, 5), (36,), (4, 9)])
def test_another_shape_is_an_error_that_names_both_sides(parts, shape):
    parts[2]["base.encoder.embedding.embeddings"] = drawn(*shape)
    with pytest.raises(KzooError) as error:
        read(*parts)
    assert str(error.value) == (
        f"{parts[3]}/model.safetensors: kzoo's weight encoder/embedding/embeddings of "
        f"shape (9, 4) cannot be `base.encoder.embedding.embeddings` of shape {shape}; "
        "config.json and the weights are not of one model."
    )


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_numbers_that_are_none_are_an_error(parts, value):
    parts[2]["base.encoder.embedding.embeddings"][3, 2] = value
    with pytest.raises(KzooError, match="not finite"):
        read(*parts)


def test_two_spellings_of_one_weight_are_an_error(parts):
    parts[2]["encoder.embedding.embeddings"] = drawn(9, 4)
    with pytest.raises(KzooError, match="two names of one weight"):
        read(*parts)


def test_a_quantized_tensor_is_an_error(parts):
    model, names, stored, folder = parts
    [bias] = [n for n in names if n.ours == "encoder/embedding/embeddings"]
    stored[f"base.{bias.theirs}"] = stored[f"base.{bias.theirs}"].astype("int8")
    with pytest.raises(KzooError, match="not stored as floats; the checkpoint is qua"):
        read(model, names, stored, folder)


def test_copies_must_be_equal(parts):
    model, names, stored, folder = parts
    table = "encoder/embedding/embeddings"
    names = [
        Name(n.ours, n.theirs, copies=("output.weight",)) if n.ours == table else n
        for n in names
    ]
    stored["output.weight"] = stored["base.encoder.embedding.embeddings"].copy()
    assert read(model, names, stored, folder) == []
    stored["output.weight"][0, 0] += 1
    with pytest.raises(
        KzooError, match=f"both kzoo's weight {table}, but they are not"
    ):
        read(model, names, stored, folder)


def test_a_group_begins_anew_as_a_whole_or_not_at_all(parts):
    model, names, stored, folder = parts
    group = [f"base.encoder.final_norm.{name}" for name in ("weight", "bias")]
    taken = {name: stored.pop(name) for name in group}
    fresh = {"fresh": ("encoder/final_norm/*",)}
    [note] = read(model, names, stored, folder, **fresh)
    assert note == (
        f"{folder}: new, and to be trained: "
        "`encoder/final_norm/gamma`, `encoder/final_norm/beta`."
    )
    stored[group[0]] = taken[group[0]]
    with pytest.raises(KzooError, match="encoder/final_norm/beta is the tensor"):
        read(model, names, stored, folder, **fresh)


def test_names_cover_the_model(parts):
    model, names, _, _ = parts
    for wrong, said in (
        (names[1:], "not named: encoder/"),
        ([*names, names[0]], "named twice: encoder/"),
        ([*names, Name("encoder/more", "more")], "not of the model: encoder/more"),
    ):
        with pytest.raises(ValueError, match=said):
            written(model, wrong)
