"""The two files of an adapter of PEFT, and what they must and must not say."""

import math
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from kzoo_recipes import KzooError

from kzoo.interop.checkpoints.files import tensors_in
from kzoo.safety import parse

CONFIG, WEIGHTS = "adapter_config.json", "adapter_model.safetensors"
PREFIX = "base_model.model."  # before every name of a tensor
HALVES = {".lora_A.weight": "a", ".lora_B.weight": "b"}
# What kzoo's updates do not do: keys that must not be set.
REFUSED = (
    *("use_dora", "lora_bias", "fan_in_fan_out", "use_qalora", "use_bdlora"),
    *("layer_replication", "trainable_token_indices", "target_parameters"),
    *("megatron_config", "alora_invocation_tokens", "corda_config", "arrow_config"),
)
# Ways to begin that change the base's weights, too.
CHANGES_THE_BASE = ("pissa", "olora", "corda", "loftq", "lora_ga")
# The task of a kind of PEFT's.
TASKS = {
    "SEQ_CLS": "text_classifier",
    "TOKEN_CLS": "token_tagger",
    "SEQ_2_SEQ_LM": "summarizer",
}


@dataclass(frozen=True)
class Adapter:
    """What an adapter of PEFT holds.

    Attributes:
        folder: `Path`.
        config: dict, `adapter_config.json`.
        updates: dict from the name of a module to its "a" `(R, in)` and "b" `(out, R)`.
        others: dict from the name of a tensor to the array, what was trained whole.
    """

    folder: Path
    config: dict
    updates: dict
    others: dict

    def scale(self, module, rank):
        """What the update of a module is multiplied by."""
        alphas = self.config.get("alpha_pattern") or {}
        alpha = self.config.get("lora_alpha", 8)
        for pattern, value in alphas.items():
            if re.match(rf"(.*\.)?({pattern})$", module):
                alpha = value
                break
        return alpha / (math.sqrt(rank) if self.config.get("use_rslora") else rank)


def read(folder):
    """Read an adapter from its folder.

    Raises:
        KzooError: naming the file, and what is missing or wrong.
    """
    folder = Path(folder)
    file = folder / CONFIG
    try:
        config = parse(file.read_bytes(), str(file))
    except OSError as error:
        raise KzooError(
            f"{file}: cannot be read: {error.strerror}; an adapter of PEFT is a folder "
            f"with {CONFIG} and {WEIGHTS}."
        ) from None
    _check(config, file)
    if not (folder / WEIGHTS).exists() and (folder / "adapter_model.bin").exists():
        raise KzooError(
            f"{folder}: its weights are pickles (adapter_model.bin), which can run "
            "programs and are not read; PEFT's save_pretrained writes safetensors."
        )
    updates, others = {}, {}
    for name, stored in tensors_in(folder / WEIGHTS).items():
        value = np.asarray(stored.read(), "float32")
        if not np.isfinite(value).all():
            raise KzooError(
                f"{folder / WEIGHTS}: `{name}` holds numbers that are not finite."
            )
        short = name.removeprefix(PREFIX)
        for ending, half in HALVES.items():
            if short.endswith(ending):
                updates.setdefault(short.removesuffix(ending), {})[half] = value
                break
        else:
            if ".lora_" in short:
                raise KzooError(
                    f"{folder / WEIGHTS}: `{name}` is of an update that kzoo's LoRA "
                    "does not do; merge the adapter with PEFT, and read the whole "
                    "checkpoint."
                )
            others[short] = value
    for module, halves in updates.items():
        shapes = [halves[half].shape for half in "ab" if half in halves]
        if len(shapes) != 2 or shapes[0][0] != shapes[1][1]:
            raise KzooError(
                f"{folder / WEIGHTS}: the update of `{module}` needs lora_A (R, in) "
                f"and lora_B (out, R), and there are {shapes}."
            )
    if not updates:
        raise KzooError(f"{folder / WEIGHTS}: there is no lora_A and no lora_B in it.")
    return Adapter(folder, config, updates, others)


def _check(config, file):
    kind = config.get("peft_type") if isinstance(config, dict) else None
    if kind != "LORA":
        raise KzooError(
            f"{file}: kzoo reads adapters of the type LORA of PEFT, and this is "
            f"{kind!r}."
        )
    for key in REFUSED:
        if config.get(key):
            raise KzooError(
                f"{file}: {key} is set, which kzoo's LoRA does not do; merge the "
                "adapter with PEFT, and read the whole checkpoint."
            )
    begun = config.get("init_lora_weights")
    if isinstance(begun, str) and begun.lower().startswith(CHANGES_THE_BASE):
        raise KzooError(
            f"{file}: init_lora_weights is {begun!r}, which changes the base's "
            "weights, too; merge the adapter with PEFT, and read the whole checkpoint."
        )
    base = config.get("base_model_name_or_path")
    if base is not None and not isinstance(base, str):
        raise KzooError(f"{file}: base_model_name_or_path must be a name.")
