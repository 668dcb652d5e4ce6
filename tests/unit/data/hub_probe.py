"""Reads datasets of the hub and prints what came: a process of its own, since
`datasets` takes its settings from the environment when it is imported."""

import json
import sys
import types
from pathlib import Path

# The rooms without Keras, without the seconds that Keras takes to start.
sys.modules["kzoo"] = types.ModuleType("kzoo")
sys.modules["kzoo"].__path__ = [str(Path(__file__).parents[3] / "kzoo")]

from kzoo_recipes import (  # noqa: E402
    ClassifierData,
    KzooError,
    SummarizerData,
    load,
)

from kzoo.data import iterate, load_splits  # noqa: E402
from kzoo.data.pairs import load_paired_splits  # noqa: E402
from kzoo.data.tagged import load_tagged_splits  # noqa: E402


def told(case):
    """What one case gives: rows by split, or a sentence."""
    try:
        if "iterate" in case:
            options = case.get("options", {})
            rows = iterate(case["iterate"], **options)
            return [[row.text, row.label, row.where] for row in rows]
        if "tagger" in case:
            splits = load_tagged_splits(load(case["tagger"]).data)
            return {
                split: [rows.words, rows.tags, rows.path, rows.scheme]
                for split, rows in splits.items()
            }
        if "summarizer" in case:
            told = case["summarizer"]
            data = SummarizerData(**told) if isinstance(told, dict) else load(told).data
            return {
                split: [rows.documents, rows.references, rows.path, rows.notes]
                for split, rows in load_paired_splits(data).items()
            }
        named = "recipe" in case
        splits = load_splits(
            load(case["recipe"]).data if named else ClassifierData(**case)
        )
    except KzooError as error:
        return str(error)
    return {
        split: [rows.texts, rows.labels, rows.path] for split, rows in splits.items()
    }


print(json.dumps([told(case) for case in json.loads(sys.stdin.read())]))
