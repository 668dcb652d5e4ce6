"""The drawn corpus: neither a picture nor a caption tells anything by itself."""

import hashlib
from collections import Counter, defaultdict

import numpy as np
import pytest
from kzoo_recipes import ClassifierData, ImageTextData, KzooError

from kzoo.data import load_splits
from kzoo.data.pictured import load_pictured_splits
from kzoo.data.shapes import GROUPS, part_of, shape_splits
from kzoo.data.shapes.drawing import CELL, CELLS, draw
from kzoo.data.shapes.scenes import COLOURS, Thing, caption, changed, scenes

FEW = {"train": 60, "dev": 20, "test": 20}


@pytest.fixture(scope="module")
def splits():
    return shape_splits(FEW)


def test_pictures_alone_and_captions_alone_are_at_chance(splits):
    for rows in splits.values():
        by_text, by_image = defaultdict(Counter), defaultdict(Counter)
        for text, image, label in zip(
            rows.texts, rows.images, rows.labels, strict=True
        ):
            by_text[text][label] += 1
            by_image[image.tobytes()][label] += 1
        # Whoever knows all labels of each caption, or picture, is right half the time.
        for counts in (*by_text.values(), *by_image.values()):
            assert counts["true"] == counts["false"]


def scene_of(text):
    [scene] = [s for s in scenes() if text in (caption(s, True), caption(s, False))]
    return scene


def test_labels_are_true(splits):
    """Colours and their order, found again in the pixels by other means."""
    rows, checked = splits["test"], 0
    true_of = {}
    for text, image, label in zip(rows.texts, rows.images, rows.labels, strict=True):
        if label == "true":
            true_of[image.tobytes()] = scene_of(text)
    for text, image, label in zip(rows.texts, rows.images, rows.labels, strict=True):
        assert (scene_of(text) == true_of[image.tobytes()]) == (label == "true")
        words = text.split()
        one, other = words[1], words[-2]
        if label == "true" and one != other:
            places = [
                np.argwhere((image == COLOURS[name]).all(axis=2)).mean(axis=0)
                for name in (one, other)
            ]
            down, right = places[0] - places[1]
            names = ("left", "right") if abs(right) > abs(down) else ("above", "below")
            assert names[int((right if "left" in names else down) > 0)] in words
            checked += 1
    assert checked > 20


def test_every_scene_is_in_one_part(splits):
    said = {split: set() for split in splits}
    for split, rows in splits.items():
        for scene in map(scene_of, set(rows.texts)):
            said[split].add(scene)
            assert part_of(scene) == split
    assert not said["train"] & (said["dev"] | said["test"])
    counts = Counter(map(part_of, scenes()))
    assert sum(counts.values()) == 264 and min(counts.values()) > 20


def test_changed_scenes_differ_in_one_thing():
    scene = scenes()[77]
    others = changed(scene)
    assert scene not in others
    assert scene._replace(first=scene.second, second=scene.first) in others
    for other in others:
        if {other.first, other.second} != {scene.first, scene.second}:
            pairs = zip(
                (*other.first, *other.second),
                (*scene.first, *scene.second),
                strict=True,
            )
            assert sum(a != b for a, b in pairs) == 1


def test_shapes_stay_inside_their_cells():
    drawn = np.random.Philox(key=1)
    scene = scenes()[0]._replace(first=Thing("red", "square"))
    for _ in range(50):
        picture = draw(scene, drawn)
        red = (picture == COLOURS["red"]).all(axis=2)
        assert red.sum() >= 49 and picture.shape == (CELLS * CELL, CELLS * CELL, 3)


def test_the_same_bytes_everywhere(splits):
    digest = hashlib.sha256()
    for rows in splits.values():
        for text, image, label in zip(
            rows.texts, rows.images, rows.labels, strict=True
        ):
            digest.update(f"{text}\n{label}\n".encode() + image.tobytes())
    assert digest.hexdigest() == DIGEST


DIGEST = "e19fc5af22ce31de2eded95a3e33eaac3cccf1d8107a60b290cc10d6e62eb69d"


def test_sizes_and_places():
    rows = load_pictured_splits(ImageTextData(source="kzoo:pictures"))
    assert {split: len(part) for split, part in rows.items()} == {
        split: 4 * groups for split, groups in GROUPS.items()
    }
    assert rows["dev"].where(4) == "kzoo:pictures#dev, row 5"


def test_other_tasks_have_no_use_for_pictures():
    with pytest.raises(KzooError, match="an image_text_classifier learns"):
        load_splits(ClassifierData(source="kzoo:pictures"))
