"""Small ViTs and CLIPs that transformers writes, pictures for them, and a tokenizer."""

import json

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="transformers runs on torch")
transformers = pytest.importorskip("transformers", reason="it writes the checkpoints")
tokenizers = pytest.importorskip("tokenizers")

SIZE, PATCH = 12, 4
VIT = {
    "hidden_size": 20,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 28,
    "image_size": SIZE,
    "patch_size": PATCH,
}
MERGES = [("c", "a"), ("ca", "t</w>"), ("d", "o"), ("do", "g</w>"), ("a", "t")]
TEXTS = ["a Photo of a  cat", "DOG!", "a dog's  naïve 2 cats — 猫", ""]


def lively(module, seed=0):
    """Give every weight of a module random values that count; return it in eval."""
    torch.manual_seed(seed)
    with torch.no_grad():
        for name, weight in module.named_parameters():
            if name == "logit_scale":
                continue
            size = 0.2 if weight.ndim == 1 else 0.5 * weight[0].numel() ** -0.5
            weight.add_(size * torch.randn(weight.shape))
    return module.eval()


def vit(folder, architecture="ViTModel", **more):
    """A ViT of transformers with random weights, saved."""
    config = transformers.ViTConfig(**{**VIT, **more})
    module = lively(getattr(transformers, architecture)(config))
    module.save_pretrained(folder)
    return module


def clip_tokenizer():
    """CLIP's own tokenizer of transformers, over bytes and a few merges."""
    letters = sorted(tokenizers.pre_tokenizers.ByteLevel.alphabet())
    pieces = [*letters, *(f"{letter}</w>" for letter in letters)]
    pieces += ["".join(pair) for pair in MERGES]
    pieces += ["<|startoftext|>", "<|endoftext|>"]
    vocabulary = {piece: place for place, piece in enumerate(pieces)}
    return transformers.CLIPTokenizer(
        vocab=vocabulary, merges=MERGES, model_max_length=24
    )


def clip(folder, legacy=False, text=None, vision=None, scale=2.6592, **more):
    """A CLIP of transformers with random weights, saved with tokenizer and processor.

    Args:
        folder: `Path`.
        legacy: bool. Whether its eos_token_id is the wrong one of the first CLIPs.
        text: dict, of its text_config.
        vision: dict, of its vision_config.
        scale: float. The logarithm of its factor.
        **more: of its config.
    """
    tokenizer = clip_tokenizer()
    sizes = {key: VIT[key] for key in list(VIT)[:4]}
    config = transformers.CLIPConfig(
        text_config={
            **sizes,
            "vocab_size": len(tokenizer),
            "max_position_embeddings": 24,
            "bos_token_id": tokenizer.bos_token_id,
            "eos_token_id": 2 if legacy else tokenizer.eos_token_id,
            **(text or {}),
        },
        vision_config={**VIT, **(vision or {})},
        **{"projection_dim": 10, "logit_scale_init_value": scale, **more},
    )
    module = lively(transformers.CLIPModel(config))
    module.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    size = module.config.vision_config.image_size
    settings = {
        "image_processor_type": "CLIPImageProcessor",
        "size": {"shortest_edge": size + 2},
        "crop_size": {"height": size, "width": size},
        "do_center_crop": True,
        "resample": 3,
    }
    folder.joinpath("preprocessor_config.json").write_text(json.dumps(settings))
    return module


def pixels(rows=3, size=SIZE, channels=3, seed=0):
    """Prepared images, float32 `(B, size, size, C)`."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(rows, size, size, channels)).astype("float32")


def theirs(images):
    """Images as transformers takes them, channels first."""
    return torch.tensor(images.transpose(0, 3, 1, 2).copy())
