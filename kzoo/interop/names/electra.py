"""What ELECTRA calls its weights: BERT's names, but for its heads and projection."""

from kzoo.interop.names.bert import body
from kzoo.interop.names.encoders import dense, norm, scores
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
    width = config["hidden_size"]
    names = body(config)
    if (config.get("embedding_size") or width) != width:
        names += dense("encoder/embedding/projection", "embeddings_project")
    if head == "masked_lm":
        names += dense("head", "generator_predictions.dense")
        names += norm("head_norm", "generator_predictions.LayerNorm")
        decoder = "generator_lm_head"
        return scores(names, config, decoder, f"{decoder}.bias")
    heads = {
        "encoder": [],
        "text_classifier": [
            *dense("head", "classifier.dense"),
            *dense("logits", "classifier.out_proj"),
        ],
        "token_tagger": dense("logits", "classifier"),
    }
    return names + heads[head]


ELECTRA = NameMap(names, ("electra.",), UNPREFIXED, ASIDE)
