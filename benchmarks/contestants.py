"""Contestants of a benchmark: processes that answer one request at a time."""

import json
import os
import subprocess
import sys
from pathlib import Path


class Worker:
    """A contestant's process, which answers one request at a time.

    Args:
        contestant: str, `PEER:BACKEND`.
        script: str. The file beside this one that it runs.
        argument: str. What the script is given besides the contestant.
        **environment: further variables of the process.
    """

    def __init__(self, contestant, script, argument, **environment):
        self.contestant = contestant
        environment = {
            **os.environ,
            "KERAS_BACKEND": contestant.split(":")[1],
            "TF_CPP_MIN_LOG_LEVEL": "3",
            **environment,
        }
        self.process = subprocess.Popen(
            [sys.executable, Path(__file__).with_name(script), contestant, argument],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        )

    def ask(self, request):
        """What the answer to a request says; it is a line of JSON."""
        self.process.stdin.write(f"{request}\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            raise SystemExit(f"{self.contestant} died; see its messages above")
        return json.loads(answer)

    def close(self):
        self.process.stdin.close()
        self.process.wait()
