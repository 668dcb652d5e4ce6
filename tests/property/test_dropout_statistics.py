"""Masks pass for fair coins, and the measures that say so catch poor hashes.

Seeds are fixed, so nothing here is left to luck. A fair coin stays below 5 deviations
in each measure; poor hashes reach tens and hundreds.
"""

import numpy as np
import pytest
from helpers.layers import array
from helpers.masks import of_mean, of_spread, z_scores
from keras import ops

from kzoo.layers.dropout import keep_mask

RATES = (0.1, 0.3, 0.5)
KEY = 20240607


def kzoo_masks(shape, rate, key=KEY):
    def mask_of(step):
        state = ops.convert_to_tensor([key, step], dtype="int32")
        return array(keep_mask(state, shape, rate)).reshape(-1, shape[-1])

    return mask_of


def unfair(scores, bound=5):
    return {name: z for name, z in scores.items() if not z < bound}


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize(
    "shape, steps",
    [
        ((256, 64), 24),
        ((4, 2, 64, 64), 6),
        ((3000, 1), 40),
        ((3000, 2), 40),
        ((3000, 3), 40),
    ],
    ids=str,
)
def test_masks_are_fair(shape, steps, rate):
    assert unfair(z_scores(kzoo_masks(shape, rate), rate, steps)) == {}


@pytest.mark.parametrize("rate", RATES)
def test_layers_are_independent(rate):
    keys = [0, 1, 2, -1, *np.random.default_rng(0).integers(-(2**31), 2**31, 12)]
    drawn = np.stack([~kzoo_masks((256, 64), rate, int(key))(0) for key in keys])
    x = (drawn - rate) / np.sqrt(rate * (1 - rate))
    for one in range(len(keys)):
        assert max(of_mean(x[one] * x[other]) for other in range(one)) < 5 if one else 1
    assert of_spread(x, (0,)) < 5  # no element is dropped by too many layers


def test_a_row_is_binomial():
    """The number dropped per row follows the binomial law, not just its mean."""
    from math import comb

    rate, columns = 0.3, 16
    masks = np.concatenate([kzoo_masks((1000, columns), rate)(s) for s in range(20)])
    counts = np.bincount((~masks).sum(1), minlength=columns + 1)
    law = [
        comb(columns, k) * rate**k * (1 - rate) ** (columns - k)
        for k in range(columns + 1)
    ]
    expected = np.array(law) * len(masks)
    common = expected > 10
    chi_square = ((counts - expected)[common] ** 2 / expected[common]).sum()
    assert chi_square < common.sum() + 5 * np.sqrt(2 * common.sum())


@pytest.mark.parametrize("rate", RATES)
def test_torchs_own_masks_are_as_fair(rate):
    torch = pytest.importorskip("torch", reason="compares with torch's bernoulli")
    generator = torch.Generator().manual_seed(5)

    def mask_of(step):
        drawn = torch.empty(256, 64).bernoulli_(1 - rate, generator=generator)
        return drawn.bool().cpu().numpy()

    assert unfair(z_scores(mask_of, rate, 24)) == {}


def mix(x):
    x = (x ^ x >> np.uint32(16)) * np.uint32(0x7FEB352D)
    x = (x ^ x >> np.uint32(15)) * np.uint32(0x846CA68B)
    return x ^ x >> np.uint32(16)


def poor_masks(rate, rows=mix, columns=mix, combine=np.multiply, counts=True):
    """Build kzoo's masks in NumPy with one part replaced by something cheaper."""

    def mask_of(step):
        step = np.uint32(step if counts else 0)
        golden = np.uint32(0x9E3779B9) * np.arange(1, 3, dtype="uint32")
        salts = mix(mix(step + golden) ^ np.uint32(KEY))
        row_hash = rows(np.arange(256, dtype="uint32") ^ salts[0]) | np.uint32(1)
        column_hash = columns(np.arange(64, dtype="uint32") ^ salts[1])
        drawn = combine(row_hash[:, None], column_hash) + np.uint32(2**31)
        return drawn >= np.uint32(round(rate * 2**32))

    return mask_of


@pytest.mark.parametrize("rate", RATES)
def test_the_measures_see_poor_hashes(rate):
    def caught(**parts):
        return unfair(z_scores(poor_masks(rate, **parts), rate, 24), bound=10)

    assert caught() == {}  # with nothing replaced it is kzoo's own
    np.testing.assert_array_equal(poor_masks(rate)(3), kzoo_masks((256, 64), rate)(3))

    def unmixed(x):
        return x

    assert "row lag 1" in caught(rows=unmixed)
    assert {"row lag 1", "column lag 2"} <= set(caught(rows=unmixed, columns=unmixed))
    assert "step lag" in caught(counts=False)
    # Sums and exclusive ors have rank 1: three corners of a rectangle tell the fourth.
    assert "rectangles" in caught(combine=np.add)
    assert "rectangles" in caught(combine=np.bitwise_xor)
