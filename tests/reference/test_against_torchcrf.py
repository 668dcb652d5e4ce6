"""The CRF against pytorch-crf, which knows no gaps and nothing of ours."""

import numpy as np
import pytest
from helpers.layers import array
from keras import ops

from kzoo.layers import LinearChainCRF, paths
from kzoo.text import chains

CLASSES, ROWS, PLACES = 5, 7, 11


@pytest.fixture(scope="module")
def both():
    """The same weights, emissions, labels and lengths for both."""
    torchcrf = pytest.importorskip("torchcrf")
    import torch

    torch.manual_seed(7)
    theirs = torchcrf.CRF(CLASSES, batch_first=True)
    ours = LinearChainCRF(CLASSES)
    rng = np.random.default_rng(7)
    emissions = rng.normal(0, 2, (ROWS, PLACES, CLASSES)).astype("float32")
    labels = rng.integers(0, CLASSES, (ROWS, PLACES)).astype("int32")
    mask = np.arange(PLACES) < rng.integers(1, PLACES + 1, (ROWS, 1))
    ours.build(emissions.shape)
    ours.start.assign(theirs.start_transitions.detach().numpy())
    ours.end.assign(theirs.end_transitions.detach().numpy())
    ours.transitions.assign(theirs.transitions.detach().numpy())
    return theirs, ours(emissions), emissions, labels, mask


def test_likelihoods(both):
    theirs, transitions, emissions, labels, mask = both
    import torch

    expected = theirs(
        torch.as_tensor(emissions),
        torch.as_tensor(labels).long(),
        torch.as_tensor(mask),
        reduction="none",
    )
    given = [ops.convert_to_tensor(x) for x in (labels, mask)]
    found = paths.negative_log_likelihood(
        ops.convert_to_tensor(emissions), transitions, *given
    )
    np.testing.assert_allclose(-array(found), expected.detach().numpy(), rtol=1e-5)


def test_best_paths(both):
    theirs, transitions, emissions, _, mask = both
    import torch

    expected = theirs.decode(torch.as_tensor(emissions), torch.as_tensor(mask))
    given = ops.convert_to_tensor(emissions), transitions, ops.convert_to_tensor(mask)
    found = array(paths.best_paths(*given)[0])
    documents = [rows[counts] for rows, counts in zip(emissions, mask, strict=True)]
    by_host = chains.best_paths(documents, array(transitions)[0])
    for row, path in enumerate(expected):
        assert found[row, mask[row]].tolist() == by_host[row].tolist() == path
