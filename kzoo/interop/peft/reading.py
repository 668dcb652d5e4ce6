"""A LoRA of PEFT beside its base, as an adapted model of kzoo."""

from pathlib import Path

import numpy as np
from keras import ops
from kzoo_recipes import KzooError
from kzoo_recipes.sources import is_hub

from kzoo.interop.hub import adapter_folder, local_folder
from kzoo.interop.hugging_face import from_hugging_face, task_of
from kzoo.interop.names.engine import weights_of
from kzoo.interop.names.spelling import plain
from kzoo.interop.peft.files import CONFIG, TASKS, WEIGHTS, read
from kzoo.interop.source import Source
from kzoo.layers.adaptation import projections
from kzoo.models.adaptation import adapt, stacks_of


def from_peft(folder, base=None, task=None, *, labels=None, offline=False, note=None):
    """Make an adapted model of a LoRA that PEFT saved, and its base.

    Args:
        folder: str or path. Holds `adapter_config.json` and
            `adapter_model.safetensors`; or `hf:ORG/NAME@REVISION`, of the hub.
        base: str or path, as `kzoo.from_hugging_face` takes it. `None` is what the
            adapter names.
        task: str, as `kzoo.from_hugging_face` takes it. `None` is what the adapter was
            saved for, else what its base was.
        labels: list of str, for a head that the adapter brings; `None` calls them
            LABEL_0, LABEL_1, … where the base does not name as many.
        offline: bool. Whether to fetch nothing from the hub.
        note: as `kzoo.from_hugging_face` takes it.

    Returns:
        The model, adapted: it can be trained on; `kzoo.merge` makes a plain one of it.
        Updates of several ranks become some of the largest.

    Raises:
        KzooError: naming the file and what of it is wrong, or has no place here.
    """
    adapter = read(adapter_folder(folder, offline))
    base = _base(adapter, base, offline)
    source = Source.of(base)
    task = task or TASKS.get(adapter.config.get("task_type")) or task_of(source.config)
    names = source.name_map.names(source.config, task)
    prefixes = source.name_map.prefixes
    others = {plain(name, prefixes): value for name, value in adapter.others.items()}
    told = {} if labels is None else {"labels": labels}
    if task in ("text_classifier", "token_tagger") and labels is None:
        told = _labels(source, task, others)
    model = from_hugging_face(base, task, offline=offline, note=note, **told)
    if isinstance(model, tuple):
        raise KzooError(
            f"{adapter.folder / CONFIG}: neither the adapter nor its base says what "
            "the model does; name its task."
        )
    updates = _updates(adapter, names, prefixes)
    model = _with_updates(adapter, model, updates)
    _assign(adapter, model, names, others, source.name_map)
    return model


def _base(adapter, told, offline):
    """The folder of the base's checkpoint."""
    name = told or adapter.config.get("base_model_name_or_path")
    if not name:
        raise KzooError(f"{adapter.folder / CONFIG}: no base is named; name one.")
    revision = adapter.config.get("revision")
    if told is None and not is_hub(name) and not Path(name).expanduser().is_dir():
        name = f"hf:{name}@{revision}" if revision else f"hf:{name}"
    return local_folder(name, offline)


def _labels(source, task, others):
    """Names for a head that the adapter brings, where the base has none such."""
    brought = others.get(source.theirs(task, "logits/bias"))
    shape = source.has(task, "logits/bias")
    if brought is None or (shape is not None and shape == brought.shape):
        return {}
    names = source.config.get("id2label") or {}
    own = [names.get(str(place), f"LABEL_{place}") for place in range(len(brought))]
    return {"labels": own}


def _updates(adapter, names, prefixes):
    """The updates by the path of our projection: A `(in, R)`, B `(R, out)`, scale."""
    by_theirs = {
        name.all_theirs[0]: name.all_ours for name in names if len(name.all_theirs) == 1
    }
    found = {}
    for module, halves in adapter.updates.items():
        ours = by_theirs.get(plain(f"{module}.weight", prefixes))
        if ours is None or not all(path.endswith("/kernel") for path in ours):
            raise KzooError(
                f"{adapter.folder / WEIGHTS}: `{module}` is no projection of kzoo's "
                "model; merge the adapter with PEFT, and read the whole checkpoint."
            )
        a, b = halves["a"].T, halves["b"]
        scale = adapter.scale(module, a.shape[1])
        for path, part in zip(ours, np.split(b, len(ours)), strict=True):
            found[path.removesuffix("/kernel")] = (a, part.T, scale)
    return found


def _with_updates(adapter, model, updates):
    """The adapted model, the updates in their places."""
    at = {}
    for role, stack in stacks_of(model).items():
        for path, _ in projections(stack):
            at["/".join([role, *path.split("/")[1:]])] = path
    folded = {path: updates.pop(path) for path in set(updates) - set(at)}
    strange = sorted(path for path in folded if "/" in path)
    if strange or not updates:
        strange = strange or sorted(folded)
        raise KzooError(
            f"{adapter.folder / WEIGHTS}: {strange[0].replace('/', '.')} has an update "
            "there, and kzoo's stand in the blocks only; merge the adapter with PEFT, "
            "and read the whole checkpoint."
        )
    a, _, scale = max(updates.values(), key=lambda update: update[0].shape[1])
    rank = a.shape[1]
    everything = set(updates) == set(at)
    targets = ["*"] if everything else _targets([at[path] for path in updates], at)
    model = adapt(
        model,
        {
            "method": "lora",
            "rank": rank,
            "alpha": scale * rank,
            "dropout": float(adapter.config.get("lora_dropout") or 0.0),
            "targets": targets,
        },
    )
    weights, layers = weights_of(model), {}
    for path, (a, b, own) in folded.items():  # Of a head, which is trained whole.
        kernel = weights[f"{path}/kernel"]
        more = own * (a @ b).reshape(kernel.shape)
        kernel.assign(ops.convert_to_numpy(kernel) + more)
    for stack in stacks_of(model).values():
        layers |= dict(projections(stack))
    for path, (a, b, own) in updates.items():
        update = layers[at[path]].low_rank
        missing = rank - a.shape[1]
        a = np.pad(a, ((0, 0), (0, missing)))
        b = np.pad(b * (own / scale), ((0, missing), (0, 0)))
        for weight, value in ((update.a, a), (update.b, b)):
            if value.size != np.prod(weight.shape):
                raise KzooError(
                    f"{adapter.folder / WEIGHTS}: the update of {path} is of another "
                    f"size than the base's matrix; name the base that it was trained "
                    "with."
                )
            weight.assign(value.reshape(weight.shape))
    return model


def _targets(paths, at):
    """Names of projections that fit these paths and no others; short where they can."""
    chosen, found = set(paths), []
    for path in paths:
        short = ".".join(path.split("/")[2:])
        alike = {p for p in at.values() if ".".join(p.split("/")[2:]) == short}
        found.append(short if alike <= chosen else path.replace("/", "."))
    return list(dict.fromkeys(found))


def _assign(adapter, model, names, others, name_map):
    """Put what was trained whole into its places; refuse what has none."""
    weights, left = weights_of(model), dict(others)
    for name in names:
        if not all(theirs in left for theirs in name.all_theirs):
            continue
        ours = name.form.read(*(left.pop(theirs) for theirs in name.all_theirs))
        ours = ours if isinstance(ours, tuple) else (ours,)
        for path, value in zip(name.all_ours, ours, strict=True):
            if tuple(weights[path].shape) != np.shape(value):
                raise KzooError(
                    f"{adapter.folder / WEIGHTS}: `{name.all_theirs[0]}` is of shape "
                    f"{np.shape(value)}, and the model's of "
                    f"{tuple(weights[path].shape)}."
                )
            weights[path].assign(ops.convert_to_tensor(value))
        for copy in name.copies:
            left.pop(copy, None)
    left = {name: value for name, value in left.items() if not name_map.is_aside(name)}
    if left:
        raise KzooError(
            f"{adapter.folder / WEIGHTS}: `{next(iter(left))}` has no place in the "
            "model; name the task that it was trained for."
        )
