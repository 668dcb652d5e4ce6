"""How checkpoints say that they write, as settings of kzoo; what is not carried."""

import json

import pytest
from kzoo_recipes import KzooError

from kzoo.generation import Generation
from kzoo.interop.generation import read_generation

IDS = {"decoder_start_token_id": 0, "eos_token_id": 1}


def read(folder, said, config=None, **more):
    if said is not None:
        folder.joinpath("generation_config.json").write_text(json.dumps(said))
    return read_generation(folder, config or {}, **more)


def test_lengths_leave_out_the_start(tmp_path):
    found = read(tmp_path, {**IDS, "max_length": 142, "min_length": 56})
    assert found.settings == {"beams": 1, "max_new_tokens": 141, "min_new_tokens": 55}
    assert found.notes == []


def test_new_tokens_win_over_lengths(tmp_path):
    said = {"max_length": 142, "max_new_tokens": 9, "min_length": 5}
    found = read(tmp_path, {**IDS, **said, "min_new_tokens": 2})
    assert found.settings == {"beams": 1, "max_new_tokens": 9, "min_new_tokens": 2}


def test_old_files_say_it_in_the_config(tmp_path):
    config = {
        **IDS,
        "num_beams": 4,
        "length_penalty": 2.0,
        "early_stopping": True,
        "force_bos_token_to_be_generated": True,
        "bos_token_id": 3,
        "forced_eos_token_id": 1,
        "bad_words_ids": [[1], [5, 6]],
        "task_specific_params": {"summarization": {"prefix": "summarize: "}},
    }
    found = read(tmp_path, None, config)
    assert Generation(**found.settings) == Generation(
        beams=4,
        length_penalty=2.0,
        early_stopping=True,
        forced_first=3,
        forced_last=1,
        bad_words=((5, 6),),
    )
    [note] = found.notes
    assert "task_specific_params (summarization)" in note


def test_the_config_says_nothing_beside_a_file_of_its_own(tmp_path):
    found = read(tmp_path, IDS, {"num_beams": 4, "max_length": 7})
    assert found.settings == {"beams": 1}


def test_several_ends_and_the_tokenizers_is_the_models(tmp_path):
    said = {"decoder_start_token_id": 2, "eos_token_id": [7, 8, 9]}
    found = read(tmp_path, said, end_id=8)
    assert (found.start_id, found.end_id) == (2, 8)
    assert found.settings["other_ends"] == [7, 9]
    assert read(tmp_path, said, end_id=3).end_id == 7


def test_the_start_is_the_first_token_where_no_other_is_said(tmp_path):
    assert read(tmp_path, {"bos_token_id": 5, "eos_token_id": 1}).start_id == 5
    config = {"decoder_start_token_id": 6, "bos_token_id": 4}
    assert read(tmp_path, {"eos_token_id": 1, "bos_token_id": 5}, config).start_id == 6


def test_settings_without_effect_are_left_out(tmp_path):
    said = {"temperature": 0.7, "top_k": 5, "length_penalty": 2.0}
    assert read(tmp_path, {**IDS, **said}).settings == {"beams": 1}
    sampled = read(tmp_path, {**IDS, **said, "do_sample": True}).settings
    assert sampled == {"beams": 1, "sample": True, "temperature": 0.7, "top_k": 5}


@pytest.mark.parametrize(
    "said, words",
    [
        ({"do_sample": True, "num_beams": 3}, "kzoo does not draw among beams"),
        (
            {"typical_p": 0.9},
            "no such settings of generation, so texts may differ: typ",
        ),
        ({"forced_eos_token_id": [1, 2]}, "none of the 2 that forced_eos_token_id"),
        ({"max_length": 99}, "texts of 98 tokens are longer than the 64 positions"),
        ({"max_length": 5, "min_length": 9}, "at least 8 tokens and at most 4"),
    ],
)
def test_what_is_not_carried_is_said(tmp_path, said, words):
    [note] = read(tmp_path, {**IDS, **said}, longest=64).notes
    assert words in note
    assert note.startswith(str(tmp_path / "generation_config.json: "))


@pytest.mark.parametrize(
    "said, sentence",
    [
        (
            {"eos_token_id": 1},
            "decoder_start_token_id must be the id of a token, without which a decoder "
            "cannot write, and is None.",
        ),
        (
            {"decoder_start_token_id": 0},
            "eos_token_id must be the id of a token, without which a decoder cannot "
            "write, and is None.",
        ),
        (
            {**IDS, "num_beams": 2, "num_return_sequences": 4},
            "kzoo cannot write by these settings: `nbest` must be at most `beams`, "
            "unless texts are sampled. Received: nbest=4, beams=2.",
        ),
    ],
)
def test_what_cannot_be_is_refused(tmp_path, said, sentence):
    with pytest.raises(KzooError) as error:
        read(tmp_path, said)
    assert str(error.value) == f"{tmp_path}/generation_config.json: {sentence}"
