"""Small encoder-decoders of every family, saved by transformers with a tokenizer."""

import json

import numpy as np
import pytest

from kzoo.text import Tokenizer

torch = pytest.importorskip("torch", reason="transformers runs on torch")
transformers = pytest.importorskip("transformers", reason="it writes the checkpoints")

V, PAD, END, START = 60, 0, 1, 2
WORDS = [f"{a}{b}" for a in "bdfgk" for b in ("an", "en", "ino", "ur")]
T5 = {
    "d_model": 20,
    "d_kv": 7,
    "d_ff": 28,
    "num_layers": 2,
    "num_decoder_layers": 3,
    "num_heads": 3,
    "decoder_start_token_id": PAD,
}
BART = {
    "d_model": 20,
    "encoder_layers": 2,
    "decoder_layers": 3,
    "encoder_attention_heads": 4,
    "decoder_attention_heads": 2,
    "encoder_ffn_dim": 28,
    "decoder_ffn_dim": 22,
    "max_position_embeddings": 24,
    "decoder_start_token_id": START,
    "bos_token_id": 3,
    "forced_eos_token_id": None,
}
APART = {"tie_word_embeddings": False}
# Class in transformers without "Config", its generator, and more of the config.
CASES = {
    "t5": ("T5", "T5ForConditionalGeneration", T5),
    "t5 v1.1": (
        "T5",
        "T5ForConditionalGeneration",
        {**T5, **APART, "feed_forward_proj": "gated-gelu"},
    ),
    "t5 with odd parts": (
        "T5",
        "T5ForConditionalGeneration",
        {
            **T5,
            "feed_forward_proj": "gated-silu",
            "layer_norm_epsilon": 0.01,
            "relative_attention_num_buckets": 8,
            "relative_attention_max_distance": 9,
        },
    ),
    "mt5": ("MT5", "MT5ForConditionalGeneration", T5),
    "bart": ("Bart", "BartForConditionalGeneration", BART),
    "bart, all apart": (
        "Bart",
        "BartForConditionalGeneration",
        {
            **BART,
            **APART,
            "scale_embedding": True,
            "activation_function": "relu",
        },
    ),
    "mbart": (
        "MBart",
        "MBartForConditionalGeneration",
        {**BART, "scale_embedding": True},
    ),
    "marian": (
        "Marian",
        "MarianMTModel",
        {**BART, "activation_function": "swish", "scale_embedding": True},
    ),
    "marian, two tables": (
        "Marian",
        "MarianMTModel",
        {**BART, "share_encoder_decoder_embeddings": False},
    ),
    "pegasus": (
        "Pegasus",
        "PegasusForConditionalGeneration",
        {**BART, "scale_embedding": True, "activation_function": "relu"},
    ),
    "pegasus, tanh and untied": (
        "Pegasus",
        "PegasusForConditionalGeneration",
        {**BART, **APART, "activation_function": "tanh"},
    ),
}


def saved(folder, case, seed=0, generation=None, **more):
    """A model of transformers with lively random weights, and its folder.

    Args:
        folder: `Path`, where it is saved.
        case: str, a key of `CASES`.
        seed: int.
        generation: dict, of its generation_config.json.
        **more: of its config.

    Returns:
        The module, in eval mode.
    """
    family, architecture, sizes = CASES[case]
    sizes = {"vocab_size": V, "pad_token_id": PAD, "eos_token_id": END, **sizes, **more}
    torch.manual_seed(seed)
    config = getattr(transformers, f"{family}Config")(**sizes)
    module = getattr(transformers, architecture)(config)
    untied = case in ("t5 v1.1",)
    if untied:  # transformers 5 ties it when made, and not when read.
        head = 0.4 * torch.randn(V, sizes["d_model"])
        module.lm_head.weight = torch.nn.Parameter(head)
    with torch.no_grad():
        for name, weight in module.named_parameters():
            if "embed_positions" in name and not weight.requires_grad:
                continue
            # What is read should count for more than what was just written.
            size = {"encoder_attn": 3.0, "EncDec": 3.0, "shared": 0.5}
            size = next((size[part] for part in size if part in name), 1.0)
            size = 0.2 if weight.ndim == 1 else size * weight.shape[-1] ** -0.5
            weight.add_(size * torch.randn(weight.shape))
        if hasattr(module, "final_logits_bias"):
            module.final_logits_bias.normal_(0.0, 0.5)
    module.eval()
    if generation:
        module.generation_config = transformers.GenerationConfig(
            **{
                "pad_token_id": PAD,
                "eos_token_id": END,
                "decoder_start_token_id": sizes["decoder_start_token_id"],
                **generation,
            }
        )
    module.save_pretrained(folder)
    tokenizer = Tokenizer.train([" ".join(WORDS)], "word", V, min_frequency=1)
    folder.joinpath("tokenizer.json").write_text(tokenizer.to_json())
    settings = {"tokenizer_class": "PreTrainedTokenizerFast", "model_max_length": 24}
    folder.joinpath("tokenizer_config.json").write_text(json.dumps(settings))
    return module


def sources(rows=5, length=13, seed=0):
    """Token ids `(B, S)` and their mask; the first row is full, the others padded."""
    rng = np.random.default_rng(seed)
    token_ids = rng.integers(4, V, (rows, length))
    lengths = [length, *rng.integers(1, length, rows - 1)]
    mask = np.arange(length) < np.array(lengths)[:, None]
    return np.where(mask, token_ids, PAD).astype("int32"), mask


def logits(module, token_ids, mask, target_ids, target_mask):
    """What a module of transformers scores, and what its encoder says, as NumPy."""
    with torch.no_grad():
        said = module(
            input_ids=torch.tensor(token_ids, dtype=torch.long),
            attention_mask=torch.tensor(mask, dtype=torch.long),
            decoder_input_ids=torch.tensor(target_ids, dtype=torch.long),
            decoder_attention_mask=torch.tensor(target_mask, dtype=torch.long),
        )
    return said.logits.numpy(), said.encoder_last_hidden_state.numpy()


def generated(module, token_ids, mask, ends=(END,), **told):
    """What a module of transformers generates: for each source a list of tokens.

    The start, the end and what follows it are left out.
    """
    with torch.no_grad():
        texts = module.generate(
            torch.tensor(token_ids, dtype=torch.long),
            attention_mask=torch.tensor(mask, dtype=torch.long),
            **told,
        )[:, 1:].tolist()
    places = [[i for i, token in enumerate(text) if token in ends] for text in texts]
    return [
        text[: found[0]] if found else text
        for text, found in zip(texts, places, strict=True)
    ]
