"""What BigBird calls its weights: BERT's names, and another head of classifiers."""

from kzoo.interop.names import bert
from kzoo.interop.names.encoders import dense
from kzoo.interop.names.engine import NameMap


def names(config, head):
    """A BigBird with the head of a task."""
    if head != "text_classifier":
        return bert.bert(config, head)
    return [
        *bert.body(config),
        *dense("head", "classifier.dense"),
        *dense("logits", "classifier.out_proj"),
    ]


BIG_BIRD = NameMap(names, ("bert.",), bert.UNPREFIXED, bert.ASIDE)
