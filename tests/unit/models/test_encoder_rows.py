"""Rows of families that have parts of their own: what they refuse, and old files."""

import pytest
from kzoo_recipes import KzooError

from kzoo.layers import TransformerEncoder
from kzoo.models.families import FAMILIES, differences

SIZES = {
    "vocab_size": 30,
    "hidden_size": 8,
    "num_hidden_layers": 4,
    "num_attention_heads": 2,
    "intermediate_size": 12,
    "max_position_embeddings": 16,
}
DEBERTA = {
    "relative_attention": True,
    "share_att_key": True,
    "position_biased_input": False,
    "pos_att_type": "p2c|c2p",
}
REFUSED = {
    "albert: blocks in a group": (
        "albert",
        {"inner_group_num": 2},
        "config.json: inner_group_num is 2; of the type 'albert' kzoo has models with "
        "1 only.",
    ),
    "albert: unequal groups": (
        "albert",
        {"num_hidden_groups": 3},
        "config.json: num_hidden_groups is 3; kzoo has groups of one size only, so it "
        "must divide num_hidden_layers, 4.",
    ),
    "albert: no groups": (
        "albert",
        {"num_hidden_groups": 0},
        "config.json: num_hidden_groups must be at least 1, and is 0.",
    ),
    "mpnet: buckets": (
        "mpnet",
        {"relative_attention_num_buckets": 16},
        "config.json: relative_attention_num_buckets is 16; of the type 'mpnet' kzoo "
        "has models with 32 only.",
    ),
    "modernbert: layers": (
        "modernbert",
        {"layer_types": ["sliding_attention", "full_attention"]},
        "config.json: layer_types must be 'full_attention' every so many layers, from "
        "the first on, and 'sliding_attention' in between.",
    ),
    "modernbert: odd heads": (
        "modernbert",
        {"hidden_size": 6},
        "config.json: hidden_size is 6 and num_attention_heads 2; heads that are "
        "rotated have an even width.",
    ),
    "modernbert: rotations": (
        "modernbert",
        {"rope_parameters": {"full_attention": {"rope_type": "yarn"}}},
        "config.json: rope_parameters of full_attention are of the type 'yarn'; of "
        "ModernBERT kzoo has models with 'default' only.",
    ),
    "deberta: convolution": (
        "deberta_v2",
        {**DEBERTA, "conv_kernel_size": 3},
        "config.json: conv_kernel_size is 3; of the type 'deberta-v2' kzoo has models "
        "with 0 only.",
    ),
    "deberta: projections of distances": (
        "deberta_v2",
        {**DEBERTA, "share_att_key": False},
        "config.json: share_att_key is False; of the type 'deberta-v2' kzoo has models "
        "with True only.",
    ),
    "deberta: buckets": (
        "deberta_v2",
        {**DEBERTA, "position_buckets": 5},
        "config.json: position_buckets is 5; kzoo has an even number of them, and half "
        "of it below the largest distance, 16, less 1.",
    ),
    "deberta: nothing looks": (
        "deberta_v2",
        {**DEBERTA, "pos_att_type": []},
        "config.json: pos_att_type is []; of this type kzoo has models with 'c2p', "
        "'p2c' or both.",
    ),
}


def config(name, **more):
    return {**SIZES, "model_type": FAMILIES[name].model_types[0], **more}


@pytest.mark.parametrize("case", REFUSED)
def test_what_kzoo_has_no_layer_for_is_said(case):
    name, more, sentence = REFUSED[case]
    with pytest.raises(KzooError) as error:
        FAMILIES[name].stack(config(name, **more))
    assert str(error.value) == sentence


def test_a_pooling_that_is_none():
    with pytest.raises(KzooError, match="classifier_pooling is 'max'; kzoo knows"):
        FAMILIES["modernbert"].classifier({"classifier_pooling": "max"})


def test_old_and_new_files_of_modernbert_mean_the_same():
    old = config(
        "modernbert",
        global_rope_theta=500.0,
        local_rope_theta=50.0,
        global_attn_every_n_layers=2,
        local_attention=6,
    )
    kinds = ["full_attention", "sliding_attention"] * 2
    new = config(
        "modernbert",
        rope_parameters={
            "full_attention": {"rope_type": "default", "rope_theta": 500.0},
            "sliding_attention": {"rope_type": "default", "rope_theta": 50.0},
        },
        layer_types=kinds,
        local_attention=6,
    )
    row = FAMILIES["modernbert"].stack(old)
    assert differences(row, FAMILIES["modernbert"].stack(new)) == []
    assert (row["position"].every, row["position"].window) == (2, 3)
    assert [part.base for part in (row["position"].far, row["position"].near)] == [
        500.0,
        50.0,
    ]
    usual = FAMILIES["modernbert"].stack(config("modernbert"))["position"]
    assert (usual.every, usual.window) == (3, 64)
    assert (usual.far.base, usual.near.base) == (160000.0, 10000.0)


@pytest.mark.parametrize(
    "other", [name for name, family in FAMILIES.items() if family.classifier]
)
@pytest.mark.parametrize("name", ["albert", "mpnet", "modernbert", "deberta_v2"])
def test_any_stack_can_be_asked_whether_it_is_one(name, other):
    """The way back does not fail on what is of another family: it differs."""
    sizes = {
        **config(other, **(DEBERTA if other == "deberta_v2" else {})),
        **{"n_layers": 4, "n_heads": 2, "dim": 8, "hidden_dim": 12},
    }
    row = TransformerEncoder(**FAMILIES[other].stack(sizes)).get_config()
    arguments = {
        key: value
        for key, value in row.items()
        if key not in ("name", "dtype", "trainable")
    }
    family = FAMILIES[name]
    back = family.config(arguments, {"pad_token_id": 1})
    row = family.stack({**back, "model_type": family.model_types[0]})
    found = differences(arguments, row)
    assert bool(found) == (name != other)
