"""Models of checkpoints that see: a ViT, with or without its head, and a CLIP."""

from kzoo_recipes import KzooError

from kzoo.interop.encoders import own_labels
from kzoo.interop.image_settings import read_image_settings
from kzoo.interop.source import in_folder
from kzoo.interop.tokenizers import read_limits
from kzoo.layers import ImageEncoder, TransformerDecoder
from kzoo.layers.seeding import drawn_from
from kzoo.models.dual_encoder import DualEncoder
from kzoo.models.image_classifier import ImageClassifier
from kzoo.models.inputs import only_str

HEAD = ("logits/*",)


def image_encoder(source):
    """The `ImageEncoder` of a ViT alone."""
    row = _require(source, "vit", "image_encoder")
    reading = source.reading("image_encoder")
    made = source.made(ImageEncoder, row, "encoder", reading)
    source.notes += reading.into(made)
    return made


def image_classifier(source, labels=None, **arguments):
    """An `ImageClassifier` with a ViT's head, or with a new one.

    Args:
        source: `Source`.
        labels: list of str, or `None` for those of the checkpoint.
        **arguments: of `ImageClassifier`.
    """
    row = _require(source, "vit", "image_classifier")
    shape = source.has("image_classifier", "logits/bias")
    if labels is None and shape is None:
        raise KzooError(
            f"{source.folder}: the checkpoint has no head of an image classifier, so "
            'name the labels of a new one: labels=[…]; task="image_encoder" takes the '
            "encoder alone."
        )
    own = None if shape is None else own_labels(source, shape[0])
    labels = own if labels is None else only_str(labels, "labels", "str")
    reading = source.reading("image_classifier", HEAD, () if labels == own else HEAD)
    made = source.made(ImageEncoder, row, "encoder", reading)
    arguments = {**_images(source, made), **arguments}
    with in_folder(source.folder):
        model = ImageClassifier(made, len(labels), **arguments)
    source.notes += reading.into(model)
    return model.attach(labels)


def dual_encoder(source, **arguments):
    """A `DualEncoder` with both towers of a CLIP.

    Args:
        source: `Source`.
        **arguments: of `DualEncoder`, but its stacks and sizes.
    """
    rows = _require(source, "clip", "dual_encoder")
    reading = source.reading("dual_encoder")
    with in_folder(source.folder), drawn_from(reading.given):
        text = TransformerDecoder(**rows["text"], name="text_encoder")
        image = ImageEncoder(**rows["image"], name="image_encoder")
        limit, _ = read_limits(source.folder, source.config)
        places = text.max_sequence_length
        own = {
            "sequence_length": min(limit or places, places),
            **_images(source, image),
            **rows["model"],
        }
        model = DualEncoder(text, image, **{**own, **arguments})
    source.notes += reading.into(model)
    with in_folder(source.folder):
        return model.attach(source.tokenizer)


def _images(source, encoder):
    """The argument `images` of a model."""
    settings, notes = read_image_settings(
        source.folder, source.family.name, encoder.image_size
    )
    source.notes += notes
    return {"images": settings.get_config()}


def _require(source, family, task):
    """What the family makes of a checkpoint's config, if it is of this family."""
    if source.dropouts:
        raise KzooError(
            "encoder: what a model that sees drops is as in the checkpoint; leave "
            "`encoder` out."
        )
    if source.family.name != family:
        raise KzooError(
            f"{source.folder}: kzoo makes no {task} of the family "
            f"{source.family.name!r}, but of {family!r}."
        )
    with in_folder(source.folder):
        return source.family.stack(source.config)
