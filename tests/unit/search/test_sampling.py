"""Draws: among which tokens, by which probabilities, from which numbers."""

import numpy as np
import pytest
import scipy.stats
from helpers.decoders import NumpyDecoder, log_softmax, sources

from kzoo.generation import Generation, generate
from kzoo.generation.sampling import draw, probabilities, uniforms

START, END, V = 0, 1, 40
WARPED = [
    {},
    {"temperature": 0.6},
    {"temperature": 2.5},
    {"top_k": 1},
    {"top_k": 7},
    {"top_k": 100},
    {"top_p": 0.001},
    {"top_p": 0.7},
    {"min_p": 0.05},
    {"min_p": 1.0},
    {"temperature": 1.7, "top_k": 12, "top_p": 0.8, "min_p": 0.02},
]


def settings_of(warp):
    return Generation(sample=True, **{"top_k": 0, **warp})


def named(warp):
    return " ".join(f"{name} {value}" for name, value in warp.items()) or "all"


def spread(logits, settings):
    """The probability of each token in the order of the tokens."""
    places, weights = probabilities(logits, settings)
    if places is None:
        return weights
    answer = np.zeros(logits.shape)
    np.put_along_axis(answer, places, weights, axis=-1)
    return answer


@pytest.mark.parametrize("warp", WARPED, ids=named)
def test_probabilities_are_those_of_transformers(warp):
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    from transformers.generation import logits_process as theirs

    logits = np.random.default_rng(1).normal(scale=3, size=(50, V)).astype("float32")
    chain = transformers.LogitsProcessorList()
    if "temperature" in warp:
        chain.append(theirs.TemperatureLogitsWarper(warp["temperature"]))
    if "top_k" in warp:
        chain.append(theirs.TopKLogitsWarper(warp["top_k"]))
    if "top_p" in warp:
        chain.append(theirs.TopPLogitsWarper(warp["top_p"]))
    if "min_p" in warp:
        chain.append(theirs.MinPLogitsWarper(warp["min_p"]))
    expected = torch.softmax(chain(None, torch.tensor(logits)), dim=-1).numpy()
    found = spread(logits, settings_of(warp))
    np.testing.assert_array_equal(found > 0, expected > 0)
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-9)


@pytest.fixture(scope="module")
def numbers():
    return uniforms(3, range(20_000), 1, 1)[:, :, 0]


@pytest.mark.parametrize("warp", WARPED, ids=named)
def test_draws_follow_the_probabilities(warp, numbers):
    logits = np.random.default_rng(2).normal(scale=2, size=V).astype("float32")
    settings, count = settings_of(warp), len(numbers)
    drawn = draw(None, np.tile(logits, (count, 1, 1)), numbers, settings)
    expected = spread(logits, settings) * count
    counts = np.bincount(drawn[:, 0], minlength=V)
    assert not counts[expected == 0].any()
    likely = expected >= 5  # The rest together: what the test needs to hold.
    seen = [*counts[likely], counts[~likely].sum()]
    due = [*expected[likely], expected[~likely].sum()]
    if due[-1] < 5:
        seen, due = [*seen[:-2], seen[-2] + seen[-1]], [*due[:-2], due[-2] + due[-1]]
    if len(due) > 1:
        assert scipy.stats.chisquare(seen, due).pvalue > 1e-3
    else:
        assert seen[0] == count


def test_numbers_are_uniform_and_of_their_own():
    numbers = uniforms(5, range(300), 4, 50)
    assert numbers.shape == (300, 4, 50) and numbers.min() >= 0 and numbers.max() < 1
    assert scipy.stats.kstest(numbers.ravel(), "uniform").pvalue > 1e-3
    flat = numbers.reshape(-1, 50)
    assert len(np.unique(flat)) == flat.size
    # Neighbouring sources, draws and steps know nothing of each other.
    for one, other in (
        (numbers[1:], numbers[:-1]),
        (numbers[:, 1:], numbers[:, :-1]),
        (numbers[..., 1:], numbers[..., :-1]),
    ):
        r = np.corrcoef(one.ravel(), other.ravel())[0, 1]
        assert abs(r) < 4 / np.sqrt(one.size)


def test_numbers_depend_on_seed_row_and_place_alone():
    numbers = uniforms(5, [7, 8], 3, 20)
    np.testing.assert_array_equal(uniforms(5, [8], 2, 10)[0], numbers[1, :2, :10])
    assert not np.isin(uniforms(6, [7, 8], 3, 20), numbers).any()


@pytest.mark.parametrize("number", [0.0, 0.25, 0.5, 1 - 2**-53])
def test_a_number_never_picks_a_token_that_may_not_come(number):
    ids = np.array([[[9, 3, 5, 0, 7]]])
    scores = np.log(np.array([[[0.4, 0.3, 0.3, 0, 0]]], "float32") + 1e-45)
    scores[..., 3:] = -np.inf
    place = draw(ids, scores, np.array([[number]]), settings_of({}))
    # Along the ids 3, 5, 9 with 0.3, 0.3, 0.4.
    expected = 3 if number < 0.3 else 5 if number < 0.6 else 9
    assert ids[0, 0, place[0, 0]] == expected


def test_tokens_that_nearly_tie_may_change_places():
    """Backends differ in the last bits, which may turn an order but not a draw."""
    scores = np.array([[[-1.0, -1.0 - 1e-7, -2.0]]], "float32")
    turned = np.array([[[-1.0, -1.0 - 1e-7, -2.0]]], "float32")
    ids, other = np.array([[[4, 6, 2]]]), np.array([[[6, 4, 2]]])
    for number in np.linspace(0.01, 0.99, 33):
        numbers = np.array([[number]])
        one = ids[0, 0, draw(ids, scores, numbers, settings_of({}))[0, 0]]
        two = other[0, 0, draw(other, turned, numbers, settings_of({}))[0, 0]]
        assert one == two


def test_a_source_draws_the_same_in_any_batch():
    decoder = NumpyDecoder(V, seed=3)
    token_ids, mask = sources(12, V, seed=4)
    settings = Generation(sample=True, nbest=3, seed=9, max_new_tokens=10)
    together = generate(decoder, token_ids, mask, settings, START, END, 0)
    turned = np.random.default_rng(0).permutation(12)
    apart = generate(
        decoder, token_ids[turned], mask[turned], settings, START, END, 0, rows=turned
    )
    for place, row in enumerate(turned):
        assert [one.token_ids.tolist() for one in apart[place]] == [
            one.token_ids.tolist() for one in together[row]
        ]
    texts = {tuple(one.token_ids) for row in together for one in row}
    assert len(texts) > 30


def test_a_score_is_what_the_model_thinks_of_the_text():
    decoder = NumpyDecoder(V, seed=3)
    token_ids, mask = sources(6, V, seed=4)
    settings = Generation(
        sample=True, temperature=2.0, repetition_penalty=1.3, max_new_tokens=6
    )
    found = generate(decoder, token_ids, mask, settings, START, END, 0)
    for row, [one] in enumerate(found):
        text = [*one.token_ids.tolist(), *([END] if one.finished else [])]
        state, total, last = (
            decoder.read(token_ids[row][None], mask[row][None]),
            0,
            START,
        )
        for token in text:
            state, logits = decoder.write(state, np.array([last]))
            total, last = total + log_softmax(logits)[0, token], token
        assert one.score == pytest.approx(total / len(text), rel=1e-5)
