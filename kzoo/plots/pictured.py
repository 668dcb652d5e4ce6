"""What a model reads beside a text, where that is a picture: its patches, named."""

import numpy as np
from kzoo_recipes import KzooError


def check_seen(model, image):
    """Raise a `KzooError` unless a model reads a text and what is given beside it.

    Args:
        model: a kzoo model.
        image: a picture, or `None`.
    """
    pairs = getattr(model, "reads_pairs", False)
    if getattr(model, "images", None) is not None and not pairs:
        raise KzooError(
            f"the attention of models of the class {type(model).__name__} is asked in "
            "Python, of an encoder with return_attention_weights=True; here a text is "
            "read, alone or with a picture."
        )
    if pairs and image is None:
        raise KzooError(
            "the model reads a picture with each text; name one, too (--image FILE)."
        )
    if image is not None and not pairs:
        raise KzooError("the model reads texts alone; leave the picture out.")


def patches_of(model, image):
    """The picture as the model reads it, and how its patches are named.

    Args:
        model: `kzoo.ImageTextClassifier`.
        image: what `kzoo.images.pixels_of` takes.

    Returns:
        float32 `(1, size, size, 3)`; and list of str, `patch ROW.COLUMN`, counted from
        0 at the top and the left.
    """
    from kzoo.models.pictures import prepared

    [ready] = prepared(image, model.images)
    side = model.encoder.image_size // model.encoder.patch_size
    names = [f"patch {row}.{column}" for row, column in np.ndindex(side, side)]
    return ready()[None], names
