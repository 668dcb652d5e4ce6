"""Checkpoints and adapters of the hub, through huggingface_hub, from our own server."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from kzoo_recipes import KzooError

from kzoo.interop.hub import adapter_folder, local_folder
from tests.helpers.hub import COMMIT, serving

pytest.importorskip("huggingface_hub", reason="needs the extra hub")

WEIGHTS = {"config.json": b"{}", "model.safetensors": b"weights"}
TEXT = {"tokenizer.json": b"{}", "vocab.txt": b"[PAD]\n"}
OTHERS = {
    "README.md": b"of no use",
    "pytorch_model.bin": b"a pickle",
    "tf_model.h5": b"of another library",
    "onnx/model.onnx": b"and another",
    "openvino/config.json": b"{}",
    "1_Pooling/config.json": b"{}",
}
PARTS = {
    "config.json": b"{}",
    "model.safetensors.index.json": b"{}",
    "model-00001-of-00002.safetensors": b"one",
    "model-00002-of-00002.safetensors": b"two",
    "model.fp16.safetensors": b"other numbers",
}
ADAPTER = {"adapter_config.json": b"{}", "adapter_model.safetensors": b"weights"}
MODELS = {
    "org/small": WEIGHTS | TEXT | OTHERS,
    "org/parts": PARTS,
    "org/pickled": {"config.json": b"{}", "pytorch_model.bin": b"a pickle"},
    "org/words": {"config.json": b"{}", **TEXT},
    "org/closed": WEIGHTS,
    "org/lora": ADAPTER | OTHERS,
    "org/lora-pickled": {"adapter_config.json": b"{}", "adapter_model.bin": b"pickle"},
    "org/lora-not": WEIGHTS,
}
NAMES = (
    "hf:org/small",
    "hf:org/small@main",
    f"hf:org/small@{COMMIT}",
    "hf:org/parts",
    "hf:org/pickled",
    "hf:org/words",
    "hf:org/closed",
    "hf:org/nothing",
    "hf:org/small@v7",
    "hf:org/small#train",
    "hf:org--x/y..z",
    "hf:org/lora",
    "hf:org/lora-pickled",
    "hf:org/lora-not",
    "hf:org/lora#train",
)


def fetch(names, offline=False, **environment):
    done = subprocess.run(
        [
            sys.executable,
            Path(__file__).with_name("hub_folders.py"),
            json.dumps([names, offline]),
        ],
        env=os.environ
        | {"HF_HUB_DISABLE_TELEMETRY": "1", "HF_HUB_OFFLINE": "0"}
        | environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return dict(zip(names, json.loads(done.stdout), strict=True)), done.stderr


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    return str(tmp_path_factory.mktemp("hub"))


@pytest.fixture(scope="module")
def fetched(home):
    with serving({}, MODELS, gated=("org/closed",)) as address:
        return fetch(NAMES, HF_ENDPOINT=address, HF_HOME=home)


@pytest.fixture(scope="module")
def later(home, fetched):
    """Without the network, and without being asked to use it."""
    names = ["hf:org/small", "hf:org/unseen"]
    nowhere = {"HF_ENDPOINT": "http://127.0.0.1:9", "HF_HOME": home}
    return {
        "gone": fetch(names, **nowhere)[0],
        "asked": fetch(names, offline=True, **nowhere)[0],
        "told": fetch(names, HF_HUB_OFFLINE="1", **nowhere)[0],
    }


def test_takes_what_it_reads_and_nothing_else(fetched):
    answers, progress = fetched
    assert answers["hf:org/small"][1] == sorted(WEIGHTS | TEXT)
    assert answers["hf:org/lora"][1] == sorted(ADAPTER)
    wanted = [name for name in PARTS if name != "model.fp16.safetensors"]
    assert answers["hf:org/parts"][1] == sorted(wanted)
    assert "Fetching" in progress  # on stderr: stdout was JSON


def test_a_revision_is_a_branch_or_a_commit(fetched):
    answers, _ = fetched
    folder, _ = answers["hf:org/small"]
    assert Path(folder).name == COMMIT
    assert answers["hf:org/small@main"][0] == folder
    assert answers[f"hf:org/small@{COMMIT}"][0] == folder


@pytest.mark.parametrize(
    "name, sentence",
    [
        (
            "hf:org/closed",
            "hf:org/closed is gated: accept its terms on "
            "https://huggingface.co/org/closed, then log in with `hf auth login`.",
        ),
        (
            "hf:org/nothing",
            "hf:org/nothing: the hub has no such model, or none that is open to you; "
            "look at the name, or log in with `hf auth login`.",
        ),
        (
            "hf:org/small@v7",
            "hf:org/small@v7: the model has no revision 'v7'; look at its branches.",
        ),
        (
            "hf:org/small#train",
            "hf:org/small#train: a checkpoint of the hub is written hf:ORG/NAME or "
            "hf:ORG/NAME@REVISION.",
        ),
        (
            "hf:org/lora#train",
            "hf:org/lora#train: an adapter of the hub is written hf:ORG/NAME or "
            "hf:ORG/NAME@REVISION.",
        ),
        (
            "hf:org/lora-pickled",
            "hf:org/lora-pickled: its weights are pickles (adapter_model.bin), which "
            "can run programs and are not read; PEFT's save_pretrained writes "
            "safetensors.",
        ),
        (
            "hf:org/lora-not",
            "hf:org/lora-not: there is no adapter_model.safetensors, so it is no "
            "adapter of PEFT; kzoo.from_hugging_face reads a whole checkpoint.",
        ),
        (
            "hf:org/words",
            "hf:org/words: there is no model.safetensors, so there are no weights to "
            "read; name a checkpoint that has them.",
        ),
    ],
)
def test_says_in_one_sentence_why_not(fetched, name, sentence):
    assert fetched[0][name] == sentence


def test_pickles_are_not_fetched(fetched, home):
    sentence = fetched[0]["hf:org/pickled"]
    assert sentence.startswith(
        "hf:org/pickled: its weights are pickles (pytorch_model.bin), which can run "
        "programs and are not read;"
    )
    assert not [*Path(home).rglob("pytorch_model.bin")]


def test_a_name_that_the_hub_would_not_have(fetched):
    assert fetched[0]["hf:org--x/y..z"].startswith(
        "hf:org--x/y..z: this is no name of the hub ("
    )


@pytest.mark.parametrize("how", ["gone", "asked", "told"])
def test_without_the_network_it_takes_the_cache(fetched, later, how):
    assert later[how]["hf:org/small"] == fetched[0]["hf:org/small"]
    why = (
        "the hub cannot be reached"
        if how == "gone"
        else "HF_HUB_OFFLINE keeps from fetching it"
    )
    if how == "asked":
        why = "it was not to be fetched"
    assert later[how]["hf:org/unseen"] == (
        f"hf:org/unseen is not in the cache, and {why}; go online once, or name a "
        "folder."
    )


def test_a_folder_is_itself(tmp_path):
    assert local_folder(tmp_path) == tmp_path
    assert local_folder(f"hf:{tmp_path}") == tmp_path
    assert adapter_folder(f"hf:{tmp_path}") == adapter_folder(tmp_path) == tmp_path
    file = tmp_path / "model.safetensors"
    file.touch()
    with pytest.raises(KzooError, match="this is a file, not a folder"):
        local_folder(file)
    with pytest.raises(KzooError, match="there is no such folder"):
        local_folder(tmp_path / "nothing")
    with pytest.raises(KzooError, match=r"or hf:org/small, if it is one of the hub\."):
        local_folder("org/small")
    with pytest.raises(KzooError, match=r"or hf:org/small, if it is one of the hub\."):
        local_folder(tmp_path / "org" / "small")
    (tmp_path / "snapshots").mkdir()
    with pytest.raises(KzooError, match="name the folder of a revision below snap"):
        local_folder(tmp_path)
    (tmp_path / "model.keras").write_bytes(b"")
    with pytest.raises(KzooError, match=r"a run of kzoo; kzoo\.load_model opens it"):
        local_folder(tmp_path)


def test_a_run_is_no_checkpoint(tmp_path):
    run = tmp_path / "mine" / "jax"
    run.mkdir(parents=True)
    (run / "model.keras").touch()
    for name, sentence in (
        (run, f"{run}: this is a run of kzoo; kzoo.load_model opens it."),
        (run / "model.keras", "model.keras: this is a model of kzoo; kzoo.load_model"),
        (run.parent, f"runs of kzoo in it; did you mean {run}?"),
    ):
        with pytest.raises(KzooError, match=re.escape(sentence)):
            local_folder(name)


def test_says_what_is_not_installed(monkeypatch):
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(KzooError) as refused:
        local_folder("hf:org/small")
    assert str(refused.value) == (
        "hf:org/small: the hub is reached by the package huggingface_hub; "
        '`pip install "kzoo[hub]"` brings it.'
    )
