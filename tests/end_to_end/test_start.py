"""What a command imports before it does anything: its backend, and little else."""

import sys

from kzoo_cli.start import _Uncompiled

from tests.helpers.processes import each_backend, succeeds

LOOK = """
import sys
from kzoo_cli.backend import start_kzoo
start_kzoo(sys.argv[1])
heavy = {"jax", "matplotlib", "pandas", "scipy", "sklearn", "tensorflow", "torch"}
heavy |= {"torch._dynamo"}
print(*sorted(name for name in heavy if sys.modules.get(name)))
"""
AFTERWARDS = """
from sklearn.metrics import f1_score
print(f1_score([0, 1], [0, 1]))
"""
COMPILED = """
import torch
print(*torch.compile(lambda x: x + 1, backend="eager")(torch.ones(2)).tolist())
"""


@each_backend()
def test_only_its_backend_is_imported(backend, tmp_path):
    """What Keras would import besides can be imported once it has started."""
    code = LOOK + (COMPILED if backend == "torch" else AFTERWARDS)
    printed = succeeds("python", "-c", code, backend, cwd=tmp_path)
    imported, later = printed.splitlines()
    needed = {backend} if backend == "torch" else {backend, "scipy"}
    assert backend in imported.split() and set(imported.split()) <= needed
    assert later == ("2.0 2.0" if backend == "torch" else "1.0")


def test_who_needs_more_of_what_stands_in_gets_the_module_itself(monkeypatch):
    """Another version of Keras may ask more of it than to leave a function alone."""
    stands_in = _Uncompiled("colorsys")
    monkeypatch.setitem(sys.modules, "colorsys", stands_in)
    function = object()
    assert stands_in.disable()(function) is function
    assert stands_in.disable(len) is len
    assert stands_in.rgb_to_hsv(0.0, 0.0, 0.0) == (0.0, 0.0, 0.0)
    assert sys.modules["colorsys"] is not stands_in
