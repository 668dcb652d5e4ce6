"""Scores along a search: those of the whole text, whatever is filled up or cut off."""

import numpy as np
import pytest
from helpers.writers import V, Writer, sources
from scipy.special import log_softmax

from kzoo.generation.decoder import Decoder, rung

STEPS = 4


@pytest.fixture(scope="module")
def model():
    return Writer()


@pytest.fixture(scope="module")
def decoder(model):
    return Decoder(model)


def follow(decoder, beams=2, inputs=None, seed=0, **options):
    """Take steps at random; return the scores of each and the texts before them."""
    inputs = inputs or sources()
    rng = np.random.default_rng(seed)
    count = len(inputs[0])
    run = decoder.begin(*inputs, beams=beams, length=STEPS, **options)
    texts = np.zeros((count, beams, 0), "int32")
    found = []
    for step in range(STEPS):
        tokens = rng.integers(0, V, (count, beams)).astype("int32")
        parents = rng.integers(0, beams if step else 1, (count, beams))
        texts = np.take_along_axis(texts, parents[:, :, None], axis=1)
        texts = np.concatenate([texts, tokens[:, :, None]], axis=2)
        found.append((run.step(tokens, parents), texts))
    return found


def expected(model, texts, inputs=None):
    inputs = inputs or sources()
    beams = range(texts.shape[1])
    return np.stack([model.taught(*inputs, texts[:, k]) for k in beams], axis=1)


@pytest.mark.parametrize("kind", ["logits", "log_probabilities"])
def test_scores_of_all_tokens_are_those_of_the_whole_text(model, decoder, kind):
    for scores, texts in follow(decoder, kind=kind)[1::2]:
        logits = expected(model, texts)
        wanted = logits if kind == "logits" else log_softmax(logits, axis=-1)
        np.testing.assert_allclose(scores.all, wanted, rtol=1e-5, atol=1e-5)
        assert scores.all.dtype == np.float32
        assert scores.ids is None and scores.values is None


@pytest.mark.parametrize(
    ("candidates", "kind"),
    [(1, "log_probabilities"), (5, "logits"), (V, "log_probabilities")],
)
def test_candidates_are_the_best_of_all(decoder, candidates, kind):
    whole = follow(decoder, kind=kind)
    some = follow(decoder, kind=kind, candidates=candidates)
    for (scores, _), (all_, _) in zip(some, whole, strict=True):
        assert scores.all is None
        assert scores.ids.dtype == np.int32 and scores.values.dtype == np.float32
        best = np.argsort(-all_.all, axis=-1, kind="stable")[..., :candidates]
        np.testing.assert_array_equal(scores.ids[..., :candidates], best)
        values = np.take_along_axis(all_.all, best, -1)
        np.testing.assert_allclose(scores.values[..., :candidates], values, atol=2e-6)


def test_of_equal_scores_the_lower_id_comes_first():
    model = Writer()
    table = np.zeros((V, 8), "float32")
    table[[3, 7, 11]] = 1.0  # Three tokens with one vector, all others with another.
    model.decoder.embedding.embeddings.assign(table)
    decoder = Decoder(model)
    high, low = [3, 7, 11], [0, 1, 2, 4, 5, 6, 8, 9]
    for candidates in (1, 2, 8):
        run = decoder.begin(*sources(), beams=2, length=1, candidates=candidates)
        scores = run.step(np.zeros((3, 2), "int32"), np.zeros((3, 2), "int32"))
        for row in scores.ids[..., :candidates].reshape(-1, candidates).tolist():
            assert row in ((high + low)[:candidates], (low + high)[:candidates])


def test_weights_are_read_when_a_text_begins():
    model = Writer()
    decoder = Decoder(model)
    before = follow(decoder)
    built = decoder.compilations
    model.refill(5)
    scores, texts = follow(decoder)[-1]
    assert np.abs(scores.all - before[-1][0].all).max() > 0.1
    np.testing.assert_allclose(scores.all, expected(model, texts), atol=1e-5)
    assert decoder.compilations == built  # New weights need no new programs.


def test_programs_are_two_for_each_bucket(decoder):
    """Whatever sources, lengths and candidates are asked for within it."""
    follow(decoder, candidates=8)
    built = decoder.compilations
    for size, candidates in ((5, 2), (9, 8), (31, 5)):
        follow(decoder, 2, sources(3, size), candidates=candidates)
    follow(decoder.filling(3), 2, sources(1, 7), candidates=4)  # Filled up to 3 rows.
    assert decoder.compilations == built
    follow(decoder, 2, candidates=9)
    new = [1, 2] if decoder.programs.compiled else [0, 0]
    assert decoder.compilations == built + new[0]  # 16 candidates: a step.
    follow(decoder, 1, candidates=9)
    assert decoder.compilations == built + sum(new)  # Another width: both.


def test_each_source_is_answered_as_if_alone(decoder):
    inputs = sources(4, 40, seed=2)  # Beyond the smallest bucket, one text is short.
    found = follow(decoder, inputs=inputs, seed=3)
    for row in (0, 3):
        size = int(inputs[1][row].sum())
        alone = tuple(x[row : row + 1, :size] for x in inputs)
        run = decoder.begin(*alone, beams=2, length=STEPS)
        before = np.zeros((1, 2, 0), "int32")
        for scores, texts in found:
            tokens = texts[row : row + 1, :, -1]
            # Of beams with one past it does not matter which is gone on with.
            parents = [
                [
                    next(
                        place
                        for place in range(2)
                        if (before[0, place] == text[:-1]).all()
                    )
                    for text in texts[row]
                ]
            ]
            before = texts[row : row + 1]
            own = run.step(tokens, np.array(parents))
            np.testing.assert_allclose(own.all[0], scores.all[row], atol=1e-5)


def test_lengths_stay_within_learned_positions():
    model = Writer(longest=37)
    decoder = Decoder(model)
    inputs = sources(2, 36)
    run = decoder.begin(*inputs, length=37)  # Rounded up, both would be too long.
    tokens, parents = np.ones((2, 1), "int32"), np.zeros((2, 1), "int32")
    scores = run.step(tokens, parents)
    wanted = model.taught(*inputs, tokens)
    np.testing.assert_allclose(scores.all[:, 0], wanted, atol=1e-5)
    with pytest.raises(ValueError, match=r"for 37 tokens only. Received: length=38$"):
        decoder.begin(*inputs, length=38)


def test_rungs():
    assert [rung(n) for n in range(1, 14)] == [
        1,
        2,
        3,
        4,
        6,
        6,
        8,
        8,
        12,
        12,
        12,
        12,
        16,
    ]
    assert [rung(n, 8) for n in (1, 8, 9, 13, 49)] == [8, 8, 12, 16, 64]
    assert [rung(n, 32, halves=False) for n in (1, 33, 65)] == [32, 64, 128]
