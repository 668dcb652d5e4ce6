"""The keys of [model.encoder] are the arguments of the layers, name by name."""

import inspect
import typing

import pytest
from kzoo_recipes import (
    Attention,
    Decoder,
    DecoderAttention,
    DecoderEmbedding,
    Embedding,
    Encoder,
    SummarizerModel,
    arguments_of,
)
from kzoo_recipes.attention_schema import KERNEL_OPTIONS
from kzoo_recipes.kinds import Table

layers = pytest.importorskip("kzoo.layers")
named = pytest.importorskip("kzoo.layers.kernels.named")

FROM_TOKENIZER = {"vocabulary_size"}
FROM_ENCODER = {"hidden_dim", "num_heads"}
OF_KERNELS = {name for names in KERNEL_OPTIONS.values() for name in names}
SMALL = dict(num_layers=1, num_heads=2, hidden_dim=8, intermediate_dim=16)


def arguments(layer):
    """Names and defaults of a constructor, without `self` and `**kwargs`.

    One that takes `*args` hands them to its base, which names them.
    """
    found = {}
    for name, parameter in inspect.signature(layer).parameters.items():
        if parameter.kind is parameter.VAR_POSITIONAL:
            found |= arguments(layer.__base__)
        elif parameter.kind is not parameter.VAR_KEYWORD:
            found[name] = parameter.default
    return found


def choices(key):
    literal = typing.get_type_hints(Encoder)[key]
    return [(key, choice) for choice in typing.get_args(literal)]


def test_encoder_keys_are_the_arguments_with_the_same_defaults():
    given = arguments(layers.TransformerEncoder)
    assert set(given) - FROM_TOKENIZER == set(Encoder.__struct_fields__)
    encoder = Encoder(**SMALL)
    for name, default in given.items():
        if default is not inspect.Parameter.empty:
            assert getattr(encoder, name) == default, name


@pytest.mark.parametrize(
    "table, layer",
    [(Attention, "MultiHeadAttention"), (Embedding, "TokenEmbedding")],
)
def test_inner_tables_are_arguments(table: type[Table], layer):
    given = arguments(getattr(layers, layer))
    if table is Attention:
        given |= dict.fromkeys(OF_KERNELS)
    assert set(table.__struct_fields__) <= set(given) - FROM_TOKENIZER - FROM_ENCODER
    for name in table.__struct_fields__:
        own = getattr(table(), name)
        assert own is None or own == given[name], name


@pytest.mark.parametrize(
    "key, choice",
    [
        pair
        for key in ("position", "feed_forward", "norm", "norm_placement")
        for pair in choices(key)
    ],
)
def test_every_choice_of_the_schema_is_a_part(key, choice):
    encoder = Encoder(**SMALL, **{key: choice})
    layers.TransformerEncoder(20, **arguments_of(encoder))


def test_keys_of_kernels_are_their_options():
    kinds = typing.get_type_hints(Attention)["kernel"]
    assert set(typing.get_args(typing.get_args(kinds)[0])) == set(KERNEL_OPTIONS)
    assert set(KERNEL_OPTIONS) == set(named.KERNELS)
    for kind, names in KERNEL_OPTIONS.items():
        assert set(names) == set(named.options_of(kind)), kind


@pytest.mark.parametrize("kind", KERNEL_OPTIONS)
def test_every_kernel_reaches_its_layer(kind):
    attention = Attention(kernel=kind, **given_options(kind))
    encoder = Encoder(**SMALL, position="none", attention=attention)
    made = layers.TransformerEncoder(20, **arguments_of(encoder))
    kernel = made.blocks[0].attention.kernel
    assert type(kernel) is named.KERNELS[kind]
    config = kernel.get_config()
    assert {name: config[name] for name in KERNEL_OPTIONS[kind]} == given_options(kind)


def given_options(kind):
    """The options of a kernel, each otherwise than by default."""
    return {
        name: not value if isinstance(value, bool) else value + 1
        for name, value in named.options_of(kind).items()
    }


def test_every_inner_key_reaches_its_layer():
    encoder = Encoder(
        **SMALL,
        attention=Attention(num_key_value_heads=1, head_dim=6, dropout=0.2),
        embedding=Embedding(num_segments=2, norm="rms_norm", dropout=0.3),
    )
    layers.TransformerEncoder(20, **arguments_of(encoder))


def test_keys_of_the_decoder_are_those_of_the_encoder_that_it_can_use():
    """Nothing that segments and pairs of tokens need, which decoding does without."""
    own = set(Encoder.__struct_fields__) - {"share_blocks"}
    assert set(Decoder.__struct_fields__) == own
    own = set(Attention.__struct_fields__) - OF_KERNELS - {"kernel"}
    assert set(DecoderAttention.__struct_fields__) == own
    unused = {"num_segments", "bigram_buckets", "bigram_dropout"}
    own = set(DecoderEmbedding.__struct_fields__)
    assert own == set(Embedding.__struct_fields__) - unused


def test_every_key_of_the_decoder_reaches_its_layer():
    encoder = Encoder(
        **SMALL,
        attention=Attention(num_key_value_heads=1, head_dim=6),
        embedding=Embedding(num_segments=2, norm="rms_norm", scale=True),
    )
    model = SummarizerModel(encoder=encoder, decoder=Decoder(position="relative"))
    layers.TransformerDecoder(20, **arguments_of(model.decoder))
