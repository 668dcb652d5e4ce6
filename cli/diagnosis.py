"""Everything `kzoo doctor` finds, as one dict, and which of it is a problem."""

import json
import platform
import sys
from importlib.util import find_spec
from pathlib import Path

from kzoo_recipes import BACKENDS

from . import surroundings
from .output import note
from .probing import Broken, run_probe
from .versions import installed_version, versions

SECONDS = 600  # for one backend; a healthy one takes ten


def diagnosed(backends, device, asked):
    """Look at the machine and at each backend.

    Args:
        backends: list of str.
        device: str, as `--device` takes it.
        asked: bool. Whether the backends were named, so that an absent one is a
            problem.

    Returns:
        dict that JSON takes. `problems` stop training, `warnings` do not; both are
        lists of sentences.
    """
    found = {
        "kzoo": installed_version("kzoo"),
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "processors": surroundings.processors(),
        "variables": surroundings.variables(),
        "keras": surroundings.keras_settings(),
        "folders": surroundings.folders(),
        "shadowed_by": surroundings.shadow(Path.cwd()),
        "versions": versions(),
        "backends": {name: _backend(name, device) for name in backends},
    }
    found["problems"] = list(_problems(found, asked))
    found["warnings"] = list(_warnings(found))
    return found


def _backend(name, device):
    """What a process on one backend said."""
    facts = {"installed": find_spec(name) is not None, "error": None}
    facts |= {"promises": {}, "traps": {}, "precisions": {}}
    if not facts["installed"]:
        return facts
    note(f"{name}: looking at it")
    printed, last = "", None
    try:
        printed = run_probe("doctor", name, device, seconds=SECONDS)
    except Broken as error:
        printed, facts["error"] = error.printed, str(error)
    for line in printed.splitlines():
        said = json.loads(line)
        last = said.get("asking", last)
        _add(facts, said)
    if facts["error"] and last:
        facts["error"] = f"{last}: {facts['error']}"
    return facts


def _add(facts, said):
    """Put one line of a probe where it belongs."""
    if "facts" in said:
        facts.update(said["facts"])
    elif "precision" in said:
        facts["precisions"][said["precision"]] = said["error"]
    elif "group" in said:
        keys = ("expected", "found", "meaning")
        facts[said["group"]][said["name"]] = {key: said[key] for key in keys}


def _problems(found, asked):
    if found["shadowed_by"]:
        yield (
            f"Python, started in this folder, takes {found['shadowed_by']} for kzoo: "
            "start it in another folder."
        )
    if found["keras"]["error"]:
        yield f"{found['keras']['error']}: mend or remove it."
    floats = found["keras"]["values"].get("floatx", "float32")
    if floats != "float32":
        yield (
            f'{found["keras"]["file"]} sets floatx to "{floats}": kzoo\'s numbers are '
            "those of float32; remove that line."
        )
    chosen, source = found["keras"]["backend"], found["keras"]["backend_from"]
    if chosen not in BACKENDS and source == "KERAS_BACKEND":
        yield (
            f'KERAS_BACKEND is "{chosen}", which kzoo does not run on: set it to '
            f"{', '.join(BACKENDS[:-1])} or {BACKENDS[-1]}."
        )
    present = [n for n, facts in found["backends"].items() if facts["installed"]]
    if not present and not asked:
        yield (
            'no backend is installed; `pip install "kzoo[jax]"` (or tensorflow, or '
            "torch) brings one."
        )
    for name, facts in found["backends"].items():
        if not facts["installed"] and asked:
            yield f'{name} is not installed; `pip install "kzoo[{name}]"` brings it.'
        if facts["error"]:
            yield f"{name} is installed but does not work: {facts['error']}"
        for promise, answer in facts["promises"].items():
            if not answer["expected"]:
                yield (
                    f"{name}: {promise}? {answer['found']}; "
                    f"so {answer['meaning'].rstrip('.')}."
                )
    drawn = {
        name: tuple(facts["initial_weights"])
        for name, facts in found["backends"].items()
        if facts.get("initial_weights")
    }
    if len(set(drawn.values())) > 1:
        yield f"initial weights differ between {' and '.join(drawn)}."


def _warnings(found):
    python = ".".join(map(str, sys.version_info[:2]))
    if python != "3.11":
        yield f"kzoo is tested on Python 3.11, this is {python}."
    chosen, source = found["keras"]["backend"], found["keras"]["backend_from"]
    if source != "KERAS_BACKEND" and find_spec(chosen) is None:
        yield (
            f"a program of your own that imports keras would run on {chosen}, by "
            f"{source}, and {chosen} is not installed: set KERAS_BACKEND there."
        )
    for package, version in found["versions"].items():
        if version["installed"] and not version["same"]:
            yield (
                f"{package} {version['installed']} is installed; kzoo is tested with "
                f"{version['tested']}."
            )
    for name, place in found["folders"].items():
        if not place["writable"]:
            yield f"the folder of {name}, {place['path']}, cannot be written."
    usable = found["processors"]["usable"]
    for name, facts in found["backends"].items():
        count = facts.get("threads", {}).get("within an operation", 0)
        if count > usable:
            yield (
                f"{name} runs {count} threads on {usable} usable CPUs, which wait for "
                f"each other: set OMP_NUM_THREADS={usable}."
            )
        for trap, answer in facts["traps"].items():
            if not answer["expected"]:
                yield (
                    f"{name}: {trap} is not what it was ({answer['found']}); "
                    f"{answer['meaning'].rstrip('.')}."
                )
        if facts["precisions"].get("mixed_bfloat16"):
            yield (
                f"{name} does not compute in mixed_bfloat16 here: "
                f"{facts['precisions']['mixed_bfloat16']}."
            )
