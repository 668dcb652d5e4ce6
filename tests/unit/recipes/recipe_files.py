"""Recipes for the tests: one valid text, and ways to write it."""

VALID = """\
# A recipe for tests.
schema = 1
task = "text_classifier"
seed = 7

[data]
source = "kzoo:reviews"
sequence_length = 64

[model.encoder]
num_layers = 2
num_heads = 4
hidden_dim = 64
intermediate_dim = 128

[training]
batch_size = 32
schedule = "linear"

[expect]
accuracy = { at_least = 0.9 }
"""


def changed(old, new):
    """`VALID` with one piece replaced, which must be there."""
    assert VALID.count(old) == 1, old
    return VALID.replace(old, new)
