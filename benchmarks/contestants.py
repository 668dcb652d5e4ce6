"""Contestants of a benchmark, each in a process of its own, which answers in JSON."""

import json
import os
import subprocess
import sys
from pathlib import Path


def environment_of(contestant, **more):
    """The variables of the process of a contestant, `PEER:BACKEND`."""
    return {
        **os.environ,
        "KERAS_BACKEND": contestant.split(":")[1],
        "TF_CPP_MIN_LOG_LEVEL": "3",
        **more,
    }


def once(contestant, script, settings):
    """What a contestant answers to one request, without the hub.

    Args:
        contestant: str, `PEER:BACKEND`.
        script: str. The file beside this one that it runs; it is given the contestant
            and the settings, and prints one line of JSON.
        settings: dict, JSON.
    """
    ended = subprocess.run(
        [
            *(sys.executable, Path(__file__).with_name(script)),
            *(contestant, json.dumps(settings)),
        ],
        env=environment_of(contestant, HF_HUB_OFFLINE="1"),
        stdout=subprocess.PIPE,
        text=True,
    )
    if ended.returncode:
        raise SystemExit(f"{contestant} died; see its messages above")
    return json.loads(ended.stdout)


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
        self.process = subprocess.Popen(
            [sys.executable, Path(__file__).with_name(script), contestant, argument],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment_of(contestant, **environment),
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
