"""Weight names: one map per family, and the engine that goes by them."""

from kzoo.interop.names import (
    albert,
    bart,
    bert,
    big_bird,
    clip,
    deberta,
    distilbert,
    electra,
    longformer,
    modernbert,
    mpnet,
    t5,
    vit,
)
from kzoo.interop.names.engine import Name, NameMap, weights_of, written
from kzoo.interop.names.reading import Reading, read_into

MAPS = {
    "bert": bert.BERT,
    "roberta": bert.ROBERTA,
    "xlm_roberta": bert.ROBERTA,
    "camembert": bert.ROBERTA,
    "distilbert": distilbert.DISTILBERT,
    "electra": electra.ELECTRA,
    "t5": t5.T5,
    "mt5": t5.T5,
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
    "vit": vit.VIT,
    "clip": clip.CLIP,
}

__all__ = ["MAPS", "Name", "NameMap", "Reading", "read_into", "weights_of", "written"]
