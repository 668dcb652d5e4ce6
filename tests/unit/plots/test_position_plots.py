"""Pictures of positions show the schemes' own numbers, as the papers define them."""

import numpy as np
import pytest
from kzoo_recipes import KzooError

from kzoo import layers, plots

T, D, N = 24, 16, 4


def panel_of(name, kind):
    [found] = [
        panel for panel in plots.named_positions(name, T, D, N) if panel["kind"] == kind
    ]
    return found


def test_sinusoids_are_those_of_the_paper():
    places, pairs = np.arange(T)[:, None], np.arange(0, D, 2)
    angles = places / 10000 ** (pairs / D)
    expected = np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(T, D)
    values = panel_of("sinusoidal", "pattern")["values"]
    np.testing.assert_allclose(values, expected, atol=1e-6)
    similar = panel_of("sinusoidal", "similarity")["values"]
    # Angles' differences alone: the mean of cos((p - q) w).
    waves = (places - places.T)[..., None] / 10000 ** (pairs / D)
    np.testing.assert_allclose(similar, np.cos(waves).mean(axis=-1), atol=1e-6)


def test_rotary_scores_decay_as_in_the_paper():
    found = panel_of("rotary", "decay")
    head = D // N
    rates = 10000 ** (-np.arange(0, head, 2) / head)
    for distance in range(T):
        turns = np.exp(1j * distance * rates)
        sums = [abs(turns[:count].sum()) for count in range(1, head // 2 + 1)]
        mean, most = np.mean(sums), np.mean(range(1, head // 2 + 1))
        curves = found["curves"]
        assert curves["mean of |S|"][distance] == pytest.approx(mean / most, abs=1e-5)
        equal = curves["equal query and key"][distance]
        assert equal == pytest.approx(np.cos(distance * rates).mean(), abs=1e-5)


@pytest.mark.parametrize("both_ways", [True, False])
def test_alibi_falls_on_a_line_for_each_head(both_ways):
    [found] = plots.positions(layers.AlibiPositions(N), T, both_ways)
    last = T - 1 if both_ways else 0
    assert found["offset"].tolist() == list(range(1 - T, last + 1))
    slopes = 2.0 ** (-8 * np.arange(1, N + 1) / N)
    expected = -slopes[:, None] * np.abs(found["offset"])
    np.testing.assert_allclose(found["heads"], expected, rtol=1e-6)


def test_trained_positions_are_shown_as_similarities(classifier):
    [found] = plots.positions(classifier.encoder.position, 16)
    table = np.asarray(classifier.encoder.position.weights[0].numpy(), "float64")[:16]
    table /= np.linalg.norm(table, axis=1, keepdims=True)
    np.testing.assert_allclose(found["values"], table @ table.T, atol=1e-6)


def test_two_schemes_have_a_panel_each():
    rotary = layers.RotaryPositions(8)
    turns = layers.AlternatingPositions(rotary, layers.RotaryPositions(8, 100.0), 3, 5)
    found = plots.positions(turns, T)
    assert [panel["title"] for panel in found] == [
        "every 3 layers: Rotary: decay of scores",
        "the others, within 5 places: Rotary: decay of scores",
    ]
    pair = layers.PositionPair(layers.SinusoidalPositions(D), layers.AlibiPositions(N))
    kinds = [panel["kind"] for panel in plots.positions(pair, T)]
    assert kinds == ["pattern", "similarity", "bias"]


def test_distances_of_deberta_are_compared():
    scheme = layers.DisentangledPositions(D, max_distance=8, num_buckets=4)
    scheme.build((None, T, D))
    [found] = plots.positions(scheme, T)
    assert found["values"].shape == (8, 8)
    np.testing.assert_allclose(np.diag(found["values"]), 1, rtol=1e-6)


def test_figures_show_the_panels():
    found = plots.named_positions("sinusoidal", T, D, N)
    figure = plots.positions_figure(found, "A title")
    shown = [axis.images[0].get_array() for axis in figure.axes if axis.images]
    for image, panel in zip(shown, found, strict=True):
        np.testing.assert_array_equal(image, panel["values"])
    found = plots.named_positions("alibi", T, D, N)
    [axis] = plots.positions_figure(found).axes
    lines = np.stack([line.get_ydata() for line in axis.lines])
    np.testing.assert_array_equal(lines, found[0]["heads"])
    styles = {(line.get_linestyle(), line.get_marker()) for line in axis.lines}
    assert len(styles) == N
    assert "(tokens)" in axis.get_xlabel()


@pytest.mark.parametrize(
    "ask, message",
    [
        (lambda m: plots.positions(None), "has no positions"),
        (lambda m: plots.positions(m.encoder.position, 513), "there are 512 positions"),
        (lambda m: plots.named_positions("learned"), "those of a model"),
        (
            lambda m: plots.named_positions("rotary", 8, 15, 4),
            "4 heads do not divide 15",
        ),
    ],
)
def test_what_cannot_be_drawn_is_said(classifier, ask, message):
    with pytest.raises(KzooError, match=message):
        ask(classifier)
