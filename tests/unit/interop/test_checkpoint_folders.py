"""A checkpoint's folder: read as it lies on the disk, or refused in a sentence."""

import json

import ml_dtypes
import numpy as np
import pytest
from kzoo_recipes import KzooError
from safetensors.numpy import save_file

from kzoo.interop.checkpoints import Checkpoint, write
from kzoo.interop.tokenizers.folder import Folder

CONFIG = {"model_type": "bert", "hidden_size": 3}


def tensors(dtype="float32"):
    rng = np.random.default_rng(1)
    return {
        "a.weight": rng.normal(size=(4, 3)).astype(dtype),
        "b.bias": rng.normal(size=3).astype(dtype),
        "scalar": np.array(2.5, dtype),
        "none": np.zeros((0, 3), dtype),
    }


@pytest.fixture
def folder(tmp_path):
    write(tmp_path, tensors(), CONFIG)
    return tmp_path


def test_reads_what_it_wrote(folder):
    checkpoint = Checkpoint(folder)
    assert checkpoint.config == CONFIG
    assert set(checkpoint.names) == set(tensors())
    for name, array in tensors().items():
        read = checkpoint.read(name)
        assert read.dtype == array.dtype
        assert checkpoint.shape(name) == array.shape
        np.testing.assert_array_equal(read, array)


def test_floats_are_not_copied_from_the_file(folder):
    read = Checkpoint(folder).read("a.weight")
    assert isinstance(read, np.memmap)
    with pytest.raises(ValueError, match="read-only"):
        read[0] = 1


@pytest.mark.parametrize("dtype", ["float16", "float64", ml_dtypes.bfloat16])
def test_other_floats_become_float32(tmp_path, dtype):
    write(tmp_path, tensors(dtype), CONFIG)
    checkpoint = Checkpoint(tmp_path)
    for name, array in tensors(dtype).items():
        assert checkpoint.read(name).dtype == "float32"
        np.testing.assert_array_equal(checkpoint.read(name), array.astype("float32"))


def test_integers_stay_integers(tmp_path):
    write(tmp_path, {"position_ids": np.arange(5)[None]}, CONFIG)
    read = Checkpoint(tmp_path).read("position_ids")
    np.testing.assert_array_equal(read, [[0, 1, 2, 3, 4]])
    assert read.dtype.kind == "i"


def shard(folder, places, files):
    folder.joinpath("config.json").write_text(json.dumps(CONFIG))
    index = {"metadata": {}, "weight_map": places}
    folder.joinpath("model.safetensors.index.json").write_text(json.dumps(index))
    for file, names in files.items():
        save_file({name: tensors()[name] for name in names}, folder / file)


def test_shards_are_one_checkpoint(tmp_path):
    places = {"a.weight": "one.safetensors", "b.bias": "two.safetensors"}
    files = {"one.safetensors": ["a.weight"], "two.safetensors": ["b.bias"]}
    shard(tmp_path, places, files)
    checkpoint = Checkpoint(tmp_path)
    assert set(checkpoint.names) == {"a.weight", "b.bias"}
    assert checkpoint.where("b.bias") == tmp_path / "two.safetensors"
    np.testing.assert_array_equal(checkpoint.read("b.bias"), tensors()["b.bias"])


@pytest.mark.parametrize(
    "places, said",
    [
        ({"a.weight": "../one.safetensors"}, "files in this folder"),
        (["a.weight"], "`weight_map` is not an object"),
        (
            {"a.weight": "one.safetensors", "c": "one.safetensors"},
            "`c` should be in one.safetensors, which does not hold it",
        ),
        ({"a.weight": "three.safetensors"}, "there is no such file of weights"),
        ({"a.weight": "one.safetensors"}, "`b.bias` is not in model.safetensors.index"),
    ],
)
def test_a_wrong_index_is_refused(tmp_path, places, said):
    shard(tmp_path, places, {"one.safetensors": ["a.weight", "b.bias"]})
    with pytest.raises(KzooError, match=said):
        Checkpoint(tmp_path)


@pytest.mark.parametrize("file", ["pytorch_model.bin", "tf_model.h5", "model.pt"])
def test_other_formats_are_refused_with_the_way_to_convert(folder, file):
    folder.joinpath("model.safetensors").rename(folder / file)
    with pytest.raises(KzooError, match=rf"weights are in {file}.*save_pretrained"):
        Checkpoint(folder)


def test_a_folder_that_lacks_something(folder):
    with pytest.raises(KzooError, match="nowhere: there is no such folder"):
        Checkpoint(folder / "nowhere")
    folder.joinpath("model.safetensors").unlink()
    with pytest.raises(KzooError, match="so there are no weights"):
        Checkpoint(folder)
    folder.joinpath("config.json").unlink()
    with pytest.raises(KzooError, match=r"there is no config\.json"):
        Checkpoint(folder)


@pytest.mark.parametrize(
    "file, said",
    [
        ("adapter_model.safetensors", r"is an adapter, which `kzoo rebuild` and kz"),
        ("model-00001-of-00002.safetensors", r"is one of several files, which model\."),
        ("model.fp16.safetensors", r"which must be called model\.safetensors to be r"),
    ],
)
def test_other_files_of_weights_are_told(folder, file, said):
    folder.joinpath("model.safetensors").rename(folder / file)
    with pytest.raises(KzooError, match=said):
        Checkpoint(folder)


def test_an_adapter_by_itself_is_told(folder):
    folder.joinpath("config.json").rename(folder / "adapter_config.json")
    with pytest.raises(KzooError, match="is an adapter of PEFT, which `kzoo rebuild`"):
        Checkpoint(folder)


def test_a_link_to_nothing(folder):
    folder.joinpath("model.safetensors").unlink()
    folder.joinpath("model.safetensors").symlink_to("../blobs/0")
    with pytest.raises(KzooError, match="is a link to a file that is not there"):
        Checkpoint(folder)


def test_a_pointer_of_git_lfs(folder):
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 9\n"
    folder.joinpath("model.safetensors").write_text(pointer)
    with pytest.raises(KzooError, match=r"safetensors: this is a pointer of git-lfs"):
        Checkpoint(folder)
    folder.joinpath("spiece.model").write_text(pointer)
    with pytest.raises(KzooError, match=r"spiece\.model: this is a pointer of git-lfs"):
        Folder(folder, CONFIG).bytes("spiece.model")


def test_a_folder_in_place_of_the_file(folder):
    folder.joinpath("model.safetensors").unlink()
    folder.joinpath("model.safetensors").mkdir()
    with pytest.raises(KzooError, match="cannot be read: "):
        Checkpoint(folder)


@pytest.mark.parametrize("kept", [0, 4, 40, -4])
def test_a_file_cut_short_is_refused(folder, kept):
    file = folder / "model.safetensors"
    file.write_bytes(file.read_bytes()[:kept])
    with pytest.raises(KzooError, match="no whole safetensors file"):
        Checkpoint(folder)


def test_a_config_that_is_none_is_refused(folder):
    folder.joinpath("config.json").write_text("[1]")
    with pytest.raises(KzooError, match=r"config\.json: this is not a JSON object"):
        Checkpoint(folder)
    folder.joinpath("config.json").write_text("{")
    with pytest.raises(KzooError, match=r"config\.json: this is not plain JSON"):
        Checkpoint(folder)
