"""Tiny encoder-decoders of transformers with random weights, and what they generate."""

from types import SimpleNamespace

import numpy as np
import pytest
from helpers.decoders import top

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

V = 48
PAD, START, END = 0, 0, 1
SCALE = 0.5
SETTINGS = {  # Ours: theirs.
    "max_new_tokens": "max_new_tokens",
    "min_new_tokens": "min_new_tokens",
    "beams": "num_beams",
    "length_penalty": "length_penalty",
    "early_stopping": "early_stopping",
    "nbest": "num_return_sequences",
    "no_repeat_ngram": "no_repeat_ngram_size",
    "repetition_penalty": "repetition_penalty",
    "forced_first": "forced_bos_token_id",
    "forced_last": "forced_eos_token_id",
    "suppress": "suppress_tokens",
    "bad_words": "bad_words_ids",
}


def tiny_t5():
    """T5's shape: relative positions, start and padding are one token."""
    config = transformers.T5Config(
        vocab_size=V,
        d_model=16,
        d_kv=8,
        d_ff=32,
        num_layers=2,
        num_heads=2,
        dropout_rate=0.0,
        pad_token_id=PAD,
        eos_token_id=END,
        decoder_start_token_id=START,
        tie_word_embeddings=False,
    )
    return _lively(transformers.T5ForConditionalGeneration(config), SCALE)


def tiny_bart():
    """BART's shape: learned positions, a bias on the logits."""
    config = transformers.BartConfig(
        vocab_size=V,
        d_model=16,
        encoder_layers=2,
        decoder_layers=2,
        encoder_attention_heads=2,
        decoder_attention_heads=2,
        encoder_ffn_dim=32,
        decoder_ffn_dim=32,
        max_position_embeddings=64,
        dropout=0.0,
        pad_token_id=PAD,
        bos_token_id=2,
        eos_token_id=END,
        decoder_start_token_id=START,
        forced_eos_token_id=None,
        tie_word_embeddings=False,
    )
    return _lively(transformers.BartForConditionalGeneration(config), SCALE)


def _lively(model, scale):
    """Weights of float64 with which texts differ, some end, and few tokens tie."""
    rng = np.random.default_rng(11)
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if weight.ndim > 1 or name.endswith("bias"):
                size = scale if weight.ndim > 1 else 0.1
                weight.copy_(torch.tensor(rng.normal(scale=size, size=weight.shape)))
        model.lm_head.weight[END] *= 3
    return model.double().eval()


def generated(model, token_ids, mask, settings, ends=(END,), start=START, pad=PAD):
    """What transformers generates: for each source a list of `(tokens, score)`.

    Tokens are those before the end; scores are `None` without beams.
    """
    given = {SETTINGS[name]: value for name, value in settings.items()}
    for name in ("suppress_tokens", "bad_words_ids"):
        if name in given:
            given[name] = [_listed(one) for one in given[name]]
    config = transformers.GenerationConfig(
        **given,
        do_sample=False,
        pad_token_id=pad,
        eos_token_id=list(ends),
        decoder_start_token_id=start,
        output_scores=True,
        return_dict_in_generate=True,
    )
    with torch.no_grad():
        answer = model.generate(
            torch.tensor(token_ids, dtype=torch.long),
            attention_mask=torch.tensor(mask, dtype=torch.long),
            generation_config=config,
        )
    scores = getattr(answer, "sequences_scores", None)
    texts = answer.sequences[:, 1:].tolist()
    scores = [None] * len(texts) if scores is None else scores.tolist()
    length, count = settings["max_new_tokens"], len(texts) // len(token_ids)
    found = [
        (_before_end(text[:length], ends), score)
        for text, score in zip(texts, scores, strict=True)
    ]
    return [found[row : row + count] for row in range(0, len(found), count)]


def _listed(one):
    return list(one) if isinstance(one, tuple) else one


def _before_end(tokens, ends):
    places = [place for place, token in enumerate(tokens) if token in ends]
    return tokens[: places[0]] if places else tokens


class TorchDecoder:
    """The scores of a transformers model, asked for whole texts: slow and plain."""

    vocabulary_size = V

    def __init__(self, model):
        self.model = model

    @torch.no_grad()
    def begin(self, token_ids, padding_mask, *, beams, length, candidates, kind):
        mask = torch.tensor(padding_mask, dtype=torch.long)
        encoded = self.model.get_encoder()(
            torch.tensor(token_ids, dtype=torch.long), attention_mask=mask
        ).last_hidden_state
        return _Run(self.model, encoded, mask, beams, candidates, kind)


class _Run:
    def __init__(self, model, encoded, mask, beams, candidates, kind):
        self.model, self.beams = model, beams
        self.candidates, self.kind = candidates, kind
        self.encoded = encoded.repeat_interleave(beams, dim=0)
        self.mask = mask.repeat_interleave(beams, dim=0)
        self.texts = np.zeros((len(mask), beams, 0), "int64")

    @torch.no_grad()
    def step(self, tokens, parents):
        texts = np.take_along_axis(self.texts, parents[:, :, None].astype(int), axis=1)
        self.texts = np.concatenate([texts, tokens[:, :, None]], axis=2)
        flat = self.texts.reshape(-1, self.texts.shape[2])
        logits = self.model(
            encoder_outputs=(self.encoded,),
            attention_mask=self.mask,
            decoder_input_ids=torch.tensor(flat),
            use_cache=False,
        ).logits[:, -1]
        if self.kind == "log_probabilities":
            logits = torch.log_softmax(logits.float(), dim=-1)
        scores = logits.float().numpy().reshape(-1, self.beams, V)
        if self.candidates is None:
            return SimpleNamespace(all=scores)
        return top(scores, self.candidates)
