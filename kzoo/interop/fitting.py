"""Which class of transformers gives a model's answers, or why none does."""

import functools
import json

from kzoo_recipes import KzooError, did_you_mean

from kzoo.interop.pretrained import arguments_of
from kzoo.models.families import FAMILIES, differences
from kzoo.models.families.family import bare

# Families by the kind of tokenizer that they come with: where a model is of several,
# those are looked at first.
USUAL = {
    "WordPiece": ("distilbert", "bert", "electra"),  # The first has no segments.
    "BPE": ("roberta",),
    "Unigram": ("xlm_roberta", "camembert"),
}

START = "transformers has no class that gives this model's answers; "
NONE = "transformers has no such model"


class Unlike(KzooError):
    """No class of transformers gives a model's answers.

    Attributes:
        why: str, the same in a few words.
    """

    def __init__(self, message, why):
        self.why = why
        super().__init__(message)


def encoder(pretrained, family=None):
    """The family of an encoder by itself, and the config that it has there.

    Args:
        pretrained: pair of `TransformerEncoder` and `Tokenizer`.
        family: str or `None`, the only family to look at.

    Raises:
        KzooError: naming in what the model differs from the nearest family.
    """
    model, tokenizer = pretrained
    return _family_of(model, tokenizer, family)


def text_classifier(model, family=None):
    """The same of a `TextClassifier`, whose head must be the family's own."""
    return _family_with_head(model, family, _head_faults)


def token_tagger(model, family=None):
    """The same of a `TokenTagger`, likewise."""
    if model.head == "crf":
        raise Unlike(
            'transformers has no tagger with a CRF; train one with head = "linear" to '
            "export it.",
            "transformers has no tagger with a CRF",
        )
    return _family_with_head(model, family, _tagger_faults)


def masked_lm(model, family=None):
    """The same of a `MaskedLM`, likewise."""
    return _family_with_head(model, family, _filler_faults)


def tied(model):
    """Whether the token vectors of a `MaskedLM` score its tokens, too."""
    return (model.get_config()["projection"] or {}).get("tied", True)


def _filler_faults(model, family, config):
    if family.masked_lm is None:
        return {"head": ("a masked language model's", "absent")}
    theirs = family.masked_lm({**config, "tie_word_embeddings": tied(model)})
    ours = model.get_config()
    own = {
        "head_dim": model.head_dim,
        "activation": model.activation,
        "use_bias": model.use_bias,
        "norm": bare(ours["norm"]),
        "projection": ours["projection"] or {"use_bias": True},
    }
    theirs = {"head_dim": None, "use_bias": True, **theirs}
    theirs["norm"] = bare(theirs["norm"])
    theirs["projection"] = theirs["projection"] or {"use_bias": True}
    return _apart(own, theirs)


def _family_with_head(model, told, faults):
    """`_family_of` of a model; `faults(model, family, config)` looks at its head."""
    looks = functools.partial(faults, model)
    return _family_of(model.encoder, model.tokenizer, told, model, looks)


def _family_of(encoder, tokenizer, told, model=None, head_faults=lambda *f: {}):
    """The family whose model gives the same answers, and its config.

    Args:
        encoder: `TransformerEncoder`.
        tokenizer: `kzoo.text.Tokenizer`.
        told: str or `None`, the only family to look at.
        model: the model with a head on the encoder, or `None`.
        head_faults: function from a family and its config to a dict, what of the head
            is otherwise: arguments with our value and theirs.

    Raises:
        KzooError: naming in what the model differs from the nearest family.
    """
    if told is not None and told not in FAMILIES:
        raise KzooError(f"kzoo knows no family {told!r}{did_you_mean(told, FAMILIES)}")
    arguments = arguments_of(encoder)
    more = token_ids(tokenizer)
    own = type(encoder).from_config(arguments)  # Built norms say another axis.
    nearest = None
    for family in _in_order(tokenizer, told):
        config = family.config(arguments, more)
        if family.head is not None and model is not None:
            config |= family.head(model)
        try:
            row = family.stack({"model_type": family.model_types[0], **config})
            stack_faults = differences(own, row)
        except KzooError:  # Of sizes that the family cannot have.
            if told is None:
                continue
            raise
        except (ValueError, TypeError) as error:  # Of the layers' constructors.
            stack_faults = [f"its sizes make no model: {first_sentence(error)}"]
        of_head = head_faults(family, config)
        if not stack_faults and not of_head:
            return family, {**config, "model_type": family.model_types[0]}
        # Whose stack is the model's is nearest: another head is soon trained.
        distance = len(stack_faults), len(of_head)
        if nearest is None or distance < nearest[0]:
            nearest = distance, family, stack_faults, of_head
    if nearest is None:
        raise Unlike(f"{START}no family can have its sizes.", NONE)
    raise _far(*nearest[1:])


def _far(family, stack_faults, of_head):
    """The error of a model that is not even of the nearest family."""
    if not stack_faults and all(_is_plain(theirs) for _, theirs in of_head.values()):
        wanted = ", ".join(_wanted(key, *pair) for key, pair in of_head.items())
        return Unlike(
            f"{START}{family.architecture} would, with another head: {wanted}; train "
            "one with these arguments in its [model] to export it.",
            f"the head of a {family.architecture} has {wanted}",
        )
    faults = [
        *stack_faults,
        *(f"{key} is {ours} and {theirs}" for key, (ours, theirs) in of_head.items()),
    ]
    rest = f", and {len(faults) - 3} more" if len(faults) > 3 else ""
    return Unlike(
        f"{START}the nearest is {family.architecture}, but here and there "
        f"{'; '.join(faults[:3])}{rest}.",
        NONE,
    )


def first_sentence(error):
    """What a constructor complains about, without the values it was given."""
    said = " ".join(str(error).split())
    return said.partition(" Received: ")[0].rstrip(".")


def _is_plain(value):
    return value is None or isinstance(value, str | int | float)


def _wanted(key, ours, theirs):
    """An argument as a recipe has it, and what it is instead."""
    wanted = f"no {key}" if theirs is None else f"{key} = {json.dumps(theirs)}"
    return f"{wanted} (it is {ours!r})" if _is_plain(ours) else wanted


def _in_order(tokenizer, told):
    """The families of encoders, those first that come with such a tokenizer."""
    if told is not None:
        if FAMILIES[told].classifier is None:
            raise KzooError(
                f"Models of the family {told!r} also write, and this one only reads; "
                "name another family."
            )
        return [FAMILIES[told]]
    usual = USUAL.get(tokenizer.kind, ())
    names = [*usual, *(name for name in FAMILIES if name not in usual)]
    return [FAMILIES[name] for name in names if FAMILIES[name].classifier]


def _head_faults(model, family, config):
    theirs = family.classifier(config)
    ours = {
        "pooling": model.pooling,
        "activation": model.activation,
        "head_dim": model.head_dim or model.encoder.hidden_dim,
        "head_norm": model.head_norm,
        "head_bias": model.head_bias,
    }
    usual = {"head_dim": model.encoder.hidden_dim, "head_norm": None, "head_bias": True}
    return _apart(ours, {**usual, **theirs})


def _tagger_faults(model, family, config):
    usual = {"inner_activation": None, "inner_norm": None, "inner_bias": True}
    ours = {key: getattr(model, key) for key in usual}
    return _apart(ours, {**usual, **family.tagger(config)})


def _apart(ours, theirs):
    """What differs: dict from argument to our value and theirs."""
    return {
        key: (value, theirs[key]) for key, value in ours.items() if theirs[key] != value
    }


def token_ids(tokenizer):
    """Ids of special tokens that the classes of transformers go by."""
    found = {"pad_token_id": tokenizer.pad_id}
    before, after = tokenizer.special_ids
    if len(before):
        found["bos_token_id"] = int(before[0])
    if len(after):
        found["eos_token_id"] = int(after[-1])
    return found
