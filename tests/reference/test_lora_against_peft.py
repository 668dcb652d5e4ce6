"""LoRA files of PEFT, there and back: the same logits for every kind of family."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest
from helpers import checkpoints, encoder_decoders
from helpers.hub import serving
from helpers.layers import array
from helpers.toys import once
from test_encoders_against_transformers import DEBERTA, DISTILBERT, MODERNBERT
from test_heads_against_transformers import NAMES, named, tokenizer

import kzoo
from kzoo.interop.tokenizers import write_tokenizer

torch = pytest.importorskip("torch", reason="peft runs on torch")
transformers = pytest.importorskip("transformers", reason="peft adapts its models")
peft = pytest.importorskip("peft", reason="it is what is compared with")
pytestmark = once  # What is read and written is NumPy's.

# By class: more of its config, and projections of several kinds by their last names.
ENCODERS = {
    "BertForSequenceClassification": ({}, ["query", "value", "intermediate.dense"]),
    "RobertaForTokenClassification": ({"type_vocab_size": 1}, ["key", "output.dense"]),
    "DistilBertForSequenceClassification": (DISTILBERT, ["q_lin", "out_lin", "lin1"]),
    "AlbertForTokenClassification": ({"embedding_size": 12}, ["query", "ffn"]),
    "ModernBertForSequenceClassification": (MODERNBERT, ["Wqkv", "Wi", "Wo"]),
    "DebertaV2ForSequenceClassification": (DEBERTA, ["query_proj", "dense"]),
}
WRITERS = {"t5 v1.1": ["q", "wi_0", "wo"], "bart": ["q_proj", "out_proj", "fc1"]}
KINDS = {"Sequence": "SEQ_CLS", "Token": "TOKEN_CLS"}


def lively(model, seed=0):
    """The model with updates that do something."""
    torch.manual_seed(seed)
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if "lora_" in name or "modules_to_save" in name:
                weight.add_(0.2 * torch.randn(weight.shape))
    return model.eval()


def encoder(folder, architecture, targets=None, **lora):
    """A base of transformers in a folder, and an adapter of PEFT beside it."""
    more, usual = ENCODERS[architecture]
    base = checkpoints.saved(
        folder / "base",
        architecture,
        f"{architecture.split('For')[0]}Config",
        **{**named(NAMES), "pad_token_id": 0, **more},
    )
    config = base.config.to_dict()
    write_tokenizer(tokenizer(config["pad_token_id"]), folder / "base", config)
    base.name_or_path = str(folder / "base")
    kind = next(v for k, v in KINDS.items() if k in architecture)
    settings = {"r": 3, "lora_alpha": 5, "target_modules": targets or usual, **lora}
    made = peft.get_peft_model(base, peft.LoraConfig(task_type=kind, **settings))
    lively(made).save_pretrained(folder / "adapter")
    return made


def compare(model, module, atol=1e-5):
    token_ids, mask = checkpoints.batch()
    expected = checkpoints.answers(module, token_ids, mask)
    actual = array(model({"token_ids": token_ids, "padding_mask": mask}))
    if actual.ndim == 3:
        expected, actual = expected[mask], actual[mask]
    np.testing.assert_allclose(actual, expected, rtol=1e-4, atol=atol)


def again(folder, architecture):
    """What PEFT makes of an adapter that kzoo wrote, beside the same base."""
    kind = getattr(transformers, architecture)
    base = kind.from_pretrained(folder / "base")
    made = peft.PeftModel.from_pretrained(base, folder / "written")
    return made.eval()


@pytest.mark.parametrize("architecture", ENCODERS)
def test_an_encoder_there_and_back(architecture, tmp_path):
    module = encoder(tmp_path, architecture)
    model = kzoo.from_peft(tmp_path / "adapter", note=[].append)
    assert model.labels == NAMES
    compare(model, module)
    compare(kzoo.merge(model), module)
    base = str(tmp_path / "base")
    said = kzoo.export_peft(model, tmp_path / "written", base)
    assert said["files"] == ["adapter_config.json", "adapter_model.safetensors"]
    compare(model, again(tmp_path, architecture))
    if not architecture.startswith("Bert"):
        return
    made = kzoo.export_hugging_face(model, tmp_path / "whole")["architecture"]
    whole = getattr(transformers, made).from_pretrained(tmp_path / "whole")
    compare(model, whole.eval())


@pytest.mark.parametrize("case", WRITERS)
def test_an_encoder_decoder_there_and_back(case, tmp_path):
    base = encoder_decoders.saved(tmp_path / "base", case)
    settings = {"r": 2, "lora_alpha": 3, "target_modules": WRITERS[case]}
    base.name_or_path = str(tmp_path / "base")
    module = peft.get_peft_model(
        base, peft.LoraConfig(task_type="SEQ_2_SEQ_LM", **settings)
    )
    lively(module).save_pretrained(tmp_path / "adapter")
    rng = np.random.default_rng(1)
    source, target = (rng.integers(5, 60, (3, n)).astype("int32") for n in (9, 6))
    ones = {n: np.ones_like(x, "bool") for n, x in (("s", source), ("t", target))}

    def ours(model):
        return array(
            model(
                {
                    "encoder_token_ids": source,
                    "encoder_padding_mask": ones["s"],
                    "decoder_token_ids": target,
                    "decoder_padding_mask": ones["t"],
                }
            )
        )

    def theirs(module):
        with torch.no_grad():
            return module(
                input_ids=torch.tensor(source, dtype=torch.long),
                decoder_input_ids=torch.tensor(target, dtype=torch.long),
            ).logits.numpy()

    model = kzoo.from_peft(tmp_path / "adapter", note=[].append)
    rounded, expected = theirs(module), theirs(module.double())
    # T5 does not scale its products: what float32 rounds may grow large.
    within = max(1e-4, 4 * np.abs(rounded - expected).max())
    assert within < 1e-3
    np.testing.assert_allclose(ours(model), expected, rtol=1e-4, atol=within)
    kzoo.export_peft(model, tmp_path / "written", str(tmp_path / "base"))
    back = again(tmp_path, type(base).__name__)
    np.testing.assert_allclose(ours(model), theirs(back), rtol=1e-4, atol=within)


def test_an_adapter_and_its_base_come_from_the_hub(tmp_path):
    """`kzoo rebuild hf:…`, in a process of its own: our hub is named by environment."""
    module = encoder(tmp_path, "BertForSequenceClassification")
    file = tmp_path / "adapter" / "adapter_config.json"
    told = json.loads(file.read_text()) | {"base_model_name_or_path": "org/base"}
    file.write_text(json.dumps(told))
    models = {
        f"org/{name}": {p.name: p.read_bytes() for p in (tmp_path / name).iterdir()}
        for name in ("base", "adapter")
    }
    with serving({}, models) as address:
        environment = {"HF_ENDPOINT": address, "HF_HOME": str(tmp_path / "home")}
        asked = ("rebuild", "hf:org/adapter@main", tmp_path / "made.keras")
        program = "from kzoo_cli.main import main; main()"
        command = [sys.executable, "-c", program, *map(str, asked)]
        done = subprocess.run(
            command,
            env=os.environ | {"HF_HUB_OFFLINE": "0"} | environment,
            capture_output=True,
            text=True,
        )
    assert done.returncode == 0, done.stderr
    compare(kzoo.load_model(tmp_path / "made.keras"), module)


def test_ranks_and_scales_of_their_own_keep_the_function(tmp_path):
    own = {
        "rank_pattern": {"layer.0.attention.self.query": 2},
        "alpha_pattern": {"value": 9},
        "use_rslora": True,
        "modules_to_save": ["pooler", "classifier"],
    }
    module = encoder(tmp_path, "BertForSequenceClassification", **own)
    model = kzoo.from_peft(tmp_path / "adapter", note=[].append)
    compare(model, module)
    adaptation = model.encoder.adaptation
    assert adaptation.rank == 3
    assert adaptation.targets == (
        "attention.query",
        "attention.value",
        "feed_forward.input",
    )


def test_a_head_that_the_base_lacks_comes_with_the_adapter(tmp_path):
    encoder(tmp_path, "BertForSequenceClassification")
    bare = transformers.BertModel.from_pretrained(tmp_path / "base")
    bare.save_pretrained(tmp_path / "bare")
    file = tmp_path / "bare" / "config.json"
    config = json.loads(file.read_text())
    del config["id2label"], config["label2id"]
    file.write_text(json.dumps(config))
    write_tokenizer(tokenizer(), tmp_path / "bare", config)
    adapter = tmp_path / "adapter"
    model = kzoo.from_peft(adapter, tmp_path / "bare", note=[].append)
    assert model.labels == ["LABEL_0", "LABEL_1", "LABEL_2"]
    named_model = kzoo.from_peft(
        adapter, tmp_path / "bare", labels=["a", "b", "c"], note=[].append
    )
    assert named_model.labels == ["a", "b", "c"]


@pytest.mark.parametrize(
    "changes, said",
    [
        ({"peft_type": "IA3"}, "kzoo reads adapters of the type LORA of PEFT, and"),
        ({"use_dora": True}, "use_dora is set, which kzoo's LoRA does not do"),
        ({"init_lora_weights": "pissa"}, "which changes the base's weights, too"),
        ({"base_model_name_or_path": None}, "no base is named; name one"),
    ],
)
def test_what_kzoo_does_not_do_is_said(changes, said, tmp_path):
    encoder(tmp_path, "BertForSequenceClassification")
    file = tmp_path / "adapter" / "adapter_config.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | changes))
    with pytest.raises(kzoo.KzooError, match=said):
        kzoo.from_peft(tmp_path / "adapter")


def test_an_update_outside_of_the_blocks_is_refused(tmp_path):
    encoder(tmp_path, "BertForSequenceClassification", ["word_embeddings", "query"])
    with pytest.raises(kzoo.KzooError, match="is of an update that kzoo's LoRA"):
        kzoo.from_peft(tmp_path / "adapter", note=[].append)
