"""Texts with pictures on the command line: how they are read, asked and shown."""

import numpy as np
import pytest
from kzoo_cli.answering import Wish, kind_of
from kzoo_cli.eye import Eye
from kzoo_cli.labelling import PicturedLabels
from kzoo_cli.texts import Text, texts_from
from kzoo_recipes import ImageTextData, KzooError
from PIL import Image

from kzoo import images as kzoo_images
from tests.helpers.pictured_toys import write_pictures


class FakeClassifier:
    """Says yes to every text whose picture is red."""

    reads_pairs = True
    labels = ("no", "yes")
    sequence_length = 4
    images = kzoo_images.ImageSettings(size=4, mean=(0, 0, 0), std=(1, 1, 1))

    def classify(self, images, texts, batch_size):
        self.asked = images.shape, texts, batch_size
        return [
            {
                "label": "yes" if image[..., 0].min() == 1 else "no",
                "probabilities": {"no": 0.25, "yes": 0.75},
                "truncated": len(text) > 4,
            }
            for image, text in zip(images, texts, strict=True)
        ]


def wish(**more):
    tagging = {"--words": None}
    return Wish(8, False, tagging, {}, False, False, **more)


@pytest.fixture
def pictures(tmp_path, monkeypatch):
    """Two pictures in the folder at work, and a list of those that were decoded."""
    monkeypatch.chdir(tmp_path)
    Image.new("RGB", (6, 5), "red").save("red.png")
    more = [Image.new("RGB", (5, 5), "white")]
    Image.new("RGB", (5, 5), "blue").save("blue.gif", save_all=True, append_images=more)
    decoded, really = [], kzoo_images.open_picture

    def open_picture(path, *arguments):
        decoded.append(path)
        return really(path, *arguments)

    monkeypatch.setattr(kzoo_images, "open_picture", open_picture)
    return decoded


def test_answers_name_their_pictures(pictures):
    model = FakeClassifier()
    kind = kind_of(model, "mine", wish(pictured=True), "jsonl")
    assert isinstance(kind, PicturedLabels) and kind.chunk == 8
    texts = [
        Text(1, "red", None, {"line": 2}, {}, "red.png"),
        Text(2, "a long one", None, {"line": 3}, {}, "blue.gif"),
        Text(3, "red", None, {"line": 4}, {}, "blue.gif"),
    ]
    answers = kind.ask(texts)
    assert model.asked == ((3, 4, 4, 3), ["red", "a long one", "red"], 8)
    assert [answer["label"] for answer in answers] == ["yes", "no", "no"]
    assert kind.fields(texts[0], answers[0])["image"] == "red.png"
    [row] = kind.rows(texts[1], answers[1])
    assert list(row) == kind.columns(["line"])
    assert (row["line"], row["image"], row["label"]) == (3, "blue.gif", "no")
    assert kind.notes() == [
        "1 of 3 texts was cut: the model reads 4 tokens.",
        "1 file holds several pictures; its first is read.",
    ]
    assert pictures == ["red.png", "blue.gif"]


def test_a_picture_of_a_row_is_decoded_once(pictures, tmp_path):
    (tmp_path / "rows.csv").write_text(
        "image,text\nred.png,a\nblue.gif,b\nblue.gif,c\nnone.png,d\n"
    )
    eye, broken = Eye(), []
    data = ImageTextData()
    rows = texts_from([], ["rows.csv"], {}, broken.append, None, data, eye=eye)
    first = next(rows)  # Before there is a model, it is only looked at.
    assert first.pixels is None
    kind = kind_of(FakeClassifier(), "mine", wish(eye=eye), "jsonl")
    texts = [first, *rows]
    assert [text.text for text in texts] == ["a", "b", "c"]
    assert pictures == ["red.png", "blue.gif", "none.png"]
    assert str(broken[0]) == "rows.csv, line 5: none.png: there is no such file."
    answers = kind.ask(texts)
    assert pictures[3:] == ["red.png"]  # That of the first row.
    assert [answer["label"] for answer in answers] == ["yes", "no", "no"]
    expected = kzoo_images.prepare(kzoo_images.read("blue.gif"), FakeClassifier.images)
    np.testing.assert_array_equal(texts[2].pixels, expected)
    assert kind.notes() == ["1 file holds several pictures; its first is read."]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ("--image", "a.png", "--image", "b.png", "red"),
            "--image is given more than once, and one picture goes with all texts; for "
            "several, write a table of pictures and texts, and name it with --input.",
        ),
        (("--image", "", "red"), "--image is empty; name the file of a picture."),
        (
            ("--image", "a.png"),
            "--image FILE is the picture of texts that stand behind it; name them, or "
            "rows with pictures of their own, with --input FILE.",
        ),
    ],
)
def test_pictures_that_are_named_wrongly(kzoo, options, message):
    done = kzoo("predict", "zoo:text_classifier", *options)
    assert done.exit_code == 2
    assert message in " ".join(done.stderr.split())


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
    data = ImageTextData()
    found = texts_from([], [table], {}, broken.append, None, data, eye=Eye())
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
    [first, _] = texts_from([], [str(table)], named, None, None, eye=Eye())
    assert first.image == str(tmp_path / "rows_pictures" / "0.png")
    assert [t.image for t in texts_from(["x"], [], {}, None, None, image="p")] == ["p"]
