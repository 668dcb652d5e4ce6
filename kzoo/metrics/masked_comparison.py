"""Two masked language models on the same hidden tokens."""

import numpy as np

from kzoo.metrics.comparison import differences, mcnemar
from kzoo.metrics.masked_report import ratios_of, with_perplexity
from kzoo.metrics.ratios import ratios_resampled
from kzoo.metrics.report import described
from kzoo.metrics.resampling import RESAMPLES


def masked_comparison(found, resamples=RESAMPLES, seed=0):
    """Two models on the same hidden tokens.

    Args:
        found: pair of `kzoo.training.masked.MaskedAnswers`, to the same tokens.
        resamples: int. Draws of the paired bootstrap over windows; 0 leaves intervals
            out.
        seed: int. Of these draws.

    Returns:
        dict: "rows", windows; "tokens", those that were hidden; "metrics", by name a
        dict of "first", "second", "difference" (second less first) and, from the same
        draws for both, "interval"; "bootstrap"; "mcnemar", over tokens.
    """
    ratios = [ratios_of(one) for one in found]
    figures = [with_perplexity(one.figures()) for one in ratios]
    drawn = None
    if resamples:
        both = ratios_resampled(ratios, resamples, seed)
        drawn = [with_perplexity(one) for one in both]
    right = [np.concatenate(one.right) for one in found]
    return {
        "rows": len(ratios[0]),
        "tokens": len(right[0]),
        "metrics": differences(figures, drawn),
        "bootstrap": described(resamples, seed),
        "mcnemar": mcnemar(*right),
    }
