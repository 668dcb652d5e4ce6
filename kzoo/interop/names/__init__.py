"""Weight names: one map per family, and the engine that goes by them."""

from kzoo.interop.names import bert
from kzoo.interop.names.engine import Name, NameMap, read_into, weights_of, written

MAPS = {
    "bert": bert.BERT,
    "roberta": bert.ROBERTA,
}

__all__ = ["MAPS", "Name", "NameMap", "read_into", "weights_of", "written"]
