"""Prefixes of PEFT in models of transformers: the same logits."""

import numpy as np
import pytest
from helpers import checkpoints, encoder_decoders
from helpers.layers import array
from test_heads_against_transformers import NAMES, named, tokenizer

import kzoo
from kzoo.interop.tokenizers import write_tokenizer

torch = pytest.importorskip("torch", reason="peft runs on torch")
peft = pytest.importorskip("peft", reason="it is what is compared with")

P = 3


def prefixed(module, kind, layers, heads):
    """PEFT's model of a module of transformers."""
    config = peft.PrefixTuningConfig(
        task_type=kind,
        num_virtual_tokens=P,
        num_layers=layers,
        num_attention_heads=heads,
        token_dim=20,
    )
    torch.manual_seed(5)
    return peft.get_peft_model(module, config).eval()


def assign(stack, cache):
    """Give a stack the prefix with which PEFT fills a cache, `(1, K, P, H)` a layer."""
    for name, weight in (("keys", stack.prefix.keys), ("values", stack.prefix.values)):
        own = [getattr(layer, name)[0].detach().numpy() for layer in cache.layers]
        weight.assign(np.stack(own).transpose(2, 0, 1, 3))  # (P, L, K, H)


@pytest.mark.parametrize("family", ["Bert", "Roberta"])
def test_a_classifier(family, tmp_path):
    more = {"type_vocab_size": 1} if family == "Roberta" else {}
    base = checkpoints.saved(
        tmp_path,
        f"{family}ForSequenceClassification",
        f"{family}Config",
        **{**named(NAMES), "pad_token_id": 0, **more},
    )
    write_tokenizer(tokenizer(), tmp_path, base.config.to_dict())
    plain = kzoo.from_hugging_face(tmp_path, note=[].append)
    model = kzoo.adapt(plain, {"method": "prefix", "length": P})
    module = prefixed(base, "SEQ_CLS", 2, 4)
    assign(model.encoder, module.get_prompt(1))
    token_ids, mask = checkpoints.batch()
    before = np.concatenate([np.ones((len(mask), P)), mask], axis=1)
    # PEFT would let the places of the tokens begin behind the prefix; kzoo, and so this
    # call past PEFT's own, which looks for an argument's old name, leave them.
    places = np.arange(token_ids.shape[1])[None] + (family == "Roberta")
    with torch.no_grad():
        expected = base(
            input_ids=torch.tensor(token_ids, dtype=torch.long),
            attention_mask=torch.tensor(before, dtype=torch.long),
            position_ids=torch.tensor(np.repeat(places, len(mask), 0)),
            cache=module.get_prompt(len(mask)),
        ).logits.numpy()
    actual = array(model({"token_ids": token_ids, "padding_mask": mask}))
    np.testing.assert_allclose(actual, expected, rtol=1e-5, atol=1e-5)
    assert np.abs(expected - checkpoints.answers(base, token_ids, mask)).max() > 0.01


def test_a_writer(tmp_path):
    """PEFT has a prefix for the decoder's attention to itself alone."""
    base = encoder_decoders.saved(tmp_path, "bart")
    plain = kzoo.from_hugging_face(tmp_path, note=[].append)
    method = {"method": "prefix", "length": P}
    model = kzoo.adapt(plain, method, {"encoder": None})
    with torch.no_grad():  # Here, too, the places begin behind the prefix.
        table = base.model.decoder.embed_positions.weight
        table.copy_(torch.roll(table, P, 0))
    module = prefixed(base, "SEQ_2_SEQ_LM", 3, 2)
    assign(model.decoder, module.get_prompt(1).self_attention_cache)
    rng = np.random.default_rng(1)
    source, target = (rng.integers(5, 60, (3, n)).astype("int32") for n in (9, 6))
    with torch.no_grad():
        expected = module(
            input_ids=torch.tensor(source, dtype=torch.long),
            decoder_input_ids=torch.tensor(target, dtype=torch.long),
        ).logits.numpy()
    actual = array(
        model(
            {
                "encoder_token_ids": source,
                "encoder_padding_mask": np.ones_like(source, "bool"),
                "decoder_token_ids": target,
                "decoder_padding_mask": np.ones_like(target, "bool"),
            }
        )
    )
    np.testing.assert_allclose(actual, expected, rtol=1e-5, atol=1e-5)
