"""What commands say of a model that writes missing spans."""

import csv
import io
import json
import types

import pytest
from kzoo_cli.answering import Wish, kind_of
from kzoo_cli.blanks import Blanks
from kzoo_cli.filling import show_masked, show_masked_comparison
from kzoo_cli.texts import Text
from kzoo_recipes import KzooError

from kzoo.reports import PAGES

WAYS = [
    {"text": "the cat sat here", "spans": ["cat sat", ""], "score": -0.25},
    {"text": "the dog sat there", "spans": ["dog", None], "score": -0.5},
]


class FakeWriter:
    """Fills a text that has blanks in the same two ways."""

    source_length = 9

    def __init__(self):
        self.corruption = {"share": 0.15}

    def settings(self, **told):
        return types.SimpleNamespace(nbest=told.get("nbest", 1))

    def fillings(self, texts, settings, batch_size, rows):
        return [
            {
                "blanks": text.count("[MASK]"),
                "truncated": len(text) > 40,
                "candidates": WAYS[: settings.nbest] * ("[MASK]" in text),
            }
            for text in texts
        ]


def wish(**generation):
    return Wish(16, False, {}, generation, False, False)


def texts(*said):
    return [Text(number, one, None, {}, {}) for number, one in enumerate(said, 1)]


@pytest.fixture
def answered():
    """A kind of answers, three texts and the answers to them."""
    kind = kind_of(FakeWriter(), "runs/spans", wish(nbest=2), "table")
    asked = texts("the [MASK] [MASK]", "nothing", "the [MASK] [MASK]" + " far" * 9)
    return kind, asked, kind.ask(asked)


def test_people_see_a_line_for_each_way_and_what_was_not_filled(answered, capsys):
    kind, asked, answers = answered
    assert type(kind) is Blanks
    kind.show(asked[:1], answers[:1], None)
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(maxsplit=1) for line in lines] == [
        ["-0.250", "the cat sat here"],
        ["-0.500", "the dog sat there"],
    ]
    none, cut = kind.notes()
    assert none == ("1 of 3 texts has no [MASK], which stands where words are missing.")
    assert cut.startswith("1 of 3 texts was longer than the 9 tokens")


def test_one_way_is_a_line_without_a_score(capsys):
    kind = kind_of(FakeWriter(), "runs/spans", wish(), "table")
    asked = texts("the [MASK]")
    kind.show(asked, kind.ask(asked), None)
    assert capsys.readouterr().out == "the cat sat here\n"


def test_json_and_csv_have_every_span(answered):
    kind, asked, answers = answered
    written = json.loads(json.dumps(kind.fields(asked[0], answers[0])))
    assert written == {"text": "the [MASK] [MASK]", **answers[0]}
    rows = [list(kind.rows(*pair)) for pair in zip(asked, answers, strict=True)]
    assert [len(of_text) for of_text in rows] == [4, 0, 4]
    assert list(rows[0][0]) == kind.columns({})
    held = io.StringIO()
    csv.DictWriter(held, kind.columns({})).writerow(rows[0][0])
    assert held.getvalue().strip() == (
        "the [MASK] [MASK],1,1,cat sat,-0.25,the cat sat here"
    )


def test_options_of_masks_are_not_for_spans():
    told = wish()._replace(candidates=3)
    with pytest.raises(KzooError) as error:
        kind_of(FakeWriter(), "runs/spans", told, "table")
    assert str(error.value) == (
        "runs/spans writes missing spans; --candidates is for models that find hidden "
        "tokens."
    )


FIGURES = {
    "run": "runs/spans",
    "source": "test split",
    "task": "span_corruption",
    "accuracy": 0.5,
    "perplexity": 7.389,
    "loss": 2.0,
    "rows": 1,
    "texts": 2,
    "tokens": 12,
    "intervals": {},
    "bootstrap": {"level": 0.95, "resamples": 0, "seed": 0},
    "kinds": {
        "text": {"tokens": 7, "accuracy": 0.25, "loss": 3.0},
        "mark": {"tokens": 5, "accuracy": 1.0, "loss": 0.5},
    },
    "worst": [],
    "notes": [],
}


def test_an_evaluation_in_a_terminal_and_as_a_page(capsys):
    show_masked(FIGURES)
    said = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert said[0] == "runs/spans on test split: 2 texts in 1 window, 12 target tokens"
    assert "of the text 0.2500 3.0000 7" in said
    assert "sentinels and the end 1.0000 0.5000 5" in said
    page = PAGES["span_corruption"](FIGURES)
    assert "Target tokens" in page and "they are of the text" in page


def test_a_comparison_speaks_of_target_tokens(capsys):
    show_masked_comparison(
        {
            "first": "a",
            "second": "b",
            "task": "span_corruption",
            "source": "test split",
            "rows": 3,
            "tokens": 1200,
            "metrics": {"loss": {"first": 2.0, "second": 1.5, "difference": -0.5}},
            "bootstrap": {"level": 0.95, "resamples": 0, "seed": 0},
            "mcnemar": {"only_first": 1, "only_second": 9, "p_value": 0.02},
            "notes": [],
        }
    )
    out = " ".join(capsys.readouterr().out.split())
    assert "3 windows, 1,200 target tokens" in out
    assert "Target tokens that only A gets right: 1; only B: 9." in out
