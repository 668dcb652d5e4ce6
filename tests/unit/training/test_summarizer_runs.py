"""A summarizer's recipe, from its rows to a measured model."""

import json
from types import SimpleNamespace

import numpy as np
import pytest
from kzoo_recipes import KzooError, load, to_toml

import kzoo
from kzoo.metrics import summary_metrics
from kzoo.tasks import Summarization
from kzoo.training import dry_run, train
from kzoo.training.fingerprint import fingerprint
from kzoo.training.setup import set_up
from tests.helpers.paired_toys import toy_summarizer
from tests.helpers.toys import once

TASK = Summarization()
ROUGE = ("rouge1", "rouge2", "rougeL", "rougeLsum")


@pytest.fixture
def toy(tmp_path):
    """`toy(training={…}, …)`: a tiny recipe, changed."""
    return lambda **changes: toy_summarizer(tmp_path, **changes)


def words(prepared, ids):
    return [prepared.tokenizer.id_to_token(token) for token in ids]


@once
def test_documents_and_summaries_become_tokens(toy):
    prepared = TASK.prepare(toy())
    rows = prepared.splits["train"]
    for ids, target, document, [summary, *_] in zip(
        rows.sources, rows.targets, rows.documents, rows.references, strict=True
    ):
        kept = document.split()[: 16 - 2]
        assert words(prepared, ids) == ["[CLS]", *kept, "[SEP]"]
        assert words(prepared, target) == [*summary.split(), "[SEP]"]


@once
@pytest.mark.parametrize("truncate", ["tail", "both"])
def test_the_part_that_is_kept_of_a_long_document(toy, truncate):
    prepared = TASK.prepare(toy(data={"truncate": truncate}))
    rows = prepared.splits["train"]
    said = rows.documents[-1].split()
    kept = {"tail": said[-14:], "both": said[:7] + said[-7:]}[truncate]
    assert words(prepared, rows.sources[-1]) == ["[CLS]", *kept, "[SEP]"]
    said = {"tail": "the end is read", "both": "beginning and end are read"}[truncate]
    assert any(said in note for note in prepared.notes)


@once
def test_notes_say_what_was_cut_and_what_is_looked_at(toy):
    notes = TASK.prepare(toy(data={"summary_length": 3})).notes
    assert [note for note in notes if "check-data" not in note] == [
        "train: 1 of 41 documents (2.4%) is longer than 16 tokens: the beginning is "
        "read",
        "train: 41 of 41 summaries (100.0%) are longer than 3 tokens and were cut for "
        "the loss",
        "dev: 1 of 10 documents (10.0%) is longer than 16 tokens: the beginning is "
        "read",
        "dev: 10 of 10 summaries (100.0%) are longer than 3 tokens and were cut for "
        "the loss",
        "test: 7 of 7 summaries (100.0%) are longer than 3 tokens and were cut for "
        "the loss",
        "dev: 4 of 10 documents are summarized at each evaluation; the loss is that of "
        "all",
    ]


@once
def test_summaries_of_neighbours_stand_before_documents(toy):
    plain = TASK.prepare(toy())
    prepared = TASK.prepare(
        toy(model={"neighbours": 2}, data={"sequence_length": 40, "buckets": [40]})
    )
    for split in ("train", "dev"):
        rows, own = prepared.splits[split], split == "train"
        recalled = prepared.memory.recall(rows.documents, own)
        assert any(recalled)
        for ids, before, whole in zip(
            rows.sources, recalled, plain.splits[split].sources, strict=True
        ):
            said = [word for summary, _ in before for word in summary.split()]
            read = words(prepared, ids)[1:]
            assert [word for word in read if word in said][: len(said)] == said
            if len(whole) < 16:  # It was read to its end, and still is.
                assert read[-(len(whole) - 1) :] == words(plain, whole)[1:]
    model = TASK.build(toy(model={"neighbours": 2}), prepared)
    assert model.memory is prepared.memory


@once
def test_a_cheap_look_at_the_rows_is_said(toy, tmp_path):
    recipe, file = toy(), tmp_path / "train.jsonl"
    first, *_ = file.read_text().splitlines()
    file.write_text(file.read_text() + f"{first}\n" * 2)
    notes = TASK.prepare(recipe).notes
    assert any("repeat" in note and "`kzoo check-data`" in note for note in notes)


@once
def test_a_row_counts_its_weight_for_each_token(toy):
    recipe = toy(data={"weight": "weight"})
    prepared = TASK.prepare(recipe)
    weights = np.array(prepared.splits["train"].weights)
    assert set(weights) == {1, 2, 3}
    batch = TASK.batches(recipe, prepared).at(1)
    own = batch.weights[: len(batch.rows)]
    assert own.sum() == pytest.approx(1)
    ratios = own.max(axis=1) / own.max(axis=1)[0]
    expected = weights[batch.rows] / weights[batch.rows[0]]
    np.testing.assert_allclose(ratios, expected, rtol=1e-6)


@once
def test_an_update_in_parts_is_that_of_the_whole(toy):
    """Parts of unequal numbers of tokens, and of two lengths."""
    plain = dict(ENCODER, dropout=0.0)
    states, losses = [], []
    for parts in (1, 4):
        recipe = toy(
            data={"weight": "weight", "buckets": [8, 16]},
            model={"encoder": plain},
            training={"accumulation": parts, "learning_rate": 1e-3},
        )
        setup = set_up(recipe)
        losses.append(float(setup.stepper.train(setup.batches.at(0), 1e-3)))
        states.append(setup.stepper.state())
    assert losses[0] == pytest.approx(losses[1], rel=1e-5)
    for name, values in states[0].items():
        if name.startswith("optimizer/first_moment"):  # Their gradients, in a tenth.
            worst = np.abs(values).max()
            np.testing.assert_allclose(states[1][name], values, atol=1e-4 * worst)


@once
def test_a_tokenizer_that_cannot_end_a_text_is_refused(toy, tmp_path):
    file = tmp_path / "tokenizer.json"
    model = {
        "type": "WordLevel",
        "vocab": {"<pad>": 0, "<unk>": 1},
        "unk_token": "<unk>",
    }
    file.write_text(json.dumps({"version": "1.0", "added_tokens": [], "model": model}))
    with pytest.raises(KzooError) as caught:
        TASK.prepare(toy(tokenizer={"file": str(file)}))
    assert str(caught.value) == (
        f"{file}: the tokenizer has no token that ends a text, [SEP] or </s>, so a "
        "summarizer could not stop; name another one, or leave out `file` to have one "
        "trained."
    )


@once
def test_more_beams_than_tokens_are_refused(toy):
    with pytest.raises(KzooError, match=r"^\[generation\] beams must be at most the "):
        TASK.prepare(toy(generation={"beams": 1000}))


@once
def test_the_same_rows_are_looked_at_each_time(toy):
    prepared = TASK.prepare(toy())
    chosen = prepared.quick("dev")
    assert len(chosen) == 4 and (np.diff(chosen) > 0).all()
    np.testing.assert_array_equal(chosen, TASK.prepare(toy()).quick("dev"))
    samples = {tuple(TASK.prepare(toy(seed=s)).quick("dev")) for s in range(4)}
    assert len(samples) > 1, "another seed may take others"
    whole = TASK.prepare(toy(training={"evaluation_rows": 99}))
    assert whole.quick("dev").tolist() == list(range(10))


class Writer:
    """Stands for a model: writes the first words of a document."""

    def __init__(self):
        self.asked = []

    def settings(self, **told):
        return {"beams": 2} | told

    def answers(self, documents, settings, batch_size, encoded):
        self.asked.append((len(documents), settings["beams"], batch_size))
        return [{"summary": " ".join(text.split()[:3])} for text in documents]


@once
@pytest.mark.parametrize("quick, rows, beams", [(True, 4, 1), (False, 10, 2)])
def test_rouge_is_of_the_rows_asked_and_the_loss_of_all(toy, quick, rows, beams):
    prepared, model = TASK.prepare(toy()), Writer()
    said = []
    stepper = SimpleNamespace(
        sync=lambda: said.append("synced"),
        measure=lambda batch: batch.weights.sum() * batch.labels.max(),
    )
    figures = TASK.evaluate(model, stepper, prepared, "dev", 3, quick)
    assert said == ["synced"] and model.asked == [(rows, beams, 3)]
    dev = prepared.splits["dev"]
    chosen = prepared.quick("dev") if quick else range(10)
    documents = [dev.documents[row] for row in chosen]
    expected = summary_metrics(
        [dev.references[row] for row in chosen],
        [" ".join(text.split()[:3]) for text in documents],
        documents,
    )
    loss = figures.pop("loss")
    assert figures == expected
    assert 3 < loss < prepared.tokenizer.vocabulary_size


@once
def test_a_run_depends_on_all_that_is_read_and_compared(toy, tmp_path):
    before = fingerprint(TASK.prepare(toy()).splits)
    assert fingerprint(TASK.prepare(toy()).splits) == before
    recipe, file = toy(), tmp_path / "test.jsonl"
    file.write_text(file.read_text().replace('"]', ', they say"]', 1))
    now = fingerprint(TASK.prepare(recipe).splits)
    assert now["test"] != before["test"] and now["train"] == before["train"]


@once
@pytest.mark.parametrize("copy", [False, True], ids=["plain", "copy"])
def test_it_learns(toy, tmp_path, copy):
    recipe = toy(
        training={"epochs": 12, "label_smoothing": 0.05, "ema_decay": 0.5},
        model={"encoder": dict(ENCODER, position="learned"), "copy": copy},
        expect={"rouge1": {"at_least": 0.1}, "loss": {"at_most": 9.0}},
    )
    result = train(recipe, tmp_path / "runs", progress=False)
    first, *_, last = history(result.folder)
    assert last["loss"] < 0.7 * first["loss"]
    assert max(record["rougeL"] for record in history(result.folder)) > 0.3
    assert {"novel_bigrams", "length_ratio", *ROUGE} <= set(result.metrics["test"])
    assert all(promise["reached"] for promise in result.metrics["expect"].values())
    check_final_measure(result)


ENCODER = {"num_layers": 1, "num_heads": 2, "hidden_dim": 16, "intermediate_dim": 16}


def check_final_measure(result):
    """The saved model gives the figures of the test split, by its own settings."""
    model = kzoo.load_model(result.folder)
    recipe = load(result.folder / "recipe.toml")
    assert model.settings().beams == 2
    assert model.settings().max_new_tokens == recipe.data.summary_length == 6
    test = TASK.prepare(recipe).splits["test"]
    written = model.summarize(test.documents)
    figures = summary_metrics(test.references, written, test.documents)
    for name in ROUGE:
        assert figures[name] == pytest.approx(result.metrics["test"][name])


def history(folder):
    """The evaluations on dev, in order."""
    lines = folder.joinpath("history.jsonl").read_text("utf-8").splitlines()
    records = map(json.loads, lines)
    return [record for record in records if record["split"] == "dev"]


@once
def test_a_dry_run_counts_both_sides(toy, tmp_path):
    facts = dry_run(
        toy(model={"encoder": ENCODER, "share_embeddings": False}), tmp_path
    )
    parts = facts["parameters"]["parts"]
    assert parts["encoder embedding"] == parts["decoder embedding"]
    assert parts["decoder blocks"] > parts["encoder blocks"] > 0
    assert facts["labels"] is None
    tokens = facts["tokens"]
    assert (tokens["longest"], tokens["longest_target"]) == (16, 4)
    assert tokens["cells"] == 8 * (16 + 4)
    assert facts["memory"]["activations"] > 0 and np.isfinite(facts["step"]["loss"])


@once
def test_the_written_recipe_says_what_was_left_out(toy):
    text = to_toml(toy())
    for line in ("[model.decoder]", "max_new_tokens = 6", 'truncate = "head"'):
        assert line in text
