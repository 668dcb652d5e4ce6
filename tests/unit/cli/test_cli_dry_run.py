"""kzoo train --dry-run: what it prints; what it finds out is tested with training."""

import json
from pathlib import Path

from kzoo_recipes import load, to_toml
from msgspec.structs import replace

FACTS = {
    "backend": "torch",
    "device": "cpu",
    "folder": "runs/text_classifier/torch",
    "notes": ["test: 1 text is in train too"],
    "labels": ["negative", "positive"],
    "rows": {"train": 5100, "dev": 850, "test": 850},
    "vocabulary_size": 2632,
    "parameters": {
        "parts": {"embedding": 692_736, "blocks": 33_000, "head": 64},
        "trainable": 725_736,
        "total": 725_800,
        "trained": 725_736,
    },
    "groups": [
        {
            "parts": parts,
            "parameters": 1,
            "learning_rate": rate,
            "weight_decay": 0.01,
            "from_step": step,
        }
        for parts, rate, step in (
            (["head", "logits"], 5e-4, 1),
            (["encoder"], 1e-5, 1001),
        )
    ],
    "steps": 816,
    "steps_per_epoch": 102,
    "tokens": {
        "mean": 1100.4,
        "cells": 1222.0,
        "padding_share": 0.0995,
        "rows": 50,
        "longest": 64,
    },
    "memory": {
        "weights": 2_903_200,
        "gradients": 999,
        "moments": 5_805_888,
        "activations": 2_500_000_000,
        "total": 2_508_710_087,
    },
    "step": {"loss": 0.69314, "seconds": 2.54, "seconds_again": 0.0123},
    "training_seconds": 7300.0,
}
PRINTED = """
learning rate  decay  from step  parameters  parts
     5.00e-04   0.01          1           1  head, logits
     1.00e-05   0.01      1,001           1  encoder

labels                negative, positive
rows                  train 5,100, dev 850, test 850
vocabulary            2,632 tokens
parameters            725,800, 64 of them fixed
parameters embedding  692,736
parameters blocks     33,000
parameters head       64
steps                 816 of 50 rows, 102 an epoch
tokens a step         1,100, and 10% padding; at most 50 × 64
memory                about 2.51 GB
memory weights        2.9 MB
memory gradients      999 bytes
memory moments        5.81 MB
memory activations    2.5 GB
first step            loss 0.6931, 2.5 s; again 12 ms
all steps             about 2 h 01 min on torch, cpu, evaluations aside
would be saved to     runs/text_classifier/torch
"""


def test_for_people(kzoo, fake):
    fake.facts = FACTS
    options = ["--dry-run", "--backend", "torch", "--output", "runs"]
    result = kzoo("train", "text_classifier", *options)
    recipe = replace(load("text_classifier"), backend="torch")
    assert (result.exit_code, result.stderr) == (0, "test: 1 text is in train too\n")
    assert result.stdout == to_toml(recipe) + PRINTED
    assert fake.calls == [(recipe, {"output": Path("runs")})]


def test_one_rate_for_all_is_not_said(kzoo, fake):
    fake.facts = {**FACTS, "groups": FACTS["groups"][:1]}
    said = kzoo("train", "text_classifier", "--dry-run").stdout
    assert "learning rate  decay" not in said


def test_for_machines(kzoo, fake):
    fake.facts = FACTS
    result = kzoo("train", "text_classifier", "--dry-run", "--json")
    assert json.loads(result.stdout) == FACTS
