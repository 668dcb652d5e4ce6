"""What happened, one JSON object per line, readable while the run goes on."""

import contextlib
import json
import math

import numpy as np
from kzoo_recipes.folders import write_whole


def plain(value):
    """`value` as JSON takes it; a number that is not finite becomes `None`."""
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | np.ndarray):
        return [plain(item) for item in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def write_json(path, value):
    text = json.dumps(plain(value), indent=2, ensure_ascii=False, allow_nan=False)
    path.write_text(text + "\n", encoding="utf-8")


class History:
    """Appends records to a file, each on the disk of the reader at once.

    Args:
        path: `Path` of a `.jsonl` file.
    """

    def __init__(self, path):
        self._file = path.open("a", encoding="utf-8")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def write(self, record):
        line = json.dumps(plain(record), ensure_ascii=False, allow_nan=False)
        self._file.write(line + "\n")
        self._file.flush()

    def close(self):
        with contextlib.suppress(OSError):  # `write` has said it.
            self._file.close()


def rewrite_history(path, records):
    """Put `records` in the place of a history."""
    lines = (json.dumps(record, ensure_ascii=False) + "\n" for record in records)
    write_whole(path, "".join(lines))
