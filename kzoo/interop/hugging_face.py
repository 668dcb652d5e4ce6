"""Checkpoints of Hugging Face as models of kzoo, on any backend, without torch."""

from kzoo_recipes import KzooError, did_you_mean

from kzoo.interop import encoders, images, seq2seq
from kzoo.interop.hub import local_folder
from kzoo.interop.source import Source, tell

# What is made of a checkpoint: a function of a `Source` and the model's arguments.
TASKS = {
    "encoder": encoders.encoder,
    "text_classifier": encoders.text_classifier,
    "token_tagger": encoders.token_tagger,
    "masked_lm": encoders.masked_lm,
    "summarizer": seq2seq.summarizer,
    "image_encoder": images.image_encoder,
    "image_classifier": images.image_classifier,
    "dual_encoder": images.dual_encoder,
}
# By family: the tasks of models that see; the first is that of the bare model.
SEEING = {"vit": ("image_encoder", "image_classifier"), "clip": ("dual_encoder",)}


def from_hugging_face(
    path_or_repo,
    task=None,
    *,
    encoder=None,
    offline=False,
    note=None,
    **arguments,
):
    """Make a model of a checkpoint as Hugging Face keeps them.

    Only `config.json`, safetensors and the files of the tokenizer are read, straight
    into the weights of the backend that runs; neither torch nor transformers is needed.

    Args:
        path_or_repo: str or path. A folder, or `hf:ORG/NAME@REVISION` of the hub.
        task: str, a key of `TASKS`, of which "summarizer" is any text written for
            another; `None` is what the checkpoint was saved as.
        encoder: dict or `None`. Other dropouts of the encoder than the checkpoint's:
            "dropout" for all of them; "attention" and "embedding", dicts as arguments
            of `TransformerEncoder`, for what is dropped there.
        offline: bool. Whether to take only what is on this machine.
        note: function of a str, called with each sentence on what was not read and what
            begins anew; `None` prints them to stderr.
        **arguments: of the model: `labels`, list of str, for a new head of a classifier
            or tagger, and what the model's class takes besides; of a summarizer also
            `decoder`, as `encoder`, and `generation`, settings over the checkpoint's.

    Returns:
        `TextClassifier`, `TokenTagger`, `MaskedLM` or `Seq2Seq` with the checkpoint's
        weights, tokenizer, labels and settings of generation; of "encoder" a pair,
        `TransformerEncoder` and `Tokenizer`. Of a ViT an `ImageClassifier` or
        `ImageEncoder`, of a CLIP a `DualEncoder`.

    Raises:
        KzooError: naming the file and what is missing or wrong; of a weight both
            kzoo's path and the tensor.
        TypeError: if the model has no such argument.
    """
    folder = local_folder(path_or_repo, offline)
    source = Source.of(folder, encoder, may_see=True)
    task = task or task_of(source.config)
    if task not in TASKS:
        raise KzooError(
            f"{folder}: kzoo reads no checkpoint for the task {task!r}"
            f"{did_you_mean(task, TASKS)}"
        )
    tasks = SEEING.get(source.family.name, (task,))
    if task == "encoder":
        task = tasks[0]
    if task not in tasks:
        raise KzooError(
            f"{folder}: kzoo makes no {task} of the family {source.family.name!r}, but "
            f"{' or '.join(tasks)}."
        )
    model = TASKS[task](source, **arguments)
    # A folder of the cache has a long path, and the user another name for it.
    short = [text.replace(str(folder), str(path_or_repo), 1) for text in source.notes]
    tell(source.notes if note else short, note)
    return model


def task_of(config):
    """The task that a checkpoint was saved for, by its `architectures`."""
    return encoders.saved_as(config)[1]
