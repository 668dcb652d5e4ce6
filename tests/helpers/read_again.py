"""A small classifier as a checkpoint, changed and read again."""

import json

import kzoo

TEXTS = ["the cat sat on the mat", "a dog", "cats and dogs and mats all over it"]
CONFIG = {
    "model_type": "bert",
    "vocab_size": 70,
    "hidden_size": 8,
    "num_hidden_layers": 1,
    "num_attention_heads": 2,
    "intermediate_size": 12,
    "max_position_embeddings": 20,
}


def changed(folder, **config):
    """Change keys of config.json; `None` removes one."""
    path = folder / "config.json"
    told = {**json.loads(path.read_text()), **config}
    path.write_text(json.dumps({k: v for k, v in told.items() if v is not None}))


def read(folder, *arguments, **more):
    """The model of a checkpoint, and the notes without the folder's name."""
    notes = []
    model = kzoo.from_hugging_face(folder, *arguments, note=notes.append, **more)
    return model, [note.partition(": ")[2] for note in notes]
