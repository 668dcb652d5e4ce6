"""One peer of `there_and_back.py`, in a process of its own.

Reads its settings as JSON from its second argument and prints one line of JSON. All
else goes to stderr.
"""

import json
import sys
from pathlib import Path

AT_ONCE = 64  # rows


def kzoo(settings):
    """Open a run, ask it about the rows, export it."""
    import kzoo
    from kzoo.text.alignment import align, joined
    from kzoo.text.windows import cut
    from kzoo.training.answers import rows_for, task_of

    model = kzoo.load_model(settings["run"])
    task = task_of(model)
    rows, source = rows_for(settings["run"], "test", settings["file"], {}, task)
    kzoo.export_hugging_face(model, settings["folder"])
    if task == "text_classifier":
        asked = list(rows.texts)
        answers = [
            [[one["label"], one["probabilities"][one["label"]]]]
            for one in model.classify(asked)
        ]
        windows = [1] * len(asked)
    else:
        asked = [list(words) for words in rows.words]
        answers = [
            [[one["tag"], one["score"]] for one in row]
            for row in model.tag_words(asked)
        ]
        texts, spans = zip(*map(joined, asked), strict=True)
        windows = [
            len(cut(text, model.tokenizer, model.sequence_length, model.overlap))
            for text in align(model.tokenizer, list(texts), list(spans))
        ]
    return {
        "task": task,
        "source": source,
        "asked": asked,
        "answers": answers,
        "windows": windows,
    }


def transformers(settings):
    """Open what was exported, as any user of transformers would, and ask it."""
    import torch
    import transformers

    told = json.loads(Path(settings["settings"]).read_text("utf-8"))
    tags = told["task"] == "token_tagger"
    kind = "TokenClassification" if tags else "SequenceClassification"
    auto = getattr(transformers, f"AutoModelFor{kind}")
    tokenizer = transformers.AutoTokenizer.from_pretrained(told["folder"])
    model = auto.from_pretrained(told["folder"]).eval()
    limit = {"max_length": model.config.max_position_embeddings} if tags else {}
    answers = []
    for start in range(0, len(told["asked"]), AT_ONCE):
        part = told["asked"][start : start + AT_ONCE]
        batch = tokenizer(
            part,
            is_split_into_words=tags,
            truncation=True,
            padding=True,
            return_tensors="pt",
            **limit,
        )
        with torch.no_grad():
            shares = model(**batch).logits.softmax(-1)
        likely, best = shares.max(-1)
        named = model.config.id2label
        if not tags:
            pairs = zip(best.tolist(), likely.tolist(), strict=True)
            answers += [[[named[label], share]] for label, share in pairs]
            continue
        for row, words in enumerate(part):
            pairs = list(zip(best[row].tolist(), likely[row].tolist(), strict=True))
            first = {}
            for place, word in enumerate(batch.word_ids(row)):
                first.setdefault(word, [named[pairs[place][0]], pairs[place][1]])
            answers.append([first.get(number) for number in range(len(words))])
    return answers


def main():
    out, sys.stdout = sys.stdout, sys.stderr
    ask = {"kzoo": kzoo, "transformers": transformers}[sys.argv[1].split(":")[0]]
    print(json.dumps(ask(json.loads(sys.argv[2]))), file=out)


if __name__ == "__main__":
    main()
