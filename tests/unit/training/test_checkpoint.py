import json

import numpy as np
import pytest
from kzoo_recipes import KzooError

from kzoo.training import checkpoint

STATE = {
    "dense/kernel": np.arange(6, dtype="float32").reshape(2, 3),
    "dropout/state": np.array([7, -2], "int32"),
    "optimizer/step": np.array(12, "int64"),
}


@pytest.fixture
def saved(tmp_path):
    checkpoint.save(tmp_path / "best", STATE, step=12, metric="accuracy", value=0.5)
    return tmp_path / "best"


def test_gives_back_what_was_saved(saved):
    state, manifest = checkpoint.load(saved)
    assert set(state) == set(STATE)
    for name, value in STATE.items():
        assert state[name].dtype == value.dtype
        assert state[name].shape == value.shape  # A scalar stays a scalar.
        np.testing.assert_array_equal(state[name], value)
    assert (manifest["step"], manifest["value"]) == (12, 0.5)


def test_saving_again_replaces(saved):
    checkpoint.save(saved, {"dense/kernel": np.zeros(1, "float32")}, step=13)
    state, manifest = checkpoint.load(saved)
    assert list(state) == ["dense/kernel"]
    assert manifest["step"] == 13
    assert [p.name for p in saved.parent.iterdir()] == ["best"]


def flip_a_bit(folder):
    content = bytearray((folder / "state.safetensors").read_bytes())
    content[-1] ^= 1
    (folder / "state.safetensors").write_bytes(content)


def cut(folder):
    content = (folder / "state.safetensors").read_bytes()
    (folder / "state.safetensors").write_bytes(content[:-4])


def forget_state(folder):
    (folder / "state.safetensors").unlink()


def forget_manifest(folder):
    (folder / "manifest.json").unlink()


def garble_manifest(folder):
    (folder / "manifest.json").write_text("[1, 2")


def list_as_manifest(folder):
    (folder / "manifest.json").write_text("[1, 2]")


def from_the_future(folder):
    manifest = json.loads((folder / "manifest.json").read_text())
    (folder / "manifest.json").write_text(json.dumps({**manifest, "format": 2}))


@pytest.mark.parametrize(
    "spoil, message",
    [
        (flip_a_bit, r"state\.safetensors: .*altered"),
        (cut, r"state\.safetensors: .* of .* bytes"),
        (forget_state, r"state\.safetensors: No such file"),
        (forget_manifest, r"manifest\.json: No such file"),
        (garble_manifest, r"manifest\.json: not a checkpoint's manifest"),
        (list_as_manifest, r"manifest\.json: not a checkpoint's manifest"),
        (from_the_future, r"format 1, not 2"),
    ],
)
def test_a_spoilt_checkpoint_is_refused(saved, spoil, message):
    spoil(saved)
    with pytest.raises(KzooError, match=message):
        checkpoint.load(saved)
