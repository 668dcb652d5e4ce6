"""What a recipe of summarization may say, and what is left out stands for."""

import pytest
from jsonschema import Draft202012Validator
from kzoo_recipes import RecipeError, arguments_of, dict_of, from_dict, load, to_toml
from kzoo_recipes.json_schema import json_schema
from task_recipes import summarizer

SMALL = {"num_layers": 1, "num_heads": 2, "hidden_dim": 8, "intermediate_dim": 8}


def refused(recipe):
    with pytest.raises(RecipeError) as caught:
        from_dict(recipe, "my.toml")
    return [sentence for _, sentence in caught.value.mistakes]


def test_defaults():
    recipe = from_dict(summarizer())
    assert (recipe.data.document, recipe.data.summary) == ("document", "summary")
    assert (recipe.data.sequence_length, recipe.data.summary_length) == (256, 64)
    assert recipe.data.truncate == "head"
    assert (recipe.training.metric, recipe.training.evaluation_rows) == ("rougeL", 200)
    assert recipe.generation.beams == 4


def test_a_summary_may_be_as_long_in_writing_as_in_training():
    recipe = from_dict(summarizer(data={"summary_length": 20}))
    assert recipe.generation.max_new_tokens == 20
    told = summarizer(data={"summary_length": 20}, generation={"max_new_tokens": 9})
    assert from_dict(told).generation.max_new_tokens == 9


def told_to_both(encoder):
    """The arguments of an encoder that a decoder has, too."""
    told = arguments_of(encoder)
    assert told.pop("share_blocks") == 1
    return told


def test_what_a_decoder_leaves_out_is_as_in_the_encoder():
    encoder = SMALL | {
        "norm": "rms_norm",
        "attention": {"num_key_value_heads": 1, "use_bias": False},
        "embedding": {"norm": "rms_norm", "bigram_buckets": 9, "num_segments": 2},
    }
    decoder = {"num_layers": 3, "attention": {"dropout": 0.5}}
    recipe = from_dict(summarizer(model={"encoder": encoder, "decoder": decoder}))
    assert arguments_of(recipe.model.decoder) == {
        **told_to_both(recipe.model.encoder),
        "num_layers": 3,
        "attention": {"num_key_value_heads": 1, "use_bias": False, "dropout": 0.5},
        "embedding": {"norm": "rms_norm", "scale": False, "token_dropout": 0.0},
    }


def test_a_decoder_without_a_table_has_none_where_the_encoder_has_none():
    model = from_dict(summarizer()).model
    assert model.decoder.attention is None and model.decoder.embedding is None
    assert arguments_of(model.decoder) == told_to_both(model.encoder)


@pytest.mark.parametrize(
    "tables",
    [
        {},
        {"data": {"references": "others", "truncate": "both"}},
        {"generation": {"early_stopping": "never", "beams": 2}},
        {"generation": {"early_stopping": True, "length_penalty": -0.5}},
        {"model": {"encoder": SMALL, "decoder": {"num_layers": 2}, "copy": True}},
    ],
    ids=["nothing", "columns", "never", "early", "decoder"],
)
def test_a_summarizer_written_as_toml_is_the_same(tables, tmp_path):
    recipe = from_dict(summarizer(**tables))
    tmp_path.joinpath("mine.toml").write_text(to_toml(recipe))
    assert dict_of(load(tmp_path / "mine.toml")) == dict_of(recipe)
    assert Draft202012Validator(json_schema()).is_valid(summarizer(**tables))


@pytest.mark.parametrize(
    "tables, sentence",
    {
        "a key of texts": (
            {"data": {"text": "body"}},
            '[data] has no key "text"; `text` belongs to recipes of '
            "text_classifier, token_tagger, masked_lm, span_corruption or "
            "image_text_classifier. "
            'Received: text="body"',
        ),
        "a loss of labels": (
            {"training": {"loss": "focal"}},
            '[training] has no key "loss"; `loss` belongs to recipes of '
            "text_classifier, token_tagger or image_text_classifier. "
            'Received: loss="focal"',
        ),
        "metric": (
            {"training": {"metric": "rougel"}},
            '[training] metric is not a metric of the task; did you mean "rougeL"? '
            'Received: metric="rougel"',
        ),
        "one column for two": (
            {"data": {"summary": "document"}},
            "[data] summary must be another column than `document`. "
            'Received: summary="document", document="document"',
        ),
        "references that are the summary": (
            {"data": {"references": "summary"}},
            "[data] references must be another column than `summary`. "
            'Received: references="summary", summary="summary"',
        ),
        "one mistake of both stacks": (
            {"model": {"encoder": SMALL | {"num_heads": 3}}},
            "[model.encoder] num_heads must divide `hidden_dim` (or set head_dim in "
            "[model.encoder.attention]). Received: num_heads=3, hidden_dim=8",
        ),
        "heads of the decoder": (
            {"model": {"encoder": SMALL, "decoder": {"num_heads": 3}}},
            "[model.decoder] num_heads must divide `hidden_dim` (or set head_dim in "
            "[model.decoder.attention]). Received: num_heads=3, hidden_dim=8",
        ),
        "two widths and one table": (
            {"model": {"encoder": SMALL, "decoder": {"hidden_dim": 16}}},
            "[model.decoder] hidden_dim must be the encoder's with "
            "`share_embeddings = true`. Received: hidden_dim=16, hidden_dim=8, "
            "share_embeddings=true",
        ),
        "two widths of token vectors and one table": (
            {
                "model": {
                    "encoder": SMALL | {"embedding": {"embedding_dim": 4}},
                    "decoder": {"embedding": {"embedding_dim": 6}},
                }
            },
            "[model.decoder.embedding] embedding_dim must be the encoder's with "
            "`share_embeddings = true`. Received: embedding_dim=6, embedding_dim=4, "
            "share_embeddings=true",
        ),
        "contradictory lengths": (
            {"data": {"summary_length": 8}, "generation": {"min_new_tokens": 9}},
            "[generation] min_new_tokens must not be above `max_new_tokens`. "
            "Received: min_new_tokens=9, max_new_tokens=8",
        ),
        "unequal groups": (
            {"generation": {"beam_groups": 3, "diversity_penalty": 0.5}},
            "[generation] beam_groups must divide `beams`. "
            "Received: beam_groups=3, beams=4",
        ),
        "equal groups": (
            {"generation": {"beam_groups": 2}},
            "[generation] diversity_penalty is above 0 exactly where `beam_groups` is "
            "above 1. Received: diversity_penalty=0.0, beam_groups=2",
        ),
        "stopping": (
            {"generation": {"early_stopping": "nevr"}},
            '[generation] early_stopping must be true or false, or "never". '
            'Received: early_stopping="nevr"',
        ),
        "more tokens than positions": (
            {
                "model": {"encoder": SMALL, "decoder": {"position": "learned"}},
                "generation": {"max_new_tokens": 65},
            },
            "[generation] max_new_tokens must not be above `summary_length`, for which "
            "positions are learned. Received: max_new_tokens=65, summary_length=64, "
            'position="learned"',
        ),
    }.values(),
)
def test_mistakes_of_a_summarizer(tables, sentence):
    assert refused(summarizer(**tables)) == [f"my.toml: {sentence}"]


def test_rows_by_option_bring_their_own_layout_and_keep_no_promise(tmp_path):
    promise = {"rouge1": {"at_least": 0.2}}
    own = summarizer(data={"document": "body", "summary": "subject"}, expect=promise)
    tmp_path.joinpath("mine.toml").write_text(to_toml(from_dict(own)))
    kept = load(tmp_path / "mine.toml", ["generation.early_stopping=never"])
    assert kept.expect and kept.data.document == "body"
    assert kept.generation.early_stopping == "never"
    hub = load(tmp_path / "mine.toml", ["data.source=hf:a/b"])
    assert (hub.data.document, hub.data.summary, hub.expect) == (
        *("document", "summary"),
        {},
    )
