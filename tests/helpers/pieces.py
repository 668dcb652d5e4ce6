"""Small SentencePiece models and checkpoints that hold them."""

import io
import json

GERMAN = [
    "Das Essen war kalt, und das Zimmer zu klein; trotzdem immer gern wieder.",
    "Nicht schlecht! Ein Café, das ich jedem empfehle, der guten Kaffee mag.",
    "Größe, Straße, Übung: schöne Wörter mit Umlauten, überall äöüß.",
    "Nach zwei Tagen kaputt; ich wollte mein Geld zurück.",
] * 3
FAIRSEQ = {"unk_id": 0, "bos_id": 1, "eos_id": 2, "pad_id": -1}
ENDED = {"pad_id": 0, "eos_id": 1, "unk_id": 2, "bos_id": -1}
# How the models of each family were learnt, and the file they come in.
LEARNT = {
    "t5": ("spiece.model", ENDED),
    "albert": (
        "spiece.model",
        {
            **{"pad_id": 0, "unk_id": 1, "bos_id": -1, "eos_id": -1},
            "control_symbols": "[CLS],[SEP],[MASK]",
        },
    ),
    "xlm-roberta": ("sentencepiece.bpe.model", FAIRSEQ),
    "camembert": ("sentencepiece.bpe.model", FAIRSEQ),
    "deberta-v2": (
        "spm.model",
        {
            **{"pad_id": 0, "bos_id": 1, "eos_id": 2, "unk_id": 3},
            **{"pad_piece": "[PAD]", "bos_piece": "[CLS]"},
            **{"eos_piece": "[SEP]", "unk_piece": "[UNK]"},
        },
    ),
    "pegasus": ("spiece.model", ENDED),
}


def learn(texts, size=300, **options):
    """The bytes of a SentencePiece model."""
    import sentencepiece

    written = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(texts),
        model_writer=written,
        vocab_size=size,
        hard_vocab_limit=False,
        minloglevel=2,
        **{"character_coverage": 0.999, **options},
    )
    return written.getvalue()


def checkpoint(folder, config, settings=None, **files):
    """Write a checkpoint without weights; files as bytes, or as tables."""
    files = {"config.json": config, "tokenizer_config.json": settings or {}, **files}
    for name, content in files.items():
        if not isinstance(content, bytes):
            content = json.dumps(content).encode()
        folder.joinpath(name).write_bytes(content)
    return folder


def marian(folder, source, target):
    """A checkpoint of Marian's over two models; its vocabulary is that of both."""
    import sentencepiece

    numbers = {"</s>": 0, "<unk>": 1}
    for content in (source, target):
        model = sentencepiece.SentencePieceProcessor(model_proto=content)
        for number in range(model.get_piece_size()):
            if not model.is_control(number) and not model.is_unknown(number):
                numbers.setdefault(model.id_to_piece(number), len(numbers))
    for token in (">>deu<<", "<pad>"):
        numbers[token] = len(numbers)
    config = {"model_type": "marian", "vocab_size": len(numbers)}
    files = {"source.spm": source, "target.spm": target, "vocab.json": numbers}
    return checkpoint(folder, config, **files), config
