"""The head of the masked language model, and its masks, against transformers."""

import numpy as np
import pytest
from helpers import checkpoints
from helpers.layers import array

import kzoo
from kzoo.interop.checkpoints import Checkpoint
from kzoo.interop.names import MAPS, read_into
from kzoo.models.families import family_of
from kzoo.text import Tokenizer
from kzoo.text.masking import Masker, Masking

TOKENS = [f"w{number}" for number in range(200)]


@pytest.mark.parametrize(
    "more",
    [{}, {"tie_word_embeddings": False, "layer_norm_eps": 0.01}],
    ids=["tied", "untied"],
)
def test_logits_are_those_of_bert(more, tmp_path):
    module = checkpoints.saved(tmp_path, "BertForMaskedLM", "BertConfig", **more)
    checkpoint = Checkpoint(tmp_path)
    family = family_of(checkpoint.config)
    row = family.stack(checkpoint.config)
    tied = more.get("tie_word_embeddings", True)
    encoder = kzoo.layers.TransformerEncoder(**row, name="encoder")
    model = kzoo.MaskedLM(
        encoder,
        norm=row["norm"],
        projection={"tied": tied, "use_bias": True},
        sequence_length=24,
    )
    names = MAPS[family.name].names(checkpoint.config, "encoder")
    read_into(encoder, checkpoint, MAPS[family.name], names)
    theirs = module.state_dict()
    head = "cls.predictions"
    copied = {
        "head/kernel": theirs[f"{head}.transform.dense.weight"].T,
        "head/bias": theirs[f"{head}.transform.dense.bias"],
        "head_norm/gamma": theirs[f"{head}.transform.LayerNorm.weight"],
        "head_norm/beta": theirs[f"{head}.transform.LayerNorm.bias"],
        "logits/bias": theirs[f"{head}.decoder.bias"],
        "logits/embeddings": theirs[f"{head}.decoder.weight"],
    }
    for weight in model.weights:
        if not weight.path.startswith("encoder/"):
            weight.assign(copied[weight.path].numpy())
    token_ids, mask = checkpoints.batch()
    expected = checkpoints.answers(module, token_ids, mask)
    places = np.tile(np.arange(token_ids.shape[1], dtype="int32"), (len(mask), 1))
    inputs = {"token_ids": token_ids, "padding_mask": mask, "places": places}
    actual = array(model(inputs, training=False))
    np.testing.assert_allclose(actual[mask], expected[mask], rtol=1e-4, atol=1e-4)


@pytest.fixture(scope="module")
def words(tmp_path_factory):
    """One vocabulary as kzoo's and as transformers' tokenizer; "##" goes on a word."""
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    folder = tmp_path_factory.mktemp("vocabulary")
    pieces = [*special, *TOKENS, *(f"##{token}" for token in TOKENS)]
    (folder / "vocab.txt").write_text("\n".join(pieces), "utf-8")
    theirs = checkpoints.transformers.BertTokenizerFast(
        vocab_file=str(folder / "vocab.txt"), do_lower_case=False
    )
    return Tokenizer.load(folder / "vocab.txt"), theirs


@pytest.mark.parametrize("whole_words", [False, True], ids=["tokens", "words"])
def test_as_many_are_hidden_as_by_its_collator(words, whole_words):
    ours, theirs = words
    rng = np.random.default_rng(1)
    rows, length = 1500, 80
    ids = rng.integers(5, ours.vocabulary_size, (rows, length)).astype("int32")
    ids[:, 0], ids[:, -1] = ours.start_id, ours.end_id
    begins = ids < 5 + len(TOKENS)  # A piece with "##" goes on the word before it.
    begins[:, 1] = True
    word_of = np.cumsum(begins, axis=1)
    word_of[:, [0, -1]] = -1
    checkpoints.torch.manual_seed(1)
    more = {"mask_replace_prob": 1.0, "random_replace_prob": 0.0} if whole_words else {}
    collate = checkpoints.transformers.DataCollatorForLanguageModeling(
        theirs, whole_word_mask=whole_words, mlm_probability=0.15, **more
    )
    examples = [{"input_ids": row.tolist()} for row in ids]
    if whole_words:  # It knows the words by their places in the text.
        for example, row in zip(examples, begins, strict=True):
            ends = np.cumsum(np.where(row, 2, 1))
            places = np.stack([ends - 1, ends], axis=1)
            places[[0, -1]] = 0
            example["offset_mapping"] = places.tolist()
            example["special_tokens_mask"] = [1, *([0] * (length - 2)), 1]
    batch = collate(examples)
    expected = _shares(ids, batch["input_ids"].numpy(), batch["labels"].numpy() != -100)
    shares = {"mask_share": 1.0, "random_share": 0.0} if whole_words else {}
    masker = Masker(Masking(whole_words=whole_words, **shares), ours)
    read, looked_at = ids.copy(), np.zeros(ids.shape, bool)
    for row in range(rows):
        read[row], places = masker.hide(ids[row], word_of[row], 0, 0, row)
        looked_at[row, places] = True
    actual = _shares(ids, read, looked_at)
    deviation = 5 * (2 * 0.25 / (0.15 * rows * 78)) ** 0.5
    np.testing.assert_allclose(actual, expected, atol=deviation)


def _shares(ids, read, looked_at):
    """The share asked for; of these, those masked and those changed."""
    masked = looked_at & (read == 4)
    changed = looked_at & ~masked & (read != ids)
    total = looked_at.sum()
    inner = looked_at[:, 1:-1].mean()
    assert not looked_at[:, [0, -1]].any()
    return [inner, masked.sum() / total, changed.sum() / total]
