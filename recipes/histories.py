"""What a run wrote while it trained: `history.jsonl`, one JSON object per line."""

import json

HISTORY = "history.jsonl"


def read_history(path, last_step=None):
    """The records of a history, as far as `last_step`; a torn last line is none."""
    records = []
    if not path.is_file():
        return records
    for line in path.read_text(encoding="utf-8", errors="replace").split("\n"):
        try:
            record = json.loads(line)
            if last_step is None or record["step"] <= last_step:
                records.append(record)
        except (ValueError, KeyError, TypeError):
            continue  # A line that the end of a process cut short.
    return records
