"""What ViT calls its weights."""

from kzoo.interop.names.encoders import attention, dense, norm
from kzoo.interop.names.engine import Name, NameMap
from kzoo.interop.names.forms import Form
from kzoo.models.families.vit import image_sizes

ASIDE = {
    "pooler.*": "the pooler",
    "embeddings.mask_token": "the vector of hidden patches",
    "decoder.*": "the head that paints hidden patches",
    "classifier.*": "the head of a fine-tuned model",
}
UNPREFIXED = ("classifier.*", "decoder.*")
ROW = Form(lambda x: x.reshape(x.shape[1:]), lambda x: x[None])  # of a batch of one
ROW_OF_ROW = Form(lambda x: x.reshape(x.shape[2:]), lambda x: x[None, None])


def patch_kernel(config):
    """The map of patches: theirs `(D, C, p, p)`, ours `(p · p · C, D)`."""
    sizes, channels = image_sizes(config)
    size = sizes["patch_size"]
    return Form(
        lambda x: x.transpose(2, 3, 1, 0).reshape(-1, x.shape[0]),
        lambda x: x.reshape(size, size, channels, -1).transpose(3, 2, 0, 1),
    )


def names(config, head):
    """A ViT, by itself or with the head of a classifier."""
    patches = "embeddings.patch_embeddings.projection"
    found = [
        Name("encoder/embedding/class_token", "embeddings.cls_token", ROW_OF_ROW),
        Name("encoder/position/embeddings", "embeddings.position_embeddings", ROW),
        Name(
            "encoder/embedding/patches/projection/kernel",
            f"{patches}.weight",
            patch_kernel(config),
        ),
        Name("encoder/embedding/patches/projection/bias", f"{patches}.bias"),
    ]
    for index in range(config["num_hidden_layers"]):
        found += _block(index, config["num_attention_heads"])
    found += norm("encoder/final_norm", "layernorm")
    return found + (dense("logits", "classifier") if head == "image_classifier" else [])


def _block(index, num_heads):
    """One block: attention and feed-forward, a norm before each."""
    ours, theirs = f"encoder/block_{index}", f"encoder.layer.{index}"
    inner = f"{theirs}.attention.attention"
    parts = [f"{inner}.{part}" for part in ("query", "key", "value")]
    parts.append(f"{theirs}.attention.output.dense")
    return [
        *norm(f"{ours}/attention_step/norm_before", f"{theirs}.layernorm_before"),
        *attention(f"{ours}/attention", parts, num_heads),
        *norm(f"{ours}/feed_forward_step/norm_before", f"{theirs}.layernorm_after"),
        *dense(f"{ours}/feed_forward/input", f"{theirs}.intermediate.dense"),
        *dense(f"{ours}/feed_forward/output", f"{theirs}.output.dense"),
    ]


VIT = NameMap(names, ("vit.",), UNPREFIXED, ASIDE)
