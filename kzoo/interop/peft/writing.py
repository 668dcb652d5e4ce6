"""An adapted model as a LoRA that PEFT puts beside the same base."""

import json
import math
import re
from pathlib import Path

import numpy as np
from keras import ops
from kzoo_recipes import KzooError
from kzoo_recipes.folders import check_free, said_by, written_beside
from kzoo_recipes.sources import hub_name
from safetensors.numpy import save

from kzoo.interop.checkpoints import Checkpoint
from kzoo.interop.export import EXPORTS
from kzoo.interop.hub import local_folder
from kzoo.interop.names import MAPS
from kzoo.interop.names.engine import weights_of
from kzoo.interop.names.spelling import prefixed
from kzoo.interop.peft.files import CONFIG, PREFIX, TASKS, WEIGHTS
from kzoo.layers.adaptation import projections
from kzoo.models.adaptation import merge, own_weights, stacks_of
from kzoo.models.families import family_of

KINDS = {task: kind for kind, task in TASKS.items()}
TASK = {
    "TextClassifier": "text_classifier",
    "TokenTagger": "token_tagger",
    "Seq2Seq": "summarizer",
}


def export_peft(model, folder, base, force=False):
    """Write a LoRA such that `peft.PeftModel.from_pretrained` puts it beside its base.

    Args:
        model: `TextClassifier`, `TokenTagger` or `Seq2Seq`, adapted by LoRA, with its
            tokenizer.
        folder: str or path. Must not be there, or be empty, without `force`.
        base: str, the checkpoint of Hugging Face that it was trained beside:
            `hf:ORG/NAME@REVISION` or a folder.
        force: bool. Whether to replace a folder that is there.

    Returns:
        dict: "folder", str; "family", str; "architecture", str, the class of
        transformers that reads the base; "files", list of str; "notes", list of str.

    Raises:
        KzooError: if the model is not adapted by LoRA, PEFT has no place for what it
            learnt, or no class of transformers gives its answers.
    """
    folder, kind = Path(folder).absolute(), type(model).__name__
    stacks = stacks_of(model)
    methods = {s.adaptation.method for s in stacks.values() if s.adaptation}
    if methods != {"lora"}:
        what = f"adapted by {' and '.join(methods)}" if methods else "not adapted"
        raise KzooError(
            f"PEFT's format is of models that are adapted by LoRA, and this one is "
            f"{what}; --format hugging-face writes all of a model."
        )
    if kind not in TASK:
        raise KzooError(
            f"PEFT has no place for the head of a {kind}; --format hugging-face writes "
            "all of the model, with its LoRA merged."
        )
    named, revision = _named(base)
    check_free(folder, force)
    model.require_text()
    family = family_of(Checkpoint(local_folder(base)).config).name
    out = EXPORTS[kind](merge(model), family)
    name_map = MAPS[out.family.name]

    def full(theirs):
        name = prefixed({theirs: 0}, name_map.prefixes[:1], name_map.unprefixed)
        return next(iter(name))

    updates = _updates(model, out.names, full)
    own = _own(model, out.names, full)
    modules = {name.rpartition(".")[0] for name in own} or None
    config = _config(model, kind, updates, out.tensors)
    config |= {
        "base_model_name_or_path": named,
        "revision": revision,
        "modules_to_save": modules and sorted(modules),
    }
    tensors = {f"{PREFIX}{name}": value for name, value in own.items()}
    for module, (a, b) in updates.items():
        tensors[f"{PREFIX}{module}.lora_A.weight"] = a
        tensors[f"{PREFIX}{module}.lora_B.weight"] = b
    whole = {name: np.asarray(x, "float32", order="C") for name, x in tensors.items()}
    with said_by(folder), written_beside(folder, replace=True) as part:
        text = json.dumps(config, indent=2, sort_keys=True) + "\n"
        part.joinpath(CONFIG).write_text(text, "utf-8")
        part.joinpath(WEIGHTS).write_bytes(save(whole, {"format": "pt"}))
    return {
        "folder": str(folder),
        "family": out.family.name,
        "architecture": out.architecture,
        "files": sorted(path.name for path in folder.iterdir()),
        "notes": [_how(model, out, named), *out.notes],
    }


def _named(base):
    """What PEFT calls the base, and its revision."""
    if not isinstance(base, str) or not base:
        raise KzooError(
            "PEFT names the base of an adapter: say which one this was trained beside."
        )
    found = hub_name(base)
    if found is not None and not found.is_folder:
        return found.name, found.revision
    path = Path(base.removeprefix("hf:"))
    if not (path / "config.json").is_file():
        raise KzooError(
            f"{base}: the base of an adapter of PEFT is a checkpoint of Hugging Face; "
            "--format hugging-face writes all of the model, with its LoRA merged."
        )
    return str(path), None


def _updates(model, names, full):
    """By their module: A `(R, in)` and B `(out, R)`; several of ours in one theirs."""
    layers, found = _layers(model), {}
    for name in names:
        own = [layers[path] for path in name.all_ours if path in layers]
        updated = [layer for layer in own if layer.low_rank is not None]
        if not updated:
            continue
        module = full(name.all_theirs[0]).removesuffix(".weight")
        if len(name.all_theirs) > 1:
            raise KzooError(
                f"{module}: PEFT has no update for a matrix that lies in several; "
                "--format hugging-face writes all of the model, with its LoRA merged."
            )
        a = np.concatenate([_halves(layer)[0] for layer in updated])
        rows = [math.prod(layer.output_dims) for layer in own]
        b, row, column = np.zeros((sum(rows), len(a)), "float32"), 0, 0
        for layer, height in zip(own, rows, strict=True):
            if layer.low_rank is not None:
                part = _halves(layer)[1]
                b[row : row + height, column : column + part.shape[1]] = part
                column += part.shape[1]
            row += height
        found[module] = a, b
    return found


def _layers(model):
    """The projections of a model by the path of their kernel."""
    return {
        "/".join([role, *path.split("/")[1:], "kernel"]): layer
        for role, stack in stacks_of(model).items()
        for path, layer in projections(stack)
    }


def _halves(layer):
    """A `(R, in)` and B `(out, R)` of a projection."""
    update = layer.low_rank
    a, b = ops.convert_to_numpy(update.a), ops.convert_to_numpy(update.b)
    return a.reshape(-1, update.rank).T, b.reshape(update.rank, -1).T


def _own(model, names, full):
    """What was trained whole, by their names."""
    by_variable = {weight.path: path for path, weight in weights_of(model).items()}
    trained = {
        by_variable[path]
        for path in own_weights(model)
        if "/lora/" not in path and not path.startswith("logits/embeddings")
    }
    if type(model).__name__ == "Seq2Seq":  # How it scores is the base's own.
        trained = {path for path in trained if not path.startswith("logits/")}
    weights, found = weights_of(model), {}
    for name in names:
        if not trained & {*name.all_ours}:
            continue
        ours = [ops.convert_to_numpy(weights[path]) for path in name.all_ours]
        theirs = name.form.write(*ours)
        theirs = theirs if isinstance(theirs, tuple) else (theirs,)
        found |= {full(n): x for n, x in zip(name.all_theirs, theirs, strict=True)}
    return found


def _config(model, kind, updates, tensors):
    """`adapter_config.json`, but for the base."""
    adaptation = next(s.adaptation for s in stacks_of(model).values() if s.adaptation)
    rank, alpha = adaptation.rank, adaptation.alpha
    odd = {m: a.shape[0] for m, (a, _) in updates.items() if a.shape[0] != rank}
    return {
        "peft_type": "LORA",
        "task_type": KINDS[TASK[kind]],
        "inference_mode": True,
        "r": rank,
        "lora_alpha": alpha,
        "lora_dropout": adaptation.dropout,
        "target_modules": _targets(updates, tensors),
        "rank_pattern": {re.escape(m): r for m, r in odd.items()},
        "alpha_pattern": {re.escape(m): alpha / rank * r for m, r in odd.items()},
        "bias": "none",
        "fan_in_fan_out": False,
        "init_lora_weights": True,
        "use_rslora": False,
        "use_dora": False,
    }


def _targets(updates, tensors):
    """Modules by their last name where all that are called so have an update."""
    modules = {n.removesuffix(".weight") for n in tensors if n.endswith(".weight")}
    found = []
    for module in updates:
        last = module.rpartition(".")[2]
        alike = {m for m in modules if m.rpartition(".")[2] == last}
        found.append(last if alike <= set(updates) else module)
    return sorted(set(found))


def _how(model, out, named):
    """How to put the two together, for who gets the folder."""
    count = getattr(model, "num_classes", None)
    more = "" if count is None else f", num_labels={count}"
    said = (
        f"peft.PeftModel.from_pretrained(transformers.{out.architecture}."
        f'from_pretrained("{named}"{more}), FOLDER) answers as this model'
    )
    labels = getattr(model, "labels", None)
    return said if labels is None else f"{said}; its labels are {', '.join(labels)}"
