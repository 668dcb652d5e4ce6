"""What was trained beside a base, in one small file; and the model, of both."""

import copy
import json
import struct
from pathlib import Path

import keras
import numpy as np
from keras import ops
from kzoo_recipes import KzooError
from safetensors import SafetensorError
from safetensors.numpy import load, save

from kzoo.data.memory import Memory
from kzoo.interop.names.engine import weights_of
from kzoo.interop.pretrained import fingerprint_of, open_pretrained
from kzoo.interop.pretrained_masked import masked_lm_of, with_head
from kzoo.interop.pretrained_seq2seq import seq2seq_of, with_decoder
from kzoo.layers.seeding import drawn_from
from kzoo.models.adaptation import is_adapted, own_weights, remade
from kzoo.models.checking import reason_of
from kzoo.models.dry import implied_weights
from kzoo.models.sizes import count_parameters
from kzoo.models.warm_start import warm_start
from kzoo.safety import check_config, parse

FILE = "adapter.safetensors"  # of a run
FORMAT = "1"
MEMORY = "memory"  # of a writer that recalls other texts, beside its weights


def save_adapter(file, model, weights, base, warm=None):
    """Write what an adapted model has beside its base.

    Args:
        file: `Path`.
        model: adapted model, with its tokenizer.
        weights: dict from path to variable: all that the base does not have.
        base: dict of "name", what `pretrained` of a recipe names, and "sha256", of its
            weights, as `fingerprint_of` has it.
        warm: dict of arguments of `kzoo.models.warm_start.warm_start` where the decoder
            began as its encoder; else `None`.

    Raises:
        KzooError: if a weight holds numbers that are not finite.
    """
    tensors = {path: ops.convert_to_numpy(weight) for path, weight in weights.items()}
    for path, value in tensors.items():
        if not np.isfinite(value).all():
            raise KzooError(
                f"{file}: the weight {path} holds numbers that are not finite, so the "
                "model answers nothing; train it anew, at a lower rate."
            )
    if getattr(model, "memory", None) is not None:
        tensors[MEMORY] = np.frombuffer(model.memory.to_bytes(), "uint8")
    description = keras.saving.serialize_keras_object(model)
    description.pop("build_config", None)
    facts = {
        "model": description,
        "labels": getattr(model, "labels", None),
        "base": base,
        "warm": warm,
    }
    metadata = {"kzoo_adapter": FORMAT, "facts": json.dumps(facts)}
    file.write_bytes(save(tensors, metadata))


def read_adapter(file):
    """The tensors of an adapter's file, by path, and its facts, checked.

    Raises:
        KzooError: naming the file and what is wrong with it.
    """
    try:
        content = Path(file).read_bytes()
    except OSError as error:
        raise KzooError(f"{file}: cannot be read: {error.strerror}.") from None
    try:
        tensors = load(content)
        (size,) = struct.unpack("<Q", content[:8])
        metadata = json.loads(content[8 : 8 + size]).get("__metadata__") or {}
    except (SafetensorError, ValueError, KeyError, struct.error) as error:
        raise KzooError(f"{file}: not safetensors: {error}.") from None
    found = metadata.get("kzoo_adapter")
    if found is None:
        raise KzooError(
            f"{file}: these are tensors, but no adapter that kzoo saved; one of PEFT "
            "is named by its folder."
        )
    if found != FORMAT:
        raise KzooError(
            f"{file}: this kzoo reads adapters of format {FORMAT}, not {found!r}."
        )
    facts = parse(metadata.get("facts", "").encode(), f"{file}: facts")
    known = {"model", "labels", "base", "warm"}
    if not isinstance(facts, dict) or set(facts) != known:
        raise KzooError(f"{file}: facts must hold {', '.join(sorted(known))}.")
    base = facts["base"]
    if not isinstance(base, dict) or not all(
        isinstance(base.get(key), str) for key in ("name", "sha256")
    ):
        raise KzooError(f"{file}: facts: base must hold a name and a sha256.")
    facts["model"] = check_config(
        json.dumps(facts["model"]).encode(), f"{file}: facts: model"
    )
    return tensors, facts


def load_adapter(file, base=None, offline=False):
    """The model that was trained, of its adapter's file and its base.

    Args:
        file: str or path: what `kzoo train` writes as `adapter.safetensors`, or the
            folder of the run.
        base: str, what `pretrained` of a recipe may name; `None` is what the model was
            trained with, by its name.
        offline: bool. Whether to fetch nothing from the hub.

    Returns:
        Adapted model with its tokenizer and labels; `kzoo.merge` makes a plain one of
        it.

    Raises:
        KzooError: if the file is broken, or the base is another: naming both.
    """
    file = Path(file)
    file = file / FILE if file.is_dir() else file
    tensors, facts = read_adapter(file)
    told = facts["base"]
    name = base or told["name"]
    kind, config = facts["model"]["class_name"], facts["model"]["config"]
    pretrained = open_pretrained(name, offline, whole=kind == "Seq2Seq")
    weights, found = _base(pretrained, kind, config)
    if found != told["sha256"]:
        raise KzooError(
            f"{file} was trained beside {told['name']}, whose weights have the SHA-256 "
            f"{told['sha256'][:12]}…, and {name} has others, {found[:12]}…; name the "
            "base that it was trained with."
        )
    _check_size(file, facts["model"], tensors, weights)
    try:
        model = _put_together(facts, weights)
    except KzooError:
        raise
    except Exception as error:  # Constructors raise every kind.
        raise KzooError(f"{file}: describes no model: {reason_of(error)}.") from error
    _fill(file, model, tensors, weights)
    return _attached(file, model, pretrained.tokenizer, facts, tensors)


def _base(pretrained, kind, config):
    """The weights of a base by path, as `weights_of` has them, and their SHA-256."""
    if kind == "Seq2Seq":
        pretrained = with_decoder(pretrained)
        if pretrained.writes:
            blocks = config["decoder"]["config"]["num_layers"]
            keys = ("copy", "source_length", "target_length")
            arguments = {key: config[key] for key in keys}
            model, _ = seq2seq_of(pretrained, {}, blocks, **arguments)
            new = () if pretrained.head["model"]["copy"] else ("copy/",)
            return weights_of(model), fingerprint_of(model, but=new)
    if kind == "MaskedLM":
        length = config["sequence_length"]
        model, _ = masked_lm_of(with_head(pretrained), {}, sequence_length=length)
        return weights_of(model), fingerprint_of(model.encoder)
    encoder, _ = pretrained.made({})
    return weights_of(encoder), fingerprint_of(encoder)


def _check_size(file, described, tensors, weights):
    """Refuse a description of far more than there are weights for."""
    try:
        implied = count_parameters(implied_weights(described))
    except Exception as error:  # Constructors raise every kind.
        raise KzooError(f"{file}: describes no model: {reason_of(error)}.") from error
    # A decoder that began as its encoder doubles the base; its attention to the encoder
    # may have begun so, too.
    held = sum(value.size for value in tensors.values())
    most = held + 3 * count_parameters(weights.values())
    if implied > most:
        raise KzooError(
            f"{file}: describes a model of {implied:,} parameters, and the file and "
            f"its base have {most:,} at the most."
        )


def _put_together(facts, weights):
    """The adapted model with the weights of its base."""
    described = copy.deepcopy(facts["model"])
    for name in ("encoder", "decoder"):
        described["config"].get(name, {}).get("config", {}).pop("adaptation", None)
    with drawn_from(lambda path, shape: None):
        plain = keras.saving.deserialize_keras_object(described, safe_mode=True)
    for path, weight in weights_of(plain).items():
        if path in weights:
            weight.assign(ops.convert_to_numpy(weights[path]))
    if facts["warm"] is not None:
        warm_start(plain, **facts["warm"])
    return remade(plain, facts["model"]["config"])


def _fill(file, model, tensors, weights):
    """Put the tensors of the file into the model; refuse any that is amiss."""
    if not is_adapted(model):
        raise KzooError(f"{file}: the model in it is not adapted.")
    ours = {weight.path: weight for weight in model.weights}
    for path, value in tensors.items():
        if path == MEMORY:
            continue
        if path not in ours:
            raise KzooError(f"{file}: the model has no weight {path}, as in the file.")
        if tuple(ours[path].shape) != value.shape:
            raise KzooError(
                f"{file}: {path} is of shape {value.shape}, and the model's of "
                f"{tuple(ours[path].shape)}."
            )
        if not np.isfinite(value).all():
            raise KzooError(f"{file}: {path} holds numbers that are not finite.")
        ours[path].assign(value)
    by_path = {weight.path: path for path, weight in weights_of(model).items()}
    for path in own_weights(model):
        if path not in tensors and by_path[path] not in weights:
            raise KzooError(f"{file}: the weight {path} is missing from the file.")


def _attached(file, model, tokenizer, facts, tensors):
    try:
        if model.has_labels:
            return model.attach(tokenizer, facts["labels"])
        if MEMORY in tensors:
            held = Memory.from_bytes(tensors[MEMORY].tobytes(), f"{file}: {MEMORY}")
            return model.attach(tokenizer, held)
        return model.attach(tokenizer)
    except (ValueError, TypeError) as error:
        raise KzooError(f"{file}: {reason_of(error)}.") from None
