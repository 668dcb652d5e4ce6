"""The HDF5 file: only arrays in one piece, each reached once, each of the model."""

import struct

import h5py
import numpy as np
import pytest
from helpers.archives import packed, with_weights

from kzoo.safety import read_datasets

GROUP = "layers/projection_1/vars"
BIAS = f"{GROUP}/1"


@pytest.fixture
def sentence(parts, tmp_path, refusal):
    """What is said of a model whose weights were changed through h5py."""

    def of(change):
        path = packed(with_weights(parts, change), tmp_path / "model.keras")
        return refusal(path).removeprefix("model.weights.h5: ")

    return of


def replaced(**how):
    """Write the last bias anew in another way."""

    def change(file):
        del file[BIAS]
        file.create_dataset(BIAS, **how)

    return change


def virtual(file):
    del file[BIAS]
    layout = h5py.VirtualLayout((2,), "f4")
    layout[:] = h5py.VirtualSource("other.h5", "x", (2,))
    file.create_virtual_dataset(BIAS, layout)


def soft(file):
    file[f"{GROUP}/2"] = h5py.SoftLink("/layers")


def external(file):
    file[f"{GROUP}/2"] = h5py.ExternalLink("/etc/passwd", "/x")


def hard(file):
    file[f"{GROUP}/2"] = file[BIAS]


def circle(file):
    file[f"{GROUP}/2"] = file["layers"]


def named_type(file):
    file["evil"] = np.dtype("f4")


def elsewhere(file):
    del file[BIAS]
    values = [("/etc/passwd", 0, 8)]
    h5py.Dataset(
        h5py.h5d.create(
            file[GROUP].id,
            b"1",
            h5py.h5t.IEEE_F32LE,
            h5py.h5s.create_simple((2,)),
            _external(values),
        )
    )


def _external(values):
    properties = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    for name, offset, size in values:
        properties.set_external(name.encode(), offset, size)
    return properties


ONE_PIECE = "is chunked, compressed or virtual; weights lie in one piece, as"


@pytest.mark.parametrize(
    "change, words",
    [
        (soft, "2 is a soft link; save the model anew."),
        (external, "has members in a later form, as links to other files are, whi"),
        (hard, "is a second link to something else in it."),
        (circle, "is a second link to something else in it."),
        (named_type, "the description of evil is damaged."),
        (virtual, ""),
        (elsewhere, f"{BIAS} has its values in another file, which no weights of"),
        (replaced(data=np.zeros(2, "f4"), chunks=(1,)), f"{BIAS} {ONE_PIECE}"),
        (
            replaced(data=np.zeros(2, "f4"), chunks=(2,), compression="gzip"),
            f"{BIAS} has a filter, such as compression, which no weights of kzoo have.",
        ),
        (replaced(shape=(2,), dtype="f4"), f"{BIAS} of shape (2,) stores no values."),
        (replaced(data=np.zeros(2, ">f4")), f"{BIAS} holds neither float nor int num"),
        (replaced(data=[b"ab", b"c"]), f"{BIAS} holds neither float nor int numbers"),
        (
            replaced(data=np.zeros(2, "f4"), maxshape=(None,), chunks=(1,)),
            f"{BIAS} may grow, as no weight may",
        ),
        (
            lambda file: file.attrs.create("x", np.zeros(3)),
            "an attribute of the root is a list, not one text.",
        ),
        (
            lambda file: file.attrs.create("x", 3.0),
            "an attribute of the root is not a text.",
        ),
    ],
)
def test_forms_that_no_weights_have(sentence, change, words):
    said = sentence(change)
    assert words in said


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_weights_that_are_no_numbers(sentence, value):
    def change(file):
        file[BIAS][1] = value

    assert sentence(change) == (
        f"{BIAS} holds {value} at (1,); a model with such weights answers nothing, so "
        "train it again."
    )


def test_a_group_of_weights_too_many(sentence):
    def change(file):
        file["layers/evil/vars/0"] = np.zeros((3, 3), "f4")

    assert sentence(change) == (
        "model.weights.h5 holds layers/evil/vars/0 of shape (3, 3) beyond the weights "
        "of the model that config.json describes; save it anew."
    ) or "layers/evil/vars/0 of shape (3, 3) beyond" in sentence(change)


def test_a_weight_that_is_missing(sentence):
    def change(file):
        del file["layers/projection/vars/0"]

    assert "a weight text_classifier/head/kernel of shape (64, 64)" in sentence(
        change
    ) or "of shape (64, 64), but model.weights.h5 holds" in sentence(change)


def test_a_shape_without_values(sentence):
    """A gigabyte that the file does not have."""
    said = sentence(replaced(shape=(2**28,), dtype="f4"))
    assert said == f"{BIAS} of shape (268435456,) stores no values."


def test_a_weight_of_another_shape(sentence):
    assert "of shape (2,), but model.weights.h5 holds" in sentence(
        replaced(data=np.zeros(3, "f4"))
    )


def test_other_forms_of_hdf5(parts, tmp_path, refusal):
    """What `libver="latest"` writes is not what Keras writes."""
    later = tmp_path / "later.h5"
    with h5py.File(later, "w", libver="latest") as file:
        file["layers/vars/0"] = np.zeros(3)
    parts["model.weights.h5"] = later.read_bytes()
    assert refusal(packed(parts, tmp_path / "model.keras")) == (
        "model.weights.h5: it is of a form of HDF5 that Keras does not write; save the "
        "model with model.save('NAME.keras')."
    )


def test_a_cut_file(parts, tmp_path, refusal):
    parts["model.weights.h5"] = parts["model.weights.h5"][:-8]
    assert refusal(packed(parts, tmp_path / "model.keras")) == (
        "model.weights.h5: it says that it has 3,003,056 bytes but has 3,003,048; it "
        "was cut off or added to."
    )


def test_kzoo_reads_what_h5py_wrote(tmp_path):
    """Every array at the path, of the dtype and with the values that h5py finds."""
    rng = np.random.default_rng(7)
    path = tmp_path / "weights.h5"
    with h5py.File(path, "w") as file:
        for number, dtype in enumerate(("f2", "f4", "f8", "i4", "i8", "u4", "u1")):
            group = file.create_group(f"layers/layer_{number}/vars")
            group.attrs["name"] = "ä" * number
            for place in range(number * 5):
                shape = rng.integers(0, 4, size=number % 4)
                group[str(place)] = rng.integers(0, 9, shape).astype(dtype)
    content = path.read_bytes()
    found = read_datasets(content, "weights.h5")
    seen = 0
    with h5py.File(path) as file:

        def compare(name, item):
            nonlocal seen
            if isinstance(item, h5py.Dataset):
                seen += 1
                array = found[name]
                count = int(np.prod(array.shape))
                values = np.frombuffer(
                    content, array.dtype, count, array.start if count else 0
                )
                np.testing.assert_array_equal(values.reshape(array.shape), item[()])
                assert array.dtype == item.dtype

        file.visititems(compare)
    assert seen == len(found) == 105


def test_nodes_that_follow_each_other_in_a_circle(parts, tmp_path, refusal):
    """The HDF5 library walks from neighbour to neighbour."""
    content = bytearray(parts["model.weights.h5"])
    at = content.find(b"TREE")
    struct.pack_into("<Q", content, at + 16, at)  # its own right neighbour
    parts["model.weights.h5"] = bytes(content)
    assert refusal(packed(parts, tmp_path / "model.keras")) == (
        "model.weights.h5: the members of a group are damaged."
    )
