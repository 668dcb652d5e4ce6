"""What a file is that is no `.keras` archive, and what to do with it instead."""

import re

INSTEAD = (
    "load it where it was made and save a kzoo model with model.save('NAME.keras')"
)
PICKLED = "unpickling runs whatever code the file names, so kzoo opens none; " + INSTEAD

# Ending, for files that do not say what they are.
BY_ENDING = {
    ".pkl": f"this is a pickle; {PICKLED}.",
    ".pickle": f"this is a pickle; {PICKLED}.",
    ".joblib": f"this is a pickle; {PICKLED}.",
    ".pt": f"this is a PyTorch file, a pickle; {PICKLED}.",
    ".pth": f"this is a PyTorch file, a pickle; {PICKLED}.",
    ".ckpt": f"this is a checkpoint of another library; {INSTEAD}.",
    ".bin": f"this is a PyTorch file, a pickle; {PICKLED}.",
    ".h5": f"this is not an HDF5 file, for all its name; {INSTEAD}.",
}
# How files begin.
BY_START = (
    (
        b"\x89HDF\r\n\x1a\n",
        "this is an HDF5 file: weights, or a model of an older Keras, without a "
        f"tokenizer; {INSTEAD}.",
    ),
    (b"\x1f\x8b", "this is compressed with gzip; unpack it first, with `gunzip`."),
    (b"BZh", "this is compressed with bzip2; unpack it first, with `bunzip2`."),
    (b"\xfd7zXZ", "this is compressed with xz; unpack it first, with `unxz`."),
    (b"GGUF", f"this is a GGUF file, weights of another library; {INSTEAD}."),
    (b"\x93NUMPY", f"this is an array of NumPy; {INSTEAD}."),
)
PICKLE = re.compile(rb"\x80[\x02-\x05]")
SAFETENSORS = re.compile(rb'.{8}\{\s*"', re.DOTALL)


def kind_of(start, suffix):
    """One clause about a file that is no zip archive.

    Args:
        start: bytes. How the file begins, at least 16 bytes if it has them.
        suffix: str. Its ending, with the dot.
    """
    for signature, words in BY_START:
        if start.startswith(signature):
            return words
    if PICKLE.match(start):
        return BY_ENDING.get(suffix.lower(), f"this is a pickle; {PICKLED}.")
    if SAFETENSORS.match(start):
        return f"this is a safetensors file: weights without a model; {INSTEAD}."
    if not start:
        return "the file is empty; name a .keras file that kzoo saved."
    return BY_ENDING.get(
        suffix.lower(), "this is not a .keras archive; name a file that kzoo saved."
    )


def kind_of_archive(names):
    """One clause about a zip archive that is no `.keras`, or `None` if it may be."""
    if any(name.endswith((".npy", ".npz")) for name in names):
        return f"this is an .npz of NumPy arrays, which may be pickled; {INSTEAD}."
    if any(name.endswith((".pkl", ".pickle")) for name in names):
        return f"this is a PyTorch file, a pickle in a zip archive; {PICKLED}."
    return None


OF_CHECKPOINTS = (".safetensors", ".safetensors.index.json", "tokenizer_config.json")


def kind_of_folder(names):
    """One clause about a folder without `model.keras`, or `None` if it is just one."""
    if "saved_model.pb" in names:
        return f"this is a SavedModel of TensorFlow; {INSTEAD}."
    if "config.json" in names and any(n.endswith(OF_CHECKPOINTS) for n in names):
        return "this is a checkpoint of Hugging Face; kzoo.from_hugging_face reads it."
    if "config.json" in names:
        return (
            "this is a model as a folder of files; save it as one file, with "
            "model.save('NAME.keras')."
        )
    return None
