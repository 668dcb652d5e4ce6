"""A run says beforehand that transformers has no model like its own."""

import pytest

from kzoo.interop.export import why_not
from kzoo.tasks import TASKS
from kzoo.training import dry_run
from tests.helpers.masked_toys import toy_masked, toy_spans
from tests.helpers.paired_toys import toy_summarizer
from tests.helpers.pretrained import tiny_bert, tuned
from tests.helpers.tagged_toys import toy_tagger
from tests.helpers.toys import once, toy_recipe

pytestmark = once
FIRST = {"pooling": "first", "activation": "tanh"}
START = "cannot be exported to Hugging Face: "
ODD = {
    **{"num_layers": 1, "num_heads": 3, "hidden_dim": 16, "intermediate_dim": 16},
    "attention": {"head_dim": 5},
}
NONE = "transformers has no such model"
CASES = {
    "pooling": (
        lambda folder, bert: tuned(toy_recipe(folder), bert),
        "the head of a Bert has pooling = \"first\" (it is 'mean')",
    ),
    "pooler": (lambda folder, bert: tuned(toy_recipe(folder), bert, **FIRST), None),
    "tagger": (lambda folder, bert: tuned(toy_tagger(folder), bert), None),
    "crf": (
        lambda folder, bert: tuned(toy_tagger(folder), bert, head="crf"),
        "transformers has no tagger with a CRF",
    ),
    "masked": (lambda folder, bert: tuned(toy_masked(folder), bert), None),
    "warm": (
        lambda folder, bert: tuned(toy_summarizer(folder), bert),
        NONE,
    ),
    "copy": (
        lambda folder, bert: toy_summarizer(folder, model={"copy": True}),
        "transformers has no model that copies",
    ),
    "scratch": (lambda folder, bert: toy_recipe(folder), NONE),
    "odd heads": (
        lambda folder, bert: toy_recipe(
            folder,
            model={"encoder": ODD},
        ),
        NONE,
    ),
    "t5": (lambda folder, bert: toy_spans(folder, model={"family": "t5"}), None),
}


@pytest.fixture(scope="module")
def bert(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bert")
    tiny_bert(folder)
    return folder


@pytest.mark.parametrize("case", CASES)
def test_the_reason_is_said_in_a_few_words(bert, tmp_path, case):
    make, expected = CASES[case]
    recipe = make(tmp_path, bert)
    task = TASKS[recipe.task]()
    assert why_not(task.build(recipe, task.prepare(recipe))) == expected


def test_a_dry_run_says_it_in_one_line(bert, tmp_path):
    facts = dry_run(CASES["pooling"][0](tmp_path, bert), tmp_path)
    [said] = [note for note in facts["notes"] if note.startswith(START)]
    assert said == START + CASES["pooling"][1] and len(said) <= 100
    facts = dry_run(CASES["pooler"][0](tmp_path, bert), tmp_path)
    assert not [note for note in facts["notes"] if note.startswith(START)]
