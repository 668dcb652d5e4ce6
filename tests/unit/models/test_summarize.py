"""Texts in, summaries out: batches, pieces as they come, and texts that say nothing."""

import re

import keras
import numpy as np
import pytest
from helpers.layers import fill
from helpers.rounding import assert_alike
from helpers.toys import once
from kzoo_recipes import KzooError

import kzoo
from kzoo.data.memory import Memory
from kzoo.generation import Generation
from kzoo.layers import LearnedPositions, TransformerDecoder, TransformerEncoder
from kzoo.models.generation import batches
from kzoo.models.streaming import Stream, text_of
from kzoo.text import Tokenizer

WORDS = [f"{a}{b}" for a in "bdfgk" for b in ("an", "en", "ino", "ur")]
TEXTS = [
    " ".join(np.random.default_rng(seed).choice(WORDS, size))
    for seed, size in enumerate((3, 40, 1, 12, 70, 2, 7))
]


@pytest.fixture(scope="module")
def model():
    tokenizer = Tokenizer.train(TEXTS, "word", 40, min_frequency=1)
    size = (tokenizer.vocabulary_size, 1, 2, 8, 16)
    model = kzoo.Seq2Seq(
        TransformerEncoder(*size, name="encoder"),
        TransformerDecoder(*size, name="decoder"),
        start_id=tokenizer.start_id,
        end_id=tokenizer.end_id,
        source_length=48,
        target_length=8,
    ).attach(tokenizer)
    return fill(model, 3, 1.0)


def greedy(**more):
    return Generation(max_new_tokens=8, **more)


def test_a_text_gets_the_same_in_any_batch(model):
    whole = model.answers(TEXTS, greedy())
    assert len({answer["summary"] for answer in whole}) > 3
    halves = model.answers(TEXTS[::-1], greedy(), batch_size=2)[::-1]
    for one, other in zip(whole, halves, strict=True):
        assert one["summary"] == other["summary"]
        assert one["score"] == pytest.approx(other["score"], abs=1e-5)
    assert [answer["truncated"] for answer in whole] == [
        len(text.split()) + 2 > 48 for text in TEXTS
    ]


@once
def test_learned_positions_know_no_batch(model):
    size = (model.encoder.vocabulary_size, 1, 2, 8, 16)
    longest = {"encoder": 48, "decoder": 8}
    learned = kzoo.Seq2Seq(
        *(
            kind(*size, position=LearnedPositions(8, longest[name]), name=name)
            for name, kind in (
                ("encoder", TransformerEncoder),
                ("decoder", TransformerDecoder),
            )
        ),
        start_id=model.start_id,
        end_id=model.end_id,
        source_length=48,
        target_length=8,
    ).attach(model.tokenizer)
    fill(learned, 5, 1.0)
    texts, settings = [TEXTS[0], TEXTS[3], TEXTS[6]], greedy(beams=3)
    together = learned.answers(texts, settings)
    alone = [learned.answers([text], settings)[0] for text in texts]
    for name in ("summary", "tokens", "finished", "truncated"):
        assert [one[name] for one in together] == [one[name] for one in alone]
    assert len({one["summary"] for one in together}) == 3


@once
def test_reads_what_it_remembers_before_a_text(model, tmp_path):
    twin = kzoo.Seq2Seq.from_config(model.get_config())
    memory = Memory.of(TEXTS, [" ".join(text.split()[:2]) for text in TEXTS], 2)
    twin.attach(model.tokenizer, memory).set_weights(model.get_weights())
    read = memory.before(TEXTS)
    assert read != TEXTS
    assert twin.answers(TEXTS, greedy()) == model.answers(read, greedy())
    twin.save(tmp_path / "twin.keras")
    kzoo.check_model_file(tmp_path / "twin.keras")
    again = kzoo.load_model(tmp_path / "twin.keras")
    assert again.answers(TEXTS, greedy()) == twin.answers(TEXTS, greedy())


def test_a_text_ends_at_any_of_the_ends(model):
    never = {"suppress": [model.end_id]}
    [[whole]] = model.generate([[7, 8, 9]], settings=greedy(**never))
    tokens = list(whole.token_ids)
    other = tokens[5]
    ends = {"other_ends": [other, model.end_id]}
    [[short]] = model.generate([[7, 8, 9]], settings=greedy(**never, **ends))
    assert short.finished and not whole.finished
    assert list(short.token_ids) == tokens[: tokens.index(other)]


@once
def test_samples_follow_from_the_number_of_the_text(model):
    settings = greedy(sample=True, seed=4)
    whole = [answer["summary"] for answer in model.answers(TEXTS, settings)]
    part = model.answers(TEXTS[3:5], settings, rows=[3, 4])
    assert [answer["summary"] for answer in part] == whole[3:5]
    twice = model.answers(TEXTS[3:4] * 2, settings)
    assert twice[0]["summary"] != twice[1]["summary"]


@once
def test_summarize_takes_what_was_saved_unless_told(model):
    assert model.settings() == Generation(max_new_tokens=8, beams=4)
    assert model.settings(beams=1, min_new_tokens=2) == greedy(min_new_tokens=2)
    model.generation = {"beams": 2, "nbest": 2, "max_new_tokens": 5}
    try:
        assert model.settings(max_new_tokens=3) == Generation(3, beams=2, nbest=2)
        several = model.summarize(TEXTS[:2])
        assert [len(texts) for texts in several] == [2, 2]
        assert model.summarize(TEXTS[0]) == several[0]
        [answer] = model.answers(TEXTS[:1])
        assert answer["summaries"] == several[0]
        assert answer["scores"] == sorted(answer["scores"], reverse=True)
        assert len(answer["tokens"]) == len(answer["finished"]) == 2
        assert isinstance(model.summarize(TEXTS[0], beams=1), str)
    finally:
        model.generation = None


@once
def test_texts_that_say_nothing(model):
    empty, unread, unknown, cut = model.answers(
        ["", " \n", "zzz qqq", TEXTS[4]], greedy()
    )
    for answer in (empty, unread):
        assert answer == {
            "summary": "",
            "score": 0.0,
            "tokens": 0,
            "finished": True,
            "truncated": False,
            "empty": True,
            "unknown": False,
        }
    assert unknown["unknown"] and not unknown["empty"]
    assert cut["truncated"] and not cut["unknown"]
    assert model.summarize([]) == []
    assert model.summarize(["", ""], nbest=2) == [[""], [""]]


@once
def test_pieces_together_are_the_summaries(model):
    pieces = {row: [] for row in range(len(TEXTS))}
    answers = model.answers(
        TEXTS, greedy(), batch_size=3, on_text=lambda row, new: pieces[row].append(new)
    )
    assert ["".join(pieces[row]) for row in pieces] == [
        answer["summary"] for answer in answers
    ]
    assert max(map(len, pieces.values())) > 1


@once
@pytest.mark.parametrize("kind", ["wordpiece", "byte_bpe", "unigram"])
def test_pieces_never_take_back_what_was_said(kind):
    text = (
        "We don't, do not and won't: 'naïve' 漢字 😀😀 cafés . it 's said , I do not ."
    )
    tokenizer = Tokenizer.train([text] * 3, kind, 300, min_frequency=1)
    told = []
    stream = Stream(tokenizer.decode, lambda row, piece: told.append(piece), [5])
    [token_ids] = tokenizer.encode([text], offsets=False).token_ids
    for token_id in token_ids:
        stream.token(0, int(token_id))
    assert len(told) > 3
    stream.end()
    assert "".join(told) == text_of(tokenizer.decode, token_ids)


@once
def test_batches_hold_all_rows_once_and_alike():
    rng = np.random.default_rng(0)
    lengths = rng.integers(1, 200, 57)
    rows = np.flatnonzero(lengths != 7)
    found = list(batches([np.zeros(n) for n in lengths], rows, 8))
    assert sorted(np.concatenate(found)) == sorted(rows)
    assert max(map(len, found)) == 8
    for part in found:
        least, most = lengths[part].min(), lengths[part].max()
        assert most <= 32 or most < 2 * least


def test_generate_takes_ids(model):
    ids = np.array([[7, 8, 9, 0], [6, 0, 0, 0]])
    mask = ids > 0
    both = model.generate(ids, mask, greedy())
    [alone] = model.generate(ids[1:, :1], settings=greedy())
    assert both[1][0].token_ids.tolist() == alone[0].token_ids.tolist()
    assert len(model.generate(ids, mask)[0]) == 1


def test_more_training_is_seen(model):
    before = model.summarize(TEXTS, beams=1)
    weight = model.encoder.embedding.embeddings
    kept = keras.ops.convert_to_numpy(weight.value).copy()
    built = model.generation_decoder().compilations
    try:
        weight.assign(kept[::-1].copy())
        assert model.summarize(TEXTS, beams=1) != before
    finally:
        weight.assign(kept)
    assert model.summarize(TEXTS, beams=1) == before
    assert model.generation_decoder().compilations == built


def test_a_saved_model_summarizes_alike(model, tmp_path):
    model.save(tmp_path / "model.keras")
    loaded = kzoo.load_model(tmp_path / "model.keras")
    assert_alike(
        loaded.summarize(TEXTS[:2], beams=1), model.summarize(TEXTS[:2], beams=1)
    )


SAVED = {
    "no dict": (3, r"must be a dict or None. Received: generation=3$"),
    "no setting": ({"foo": 1}, r"No setting.* has this name .* Received: foo=1$"),
    "text": ({"beams": "4"}, r"Received: beams='4'$"),
    "too many": ({"beams": 4000}, r"Received: beams=4000, vocabulary_size="),
    "contradiction": ({"min_new_tokens": 9}, r"min_new_tokens=9, max_new_tokens=8$"),
}


@once
@pytest.mark.parametrize("name", SAVED)
def test_a_model_is_not_made_that_could_not_write(model, name):
    generation, sentence = SAVED[name]
    with pytest.raises(ValueError, match=sentence):
        kzoo.Seq2Seq.from_config({**model.get_config(), "generation": generation})


@once
@pytest.mark.parametrize(
    ("key", "value", "sentence"),
    [
        ("copy", "yes", r"True or False. Received: copy='yes'$"),
        ("share_embeddings", 1, r"True or False. Received: share_embeddings=1$"),
        ("projection", [1], r"a dict or None. Received: projection=\[1\]$"),
        ("projection", {"scale": "x"}, r"number or None. Received: scale='x'$"),
        ("projection", {"tied": 1}, r"True or False. Received: tied=1$"),
        ("target_length", 10**9, r"at most 65536. Received: target_length=1000000000$"),
        ("source_length", 10**9, r"at most 65536. Received: source_length=1000000000$"),
    ],
)
def test_arguments_are_what_they_say(model, key, value, sentence):
    with pytest.raises(ValueError, match=sentence):
        kzoo.Seq2Seq.from_config({**model.get_config(), key: value})


@pytest.mark.parametrize("more", [{}, {"beams": 2}, {"sample": True}])
def test_weights_beyond_all_bounds_write_nothing(model, more):
    table = model.encoder.embedding.embeddings
    kept = keras.ops.convert_to_numpy(table.value).copy()
    try:
        table.assign(np.full(table.shape, np.nan))
        with pytest.raises(KzooError, match=r"^Text 7: the model's scores are not num"):
            model.answers(TEXTS[:1], greedy(**more), rows=[7])
    finally:
        table.assign(kept)


@once
def test_what_cannot_be_is_refused(model):
    with pytest.raises(ValueError, match=r"one summary of each text.*beams=4, nbest=1"):
        model.answers(TEXTS, model.settings(), on_text=print)
    with pytest.raises(ValueError, match=r"Received: 1 rows, 2 texts$"):
        model.answers(TEXTS[:2], greedy(), rows=[1])
    with pytest.raises(ValueError, match=r"Received: beams=400"):
        model.summarize(TEXTS, beams=400)
    with pytest.raises(TypeError, match=r"Received: texts\[1\] of type int$"):
        model.summarize(["one", 2])
    with pytest.raises(ValueError, match=r"Received: batch_size=0$"):
        model.summarize(TEXTS, batch_size=0)
    with pytest.raises(ValueError, match=r"Received: shape=\(2,\), dtype=int64$"):
        model.generate(np.array([1, 2]))
    with pytest.raises(ValueError, match=re.escape("Received: shape=(1, 3)")):
        model.generate(np.array([[1, 2]]), np.ones((1, 3)))
    with pytest.raises(KzooError, match=r"Text 1 has the token id 99"):
        model.generate(np.array([[1, 2], [3, 99]]))
    with pytest.raises(ValueError, match=r"Received: rows of 1 to 2$"):
        model.generate([[1, 2], [3]])
    with pytest.raises(ValueError, match=r"must be bool. Received: padding_mask of <U"):
        model.generate([[1, 2]], [["a", "b"]])
    with pytest.raises(KzooError, match=r"^Text 1 has no tokens; every text needs"):
        model.generate([[1, 2], [1, 2]], [[True, True], [False, False]])
    with pytest.raises(ValueError, match=r"Received: settings=\{'beams': 2\}$"):
        model.generate([[1, 2]], settings={"beams": 2})
    with pytest.raises(TypeError, match=r"Received: on_text=3$"):
        model.answers(TEXTS, greedy(), on_text=3)
    bare = kzoo.Seq2Seq.from_config(model.get_config())
    with pytest.raises(KzooError, match=r"attach it with `model.attach\(tokenizer\)`"):
        bare.summarize(TEXTS)
