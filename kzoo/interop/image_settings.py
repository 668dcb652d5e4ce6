"""How a checkpoint's pictures are made ready: preprocessor_config.json, in and out."""

import dataclasses
import json
import math

from kzoo_recipes import KzooError

from kzoo.images import CLIP, VIT, ImageSettings
from kzoo.safety import parse

FILE = "preprocessor_config.json"
WHOLE = "processor_config.json"  # of transformers 5, which holds it under this key:
KEY = "image_processor"
USUAL = {"clip": CLIP, "vit": VIT}  # by family
RESAMPLES = {0: "nearest", 1: "lanczos", 2: "bilinear", 3: "bicubic"}  # Pillow's


def read_image_settings(folder, family, image_size):
    """What is done to a picture before a model sees it.

    Args:
        folder: `Path`.
        family: str, "clip" or "vit".
        image_size: int. The side of what the model sees.

    Returns:
        `ImageSettings`, and a list of str, notes.

    Raises:
        KzooError: naming the file and the key that kzoo does not do.
    """
    usual = dataclasses.replace(USUAL[family], size=image_size)
    path, told = _told(folder)
    if told is None:
        note = (
            f"{folder}: there is no {FILE}, which says how pictures are made ready; "
            f"they are as the family {family!r} usually has them."
        )
        return usual, [note]
    settings = _settings(path, told, usual)
    if settings.size != image_size:
        raise KzooError(
            f"{path}: pictures become {settings.size} pixels wide, and the model of "
            f"config.json sees {image_size}; the two files are not of one model."
        )
    return settings, []


def _told(folder):
    """The file that says it and its object; `None` if there is none."""
    for name in (FILE, WHOLE):
        path = folder / name
        if not path.is_file():
            continue
        told = parse(path.read_bytes(), str(path))
        if isinstance(told, dict) and name == WHOLE:
            told = told.get(KEY)
        if not isinstance(told, dict):
            raise KzooError(f"{path}: this says nothing of pictures.")
        return path, told
    return folder / FILE, None


def _settings(path, told, usual):
    for key in ("do_resize", "do_rescale"):
        if told.get(key, True) is not True:
            raise KzooError(f"{path}: {key} is {told[key]!r}; kzoo always does it.")
    factor = told.get("rescale_factor", 1 / 255)
    number = isinstance(factor, int | float) and not isinstance(factor, bool)
    if not number or not math.isclose(factor, 1 / 255, rel_tol=1e-6):
        raise KzooError(f"{path}: rescale_factor is {factor!r}; kzoo has 1/255 only.")
    resample = told.get("resample")
    if resample is not None and resample not in RESAMPLES:
        raise KzooError(
            f"{path}: resample is {resample!r}; kzoo has "
            f"{', '.join(f'{n} ({name})' for n, name in RESAMPLES.items())}."
        )
    normal = told.get("do_normalize", True) is not False
    try:
        return ImageSettings(
            **_sizes(path, told, usual),
            resample=usual.resample if resample is None else RESAMPLES[resample],
            mean=told.get("image_mean", usual.mean) if normal else (0.0, 0.0, 0.0),
            std=told.get("image_std", usual.std) if normal else (1.0, 1.0, 1.0),
        )
    except ValueError as error:
        raise KzooError(f"{path}: {str(error).replace('`', '')}.") from None


def _sizes(path, told, usual):
    """The arguments `size`, `resize` and `resized_to` of `ImageSettings`."""
    size = told.get("size", {"shortest_edge": usual.size})
    if isinstance(size, int):  # As older files say it.
        short = usual.resize == "shortest"
        size = {"shortest_edge": size} if short else {"height": size, "width": size}
    keys = set(size) if isinstance(size, dict) else set()
    cuts = told.get("do_center_crop", usual.resize == "shortest")
    crop = told.get("crop_size") if cuts is True else None
    if isinstance(crop, int):
        crop = {"height": crop, "width": crop}
    square = crop is None or (
        isinstance(crop, dict) and crop.get("height") == crop.get("width")
    )
    if square and keys == {"shortest_edge"} and cuts is True:
        edge = size["shortest_edge"]
        side = edge if crop is None else crop["height"]
        return {"size": side, "resize": "shortest", "resized_to": edge}
    if square and keys == {"height", "width"} and size["height"] == size["width"]:
        side = size["height"]
        if crop is None or crop["height"] == side:
            return {"size": side, "resize": "square"}
    raise KzooError(
        f"{path}: size is {size!r}, crop_size {told.get('crop_size')!r} and "
        f"do_center_crop {cuts!r}; kzoo makes the shortest side of a picture one "
        "length and cuts out a square, or makes a square of the whole."
    )


def image_processor(settings, family):
    """What `preprocessor_config.json` says of settings, as JSON text.

    Args:
        settings: `ImageSettings`.
        family: str, "clip" or "vit".
    """
    square = {"height": settings.size, "width": settings.size}
    short = settings.resize == "shortest"
    numbers = {name: number for number, name in RESAMPLES.items()}
    told = {
        "image_processor_type": "CLIPImageProcessor" if short else "ViTImageProcessor",
        "do_convert_rgb": True,
        "do_resize": True,
        "size": {"shortest_edge": settings.shortest_side} if short else square,
        "resample": numbers[settings.resample],
        "do_center_crop": short,
        **({"crop_size": square} if short else {}),
        "do_rescale": True,
        "rescale_factor": 1 / 255,
        "do_normalize": True,
        "image_mean": list(settings.mean),
        "image_std": list(settings.std),
    }
    if family == "clip":
        told["processor_class"] = "CLIPProcessor"
    return json.dumps(told, indent=2) + "\n"
