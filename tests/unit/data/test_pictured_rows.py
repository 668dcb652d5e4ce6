"""Tables with a column of pictures: found beside the table, or refused by the row."""

import numpy as np
import pytest
from kzoo_recipes import ImageTextData, KzooError

from kzoo.data.checks import check_rows
from kzoo.data.pictured import (
    PicturedRows,
    check_pictures,
    load_pictured_splits,
    read_pictured,
)
from tests.helpers.pictured_toys import write_pictures


def test_paths_begin_at_the_folder_of_the_table(tmp_path):
    rows = read_pictured(write_pictures(tmp_path / "rows.csv", 4))
    assert rows.images[1] == str(tmp_path / "rows_pictures" / "1.png")
    assert rows.labels == ["yes", "no", "no", "yes"]
    assert rows.where(2) == f"{tmp_path / 'rows.csv'}, line 4"
    assert rows.take([3, 0]).images == [rows.images[3], rows.images[0]]
    assert check_pictures({"train": rows}) == {"train": 0}


def test_other_columns_and_formats(tmp_path):
    table = tmp_path / "rows.jsonl"
    table.write_text('{"photo": "/a.png", "text": "t", "label": 3}\n')
    rows = read_pictured(table, image="photo")
    assert (rows.images, rows.labels) == (["/a.png"], ["3"])


@pytest.mark.parametrize(
    "row, said",
    [
        ('{"image": "  ", "text": "t", "label": "a"}', '"image" is empty; it must be'),
        ('{"image": 3, "text": "t", "label": "a"}', '"image" is a number; it must be'),
        ('{"images": "a", "text": "t", "label": "a"}', 'no key "image"; did you mean'),
    ],
)
def test_rows_without_a_picture(tmp_path, row, said):
    table = tmp_path / "rows.jsonl"
    table.write_text(row + "\n")
    with pytest.raises(KzooError) as error:
        read_pictured(table)
    assert said in str(error.value) and str(table) in str(error.value)


def test_a_broken_picture_is_named_with_its_row(tmp_path):
    table = write_pictures(tmp_path / "rows.csv", 4)
    broken = tmp_path / "rows_pictures" / "2.png"
    broken.write_bytes(b"no picture")
    with pytest.raises(KzooError) as error:
        check_pictures({"train": read_pictured(table)})
    assert str(error.value).startswith(f"{table}, line 4: {broken}: this is not a pict")


def test_split_off_by_the_picture(tmp_path):
    table = tmp_path / "rows.csv"
    lines = [f"{row % 40}.png,caption {row},{row % 2}" for row in range(200)]
    table.write_text("image,text,label\n" + "\n".join(lines))
    splits = load_pictured_splits(ImageTextData(train=str(table), test_share=0.3))
    held = [set(rows.images) for rows in splits.values()]
    assert all(held) and sum(map(len, held)) == 40
    assert sum(map(len, splits.values())) == 200


def test_an_address_is_named_as_it_was_written(tmp_path):
    table = tmp_path / "rows.csv"
    table.write_text("image,text,label\nhttps://a.example/1.png,red,yes\n")
    rows = read_pictured(table)
    assert rows.images == ["https://a.example/1.png"]
    with pytest.raises(KzooError) as error:
        check_pictures({"train": rows})
    assert str(error.value) == (
        f"{table}, line 2: https://a.example/1.png: this is an address, and pictures "
        "are read from files; download it, and give the path of the file."
    )


def test_a_path_written_in_two_ways_is_one_picture(tmp_path):
    table = tmp_path / "rows.csv"
    written = [tmp_path / "a.png", "a.png", "./a.png", "b/../a.png", "猫 1.png"]
    lines = [f"{path},red,yes" for path in written]
    table.write_text("\n".join(["image,text,label", *lines]), encoding="utf-8")
    rows = read_pictured(table)
    assert len(set(rows.split_by)) == len(set(rows.comparable)) == 2


def test_one_caption_of_two_pictures_is_no_repeat():
    grey = [np.full((2, 2, 3), value, "uint8") for value in (0, 9, 9)]
    rows = PicturedRows(["a", "a", "a"], ["x", "y", "x"], [1, 2, 3], "t", images=grey)
    found = {finding.kind: finding for finding in check_rows({"train": rows})}
    assert set(found) == {"repeated", "conflict"}
    assert found["repeated"].count == 1
    assert found["conflict"].groups == [[("train", 1), ("train", 2)]]
