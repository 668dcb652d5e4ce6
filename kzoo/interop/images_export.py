"""Models that see as classes of transformers that give the same answers."""

from kzoo_recipes import KzooError

from kzoo.images import ImageSettings
from kzoo.interop.fitting import token_ids
from kzoo.interop.image_settings import FILE, image_processor
from kzoo.interop.names import MAPS, written
from kzoo.interop.names.spelling import prefixed
from kzoo.interop.outgoing import Outgoing, named
from kzoo.interop.pretrained import arguments_of
from kzoo.layers import ImageEncoder, TransformerDecoder
from kzoo.models.families import IMAGE_FAMILIES, differences
from kzoo.models.families.clip import HIGHEST

VIT, CLIP = IMAGE_FAMILIES["vit"], IMAGE_FAMILIES["clip"]


def image_encoder(encoder, family=None):
    """An `ImageEncoder` by itself, as a ViT without its pooler."""
    _told(family, VIT)
    config = _vit(encoder)
    names = MAPS["vit"].names(config, "image_encoder")
    notes = [
        f"an encoder does not say how pictures are made ready, so there is no {FILE}",
        "transformers puts a pooler of new weights on the encoder unless it is made "
        "with add_pooling_layer=False",
    ]
    pipeline = "image-feature-extraction"
    return _outgoing(VIT, "ViTModel", config, written(encoder, names), pipeline, notes)


def image_classifier(model, family=None):
    """An `ImageClassifier`, whose head is a ViT's own."""
    _told(family, VIT)
    config = {**_vit(model.encoder), **named(model.labels)}
    names = MAPS["vit"].names(config, "image_classifier")
    name_map = MAPS["vit"]
    tensors = prefixed(written(model, names), name_map.prefixes, name_map.unprefixed)
    architecture = "ViTForImageClassification"
    out = _outgoing(VIT, architecture, config, tensors, "image-classification")
    out.files = _processor(model, VIT)
    return out


def dual_encoder(model, family=None):
    """A `DualEncoder`, as a CLIP."""
    _told(family, CLIP)
    if model.end_id == HIGHEST:
        raise KzooError(
            f"transformers takes the highest id of a text for its end where the end's "
            f"own is {HIGHEST}, as in this model, so it would answer otherwise."
        )
    if type(model.text_encoder) is not TransformerDecoder:
        raise _unlike(CLIP, ["a text sees what follows here, and not there"])
    arguments = {
        "text": arguments_of(model.text_encoder),
        "image": arguments_of(model.image_encoder),
        "model": {"projection_dim": model.projection_dim, "end_id": model.end_id},
    }
    more = token_ids(model.tokenizer)
    more = {key: value for key, value in more.items() if key != "eos_token_id"}
    config = {**CLIP.config(arguments, more), "model_type": "clip"}
    rows = _row(CLIP, config)
    faults = [
        f"{side}: {fault}"
        for side, kind in (("text", TransformerDecoder), ("image", ImageEncoder))
        for fault in _differences(arguments[side], rows[side], kind)
    ]
    if faults:
        raise _unlike(CLIP, faults)
    config["logit_scale_init_value"] = 2.6592
    names = MAPS["clip"].names(config, "dual_encoder")
    pipeline = "zero-shot-image-classification"
    out = _outgoing(CLIP, "CLIPModel", config, written(model, names), pipeline)
    out.longest = model.sequence_length
    out.files = _processor(model, CLIP)
    return out


def _vit(encoder):
    """The config of a ViT with this encoder."""
    arguments = arguments_of(encoder)
    config = {**VIT.config(arguments, {}), "model_type": "vit"}
    faults = _differences(arguments, _row(VIT, config), ImageEncoder)
    if faults:
        raise _unlike(VIT, faults)
    return config


def _row(family, config):
    try:
        return family.stack(config)
    except KzooError as error:
        raise _unlike(family, [str(error).rstrip(".")]) from None


def _differences(arguments, row, kind):
    # Built norms say another axis, so the stack is made anew.
    return differences(kind.from_config(arguments), row, kind)


def _told(family, own):
    if family not in (None, own.name):
        raise KzooError(
            f"This model is one of the family {own.name!r}, and not of {family!r}."
        )


def _unlike(family, faults):
    rest = f", and {len(faults) - 3} more" if len(faults) > 3 else ""
    return KzooError(
        "transformers has no class that gives this model's answers; the nearest is "
        f"{family.architecture}, but here and there {'; '.join(faults[:3])}{rest}."
    )


def _processor(model, family):
    settings = ImageSettings(**model.images)
    return {FILE: image_processor(settings, family.name)}


def _outgoing(family, architecture, config, tensors, pipeline, notes=()):
    config = {**config, "architectures": [architecture], "dtype": "float32"}
    return Outgoing(family, architecture, config, tensors, pipeline, notes=list(notes))
