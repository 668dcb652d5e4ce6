"""T5 and BART of Hugging Face transformers, their weights copied: the same logits."""

import numpy as np
import pytest
from helpers.layers import array

torch = pytest.importorskip("torch", reason="transformers runs on torch")
pytest.importorskip("transformers", reason="compares with transformers")

V, S, T = 60, 11, 7
CASES = {
    "t5": lambda weights: weights.t5(V),
    "t5 gated": lambda weights: weights.t5(V, feed_forward="gated-gelu"),
    "bart": lambda weights: weights.bart(V),
}


@pytest.mark.parametrize("case", CASES)
def test_logits_and_hidden_states(case):
    from helpers import seq2seq_weights

    module = CASES[case](seq2seq_weights)
    model = seq2seq_weights.copied(module)
    rng = np.random.default_rng(0)
    inputs = {
        "encoder_token_ids": rng.integers(3, V, (3, S), "int32"),
        "encoder_padding_mask": np.arange(S) < np.array([[11], [6], [1]]),
        "decoder_token_ids": rng.integers(3, V, (3, T), "int32"),
        "decoder_padding_mask": np.arange(T) < np.array([[7], [2], [4]]),
    }
    ids, mask, ids_to_say, mask_to_say = map(torch.tensor, inputs.values())
    with torch.no_grad():
        theirs = module(
            input_ids=ids.long(),
            attention_mask=mask.long(),
            decoder_input_ids=ids_to_say.long(),
            decoder_attention_mask=mask_to_say.long(),
            output_hidden_states=True,
        )
    tokens = inputs["decoder_padding_mask"]
    logits, expected = array(model(inputs)), theirs.logits.numpy()
    assert logits.dtype == "float32" and expected.std() > 0.3
    np.testing.assert_allclose(logits[tokens], expected[tokens], 1e-4, 1e-4)
    encoded, read = model.encoder(
        inputs["encoder_token_ids"],
        inputs["encoder_padding_mask"],
        return_hidden_states=True,
    )
    hidden, written = model.decoder(
        inputs["decoder_token_ids"],
        encoded,
        inputs["decoder_padding_mask"],
        inputs["encoder_padding_mask"],
        return_hidden_states=True,
    )
    compared = [
        (read, encoded, theirs.encoder_hidden_states, inputs["encoder_padding_mask"]),
        (written, hidden, theirs.decoder_hidden_states, tokens),
    ]
    for ours, last, states, real in compared:
        ours = ours["hidden_states"]
        if case != "bart":  # T5's last is after the final norm.
            ours = [*ours[:-1], last]
        assert len(ours) == len(states)
        for one, other in zip(ours, states, strict=True):
            np.testing.assert_allclose(
                array(one)[real], other.numpy()[real], 1e-4, 1e-4
            )
