"""Settings of generation: what they refuse, and how some give way to others."""

from dataclasses import replace

import kzoo_recipes
import numpy as np
import pytest

from kzoo.generation import Generation
from kzoo.generation.setting_checks import LONGEST

REFUSED = {
    "no tokens": (
        {"max_new_tokens": 0},
        "`max_new_tokens` must be a whole number, from 1 to 65536. "
        "Received: max_new_tokens=0",
    ),
    "more tokens than any memory holds": (
        {"max_new_tokens": 10**9},
        "`max_new_tokens` must be a whole number, from 1 to 65536. "
        "Received: max_new_tokens=1000000000",
    ),
    "more draws than any memory holds": (
        {"sample": True, "nbest": 10**9},
        "`nbest` must be a whole number, from 1 to 65536. Received: nbest=1000000000",
    ),
    "several numbers": (
        {"beams": np.array([1, 2])},
        "`beams` must be a whole number, at least 1. Received: beams=array([1, 2])",
    ),
    "several powers": (
        {"length_penalty": np.array([1.0, 2.0])},
        "`length_penalty` must be a number, from -10 to 10. "
        "Received: length_penalty=array([1., 2.])",
    ),
    "a number beyond floats": (
        {"diversity_penalty": 10**400},
        "`diversity_penalty` must be a number, from 0 to 10000. "
        f"Received: diversity_penalty={10**400}",
    ),
    "a number as text": (
        {"length_penalty": "1"},
        "`length_penalty` must be a number, from -10 to 10. "
        "Received: length_penalty='1'",
    ),
    "several ways to stop": (
        {"early_stopping": np.array([1, 2])},
        '`early_stopping` must be True, False or "never". '
        "Received: early_stopping=array([1, 2])",
    ),
    "one id alone": (
        {"suppress": 5},
        "`suppress` must be a list. Received: suppress=5",
    ),
    "nothing suppressed": (
        {"suppress": None},
        "`suppress` must be a list. Received: suppress=None",
    ),
    "a bad word that is an id": (
        {"bad_words": [5]},
        "`bad_words` must be a list. Received: bad_words=5",
    ),
    "half a beam": (
        {"beams": 2.5},
        "`beams` must be a whole number, at least 1. Received: beams=2.5",
    ),
    "true beams": (
        {"beams": True},
        "`beams` must be a whole number, at least 1. Received: beams=True",
    ),
    "least above most": (
        {"min_new_tokens": 9, "max_new_tokens": 8},
        "`min_new_tokens` must be at most `max_new_tokens`. "
        "Received: min_new_tokens=9, max_new_tokens=8",
    ),
    "more answers than beams": (
        {"beams": 2, "nbest": 3},
        "`nbest` must be at most `beams`, unless texts are sampled. "
        "Received: nbest=3, beams=2",
    ),
    "groups that do not divide": (
        {"beams": 4, "beam_groups": 3, "diversity_penalty": 1.0},
        "`beam_groups` must divide `beams`. Received: beam_groups=3, beams=4",
    ),
    "groups all the same": (
        {"beams": 4, "beam_groups": 2},
        "`diversity_penalty` must be above 0 exactly where `beam_groups` is above 1, "
        "or groups would all be the same. "
        "Received: diversity_penalty=0.0, beam_groups=2",
    ),
    "diversity of one group": (
        {"beams": 4, "diversity_penalty": 0.5},
        "`diversity_penalty` must be above 0 exactly where `beam_groups` is above 1, "
        "or groups would all be the same. "
        "Received: diversity_penalty=0.5, beam_groups=1",
    ),
    "sampled beams": (
        {"sample": True, "beams": 4},
        "Beams are not sampled: give `sample` or several `beams`; `nbest` draws "
        "several samples. Received: sample=True, beams=4",
    ),
    "temperature of no sample": (
        {"temperature": 0.7},
        "`temperature` is of samples and has no effect without `sample`. "
        "Received: temperature=0.7, sample=False",
    ),
    "top_p of no sample": (
        {"beams": 4, "top_p": 0.9},
        "`top_p` is of samples and has no effect without `sample`. "
        "Received: top_p=0.9, sample=False",
    ),
    "frozen temperature": (
        {"sample": True, "temperature": 0.0},
        "`temperature` must be a number, from 0.0001 to 10000. "
        "Received: temperature=0.0",
    ),
    "no probability": (
        {"sample": True, "top_p": 0},
        "`top_p` must be a number above 0 and at most 1. Received: top_p=0",
    ),
    "more than all": (
        {"sample": True, "min_p": 1.5},
        "`min_p` must be a number, from 0 to 1. Received: min_p=1.5",
    ),
    "repetition": (
        {"repetition_penalty": float("nan")},
        "`repetition_penalty` must be a number, from 0.0001 to 10000. "
        "Received: repetition_penalty=nan",
    ),
    "endless power": (
        {"beams": 2, "length_penalty": 99.0},
        "`length_penalty` must be a number, from -10 to 10. "
        "Received: length_penalty=99.0",
    ),
    "early": (
        {"beams": 2, "early_stopping": 1},
        '`early_stopping` must be True, False or "never". Received: early_stopping=1',
    ),
    "sample": (
        {"sample": "yes"},
        "`sample` must be True or False. Received: sample='yes'",
    ),
    "seed": (
        {"seed": -1},
        "`seed` must be a whole number, from 0 to 18446744073709551615. "
        "Received: seed=-1",
    ),
    "first token": (
        {"forced_first": -2},
        "`forced_first` must be the id of a token or None, at least 0. "
        "Received: forced_first=-2",
    ),
    "another end": (
        {"other_ends": [1.5]},
        "`other_ends` must be ids of tokens, at least 0. Received: other_ends=1.5",
    ),
    "forced and suppressed": (
        {"forced_first": 5, "suppress": [4, 5]},
        "`forced_first` is forced and suppressed. Received: forced_first=5",
    ),
    "forced and bad": (
        {"forced_last": 5, "bad_words": [[5]]},
        "`forced_last` is forced and a bad word. Received: forced_last=5",
    ),
    "forced twice": (
        {"max_new_tokens": 1, "forced_first": 5, "forced_last": 6},
        "A text of one token cannot have two that are forced. "
        "Received: max_new_tokens=1, forced_first=5, forced_last=6",
    ),
    "a word of nothing": (
        {"bad_words": [[3], []]},
        "A bad word has at least one token. Received: bad_words=((3,), ())",
    ),
    "a word that is text": (
        {"bad_words": ["no"]},
        "`bad_words` must be lists of ids of tokens, at least 0. "
        "Received: bad_words='n'",
    ),
}

UNFIT = {
    "too many beams": (
        {"beams": 30},
        "`beams` must be at most the number of tokens in the vocabulary. "
        "Received: beams=30, vocabulary_size=20",
    ),
    "too long": (
        {"max_new_tokens": 65},
        "`max_new_tokens` must be at most the positions of the model's decoder. "
        "Received: max_new_tokens=65, positions=64",
    ),
    "no such token": (
        {"bad_words": [[3, 20]]},
        "`bad_words` names no token of the model. "
        "Received: token=20, vocabulary_size=20",
    ),
    "no such first token": (
        {"forced_first": 99},
        "`forced_first` names no token of the model. "
        "Received: token=99, vocabulary_size=20",
    ),
    "nothing left": (
        {"suppress": range(20)},
        "`suppress` leaves no token. Received: suppressed=20",
    ),
    "the end is bad": (
        {"bad_words": [[1]]},
        "The end of a text is not a bad word; `min_new_tokens` delays it. "
        "Received: bad_words=(1,)",
    ),
    "another end is bad": (
        {"bad_words": [[7]], "other_ends": [7]},
        "The end of a text is not a bad word; `min_new_tokens` delays it. "
        "Received: bad_words=(7,)",
    ),
    "another end": (
        {"other_ends": [20]},
        "`other_ends` names no token of the model. "
        "Received: token=20, vocabulary_size=20",
    ),
    "an end before the beginning": (
        {"forced_first": 1},
        "`forced_first` ends every text before it begins. Received: forced_first=1",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refuses(case):
    settings, sentence = REFUSED[case]
    with pytest.raises(ValueError) as error:
        Generation(**settings)
    assert str(error.value) == sentence


@pytest.mark.parametrize("case", UNFIT)
def test_refuses_with_a_model(case):
    settings, sentence = UNFIT[case]
    with pytest.raises(ValueError) as error:
        Generation(**settings).check(20, longest=64, end_ids=[1])
    assert str(error.value) == sentence


def test_gives_itself_back_where_the_model_fits():
    settings = Generation(beams=20, suppress=[1, 2], bad_words=[[3, 1]])
    assert settings.check(20, longest=64, end_ids=[1]) is settings
    assert settings.suppress == (1, 2) and settings.bad_words == ((3, 1),)


SAVED = Generation(
    beams=4, nbest=2, length_penalty=2.0, early_stopping=True, no_repeat_ngram=3
)


@pytest.mark.parametrize(
    "told, expected",
    [
        ({"nbest": 3}, replace(SAVED, nbest=3)),
        ({"beams": 1}, Generation(no_repeat_ngram=3)),
        ({"sample": True}, Generation(no_repeat_ngram=3, sample=True)),
        (
            {"sample": True, "nbest": 5, "top_p": 0.5},
            Generation(no_repeat_ngram=3, sample=True, nbest=5, top_p=0.5),
        ),
        (
            {"beams": 1, "length_penalty": 0.5},
            Generation(no_repeat_ngram=3, length_penalty=0.5),
        ),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, dict) else "",
)
def test_what_is_told_wins_over_beams(told, expected):
    assert SAVED.told(**told) == expected


def test_beams_that_are_told_win_over_samples():
    saved = Generation(sample=True, temperature=0.5, nbest=3, seed=4)
    assert saved.told(beams=4) == Generation(beams=4, nbest=3, seed=4)
    assert saved.told(sample=False, nbest=1) == Generation(seed=4)
    assert saved.greedy() == Generation(seed=4)


def test_what_is_told_may_not_contradict_itself():
    with pytest.raises(ValueError, match="Beams are not sampled"):
        SAVED.told(beams=2, sample=True)


@pytest.mark.parametrize(
    "name, hint",
    [("beam", "; did you mean `beams`?"), ("num_beams", "; did you mean `beams`?")],
)
def test_a_setting_that_does_not_exist_is_refused_with_the_nearest(name, hint):
    with pytest.raises(ValueError) as error:
        SAVED.told(**{name: 3})
    assert str(error.value) == (
        f"No setting of generation has this name{hint} Received: {name}=3"
    )
    with pytest.raises(
        ValueError, match=r"name \(max_new_tokens, .*, seed\)\. Received"
    ):
        SAVED.told(zzz=3)


def test_whole_numbers_are_those_of_python():
    settings = Generation(max_new_tokens=np.int64(7), beams=np.int32(2))
    assert type(settings.max_new_tokens) is int and type(settings.beams) is int


def test_the_longest_text_is_that_of_recipes():
    assert LONGEST == kzoo_recipes.LONGEST
