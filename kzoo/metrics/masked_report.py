"""All that is said about one language model and its text, in plain numbers."""

import math

import numpy as np

from kzoo.metrics.ratios import Ratios, ratios_resampled
from kzoo.metrics.report import RESAMPLES, WORST, described
from kzoo.metrics.resampling import interval


def masked_report(found, resamples=RESAMPLES, seed=0, worst=WORST):
    """Figures of the hidden tokens, how sure they are, and which are hardest.

    Args:
        found: `kzoo.training.masked.MaskedAnswers`.
        resamples: int. Draws of the bootstrap over windows; 0 leaves intervals out.
        seed: int. Of these draws.
        worst: int. How many tokens to list, those that cost the most in sum.

    Returns:
        dict: "accuracy", the share of the tokens asked for that were the model's first
        choice; "perplexity", `exp(loss)`; "loss", the mean surprise in nats; "rows",
        windows; "texts"; "tokens", those that were asked for; "intervals", "bootstrap";
        "kinds", by kind of token: of a masked language model "masked", "random" or
        "kept", what stood in its place; of spans "text" or "mark", whether it is of the
        text; the "tokens", "accuracy" and "loss" of each; "worst", list of dict with
        "token", "tokens", how often it was asked for, "accuracy" and "loss"; "notes".
    """
    ratios = ratios_of(found)
    figures, intervals = with_perplexity(ratios.figures()), {}
    if resamples:
        [drawn] = ratios_resampled([ratios], resamples, seed)
        intervals = {
            name: interval(values) for name, values in with_perplexity(drawn).items()
        }
    surprises, right = np.concatenate(found.surprises), np.concatenate(found.right)
    kinds, tokens = np.concatenate(found.kinds), np.concatenate(found.tokens)
    return {
        **figures,
        "rows": len(found.surprises),
        "texts": len(found.rows),
        "tokens": len(surprises),
        "intervals": intervals,
        "bootstrap": described(resamples, seed),
        "kinds": {
            name: _of(surprises[kinds == place], right[kinds == place])
            for place, name in enumerate(found.kind_names)
        },
        "worst": _worst(tokens, surprises, right, found.names, worst),
        "notes": [],
    }


def ratios_of(found):
    """Accuracy and loss of a model as `Ratios` over windows."""
    counts = np.array([len(of_row) for of_row in found.surprises])
    sums = {"accuracy": found.right, "loss": found.surprises}
    return Ratios.of(
        {
            name: (np.array([np.sum(of_row) for of_row in values]), counts)
            for name, values in sums.items()
        }
    )


def with_perplexity(figures):
    """Figures, or arrays of them, with the perplexity between the two."""
    perplexity = np.exp(np.minimum(figures["loss"], 700.0))
    if np.ndim(perplexity) == 0:
        perplexity = float(perplexity)
    return {
        "accuracy": figures["accuracy"],
        "perplexity": perplexity,
        "loss": figures["loss"],
    }


def _of(surprises, right):
    """Figures of some of the tokens; `None` where there are none."""
    if not len(surprises):
        return {"tokens": 0, "accuracy": None, "loss": None}
    return {
        "tokens": len(surprises),
        "accuracy": float(right.mean()),
        "loss": float(surprises.mean()),
    }


def _worst(tokens, surprises, right, names, most):
    """The tokens whose surprises sum up to the most."""
    ids, place = np.unique(tokens, return_inverse=True)
    counts = np.bincount(place)
    sums, hits = np.bincount(place, surprises), np.bincount(place, right)
    order = np.argsort(-sums, kind="stable")[:most]
    return [
        {
            "token": names(int(ids[one])),
            "tokens": int(counts[one]),
            "accuracy": float(hits[one] / counts[one]),
            "loss": float(sums[one] / counts[one]),
        }
        for one in order
        if not math.isclose(sums[one], 0)
    ]
