"""Encoders of every family, written by transformers and read by kzoo."""

import numpy as np
import pytest
from helpers import checkpoints
from helpers.layers import array

from kzoo.interop.checkpoints import Checkpoint
from kzoo.interop.names import MAPS, read_into, written
from kzoo.layers import TransformerEncoder
from kzoo.models.families import differences, family_of

DISTILBERT = {"dim": 20, "n_layers": 2, "n_heads": 4, "hidden_dim": 28}
MODERNBERT = {"local_attention": 6, "hidden_size": 24}
BIG_BIRD = {"block_size": 1, "num_random_blocks": 2}
LONGFORMER = {"attention_window": 4, "type_vocab_size": 1, "sep_token_id": 4}
DEBERTA = {
    "relative_attention": True,
    "position_biased_input": False,
    "share_att_key": True,
    "pos_att_type": ["p2c", "c2p"],
    "norm_rel_ebd": "layer_norm",
    "position_buckets": 6,
}
# Class in transformers, its config, and more keys of it: as it comes, and oddly.
CASES = {
    "bert": ("BertModel", "BertConfig", {}),
    "bert without segments and pooler": (
        "BertForMaskedLM",
        "BertConfig",
        {"type_vocab_size": 1, "hidden_act": "gelu_new", "tie_word_embeddings": False},
    ),
    "bert with an odd head and relu": (
        "BertModel",
        "BertConfig",
        {
            "hidden_size": 21,
            "num_attention_heads": 3,
            "hidden_act": "relu",
            "layer_norm_eps": 0.01,
        },
    ),
    "roberta": ("RobertaModel", "RobertaConfig", {"type_vocab_size": 1}),
    "roberta with padding elsewhere": (
        "RobertaModel",
        "RobertaConfig",
        {"type_vocab_size": 2, "pad_token_id": 3, "hidden_act": "tanh"},
    ),
    "xlm-roberta": ("XLMRobertaModel", "XLMRobertaConfig", {"type_vocab_size": 1}),
    "camembert": ("CamembertModel", "CamembertConfig", {"type_vocab_size": 1}),
    "distilbert": ("DistilBertModel", "DistilBertConfig", DISTILBERT),
    "distilbert with relu and sines": (
        "DistilBertForMaskedLM",
        "DistilBertConfig",
        {**DISTILBERT, "activation": "relu", "sinusoidal_pos_embds": True},
    ),
    "electra": ("ElectraModel", "ElectraConfig", {"embedding_size": 20}),
    "electra of narrow embeddings": (
        "ElectraForPreTraining",
        "ElectraConfig",
        {"embedding_size": 12},
    ),
    "albert": ("AlbertModel", "AlbertConfig", {"embedding_size": 12}),
    "albert in groups": (
        "AlbertForMaskedLM",
        "AlbertConfig",
        {
            "embedding_size": 20,
            "num_hidden_layers": 4,
            "num_hidden_groups": 2,
            "hidden_act": "relu",
            "tie_word_embeddings": False,
        },
    ),
    "mpnet": ("MPNetModel", "MPNetConfig", {"pad_token_id": 1}),
    "mpnet with an odd head": (
        "MPNetForMaskedLM",
        "MPNetConfig",
        {"pad_token_id": 1, "hidden_size": 21, "num_attention_heads": 3},
    ),
    "modernbert": (
        "ModernBertModel",
        "ModernBertConfig",
        {**MODERNBERT, "num_hidden_layers": 4, "pad_token_id": 0},
    ),
    "modernbert with biases": (
        "ModernBertForMaskedLM",
        "ModernBertConfig",
        {
            **MODERNBERT,
            "pad_token_id": 0,
            "norm_bias": True,
            "attention_bias": True,
            "mlp_bias": True,
            "hidden_activation": "silu",
            "layer_types": ["full_attention", "sliding_attention"],
            "local_attention": 2,
        },
    ),
    "longformer": ("LongformerModel", "LongformerConfig", LONGFORMER),
    "longformer with padding elsewhere": (
        "LongformerForMaskedLM",
        "LongformerConfig",
        {"attention_window": [6, 6], "pad_token_id": 3, "hidden_act": "relu"},
    ),
    "big bird": (
        "BigBirdModel",
        "BigBirdConfig",
        {**BIG_BIRD, "rescale_embeddings": True},
    ),
    "big bird that sees all": (
        "BigBirdForMaskedLM",
        "BigBirdConfig",
        {"attention_type": "original_full", "hidden_act": "relu"},
    ),
    "deberta-v3": ("DebertaV2Model", "DebertaV2Config", DEBERTA),
    "deberta-v2 with positions added and one score": (
        "DebertaV2ForMaskedLM",
        "DebertaV2Config",
        {
            **DEBERTA,
            "position_biased_input": True,
            "pos_att_type": "p2c",
            "position_buckets": -1,
            "max_relative_positions": 5,
            "norm_rel_ebd": "none",
            "type_vocab_size": 2,
        },
    ),
}


@pytest.fixture(scope="module", params=CASES, ids=str)
def case(request, tmp_path_factory):
    """The module of transformers, and the encoder that reads its checkpoint."""
    folder = tmp_path_factory.mktemp("checkpoint")
    architecture, config, more = CASES[request.param]
    module = checkpoints.saved(folder, architecture, config, **more)
    checkpoint = Checkpoint(folder)
    family = family_of(checkpoint.config)
    encoder = TransformerEncoder(**family.stack(checkpoint.config), name="encoder")
    encoder.build((None, None))
    names = MAPS[family.name].names(checkpoint.config, "encoder")
    notes = read_into(encoder, checkpoint, MAPS[family.name], names)
    assert all("not read" in note for note in notes)
    return module, checkpoint.config, family, encoder, names


def test_hidden_states_are_transformers(case):
    module, config, _, encoder, _ = case
    pad_id = config.get("pad_token_id") or 0
    token_ids, mask = checkpoints.batch(config["vocab_size"], pad_id)
    base = getattr(module, module.base_model_prefix, module)
    expected = checkpoints.answers(base, token_ids, mask, "last_hidden_state")
    actual = array(encoder(token_ids, mask))
    np.testing.assert_allclose(actual[mask], expected[mask], rtol=1e-4, atol=1e-4)


def test_every_layer_is_transformers(case):
    module, config, _, encoder, _ = case
    pad_id = config.get("pad_token_id") or 0
    token_ids, mask = checkpoints.batch(config["vocab_size"], pad_id, seed=1)
    base = getattr(module, module.base_model_prefix, module)
    with checkpoints.torch.no_grad():
        expected = base(
            input_ids=checkpoints.torch.tensor(token_ids, dtype=checkpoints.torch.long),
            attention_mask=checkpoints.torch.tensor(mask, dtype=checkpoints.torch.long),
            output_hidden_states=True,
        ).hidden_states
    _, more = encoder(token_ids, mask, return_hidden_states=True)
    for actual, theirs in zip(more["hidden_states"][:-1], expected[:-1], strict=True):
        np.testing.assert_allclose(
            array(actual)[mask], theirs.numpy()[mask], rtol=1e-4, atol=1e-4
        )


def test_tensors_come_back_as_they_were(case):
    module, config, _, encoder, names = case
    base = getattr(module, module.base_model_prefix, module).state_dict()
    for name, tensor in written(encoder, names).items():
        theirs = base[name].numpy()
        if "position" in name:  # Rows before RoBERTa's first position are of no use.
            first = np.argmax(np.any(tensor, axis=-1))
            assert first in (0, (config.get("pad_token_id") or 0) + 1)
            tensor, theirs = tensor[first:], theirs[first:]
        np.testing.assert_array_equal(tensor, theirs)


def test_the_config_comes_back_as_it_was(case):
    _, config, family, encoder, _ = case
    more = {"pad_token_id": config["pad_token_id"]}
    back = family.config(encoder.get_config(), more)
    assert differences(family.stack(back), family.stack(config)) == []
    back.pop("sinusoidal_pos_embds", None)  # A table, whatever it began as.
    back.pop("global_attn_every_n_layers", None)  # For older readers.
    assert back == {key: config[key] for key in back}
