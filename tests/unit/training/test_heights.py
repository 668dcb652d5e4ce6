"""How far below the head weights lie, against the published countings."""

import re

import pytest
from kzoo_recipes.heights import heights

from kzoo import layers
from kzoo.models import Seq2Seq, TextClassifier
from tests.helpers.toys import once

pytestmark = once

LAYERS = 3


@pytest.fixture(scope="module")
def classifier():
    encoder = layers.TransformerEncoder(
        *(20, LAYERS, 2, 8, 8), position="learned", name="encoder"
    )
    return found(TextClassifier(encoder, 3, sequence_length=16))


def found(model):
    return heights([weight.path for weight in model.weights])


def by_beit(name, num_max_layer):
    """get_num_layer_for_vit of BEiT's optim_factory, for names of a ViT."""
    if name in ("cls_token", "mask_token", "pos_embed"):
        return 0
    if name.startswith("patch_embed"):
        return 0
    if name.startswith("blocks"):
        return int(name.split(".")[1]) + 1
    return num_max_layer - 1


def in_vit(path):
    """What BEiT calls the weight at a path of ours."""
    path = path.replace("encoder/embedding", "patch_embed.proj")
    path = path.replace("encoder/position/embeddings", "pos_embed")
    return re.sub(r"encoder/block_(\d+)/", r"blocks.\1.", path)


def test_rates_are_those_of_beit(classifier):
    count, decay = LAYERS + 2, 0.9
    scales = [decay ** (LAYERS + 1 - i) for i in range(count)]  # of its LayerDecay
    expected = {path: scales[by_beit(in_vit(path), count)] for path in classifier}
    assert {path: decay**height for path, height in classifier.items()} == expected
    assert set(classifier.values()) == {0, 1, 2, 3, 4}


def test_electra_has_one_layer_more_below_the_head(classifier):
    """_get_layer_lrs of its optimization.py, for the names that ours stand for."""
    depths = {
        "embedding/": 0,
        "position/": 0,
        "head/": LAYERS + 2,
        "logits/": LAYERS + 2,
    }
    depths |= {f"block_{layer}/": layer + 1 for layer in range(LAYERS)}
    for path, height in classifier.items():
        depth = [d for name, d in depths.items() if name in path]
        if depth:
            assert LAYERS + 2 - depth[0] == height + (height > 0), path


def writer(shared):
    stacks = [
        stack(20, count, 2, 8, 8, norm_placement="post", name=name)
        for stack, count, name in (
            (layers.TransformerEncoder, 4, "encoder"),
            (layers.TransformerDecoder, 2, "decoder"),
        )
    ]
    return found(Seq2Seq(*stacks, 2, 3, share_embeddings=shared, copy=True))


@pytest.mark.parametrize("shared", [True, False])
def test_both_stacks_count_from_their_own_top(shared):
    height = writer(shared)
    tops = {path.split("/")[1]: h for path, h in height.items() if "decoder/b" in path}
    assert tops == {"block_0": 2, "block_1": 1}
    tops = {path.split("/")[1]: h for path, h in height.items() if "encoder/b" in path}
    assert tops == {"block_0": 4, "block_1": 3, "block_2": 2, "block_3": 1}
    assert height["encoder/embedding/embeddings"] == 5
    assert height.get("decoder/embedding/embeddings") == (None if shared else 3)
    assert {h for path, h in height.items() if path.startswith("copy")} == {0}


def test_a_shared_table_counts_from_where_it_lies_deepest():
    paths = ["encoder/embedding/embeddings", "encoder/block_0/w"]
    paths += [f"decoder/block_{i}/w" for i in range(6)]
    assert heights(paths)["encoder/embedding/embeddings"] == 7


def test_blocks_count_as_often_as_they_have_weights_of_their_own():
    """Tied layers under one name, or numbered with gaps, are one each."""
    paths = ["e/embedding/embeddings", "e/block_0/w", "e/block_6/w", "e/block_11/w"]
    assert list(heights(paths).values()) == [4, 3, 2, 1]


def test_a_model_without_blocks_has_one_height():
    assert heights(["tokens/embeddings", "logits/kernel"]) == {
        "tokens/embeddings": 0,
        "logits/kernel": 0,
    }
