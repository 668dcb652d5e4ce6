"""Weights in oneDNN's order: the same products, of the weights as they are."""

import threading

import keras
import numpy as np
import pytest
from helpers.layers import assert_close, fill

from kzoo.layers import Projection, native

pytestmark = pytest.mark.skipif(
    keras.backend.backend() != "torch", reason="the order is for PyTorch"
)
rng = np.random.default_rng(0)
ROWS, STEPS = 6, 12


@pytest.fixture
def packing(monkeypatch):
    import torch

    from kzoo.training.steppers import torch_packing

    if not torch_packing.works():
        pytest.skip("this PyTorch has no oneDNN")
    monkeypatch.setattr(torch, "get_num_threads", lambda: 2)
    return torch_packing


@pytest.fixture
def run(packing):
    """A run that is open, where nothing looks back."""
    import torch

    with torch.inference_mode(), native.operations.lay_out(ROWS, STEPS) as run:
        yield run


def parameter(*shape):
    import torch

    values = torch.as_tensor(rng.normal(size=shape).astype("float32"))
    return torch.nn.Parameter(values, requires_grad=False)


@pytest.mark.parametrize(
    ("input_dims", "output_dims"), [((96,), (4, 16)), ((4, 16), (80,)), ((70,), (65,))]
)
@pytest.mark.parametrize("biased", [True, False])
def test_products(run, input_dims, output_dims, biased):
    kernel = parameter(*input_dims, *output_dims)
    bias = parameter(*output_dims) if biased else None
    for count in (1, 2):
        inputs = parameter(2, 3, *input_dims)
        found = native.operations.affine(inputs, kernel, bias, len(input_dims))
        expected = np.tensordot(
            inputs.double().numpy(), kernel.double().numpy(), len(input_dims)
        )
        expected = expected + (bias.double().numpy() if biased else 0)
        assert found.shape == (2, 3, *output_dims)
        assert_close(found, expected, atol=1e-5)
        assert (len(run), run.products) == (1, count)  # Laid out once.


@pytest.mark.parametrize("size", [64, 300])
def test_scores(run, size):
    table, hidden = parameter(size, 70), parameter(2, 3, 70)
    found = native.operations.score(hidden, table)
    assert run.products == 1
    expected = hidden.double().numpy() @ table.double().numpy().T
    assert found.shape == expected.shape
    assert_close(found, expected, atol=1e-5)


def test_what_stays_as_it_is(run):
    import torch

    inputs, kernel = parameter(ROWS, 64), parameter(64, 64)
    multiply = native.operations.affine
    multiply(inputs, kernel * 1, None, 1)  # Computed anew at each step.
    multiply(inputs, parameter(64, 63), None, 1)  # So small that it gains nothing.
    double = torch.nn.Parameter(kernel.double(), requires_grad=False)
    multiply(inputs.double(), double, None, 1)
    half = torch.nn.Parameter(kernel.bfloat16(), requires_grad=False)
    multiply(inputs.bfloat16(), half, None, 1)
    assert len(run) == run.products == 0
    multiply(inputs, kernel, None, 1)
    assert len(run) == run.products == 1


@pytest.mark.parametrize(("threads", "smallest"), [(2, 2**12), (1, 2**21)])
def test_one_thread_gains_by_the_largest_weights_only(
    packing, monkeypatch, threads, smallest
):
    import torch

    monkeypatch.setattr(torch, "get_num_threads", lambda: threads)
    inputs = parameter(ROWS, 64)
    with torch.inference_mode(), native.operations.lay_out(ROWS, STEPS) as run:
        native.operations.affine(inputs, parameter(64, smallest // 64 - 1), None, 1)
        assert len(run) == 0
        native.operations.affine(inputs, parameter(64, smallest // 64), None, 1)
        assert len(run) == 1


def test_a_run_that_does_not_pay_opens_nothing(packing):
    opened = native.operations.lay_out
    assert isinstance(opened(packing.MANY, packing.PACKING), packing.PackedWeights)
    for rows, times in ((packing.MANY + 1, 99), (1, packing.PACKING - 1)):
        with opened(rows, times) as run:
            assert run is None


def test_a_run_is_open_inside_and_on_its_thread_only(run):
    inputs, kernel = parameter(ROWS, 64), parameter(64, 64)

    def multiply():
        native.operations.affine(inputs, kernel, None, 1)

    other = threading.Thread(target=multiply)
    other.start()
    other.join()
    assert run.products == 0
    with native.operations.lay_out(ROWS, STEPS) as inner:
        multiply()
    assert (inner.products, run.products) == (1, 0)
    multiply()
    assert run.products == 1


def test_an_update_of_low_rank_is_added(run):
    layer = Projection(80, low_rank={"rank": 2, "alpha": 4})
    layer.build((None, 64))
    fill(layer, 3)
    x = parameter(ROWS, 64)
    a, b, kernel, bias = (
        v.value.double().numpy()
        for v in (layer.low_rank.a, layer.low_rank.b, layer.kernel, layer.bias)
    )
    read = x.double().numpy()
    assert_close(layer.call(x), read @ kernel + bias + 2.0 * read @ a @ b, atol=1e-5)
    assert run.products == 1  # The kernel; the update is small.


@pytest.mark.parametrize("broken", ["missing", "raises", "wrong", "no oneDNN"])
def test_without_the_operations_nothing_is_laid_out(packing, monkeypatch, broken):
    import torch

    class Operations:
        """What `torch.ops.mkldnn` might be in another PyTorch."""

        _reorder_linear_weight = staticmethod(lambda weight, rows: weight)

        @staticmethod
        def _linear_pointwise(x, weight, bias, *how):
            if broken == "raises":
                raise RuntimeError("expected other arguments")
            return x @ weight.T

    if broken == "missing":
        del Operations._linear_pointwise
    if broken == "no oneDNN":
        monkeypatch.setattr(torch.backends.mkldnn, "is_available", lambda: False)
    else:
        monkeypatch.setattr(torch.ops, "mkldnn", Operations)
    packing.works.cache_clear()
    try:
        assert not packing.works()
        with native.operations.lay_out(ROWS, STEPS) as run:
            assert run is None
    finally:
        packing.works.cache_clear()


def writer(copy, **options):
    """A model that writes, of weights that are worth laying out."""
    from kzoo import Seq2Seq
    from kzoo.layers import TransformerDecoder, TransformerEncoder

    stacks = [
        kind(300, 2, 2, 64, 128) for kind in (TransformerEncoder, TransformerDecoder)
    ]
    return Seq2Seq(*stacks, start_id=0, end_id=1, copy=copy, **options)


def written(model, beams=3):
    """Tokens and scores of the best texts of some sources."""
    from kzoo.generation import Generation

    token_ids = np.random.default_rng(1).integers(2, 300, (4, 6))
    told = Generation(max_new_tokens=STEPS, beams=beams, nbest=beams)
    found = model.generate(token_ids, None, told)
    texts = [[hypothesis.token_ids.tolist() for hypothesis in row] for row in found]
    return texts, [[hypothesis.score for hypothesis in row] for row in found]


def check_equal(found, expected):
    assert found[0] == expected[0]
    for mine, theirs in zip(found[1], expected[1], strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-5)


@pytest.mark.parametrize("beams", [1, 3])
@pytest.mark.parametrize("copy", [False, True])
@pytest.mark.parametrize("options", [{}, {"projection": {"tied": False}}])
def test_texts_are_written_by_laid_out_weights(
    packing, monkeypatch, copy, options, beams
):
    model = writer(copy, **options)
    fill(model, 0, scale=0.3)
    runs = []

    def opened(rows, times):
        runs.append(packing.lay_out(rows, times))
        return runs[-1]

    with monkeypatch.context() as patch:
        patch.setattr(native.operations, "lay_out", opened)
        found = written(model, beams)
        [run] = runs
        # Of a block: four projections of itself, two of cross-attention, two of the
        # feed-forward; keys and values of the source are no part of a step.
        assert len(run) == 2 * 8 + 1 + copy
        steps, rest = divmod(run.products, len(run))
        assert rest == 0 and 1 < steps <= STEPS
        patch.setattr(native.operations, "lay_out", native.lay_out)
        check_equal(found, written(model, beams))
        assert len(runs) == 1


@pytest.mark.parametrize("beams", [1, 4])
@pytest.mark.parametrize("kind", ["t5", "bart"])
def test_tokens_are_those_of_transformers(packing, monkeypatch, kind, beams):
    import torch

    pytest.importorskip("transformers", reason="compares with transformers")
    from helpers import seq2seq_weights

    from kzoo.generation import Generation

    sizes = {
        "t5": {"d_model": 64, "d_kv": 16, "d_ff": 96, "factor": 2.0},
        "bart": {"d_model": 64, "encoder_ffn_dim": 96, "decoder_ffn_dim": 96},
    }
    module = getattr(seq2seq_weights, kind)(200, depths=(2, 2), **sizes[kind])
    model = seq2seq_weights.copied(module)
    token_ids = np.random.default_rng(1).integers(3, 200, (3, 7))
    runs = []

    def opened(rows, times):
        runs.append(packing.lay_out(rows, times))
        return runs[-1]

    monkeypatch.setattr(native.operations, "lay_out", opened)
    found = model.generate(token_ids, None, Generation(max_new_tokens=16, beams=beams))
    [run] = runs
    assert len(run) > 8 * len(model.decoder.blocks) and run.products > len(run)
    expected = module.generate(
        input_ids=torch.as_tensor(token_ids),
        attention_mask=torch.ones(token_ids.shape, dtype=torch.long),
        max_new_tokens=16,
        num_beams=beams,
        do_sample=False,
    )
    for [mine], theirs in zip(found, expected.tolist(), strict=True):
        theirs = theirs[1:]
        if model.end_id in theirs:
            theirs = theirs[: theirs.index(model.end_id)]
        assert mine.token_ids.tolist() == theirs


def assigned(model):
    kernel = model.decoder.blocks[0].feed_forward.input_dense.kernel
    kernel.assign(-3 * np.asarray(kernel.value.detach()))


def overwritten(model):
    """Behind the back of what counts versions of a tensor."""
    for variable in model.decoder.weights:
        variable.value.data.copy_(variable.value.data * -1.5)


def shared_with_numpy(model):
    kernel = model.decoder.blocks[1].attention.output_dense.kernel.value
    kernel.detach().numpy()[:] *= 4


def replaced(model):
    import torch

    block = model.decoder.blocks[0]
    kernel = block.attention.value_dense.kernel
    kernel._value = torch.nn.Parameter(kernel.value.detach() * -3)


def scores_changed(model):
    table = model.decoder.embedding.table
    table.assign(np.asarray(table.value.detach())[::-1].copy())


def trained(model):
    tokens = rng.integers(2, 300, (2, 5))
    inputs = {
        f"{side}_{name}": value
        for side in ("encoder", "decoder")
        for name, value in (
            ("token_ids", tokens),
            ("padding_mask", np.ones((2, 5), bool)),
        )
    }
    model.compile(keras.optimizers.SGD(3.0))
    model.fit(inputs, tokens, epochs=2, verbose=0)


@pytest.mark.parametrize(
    "change",
    [assigned, overwritten, shared_with_numpy, replaced, scores_changed, trained],
    ids=lambda change: change.__name__,
)
def test_texts_follow_weights_that_change_between_them(packing, monkeypatch, change):
    model = writer(copy=False)
    fill(model, 0, scale=0.3)
    before = written(model)
    change(model)
    after = written(model)
    assert after[1] != before[1]
    monkeypatch.setattr(native.operations, "lay_out", native.lay_out)
    check_equal(after, written(model))
