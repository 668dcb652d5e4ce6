"""Model families: each a row of arguments over the same layers.

What its weights are called elsewhere is in `kzoo/interop/names`.
"""

from kzoo_recipes import KzooError

from kzoo.models.families import (
    albert,
    bart,
    bert,
    big_bird,
    clip,
    deberta,
    distilbert,
    longformer,
    modernbert,
    mpnet,
    t5,
    vit,
)
from kzoo.models.families.family import Family, check_shares, differences

FAMILIES = {
    "bert": bert.BERT,
    "roberta": bert.ROBERTA,
    "xlm_roberta": bert.XLM_ROBERTA,
    "camembert": bert.CAMEMBERT,
    "distilbert": distilbert.DISTILBERT,
    "electra": bert.ELECTRA,
    "t5": t5.T5,
    "mt5": t5.MT5,
    "bart": bart.BART,
    "mbart": bart.MBART,
    "marian": bart.MARIAN,
    "pegasus": bart.PEGASUS,
    "albert": albert.ALBERT,
    "mpnet": mpnet.MPNET,
    "modernbert": modernbert.MODERNBERT,
    "longformer": longformer.LONGFORMER,
    "big_bird": big_bird.BIG_BIRD,
    "deberta_v2": deberta.DEBERTA,
}

# Those whose models see images, too, or see only.
IMAGE_FAMILIES = {"vit": vit.VIT, "clip": clip.CLIP}


def family_of(config):
    """The family of a config.json.

    Args:
        config: dict.

    Returns:
        `Family`.

    Raises:
        KzooError: if kzoo has no such family, or a share is none.
    """
    check_shares(config)
    kind = config.get("model_type")
    families = [*FAMILIES.values(), *IMAGE_FAMILIES.values()]
    for family in families:
        if kind in family.model_types:
            return family
    known = sorted(kind for family in families for kind in family.model_types)
    wrong = f"model_type is {kind!r}, a family that kzoo does not have"
    if kind is None:
        wrong = "there is no model_type, which says of what family the weights are"
    raise KzooError(f"config.json: {wrong}; kzoo has {', '.join(known)}.")


__all__ = ["FAMILIES", "IMAGE_FAMILIES", "Family", "differences", "family_of"]
