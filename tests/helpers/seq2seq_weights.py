"""Small T5s and BARTs of Hugging Face transformers, and kzoo's with their weights."""

import keras
import torch
import transformers
from helpers import torch_weights

import kzoo
from kzoo import layers

WIDTH, HEADS, HEAD, INNER, DEPTHS, LONGEST = 16, 4, 6, 24, (2, 3), 40


def t5(
    vocabulary_size=60, feed_forward="relu", seed=0, factor=1.0, depths=DEPTHS, **sizes
):
    """`T5ForConditionalGeneration` with random weights; padding 0, end 1, start 0.

    Args:
        vocabulary_size: int.
        feed_forward: "relu" or "gated-gelu".
        seed: int.
        factor: float. How large the weights are.
        depths: pair of int. Blocks of the encoder and of the decoder.
        **sizes: more of `T5Config`.
    """
    torch.manual_seed(seed)
    given = {
        "d_model": WIDTH,
        "d_kv": HEAD,
        "d_ff": INNER,
        "num_heads": HEADS,
        "dropout_rate": 0.1,
        **sizes,
    }
    config = transformers.T5Config(
        vocab_size=vocabulary_size,
        num_layers=depths[0],
        num_decoder_layers=depths[1],
        feed_forward_proj=feed_forward,
        initializer_factor=factor,
        decoder_start_token_id=0,
        **given,
    )
    return _stirred(transformers.T5ForConditionalGeneration(config))


def bart(vocabulary_size=60, seed=0, deviation=0.3, depths=DEPTHS, **sizes):
    """`BartForConditionalGeneration` likewise; start 2, padding 1, end 2.

    Nothing is forced: transformers' own default makes BART's last token its end.
    """
    torch.manual_seed(seed)
    given = {
        "d_model": WIDTH,
        "encoder_attention_heads": HEADS,
        "decoder_attention_heads": HEADS,
        "encoder_ffn_dim": INNER,
        "decoder_ffn_dim": INNER,
        "max_position_embeddings": LONGEST,
        **sizes,
    }
    config = transformers.BartConfig(
        vocab_size=vocabulary_size,
        encoder_layers=depths[0],
        decoder_layers=depths[1],
        init_std=deviation,
        scale_embedding=True,
        forced_eos_token_id=None,
        **given,
    )
    module = _stirred(transformers.BartForConditionalGeneration(config))
    module.final_logits_bias.normal_(0.0, 0.5)
    return module


def _stirred(module):
    """Weights that start at 0 or 1 get a value of their own, so that each counts."""
    with torch.no_grad():
        for weight in module.parameters():
            if weight.ndim == 1:
                weight.add_(0.1 * torch.randn(weight.shape))
    return module.eval()


def copied(module, **arguments):
    """`kzoo.Seq2Seq` with the weights of a T5 or a BART.

    Args:
        module: what `t5` or `bart` gives.
        **arguments: of `kzoo.Seq2Seq`.
    """
    is_t5 = module.config.model_type == "t5"
    return (_t5_copied if is_t5 else _bart_copied)(module, arguments)


def _t5_copied(module, arguments):
    shape = module.config
    kind = layers.GatedFeedForward if shape.is_gated_act else layers.FeedForward
    activation = {"relu": "relu", "gelu_new": "gelu_tanh"}[shape.dense_act_fn]
    parts = {
        "dropout": shape.dropout_rate,
        "feed_forward": kind(
            shape.d_model,
            shape.d_ff,
            activation,
            dropout=shape.dropout_rate,
            use_bias=False,
        ),
        "norm": keras.layers.RMSNormalization(epsilon=shape.layer_norm_epsilon),
        "attention": {"head_dim": shape.d_kv, "use_bias": False, "scale": 1.0},
    }
    stacks = []
    for kind, depth in (
        (layers.TransformerEncoder, shape.num_layers),
        (layers.TransformerDecoder, shape.num_decoder_layers),
    ):
        position = layers.RelativePositions(
            shape.num_heads,
            shape.relative_attention_num_buckets,
            shape.relative_attention_max_distance,
            bidirectional=not stacks,
        )
        stacks.append(_stack(kind, shape, depth, position, shape.d_ff, **parts))
    model = kzoo.Seq2Seq(
        *stacks,
        start_id=shape.decoder_start_token_id,
        end_id=shape.eos_token_id,
        projection={"scale": shape.d_model**-0.5},
        **arguments,
    )
    state = torch_weights.state_of(module)
    for name, stack in zip(("encoder", "decoder"), stacks, strict=True):
        found = {} if stack is model.decoder else _shared(state["shared.weight"])
        own = {
            key.removeprefix(f"{name}."): value
            for key, value in state.items()
            if key.startswith(f"{name}.")
        }
        found["position/embeddings"] = own[
            "block.0.layer.0.SelfAttention.relative_attention_bias.weight"
        ]
        found["final_norm/scale"] = own["final_layer_norm.weight"]
        for index in range(len(stack.blocks)):
            found |= _t5_block(own, index, shape.num_heads)
        torch_weights.assign(stack, found)
    return model


def _t5_block(state, index, num_heads):
    source, target, found = f"block.{index}.layer.", f"block_{index}/", {}
    attentions = [
        ("SelfAttention", "attention"),
        ("EncDecAttention", "cross_attention"),
    ]
    places = []
    for place, (theirs, ours) in enumerate(attentions):
        names = [f"{source}{place}.{theirs}.{letter}." for letter in "qkvo"]
        if f"{names[0]}weight" in state:
            places.append(ours)
            found |= torch_weights.heads(state, names, f"{target}{ours}", num_heads)
    places.append("feed_forward")
    dense = f"{source}{len(places) - 1}.DenseReluDense."
    gated = f"{dense}wi_0.weight" in state
    for theirs, ours in (
        [("wi_0.", "gate"), ("wi_1.", "input")] if gated else [("wi.", "input")]
    ) + [("wo.", "output")]:
        found |= torch_weights.linear(
            state, f"{dense}{theirs}", f"{target}feed_forward/{ours}"
        )
    for place, ours in enumerate(places):
        scale = state[f"{source}{place}.layer_norm.weight"]
        found[f"{target}{ours}_step/norm_before/scale"] = scale
    return found


def _bart_copied(module, arguments):
    shape = module.config
    norm = keras.layers.LayerNormalization(epsilon=1e-5)
    stacks = []
    for kind, depth in (
        (layers.TransformerEncoder, shape.encoder_layers),
        (layers.TransformerDecoder, shape.decoder_layers),
    ):
        position = layers.LearnedPositions(shape.d_model, shape.max_position_embeddings)
        stacks.append(
            _stack(
                kind,
                shape,
                depth,
                position,
                shape.encoder_ffn_dim,
                dropout=shape.dropout,
                feed_forward="gelu",
                norm=norm,
                norm_placement="post",
                embedding={"norm": norm, "scale": shape.scale_embedding},
            )
        )
    longest = shape.max_position_embeddings
    lengths = {"source_length": longest, "target_length": longest, **arguments}
    model = kzoo.Seq2Seq(
        *stacks,
        start_id=shape.decoder_start_token_id,
        end_id=shape.eos_token_id,
        projection={"use_bias": True},
        **lengths,
    )
    state = torch_weights.state_of(module)
    model.projection.bias.assign(state["final_logits_bias"][0])
    for name, stack in zip(("encoder", "decoder"), stacks, strict=True):
        found = {} if stack is model.decoder else _shared(state["model.shared.weight"])
        start = f"model.{name}."
        own = {
            key.removeprefix(start): value
            for key, value in state.items()
            if key.startswith(start)
        }
        # BART's first position is its third: two were of fairseq's padding.
        found["position/embeddings"] = own["embed_positions.weight"][2:]
        found |= torch_weights.norm(own, "layernorm_embedding.", "embedding/norm")
        for index in range(len(stack.blocks)):
            found |= _bart_block(own, index, shape.encoder_attention_heads)
        torch_weights.assign(stack, found)
    return model


def _bart_block(state, index, num_heads):
    source, target, found = f"layers.{index}.", f"block_{index}/", {}
    steps = [
        ("self_attn", "self_attn_layer_norm", "attention"),
        ("encoder_attn", "encoder_attn_layer_norm", "cross_attention"),
    ]
    for theirs, norm, ours in steps:
        names = [f"{source}{theirs}.{part}_proj." for part in ("q", "k", "v", "out")]
        if f"{names[0]}weight" in state:
            found |= torch_weights.heads(state, names, f"{target}{ours}", num_heads)
            found |= torch_weights.norm(
                state, f"{source}{norm}.", f"{target}{ours}_step/norm_outside"
            )
    for theirs, ours in (("fc1", "input"), ("fc2", "output")):
        found |= torch_weights.linear(
            state, f"{source}{theirs}.", f"{target}feed_forward/{ours}"
        )
    last = f"{target}feed_forward_step/norm_outside"
    return found | torch_weights.norm(state, f"{source}final_layer_norm.", last)


def _stack(kind, shape, depth, position, inner, **parts):
    name = "encoder" if kind is layers.TransformerEncoder else "decoder"
    heads = getattr(shape, "num_heads", None) or shape.encoder_attention_heads
    return kind(
        shape.vocab_size,
        depth,
        heads,
        shape.d_model,
        inner,
        position=position,
        name=name,
        **parts,
    )


def _shared(table):
    return {"embedding/embeddings": table}
