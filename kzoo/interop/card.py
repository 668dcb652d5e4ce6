"""The model card of an exported model: what it is, and how transformers uses it."""

AUTO = {
    "text-classification": "AutoModelForSequenceClassification",
    "token-classification": "AutoModelForTokenClassification",
    "fill-mask": "AutoModelForMaskedLM",
    "summarization": "AutoModelForSeq2SeqLM",
    "text2text-generation": "AutoModelForSeq2SeqLM",
    "feature-extraction": "AutoModel",
    "image-feature-extraction": "AutoModel",
}


def card(model, out, name):
    """The text of README.md.

    Args:
        model: the model of kzoo, with its tokenizer.
        out: `Outgoing`.
        name: str, what the folder is called.
    """
    lines = [
        "---",
        "library_name: transformers",
        *([f"pipeline_tag: {out.pipeline}"] if out.pipeline else []),
        "tags: [kzoo]",
        "---",
        "",
        f"# {name}",
        "",
        f"A `{out.architecture}`, exported by "
        "[kzoo](https://pypi.org/project/kzoo/): transformers",
        "gives the same answers as kzoo does on TensorFlow, PyTorch and JAX.",
        "",
        *_facts(model, out),
        "",
        "```python",
        *_use(out),
        "```",
    ]
    return "\n".join([*lines, ""])


def _facts(model, out):
    parameters = sum(array.size for array in out.tensors.values())
    tokenizer = getattr(model, "tokenizer", None)
    facts = {
        "parameters": f"{parameters:,}",
        "tokenizer": tokenizer
        and f"{tokenizer.kind}, {tokenizer.vocabulary_size:,} tokens",
        "longest text": f"{out.longest:,} tokens" if out.longest else "",
        "labels": ", ".join(getattr(model, "labels", None) or ()),
    }
    rows = [f"| {what} | {said} |" for what, said in facts.items() if said]
    return ["| | |", "| --- | --- |", *rows, *_notes(out)]


def _notes(out):
    return ["", *[f"- {note}." for note in out.notes]] if out.notes else []


def _use(out):
    if out.pipeline in ("text-classification", "token-classification"):
        return [
            "from transformers import pipeline",
            "",
            f'pipe = pipeline("{out.pipeline}", "FOLDER")',
            'pipe("A text.", truncation=True)'
            if out.pipeline == "text-classification"
            else 'pipe("A text.")',
        ]
    if out.pipeline == "zero-shot-image-classification":
        return [
            "from transformers import pipeline",
            "",
            f'pipe = pipeline("{out.pipeline}", "FOLDER")',
            'pipe("PICTURE.png", candidate_labels=["a cat", "a dog"])',
        ]
    if out.pipeline == "image-classification":
        return [
            "from transformers import pipeline",
            "",
            'pipeline("image-classification", "FOLDER")("PICTURE.png")',
        ]
    if not out.family.reads:
        return [
            "from transformers import AutoModel",
            "",
            'model = AutoModel.from_pretrained("FOLDER", add_pooling_layer=False)',
        ]
    auto = AUTO.get(out.pipeline, "AutoModel")
    return [
        f"from transformers import AutoTokenizer, {auto}",
        "",
        'tokenizer = AutoTokenizer.from_pretrained("FOLDER")',
        f'model = {auto}.from_pretrained("FOLDER")',
        'model(**tokenizer("A text.", return_tensors="pt"))',
    ]
