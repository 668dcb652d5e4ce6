"""One contestant of `fine_tuning.py`: an epoch of SST-2, end to end, in this process.

Reads the settings as JSON from its second argument and prints one line of JSON:
seconds from the first row read to the model saved and tested, imports aside; accuracy
on test; steps. All else goes to stderr.
"""

import csv
import json
import sys
import tempfile
import time
from pathlib import Path

SPLITS = ("train", "dev", "test")


def files(settings):
    return {split: str(Path(settings["data"], f"{split}.csv")) for split in SPLITS}


def kzoo(settings):
    """The recipe `sst2_minilm`, with the settings that the Trainer has."""
    from kzoo_recipes import load

    import kzoo

    def run(folder):
        told = {
            **{f"data.{split}": file for split, file in files(settings).items()},
            "model.pretrained": settings["checkpoint"],
            "training.batch_size": settings["batch_size"],
            "training.learning_rate": settings["learning_rate"],
            "training.label_smoothing": "0.0",
            "training.epochs": 1,
        }
        if settings["steps"]:
            told["training.steps"] = settings["steps"]
        recipe = load("sst2_minilm", [f"{key}={value}" for key, value in told.items()])
        result = kzoo.train(recipe, folder, progress=False)
        metrics = result.metrics
        return metrics["test"]["accuracy"], metrics["steps"]

    return run


def transformers(settings):
    """transformers' Trainer as its examples use it, rows padded to their batch."""
    import numpy as np
    from datasets import Dataset
    from transformers import (
        AutoModelForSequenceClassification,
        AutoTokenizer,
        DataCollatorWithPadding,
        Trainer,
        TrainingArguments,
    )

    def read(file):
        with open(file, encoding="utf-8", newline="") as stream:
            rows = list(csv.DictReader(stream))
        names = sorted({row["label"] for row in rows})
        return Dataset.from_dict(
            {
                "text": [row["text"] for row in rows],
                "labels": [names.index(row["label"]) for row in rows],
            }
        )

    def run(folder):
        tokenizer = AutoTokenizer.from_pretrained(settings["checkpoint"])

        def encode(rows):
            return tokenizer(rows["text"], truncation=True, max_length=64)

        rows = {
            split: read(file).map(encode, batched=True, remove_columns="text")
            for split, file in files(settings).items()
        }
        model = AutoModelForSequenceClassification.from_pretrained(
            settings["checkpoint"], num_labels=2
        )
        size = settings["batch_size"]
        arguments = TrainingArguments(
            output_dir=folder,
            num_train_epochs=1,
            max_steps=settings["steps"] or -1,
            per_device_train_batch_size=size,
            per_device_eval_batch_size=64,
            learning_rate=settings["learning_rate"],
            weight_decay=0.01,
            warmup_steps=0.1,  # Below 1, a share.
            max_grad_norm=1.0,
            eval_strategy="epoch",
            save_strategy="epoch",
            report_to=[],
            disable_tqdm=True,
            use_cpu=True,
            seed=7,
        )
        trainer = Trainer(
            model,
            arguments,
            train_dataset=rows["train"],
            eval_dataset=rows["dev"],
            data_collator=DataCollatorWithPadding(tokenizer),
        )
        trainer.train()
        said = trainer.predict(rows["test"])
        right = np.argmax(said.predictions, axis=-1) == said.label_ids
        return float(right.mean()), trainer.state.global_step

    return run


def main():
    out, sys.stdout = sys.stdout, sys.stderr
    peer, settings = sys.argv[1].split(":")[0], json.loads(sys.argv[2])
    run = {"kzoo": kzoo, "transformers": transformers}[peer](settings)
    with tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        accuracy, steps = run(folder)
        seconds = time.perf_counter() - began
    found = {"seconds": seconds, "accuracy": accuracy, "steps": steps}
    print(json.dumps(found), file=out)


if __name__ == "__main__":
    main()
