"""What commands say of a masked language model, and what they refuse of it."""

import csv
import io
import json

import pytest
from kzoo_cli.filling import Fillings, show_masked, show_masked_comparison
from kzoo_cli.texts import Text

from kzoo.reports import PAGES

CANDIDATES = [
    {"token": "cat", "id": 7, "probability": 0.75, "text": "the cat sat"},
    {"token": "dog", "id": 8, "probability": 0.125, "text": "the dog sat"},
]


class FakeFiller:
    """Fills in the same two animals wherever a mask stands."""

    def answers(self, texts, top_k, batch_size):
        self.asked = top_k, batch_size
        return [
            {
                "masks": [
                    {"start": 4, "end": 10, "candidates": CANDIDATES[:top_k]}
                    for _ in range(text.count("[MASK]"))
                ],
                "windows": 1,
            }
            for text in texts
        ]


def texts(*said):
    return [Text(number, one, None, {}, {}) for number, one in enumerate(said, 1)]


@pytest.fixture
def answered():
    """A kind of answers, two texts and the answers to them."""
    kind = Fillings(FakeFiller(), 16, 2)
    asked = texts("the [MASK] sat", "nothing here")
    return kind, asked, kind.ask(asked)


def test_people_see_a_line_for_each_token(answered, capsys):
    kind, asked, answers = answered
    kind.show(asked, answers, None)
    lines = capsys.readouterr().out.splitlines()
    assert [line.split() for line in lines] == [
        ["0.750", "cat", "the", "cat", "sat"],
        ["0.125", "dog", "the", "dog", "sat"],
    ]
    assert kind.notes() == [
        "1 of 2 texts has no [MASK], which stands where a token is asked for."
    ]


def test_json_has_the_whole_answer(answered):
    kind, asked, answers = answered
    written = json.loads(json.dumps(kind.fields(asked[0], answers[0])))
    assert written == {"text": "the [MASK] sat", **answers[0]}


def test_csv_has_a_row_for_each_token(answered):
    kind, asked, answers = answered
    rows = [list(kind.rows(*pair)) for pair in zip(asked, answers, strict=True)]
    assert rows[1] == []
    assert [row["filled"] for row in rows[0]] == ["the cat sat", "the dog sat"]
    assert list(rows[0][0]) == kind.columns({})
    held = io.StringIO()
    csv.DictWriter(held, kind.columns({})).writerow(rows[0][1])
    assert held.getvalue().strip() == "the [MASK] sat,1,2,dog,0.125,the dog sat"


FIGURES = {
    "run": "runs/notes",
    "source": "test split",
    "task": "masked_lm",
    "accuracy": 0.5,
    "perplexity": 7.389,
    "loss": 2.0,
    "rows": 1,
    "texts": 2,
    "tokens": 12,
    "intervals": {"accuracy": [0.4, 0.6], "perplexity": [7, 8], "loss": [1.9, 2.1]},
    "bootstrap": {"level": 0.95, "resamples": 10, "seed": 0},
    "kinds": {
        "masked": {"tokens": 12, "accuracy": 0.5, "loss": 2.0},
        "random": {"tokens": 0, "accuracy": None, "loss": None},
        "kept": {"tokens": 0, "accuracy": None, "loss": None},
    },
    "worst": [{"token": "<cat>", "tokens": 3, "accuracy": 0.0, "loss": 4.5}],
    "notes": ["test split: 2 texts packed into 1 window"],
}


def test_an_evaluation_in_a_terminal(capsys):
    show_masked(FIGURES)
    out, err = capsys.readouterr()
    said = [" ".join(line.split()) for line in out.splitlines()]
    assert said[0] == "runs/notes on test split: 2 texts in 1 window, 12 hidden tokens"
    assert "perplexity 7.3890 7.0000 to 8.0000" in said
    assert "behind the mask 0.5000 2.0000 12" in said
    assert "behind another token – – 0" in said
    assert "<cat> 0.0000 4.5000 3" in said
    assert err == "Note: test split: 2 texts packed into 1 window.\n"


def test_an_evaluation_as_a_page():
    page = PAGES["masked_lm"](FIGURES)
    assert "<cat>" not in page and "&lt;cat&gt;" in page
    assert "the mask stood in their place" in page and "7.389" in page


def test_a_comparison_in_a_terminal(capsys):
    show_masked_comparison(
        {
            "first": "a",
            "second": "b",
            "source": "test split",
            "rows": 3,
            "tokens": 1200,
            "metrics": {"loss": {"first": 2.0, "second": 1.5, "difference": -0.5}},
            "bootstrap": {"level": 0.95, "resamples": 0, "seed": 0},
            "mcnemar": {"only_first": 1, "only_second": 9, "p_value": 0.021484375},
            "notes": [],
        }
    )
    out = " ".join(capsys.readouterr().out.split())
    assert "on test split: 3 windows, 1,200 hidden tokens" in out
    assert "loss 2.0000 1.5000 −0.5000" in out
    assert "only A gets right: 1; only B: 9" in out


RECIPE = """
task = "masked_lm"
[data]
train = "train.txt"
dev = "dev.txt"
test = "test.txt"
sequence_length = 6
[tokenizer]
kind = "word"
min_frequency = 1
[model.encoder]
num_layers = 1
num_heads = 2
hidden_dim = 8
intermediate_dim = 8
"""


def test_check_data_counts_texts_and_tokens(kzoo, tmp_path):
    tmp_path.joinpath("mine.toml").write_text(RECIPE)
    tmp_path.joinpath("train.txt").write_text("a cat\n\na dog on a hill ran\na CAT\n")
    tmp_path.joinpath("dev.txt").write_text("a bird\n")
    tmp_path.joinpath("test.txt").write_text("a dog\n")
    printed = kzoo("check-data", "mine.toml")
    assert printed.exit_code == 0, printed.output
    said = [" ".join(line.split()) for line in printed.output.splitlines()]
    assert "1 blank text was left out (line 2)" in said
    assert "texts 3 1 1" in said
    assert "tokens in all 10 2 2" in said
    assert "texts beyond a window of 6 1 0 0" in said
    assert "unknown tokens 0.0 % 50.0 % 0.0 %" in said
    report = json.loads(kzoo("check-data", "mine.toml", "--json").stdout)
    assert report["splits"]["train"]["total"] == 10


def test_candidates_are_for_models_that_fill_in_masks(kzoo, monkeypatch):
    printed = kzoo("predict", "zoo:text_classifier", "x", "--candidates", "0")
    assert printed.exit_code == 2 and "--candidates" in printed.output
