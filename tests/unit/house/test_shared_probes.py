"""Fixtures that cost minutes are made once, in one process of pytest-xdist."""

import pytest
from helpers.groups import group_of, probed


def test_files_that_share_probes_are_one_group():
    assert "test_images.py" in probed() and "test_numbers.py" in probed()
    groups = {group_of(f"tests/parity/{name}::test[a/b]") for name in probed()}
    assert groups == {"tests/parity"}


@pytest.mark.parametrize(
    ("nodeid", "group"),
    [
        ("tests/parity/test_parity_command.py::test", None),
        ("tests/unit/models/test_images.py::test[a::b]", None),
        ("tests/end_to_end/test_docs.py::test[a.md]", "whole"),
    ],
)
def test_other_files_are_groups_of_their_own(nodeid, group):
    expected = nodeid if group else nodeid.partition("::")[0]
    assert group_of(nodeid) == expected
