"""Models of kzoo as folders that transformers reads, and answers with alike."""

from pathlib import Path

from kzoo_recipes import KzooError
from kzoo_recipes.folders import check_free, said_by, written_beside

from kzoo.interop import (
    checkpoints,
    encoders,
    fitting,
    images_export,
    outgoing,
    seq2seq_export,
)
from kzoo.interop.card import card
from kzoo.interop.merging import plain
from kzoo.interop.tokenizers import write_tokenizer

# What becomes of a model, by its class: a function of the model and a family's name.
EXPORTS = {
    "Pretrained": outgoing.encoder,
    "TextClassifier": outgoing.text_classifier,
    "TokenTagger": outgoing.token_tagger,
    "MaskedLM": outgoing.masked_lm,
    "Seq2Seq": seq2seq_export.summarizer,
    "ImageEncoder": images_export.image_encoder,
    "ImageClassifier": images_export.image_classifier,
    "DualEncoder": images_export.dual_encoder,
}
# Whether it can: a function of the same that raises.
FITTING = {
    "TextClassifier": fitting.text_classifier,
    "TokenTagger": fitting.token_tagger,
    "MaskedLM": fitting.masked_lm,
    "Seq2Seq": seq2seq_export.fitting,
    "ImageClassifier": images_export.image_classifier,
    "DualEncoder": images_export.dual_encoder,
}


def why_not(model):
    """Say in a few words why `export_hugging_face` would refuse a model.

    Args:
        model: model with its tokenizer.

    Returns:
        str; `None` where transformers has such a model.
    """
    if type(model).__name__ not in FITTING:
        return fitting.NONE
    try:
        FITTING[type(model).__name__](model)
    except KzooError as error:
        return getattr(error, "why", str(error).removesuffix("."))
    return None


def export_hugging_face(model, folder, family=None, force=False):
    """Write a model such that `transformers.AutoModelFor….from_pretrained` loads it.

    The folder holds `config.json`, `model.safetensors`, the tokenizer and a model card,
    `README.md`. It is complete or not there. A LoRA is merged.

    Args:
        model: `TextClassifier`, `TokenTagger`, `MaskedLM`, `Seq2Seq` or `DualEncoder`
            with its tokenizer, or a pair of encoder and tokenizer, such as
            `from_hugging_face(…, task="encoder")` gives; or an `ImageClassifier` with
            its labels, or an `ImageEncoder`.
        folder: str or path. Must not be there, or be empty, without `force`.
        family: str or `None`. A key of `kzoo.models.families.FAMILIES`; `None` finds
            one whose model gives the same answers.
        force: bool. Whether to replace a folder that is there.

    Returns:
        dict: "folder", str; "family", str; "architecture", str, the class of
        transformers; "files", list of str; "notes", list of str, what the model does
        that transformers does not.

    Raises:
        KzooError: if the folder is there or cannot be written, or no family gives the
            model's answers: naming in what it differs from the nearest.
    """
    folder = Path(folder).absolute()
    if isinstance(model, tuple) and len(model) == 2:
        model = encoders.Pretrained(*model)
    kind = type(model).__name__
    if kind == "TransformerEncoder":
        raise KzooError(
            "An encoder goes out with its tokenizer: (encoder, tokenizer) is the model."
        )
    if kind not in EXPORTS:
        raise KzooError(f"kzoo exports {', '.join(EXPORTS)}; {kind} is none of them.")
    check_free(folder, force)
    if kind in ("Pretrained", "ImageEncoder"):
        merged = plain(getattr(model, "encoder", model))[1]
    else:
        model.require_text()
        model, merged = plain(model)
    out = EXPORTS[kind](model, family)
    out.notes[:0] = merged
    truncate = getattr(model, "truncate", "head")  # what writers keep of a source
    with said_by(folder), written_beside(folder, replace=True) as part:
        checkpoints.write(part, out.tensors, out.config)
        if out.family.reads:
            write_tokenizer(model.tokenizer, part, out.config, out.longest, truncate)
        texts = {**out.files, "README.md": card(model, out, folder.name)}
        for name, text in texts.items():
            part.joinpath(name).write_text(text, encoding="utf-8")
    return {
        "folder": str(folder),
        "family": out.family.name,
        "architecture": out.architecture,
        "files": sorted(path.name for path in folder.iterdir()),
        "notes": out.notes,
    }
