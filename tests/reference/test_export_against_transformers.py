"""What kzoo exports, transformers loads: the same logits, tags, ids and weights."""

import numpy as np
import pytest
from helpers import checkpoints
from helpers.layers import array
from kzoo_recipes import KzooError
from test_heads_against_transformers import FAMILIES, NAMES, TEXTS, loaded, tokenizer

import kzoo
from kzoo.layers import TransformerEncoder
from kzoo.models.families import FAMILIES as ROWS

auto = checkpoints.transformers
ENDS = {
    "SequenceClassification": auto.AutoModelForSequenceClassification,
    "TokenClassification": auto.AutoModelForTokenClassification,
    "MaskedLM": auto.AutoModelForMaskedLM,
}


@pytest.fixture(scope="module", params=FAMILIES)
def family(request):
    return request.param


@pytest.mark.parametrize("task", ENDS)
def test_a_checkpoint_comes_back_as_it_was(family, task, tmp_path):
    module, model, _ = loaded(tmp_path / "in", family, task)
    names = {
        "XLMRoberta": "xlm_roberta",
        "DebertaV2": "deberta_v2",
        "BigBird": "big_bird",
    }
    name = names.get(family, family.lower())
    made = kzoo.export_hugging_face(model, tmp_path / "out", name)
    assert made["architecture"] == f"{family}For{task}"
    back, said = ENDS[task].from_pretrained(tmp_path / "out", output_loading_info=True)
    # A BigBird of transformers has a pooler even where nothing reads it.
    unread = {f"bert.pooler.{part}" for part in ("weight", "bias")}
    unread = unread if family == "BigBird" else set()
    assert said["missing_keys"] <= unread and not said["unexpected_keys"]
    assert type(back) is type(module)
    for key, value in module.state_dict().items():
        if key in unread:
            continue
        ours = back.state_dict()[key]
        # Rows before a RoBERTa's first position; its padding here is token 0.
        start = 0
        if "position_embeddings" in key:
            start = 2 * ("mpnet" in key)
            start += "roberta" in key or "longformer" in key
        assert checkpoints.torch.equal(ours[start:], value[start:]), key
    token_ids, mask = checkpoints.batch()
    expected = checkpoints.answers(back.eval(), token_ids, mask)
    inputs = {"token_ids": token_ids, "padding_mask": mask}
    if task == "MaskedLM":
        row = np.arange(token_ids.shape[1], dtype="int32")
        inputs["places"] = np.tile(row, (len(mask), 1))
    actual = array(model(inputs))
    if task != "SequenceClassification":
        actual, expected = actual[mask], expected[mask]
    np.testing.assert_allclose(actual, expected, rtol=1e-4, atol=1e-4)
    if task != "MaskedLM":
        assert back.config.id2label == dict(enumerate(NAMES))


@pytest.fixture(scope="module")
def bert():
    """A classifier that was made in kzoo, in the shape of a BERT."""
    config = {**checkpoints.SIZES, "type_vocab_size": 1, "model_type": "bert"}
    encoder = TransformerEncoder(**ROWS["bert"].stack(config))
    model = kzoo.TextClassifier(encoder, 3, pooling="first", sequence_length=7)
    return model.attach(tokenizer(), NAMES)


def test_pipelines_answer_alike(bert, tmp_path):
    made = kzoo.export_hugging_face(bert, tmp_path / "model")
    assert (made["family"], made["notes"]) == ("bert", [])
    files = {"README.md", "config.json", "model.safetensors", "tokenizer.json"}
    assert files <= set(made["files"])
    pipe = auto.pipeline("text-classification", str(tmp_path / "model"), top_k=None)
    texts = [*TEXTS, "the cat " * 30, "ünknöwn 字 🙂", ""]
    answers = zip(bert.classify(texts), pipe(texts, truncation=True), strict=True)
    for ours, theirs in answers:
        scores = {one["label"]: one["score"] for one in theirs}
        assert theirs[0]["label"] == ours["label"]
        assert scores == pytest.approx(ours["probabilities"], abs=1e-5)


def test_the_card_says_how_to_use_it(bert, tmp_path):
    kzoo.export_hugging_face(bert, tmp_path / "model")
    card = (tmp_path / "model" / "README.md").read_text()
    assert card.startswith("---\nlibrary_name: transformers\n")
    assert "pipeline_tag: text-classification" in card
    assert "| labels | O, B-LOC, I-LOC |" in card
    assert "| longest text | 7 tokens |" in card


def test_an_encoder_alone(tmp_path):
    checkpoints.saved(tmp_path / "in", "BertModel", "BertConfig")
    from kzoo.interop.tokenizers import write_tokenizer

    write_tokenizer(tokenizer(), tmp_path / "in", {})
    pair = kzoo.from_hugging_face(tmp_path / "in", "encoder", note=lambda _: None)
    kzoo.export_hugging_face((pair.encoder, pair.tokenizer), tmp_path / "out")
    with pytest.raises(KzooError, match=r"goes out with its tokenizer: \(encoder, t"):
        kzoo.export_hugging_face(pair.encoder, tmp_path / "alone")
    back = auto.AutoModel.from_pretrained(tmp_path / "out").eval()
    token_ids, mask = checkpoints.batch()
    expected = checkpoints.answers(back, token_ids, mask, "last_hidden_state")
    actual = array(pair.encoder(token_ids, mask))
    np.testing.assert_allclose(actual[mask], expected[mask], rtol=1e-4, atol=1e-4)


def test_thresholds_are_said(bert, tmp_path):
    model = kzoo.TextClassifier(
        bert.encoder,
        3,
        pooling="first",
        multi_label=True,
        sequence_length=8,
        thresholds=[0.5, 0.25, 0.5],
    ).attach(tokenizer(), NAMES)
    [note] = kzoo.export_hugging_face(model, tmp_path / "model")["notes"]
    assert note.endswith("O 0.5, B-LOC 0.25, I-LOC 0.5")
    back = auto.AutoConfig.from_pretrained(tmp_path / "model")
    assert back.problem_type == "multi_label_classification"


def test_a_model_without_segments(tmp_path):
    """A BERT always adds one, which then is of zeros; a DistilBERT has none."""
    config = {**checkpoints.SIZES, "type_vocab_size": 0, "model_type": "bert"}
    encoder = TransformerEncoder(**ROWS["bert"].stack(config))
    model = kzoo.TextClassifier(encoder, 3, pooling="first", sequence_length=7)
    model.attach(tokenizer(), NAMES)
    made = kzoo.export_hugging_face(model, tmp_path / "model")
    assert made["architecture"] == "BertForSequenceClassification"
    token_ids, mask = checkpoints.batch(length=7)
    ends = ENDS["SequenceClassification"]
    back = ends.from_pretrained(tmp_path / "model").eval()
    expected = checkpoints.answers(back, token_ids, mask)
    actual = array(model({"token_ids": token_ids, "padding_mask": mask}))
    np.testing.assert_allclose(actual, expected, rtol=1e-4, atol=1e-4)
    tagger = kzoo.TokenTagger(encoder, 3, sequence_length=7)
    tagger.attach(tokenizer(), NAMES)
    made = kzoo.export_hugging_face(tagger, tmp_path / "tagger")
    assert made["architecture"] == "DistilBertForTokenClassification"
    back = ENDS["TokenClassification"].from_pretrained(tmp_path / "tagger").eval()
    expected = checkpoints.answers(back, token_ids, mask)
    actual = array(tagger({"token_ids": token_ids, "padding_mask": mask}))
    np.testing.assert_allclose(actual[mask], expected[mask], rtol=1e-4, atol=1e-4)


def test_an_mpnet_numbers_places_by_its_own_padding(tmp_path):
    row = ROWS["mpnet"].stack({**checkpoints.SIZES, "model_type": "mpnet"})
    model = kzoo.TokenTagger(TransformerEncoder(**row), 3, sequence_length=7)
    model.attach(tokenizer(), NAMES)
    with pytest.raises(KzooError, match="pad_token_id is 0; of the type 'mpnet'"):
        kzoo.export_hugging_face(model, tmp_path / "model", "mpnet")


def test_numbers_that_are_none_do_not_go_out(bert, tmp_path):
    weight = bert.encoder.weights[0]
    kept = array(weight)
    weight.assign(np.full_like(kept, np.nan))
    try:
        with pytest.raises(KzooError, match="holds numbers that are not finite"):
            kzoo.export_hugging_face(bert, tmp_path / "model")
    finally:
        weight.assign(kept)


@pytest.mark.parametrize(
    "arguments, said",
    [
        (
            {"pooling": "mean"},
            r"answers; Bert would, with another head: pooling = \"first\" \(it is "
            r"'mean'\); train one with these arguments in its \[model\]",
        ),
        ({"pooling": "max"}, r"head: pooling = \"first\" \(it is 'max'\); train"),
        ({"pooling": "first", "head_dim": 5}, r"head: head_dim = 20 \(it is 5\); t"),
        (
            {"pooling": "mean", "activation": "silu"},
            r"= \"first\" \(it is 'mean'\), activation = \"tanh\" \(it is 'silu'\);",
        ),
        (
            {"pooling": "first", "head_norm": "layer_norm"},
            r"another head: no head_norm \(it is 'layer_norm'\); train one",
        ),
    ],
)
def test_another_head_is_refused(bert, tmp_path, arguments, said):
    model = kzoo.TextClassifier(bert.encoder, 3, sequence_length=8, **arguments)
    model.attach(tokenizer(), NAMES)
    with pytest.raises(KzooError, match=said):
        kzoo.export_hugging_face(model, tmp_path / "model")
    assert not (tmp_path / "model").exists()


def test_another_stack_is_refused(tmp_path):
    encoder = TransformerEncoder(60, 1, 2, 8, 16)
    model = kzoo.TokenTagger(encoder, 3, sequence_length=8)
    model.attach(tokenizer(), NAMES)
    with pytest.raises(KzooError, match="no class that gives this model's answers"):
        kzoo.export_hugging_face(model, tmp_path / "model")
    with pytest.raises(KzooError, match="no family 'brt'; did you mean \"bert\""):
        kzoo.export_hugging_face(model, tmp_path / "model", "brt")


def test_a_crf_is_refused(bert, tmp_path):
    model = kzoo.TokenTagger(bert.encoder, 3, head="crf", sequence_length=8)
    model.attach(tokenizer(), NAMES)
    with pytest.raises(KzooError, match="no tagger with a CRF"):
        kzoo.export_hugging_face(model, tmp_path / "model")


def test_what_is_there_is_not_replaced(bert, tmp_path):
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(KzooError, match="is there already; --force replaces it"):
        kzoo.export_hugging_face(bert, tmp_path)
    assert (tmp_path / "mine.txt").read_text() == "mine"
    with pytest.raises(KzooError, match="is a file; name a folder"):
        kzoo.export_hugging_face(bert, tmp_path / "mine.txt")
    kzoo.export_hugging_face(bert, tmp_path, force=True)
    assert not (tmp_path / "mine.txt").exists()
    with pytest.raises(KzooError, match=r"kzoo exports .*; str is none of them"):
        kzoo.export_hugging_face("model", tmp_path)
