"""Texts with pictures on the command line: how they are read, asked and shown."""

import pytest
from kzoo_cli.answering import Wish, kind_of
from kzoo_cli.labelling import PicturedLabels
from kzoo_cli.texts import Text, texts_from
from kzoo_recipes import ImageTextData, KzooError

from tests.helpers.pictured_toys import write_pictures


class FakeClassifier:
    """Says yes to every text whose picture is a.png."""

    reads_pairs = True
    labels = ("no", "yes")
    sequence_length = 4

    def classify(self, images, texts, batch_size):
        self.asked = images, texts, batch_size
        return [
            {
                "label": "yes" if image == "a.png" else "no",
                "probabilities": {"no": 0.25, "yes": 0.75},
                "truncated": len(text) > 4,
            }
            for image, text in zip(images, texts, strict=True)
        ]


def wish(**more):
    tagging = {"--words": None}
    return Wish(8, False, tagging, {}, False, False, **more)


def test_answers_name_their_pictures():
    model = FakeClassifier()
    kind = kind_of(model, "mine", wish(pictured=True), "jsonl")
    assert isinstance(kind, PicturedLabels) and kind.chunk == 8
    texts = [
        Text(1, "red", None, {"line": 2}, {}, "a.png"),
        Text(2, "a long one", None, {"line": 3}, {}, "b.png"),
    ]
    answers = kind.ask(texts)
    assert model.asked == (["a.png", "b.png"], ["red", "a long one"], 8)
    assert kind.fields(texts[0], answers[0])["image"] == "a.png"
    [row] = kind.rows(texts[1], answers[1])
    assert list(row) == kind.columns(["line"])
    assert (row["line"], row["image"], row["label"]) == (3, "b.png", "no")
    assert kind.notes() == ["1 of 2 texts was cut: the model reads 4 tokens."]


def test_a_text_without_a_picture_is_no_question():
    kind = kind_of(FakeClassifier(), "mine", wish(), "jsonl")
    with pytest.raises(KzooError) as error:
        kind.ask([Text(1, "red", None, {}, {})])
    assert str(error.value) == (
        "the model reads a picture with each text; name it with --image FILE before "
        "the text, or rows that have one with --input FILE."
    )


def test_other_models_read_no_pictures():
    class Plain:
        def classify(self, texts):
            raise AssertionError

    with pytest.raises(KzooError) as error:
        kind_of(Plain(), "mine", wish(pictured=True), "jsonl")
    assert str(error.value) == (
        "mine labels whole texts; --image is for models that label texts with pictures."
    )


def test_rows_come_with_their_pictures_and_broken_ones_are_told(tmp_path):
    table = write_pictures(tmp_path / "rows.csv", 4)
    pictures = tmp_path / "rows_pictures"
    (pictures / "2.png").unlink()
    broken = []
    found = texts_from([], [table], {}, broken.append, None, ImageTextData())
    assert [(text.image, text.place) for text in found] == [
        (str(pictures / "0.png"), {"line": 2}),
        (str(pictures / "1.png"), {"line": 3}),
        (str(pictures / "3.png"), {"line": 5}),
    ]
    assert list(map(str, broken)) == [
        f"{table}, line 4: {pictures / '2.png'}: there is no such file."
    ]


def test_another_column_of_pictures(tmp_path):
    table = tmp_path / "rows.csv"
    write_pictures(table, 2)
    table.write_text(table.read_text().replace("image,", "photo,", 1))
    named = {"image": "photo"}
    [first, _] = texts_from([], [str(table)], named, None, None)
    assert first.image == str(tmp_path / "rows_pictures" / "0.png")
    assert [t.image for t in texts_from(["x"], [], {}, None, None, image="p")] == ["p"]
