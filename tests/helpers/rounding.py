"""Answers of two models that differ by rounding only, at any depth."""

import pytest


def assert_alike(one, other, within=1e-6):
    """Equal but for floats, which two programs may round each in its way."""
    if isinstance(one, dict):
        assert one.keys() == other.keys()
        one, other = one.values(), other.values()
    if isinstance(one, float):
        assert other == pytest.approx(one, abs=within)
    elif isinstance(one, str) or not hasattr(one, "__iter__"):
        assert other == one
    else:
        for part, its in zip(one, other, strict=True):
            assert_alike(part, its, within)
