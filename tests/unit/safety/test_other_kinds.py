"""Files of other kinds are refused by kind, saying what to do instead."""

import gzip
import io
import pickle
import zipfile

import h5py
import numpy as np
import pytest


def hdf5():
    stream = io.BytesIO()
    with h5py.File(stream, "w") as file:
        file["layer/vars/0"] = np.zeros(3)
    return stream.getvalue()


def arrays(**kwargs):
    stream = io.BytesIO()
    np.savez(stream, **kwargs)
    return stream.getvalue()


def torch_archive():
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("model/data.pkl", pickle.dumps({}))
    return stream.getvalue()


SAVE = "load it where it was made and save a kzoo model with model.save('NAME.keras')."
RUNS = "unpickling runs whatever code the file names, so kzoo opens none; " + SAVE


@pytest.mark.parametrize(
    "name, content, sentence",
    [
        ("model.h5", hdf5(), "this is an HDF5 file: weights, or a model of an older"),
        ("model.weights.h5", hdf5(), "this is an HDF5 file: weights, or a model of an"),
        (
            "model.keras",
            hdf5(),
            "this is an HDF5 file: weights, or a model of an older",
        ),
        ("model.pkl", pickle.dumps({}), f"this is a pickle; {RUNS}"),
        ("model.keras", pickle.dumps([1]), f"this is a pickle; {RUNS}"),
        ("pytorch_model.bin", pickle.dumps({}), "this is a PyTorch file, a pickle; "),
        (
            "model.pt",
            torch_archive(),
            "this is a PyTorch file, a pickle in a zip arch",
        ),
        ("model.npz", arrays(a=np.zeros(2)), "this is an .npz of NumPy arrays, which"),
        (
            "model.npz",
            arrays(a=np.array([{}], dtype=object)),
            "this is an .npz of NumPy arrays, which may be pickled; " + SAVE,
        ),
        ("a.npy", b"\x93NUMPY\1\0", "this is an array of NumPy; " + SAVE),
        (
            "model.safetensors",
            (8).to_bytes(8, "little") + b'{"a":{}}',
            "this is a safetensors file: weights without a model; " + SAVE,
        ),
        (
            "model.keras.gz",
            gzip.compress(b"x", mtime=0),
            "this is compressed with gzip; unpack it first, with `gunzip`.",
        ),
        ("model.gguf", b"GGUF\3\0\0\0", "this is a GGUF file, weights of another lib"),
        ("text.keras", b"hello", "this is not a .keras archive; name a file that kzoo"),
        ("empty.keras", b"", "the file is empty; name a .keras file that kzoo saved."),
    ],
)
def test_refused_by_kind(tmp_path, refusal, name, content, sentence):
    path = tmp_path / name
    path.write_bytes(content)
    assert refusal(path).startswith(sentence)


def test_a_folder_that_keras_saved(tmp_path, refusal):
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "config.json").write_text("{}")
    assert refusal(folder) == (
        "this is a model as a folder of files; save it as one file, with "
        "model.save('NAME.keras')."
    )


def test_a_checkpoint_of_hugging_face(tmp_path, refusal):
    (tmp_path / "config.json").write_text("{}")
    (tmp_path / "model.safetensors").touch()
    assert refusal(tmp_path) == (
        "this is a checkpoint of Hugging Face; kzoo.from_hugging_face reads it."
    )


def test_a_saved_model_of_tensorflow(tmp_path, refusal):
    (tmp_path / "saved_model.pb").touch()
    assert refusal(tmp_path) == f"this is a SavedModel of TensorFlow; {SAVE}"


def test_a_folder_in_the_place_of_the_file(tmp_path, refusal):
    folder = tmp_path / "run"
    (folder / "model.keras").mkdir(parents=True)
    assert refusal(folder).startswith("there is no model here; name a .keras file")
