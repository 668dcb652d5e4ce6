"""Every kind of picture becomes red, green and blue; what is none is refused."""

import os
import struct
import sys
import zlib

import numpy as np
import pytest
from kzoo_recipes import KzooError
from PIL import Image

from kzoo.images import open_picture, pixels_of, read
from kzoo.images.reading import FORMATS

RED, GREEN, BLUE = (200, 10, 20), (10, 210, 30), (20, 30, 220)
COLOURS = np.array([[RED, GREEN, BLUE], [BLUE, RED, GREEN]], "uint8")  # 2 × 3


@pytest.fixture
def saved(tmp_path):
    def save(image, name="picture.png", **options):
        image.save(tmp_path / name, **options)
        return tmp_path / name

    return save


@pytest.mark.parametrize("ending", ["png", "bmp", "tiff", "ppm", "gif", "webp"])
def test_colours_of_each_format(saved, ending):
    options = {"lossless": True} if ending == "webp" else {}
    file = saved(Image.fromarray(COLOURS), f"picture.{ending}", **options)
    pixels = read(file)
    assert (pixels.dtype, pixels.shape) == ("uint8", (2, 3, 3))
    np.testing.assert_array_equal(pixels, COLOURS)


def test_greys_and_palettes(saved):
    grey = np.array([[0, 100, 255]], "uint8")
    np.testing.assert_array_equal(
        read(saved(Image.fromarray(grey))), np.repeat(grey[..., None], 3, axis=2)
    )
    bits = Image.fromarray(grey > 50)
    np.testing.assert_array_equal(read(saved(bits))[0, :, 0], [0, 255, 255])
    palette = Image.fromarray(COLOURS).quantize(3)
    assert palette.mode == "P"
    np.testing.assert_array_equal(read(saved(palette)), COLOURS)


def test_what_is_transparent_lies_on_white(saved):
    seen = np.array([255, 0, 51], "uint8")  # all, nothing, a fifth
    layers = np.dstack([COLOURS[:1], seen[None]])
    expected = COLOURS[0] * (seen / 255)[:, None] + 255 * (1 - seen / 255)[:, None]
    pixels = read(saved(Image.fromarray(layers)))[0]
    np.testing.assert_allclose(pixels, expected, atol=1)
    np.testing.assert_array_equal(pixels[1], [255, 255, 255])
    grey = np.array([[[0, 255], [0, 0]]], "uint8")  # with a layer of its own
    np.testing.assert_array_equal(read(saved(Image.fromarray(grey)))[0, :, 0], [0, 255])
    palette = Image.fromarray(COLOURS).quantize(3)
    clear = palette.getpixel((1, 0))
    pixels = read(saved(palette, transparency=clear))
    np.testing.assert_array_equal(pixels[0, 1], [255, 255, 255])
    np.testing.assert_array_equal(pixels[0, 0], RED)


def test_sixteen_bits_keep_the_upper_eight(saved):
    deep = np.array([[0, 255, 256, 0x8040, 0xFFFF]], "uint16")
    for name in ("deep.png", "deep.tiff"):
        pixels = read(saved(Image.fromarray(deep), name))
        np.testing.assert_array_equal(pixels[0, :, 1], [0, 0, 1, 0x80, 255])


def test_pixels_without_a_range_are_refused(saved):
    for dtype, what in (("int32", "whole numbers"), ("float32", "numbers with a")):
        file = saved(Image.fromarray(np.full((2, 2), 1e5, dtype)), "odd.tiff")
        with pytest.raises(KzooError, match=what):
            read(file)


@pytest.mark.parametrize(
    "orientation, turned",
    [
        (1, COLOURS),
        (2, COLOURS[:, ::-1]),
        (3, COLOURS[::-1, ::-1]),
        (4, COLOURS[::-1]),
        (5, COLOURS.transpose(1, 0, 2)),
        (6, np.rot90(COLOURS, -1)),
        (7, np.rot90(COLOURS, 2).transpose(1, 0, 2)),
        (8, np.rot90(COLOURS)),
    ],
)
def test_turned_as_exif_says(saved, orientation, turned):
    exif = Image.Exif()
    exif[0x0112] = orientation
    file = saved(Image.fromarray(COLOURS), exif=exif)
    np.testing.assert_array_equal(read(file), turned)


def test_of_a_moving_picture_the_first_frame(saved):
    frames = [Image.fromarray(np.full((2, 2, 3), value, "uint8")) for value in (9, 99)]
    file = saved(frames[0], "moving.gif", save_all=True, append_images=frames[1:])
    picture = open_picture(file)
    assert picture.several
    np.testing.assert_array_equal(picture.pixels, np.full((2, 2, 3), 9))
    assert not open_picture(saved(frames[0])).several


def sentence(path, **options):
    with pytest.raises(KzooError) as error:
        read(path, **options)
    return str(error.value)


def test_a_picture_that_is_none(tmp_path, saved):
    missing = tmp_path / "none.png"
    assert sentence(missing) == f"{missing}: there is no such file."
    assert sentence(missing, where="rows.csv, line 3") == (
        f"rows.csv, line 3: {missing}: there is no such file."
    )
    assert sentence(tmp_path) == f"{tmp_path}: this is a folder, not a picture."
    words = tmp_path / "words.png"
    words.write_text("no picture")
    assert sentence(words) == (
        f"{words}: this is not a picture that kzoo reads; it reads "
        f"{', '.join(FORMATS[:-1])} and {FORMATS[-1]}."
    )
    words.write_bytes(b"")
    assert sentence(words) == f"{words}: the file is empty."
    # Pillow would start Ghostscript for it.
    script = saved(Image.fromarray(COLOURS), "picture.eps")
    assert "not a picture" in sentence(script)


@pytest.mark.parametrize(
    "path, said",
    [
        ("https://a.example/cat.png", "this is an address, and pictures are read from"),
        ("data:image/png;base64,AAAA", "this is an address, and pictures are read"),
        ("x" * 5000, "there can be no such file (File name too long)."),
        ("a\0b.png", "there can be no such file (embedded null byte)."),
    ],
)
def test_a_path_that_no_file_has(path, said):
    assert sentence(path).startswith(f"{path}: {said}")


def test_a_folder_that_may_not_be_looked_into(saved, monkeypatch):
    file = saved(Image.fromarray(COLOURS), "picture.png")

    def stat(self):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(type(file), "stat", stat)
    assert sentence(file) == f"{file}: the file may not be read."


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="Windows has no such files")
def test_a_pipe_is_not_waited_for(tmp_path):
    pipe, loop = tmp_path / "pipe", tmp_path / "loop"
    os.mkfifo(pipe)
    assert sentence(pipe) == f"{pipe}: this is a device or a pipe, not a file."
    loop.symlink_to(loop)
    assert "loop: there can be no such file (Too many levels of" in sentence(loop)


@pytest.mark.parametrize("ending", ["png", "jpg", "gif", "bmp", "tiff", "webp"])
def test_half_a_picture(saved, ending):
    rng = np.random.default_rng(7)
    noise = Image.fromarray(rng.integers(0, 255, (64, 64, 3), "uint8"))
    file = saved(noise, f"half.{ending}")
    content = file.read_bytes()
    file.write_bytes(content[: len(content) // 2])
    assert str(file) in sentence(file)


def test_broken_bytes_never_end_in_another_error(saved):
    rng = np.random.default_rng(11)
    noise = Image.fromarray(rng.integers(0, 255, (16, 16, 3), "uint8"))
    for ending in ("png", "jpg", "gif", "bmp", "tiff", "webp", "ppm"):
        file = saved(noise, f"broken.{ending}")
        content = file.read_bytes()
        for _ in range(40):
            broken = bytearray(content)
            for place in rng.integers(0, min(len(content), 200), 3):
                broken[place] = rng.integers(256)
            file.write_bytes(broken)
            try:
                assert read(file).dtype == "uint8"
            except KzooError as error:
                assert str(error).startswith(f"{file}: ")


def chunk(kind, content):
    checksum = zlib.crc32(kind + content)
    return struct.pack(">I", len(content)) + kind + content + checksum.to_bytes(4)


def png(width, height):
    """A PNG that claims to be of this size, in a few hundred bytes."""
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    body = zlib.compress(bytes(1 << 16))
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", body)
        + chunk(b"IEND", b"")
    )


@pytest.mark.parametrize("side", [8193, 9500, 100_000])
def test_a_bomb_is_refused_before_it_is_unpacked(tmp_path, side):
    file = tmp_path / "bomb.png"
    file.write_bytes(png(side, side))
    said = sentence(file)
    unit = "pixels " if side == 100_000 else ""  # Pillow stops there, without a size.
    assert f"more than the 67,108,864 {unit}that are read; make it smaller." in said
    if side == 8193:
        assert f"the picture has {side:,} × {side:,} pixels" in said


def test_the_limit_can_be_told(saved):
    file = saved(Image.fromarray(COLOURS))
    assert read(file, most_pixels=6).shape == (2, 3, 3)
    assert "has 3 × 2 pixels, which is more than the 5 that" in sentence(
        file, most_pixels=5
    )


def test_without_pillow_a_sentence(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "PIL", None)
    assert sentence(tmp_path / "a.png") == (
        f"{tmp_path / 'a.png'}: pictures are read by Pillow; "
        '`pip install "kzoo[images]"` brings it.'
    )


def test_what_may_be_handed_over(saved):
    image = Image.fromarray(COLOURS)
    for given in (saved(image), str(saved(image)), COLOURS, image):
        np.testing.assert_array_equal(pixels_of(given), COLOURS)
    assert pixels_of(image.convert("L")).shape == (2, 3, 3)
    with pytest.raises(TypeError, match=r"Received: images\[2\] of type int"):
        pixels_of(3, "images[2]")
    with pytest.raises(TypeError, match="Received: image of dtype float64"):
        pixels_of(COLOURS / 255)
    with pytest.raises(ValueError, match=r"Received: image.shape=\(2, 3\)"):
        pixels_of(COLOURS[..., 0])
