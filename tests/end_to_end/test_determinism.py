"""A run from the shell and the same from Python: equal bits, with all there is on."""

import numpy as np
from helpers.processes import QUICK_KERAS, each_backend, succeeds
from safetensors.numpy import load_file

RECIPE = """
task = "text_classifier"
seed = 5

[data]
train = "rows.csv"
dev = "rows.csv"
test = "rows.csv"
sequence_length = 12
buckets = [12]

[tokenizer]
vocabulary_size = 60
min_frequency = 1

[model.encoder]
num_layers = 1
num_heads = 2
hidden_dim = 8
intermediate_dim = 8
dropout = 0.2

[training]
steps = 6
batch_size = 8
accumulation = 2
ema_decay = 0.9
freeze = ["encoder.final_norm"]
precision = "mixed_bfloat16"
deterministic = true
"""
LAST = "checkpoints/step-00000006/state.safetensors"
FROM_PYTHON = """
import kzoo
print(kzoo.train("tiny.toml", "python", progress=False).metrics["trained_parameters"])
"""


@each_backend()
def test_a_deterministic_run_gives_the_same_bits_again(backend, tmp_path):
    rows = [f"text {n} is {'good' if n % 2 else 'bad'},{n % 2}" for n in range(20)]
    (tmp_path / "rows.csv").write_text("\n".join(["text,label", *rows]) + "\n")
    (tmp_path / "tiny.toml").write_text(RECIPE)
    here = {"cwd": tmp_path, "backend": backend}
    succeeds(
        "kzoo", "train", "tiny.toml", "--deterministic", "--output", "shell", **here
    )
    code = QUICK_KERAS + FROM_PYTHON
    trained = int(succeeds("python", "-c", code, **here))
    states = [
        load_file(tmp_path / way / "tiny" / backend / LAST)
        for way in ("shell", "python")
    ]
    one, other = states
    assert one.keys() == other.keys()
    for name in one:
        np.testing.assert_array_equal(one[name], other[name], err_msg=name)
    averaged = [n for n in one if n.startswith("ema/")]
    assert sum(one[n].size for n in averaged) == trained
    assert not [n for n in averaged if "final_norm" in n]
