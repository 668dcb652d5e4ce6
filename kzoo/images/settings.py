"""How pictures are made ready for a model: one size, one range of numbers."""

import dataclasses
import math
import numbers

RESIZES = ("shortest", "square")
RESAMPLES = ("nearest", "bilinear", "bicubic", "lanczos")
LARGEST = 4096  # pixels of a side


@dataclasses.dataclass(frozen=True)
class ImageSettings:
    """What `kzoo.images.prepare` does to a picture, in this order.

    Args:
        size: int. Height and width of what the model is given, in pixels.
        resize: "shortest": the shortest side becomes `resized_to`, the other one keeps
            the shape of the picture, and the middle `(size, size)` is cut out. Or
            "square": the picture becomes `(size, size)`, whatever its shape.
        resized_to: int, at least `size`. Only with "shortest"; `None` means `size`.
        resample: "nearest", "bilinear", "bicubic" or "lanczos", those of Pillow.
        mean: 3 floats, taken from red, green and blue, which go from 0 to 1.
        std: 3 positive floats, which what is left is divided by.

    Raises:
        ValueError: if an argument is out of range.
    """

    size: int = 224
    resize: str = "shortest"
    resized_to: int | None = None
    resample: str = "bicubic"
    mean: tuple = (0.5, 0.5, 0.5)
    std: tuple = (0.5, 0.5, 0.5)

    def __post_init__(self):
        _check_choice("resize", self.resize, RESIZES)
        _check_choice("resample", self.resample, RESAMPLES)
        _check_side("size", self.size, 1)
        if self.resized_to is not None:
            if self.resize != "shortest":
                raise ValueError(
                    '`resized_to` is of use only with `resize="shortest"`. '
                    f"Received: resized_to={self.resized_to}, resize={self.resize!r}"
                )
            _check_side("resized_to", self.resized_to, self.size)
        for name in ("mean", "std"):
            values = _three(name, getattr(self, name))
            if name == "std" and min(values) <= 0:
                raise ValueError(f"`std` must be positive. Received: std={values}")
            object.__setattr__(self, name, values)

    @property
    def shortest_side(self):
        """What the shortest side becomes, in pixels."""
        return self.size if self.resized_to is None else self.resized_to

    def get_config(self):
        """The arguments, as JSON says them."""
        config = dataclasses.asdict(self)
        return {**config, "mean": list(self.mean), "std": list(self.std)}


def _check_choice(name, value, choices):
    if value not in choices:
        listed = ", ".join(f'"{choice}"' for choice in choices)
        raise ValueError(
            f"`{name}` must be one of {listed}. Received: {name}={value!r}"
        )


def _check_side(name, value, least):
    whole = isinstance(value, int) and not isinstance(value, bool)
    if not whole or not least <= value <= LARGEST:
        raise ValueError(
            f"`{name}` must be an int from {least} to {LARGEST}. "
            f"Received: {name}={value!r}"
        )


def _three(name, values):
    numeric = isinstance(values, list | tuple) and all(
        isinstance(value, numbers.Real) and math.isfinite(value) for value in values
    )
    if not numeric or len(values) != 3:
        raise ValueError(
            f"`{name}` must be 3 finite numbers, of red, green and blue. "
            f"Received: {name}={values!r}"
        )
    return tuple(map(float, values))


CLIP = ImageSettings(
    mean=(0.48145466, 0.4578275, 0.40821073), std=(0.26862954, 0.26130258, 0.27577711)
)
VIT = ImageSettings(resize="square", resample="bilinear")
