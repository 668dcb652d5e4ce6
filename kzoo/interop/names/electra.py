"""What ELECTRA calls its weights: BERT's names, but for its heads and projection."""

from kzoo.interop.names.bert import body
from kzoo.interop.names.encoders import dense
from kzoo.interop.names.engine import NameMap

ASIDE = {
    "embeddings.position_ids": "the numbers of the positions",
    "discriminator_predictions.*": "the discriminator's head",
    "generator_*": "the generator's head",
    "classifier.*": "the head of a fine-tuned model",
    "qa_outputs.*": "the head of a question answerer",
}
UNPREFIXED = ("classifier.*", "discriminator_predictions.*", "generator_*")


def names(config, head):
    """An ELECTRA with the head of a task."""
    heads = {
        "encoder": lambda: [],
        "text_classifier": lambda: [
            *dense("head", "classifier.dense"),
            *dense("logits", "classifier.out_proj"),
        ],
        "token_tagger": lambda: dense("logits", "classifier"),
    }
    projection = []
    if (config.get("embedding_size") or config["hidden_size"]) != config["hidden_size"]:
        projection = dense("encoder/embedding/projection", "embeddings_project")
    return body(config) + projection + heads[head]()


ELECTRA = NameMap(names, ("electra.",), UNPREFIXED, ASIDE)
