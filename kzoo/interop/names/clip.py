"""What CLIP calls the weights of its two towers."""

from kzoo.interop.names.encoders import attention, dense, norm
from kzoo.interop.names.engine import Name, NameMap
from kzoo.interop.names.forms import TRANSPOSED
from kzoo.interop.names.vit import patch_kernel
from kzoo.models.families.clip import IMAGE, TEXT, tower_config

ASIDE = {"*_model.embeddings.position_ids": "the numbers of the positions"}
TOWERS = {
    TEXT: ("text_encoder", "text_model"),
    IMAGE: ("image_encoder", "vision_model"),
}


def names(config, head):
    """A whole CLIP."""
    image, seen = tower_config(config, IMAGE), "vision_model.embeddings"
    read = "text_model.embeddings"
    found = [
        Name("text_encoder/embedding/embeddings", f"{read}.token_embedding.weight"),
        Name("text_encoder/position/embeddings", f"{read}.position_embedding.weight"),
        *norm("text_encoder/final_norm", "text_model.final_layer_norm"),
        Name("image_encoder/embedding/class_token", f"{seen}.class_embedding"),
        Name("image_encoder/position/embeddings", f"{seen}.position_embedding.weight"),
        Name(
            "image_encoder/embedding/patches/projection/kernel",
            f"{seen}.patch_embedding.weight",
            patch_kernel(image),
        ),
        *norm("image_encoder/embedding/norm", "vision_model.pre_layrnorm"),
        *norm("image_encoder/final_norm", "vision_model.post_layernorm"),
        Name("text_projection/kernel", "text_projection.weight", TRANSPOSED),
        Name("image_projection/kernel", "visual_projection.weight", TRANSPOSED),
        Name("similarity/log_scale", "logit_scale"),
    ]
    for key, (ours, theirs) in TOWERS.items():
        own = tower_config(config, key)
        for index in range(own["num_hidden_layers"]):
            start = f"{theirs}.encoder.layers.{index}"
            found += _block(f"{ours}/block_{index}", start, own["num_attention_heads"])
    return found


def _block(ours, theirs, num_heads):
    """One block: attention and feed-forward, a norm before each."""
    parts = [f"{theirs}.self_attn.{part}_proj" for part in ("q", "k", "v", "out")]
    return [
        *norm(f"{ours}/attention_step/norm_before", f"{theirs}.layer_norm1"),
        *attention(f"{ours}/attention", parts, num_heads),
        *norm(f"{ours}/feed_forward_step/norm_before", f"{theirs}.layer_norm2"),
        *dense(f"{ours}/feed_forward/input", f"{theirs}.mlp.fc1"),
        *dense(f"{ours}/feed_forward/output", f"{theirs}.mlp.fc2"),
    ]


CLIP = NameMap(names, aside=ASIDE)
