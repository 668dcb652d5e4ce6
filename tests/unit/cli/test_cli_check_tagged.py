"""kzoo check-data for a tagger: what it prints, and that Keras stays out of it."""

import json
import subprocess
import sys

import pytest

RECIPE = """
task = "token_tagger"
[data]
train = "train.conll"
dev = "dev.conll"
test = "test.conll"
sequence_length = 12
[tokenizer]
min_frequency = 1
[model.encoder]
num_layers = 1
num_heads = 2
hidden_dim = 8
intermediate_dim = 8
"""
TRAIN = """\
-DOCSTART- O

Ana B-person
Lima I-person
flew O
to O
Rome B-place
. O

Rome B-firm
grew O
"""
TEST = "Bo I-person\nran O\n\nAna B-animal\nLima I-animal\nflew O\nto O\nRome O\n. O\n"

HEAD = """\
train: {0}/train.conll
  1 -DOCSTART- line was passed over (line 1)
dev: {0}/dev.conll
test: {0}/test.conll

                     train      dev    test
sentences                2        1       2
words                    8       15       8
tags written in       iob2     iob2    iob2
entities                 3        1       2
  firm                   1        0       0
  person                 1        0       1
  place                  1        1       0
  animal                 0        0       1
tokens, median           8       17       8
  90 %                   8       17       8
  95 %                   8       17       8
  99 %                   8       17       8
  longest                8       17       8
over 12, in windows  0.0 %  100.0 %   0.0 %
"""


@pytest.fixture
def corpus(tmp_path):
    tmp_path.joinpath("train.conll").write_text(TRAIN)
    tmp_path.joinpath("dev.conll").write_text("Rome B-place\n" + "flew O\n" * 14)
    tmp_path.joinpath("test.conll").write_text(TEST)
    tmp_path.joinpath("mine.toml").write_text(RECIPE)
    return str(tmp_path / "mine.toml")


def test_a_tagger_for_people(kzoo, corpus, tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    result = kzoo("check-data", corpus)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.output.startswith(HEAD.format(tmp_path))
    findings = result.output.split("\n\n")[2:]
    assert findings[:4] == [
        "test: 1 tag cannot stand where it stands; it is repaired, as the scorer "
        'conlleval reads it\n  test line 1 "Bo" I-person after the beginning, read as '
        "B-person  Bo ran",
        "test: 1 text is in train too\n  train line 3, test line 4  Ana Lima flew to "
        "Rome .",
        'train, test: 1 sentence is tagged in different ways\n  train line 3 "Ana" '
        'B-person, test line 4 "Ana" B-animal  Ana Lima flew to Rome .',
        "train, dev, test: 2 entities have different types in different places\n"
        "  train line 7 place (2), line 10 firm (1)  Rome\n"
        "  train line 3 person (1), test line 4 animal (1)  Ana Lima",
    ]
    assert findings[7].startswith("dev: 1 of 1 text is longer than 12 tokens and is ")


def test_a_tagger_for_machines(kzoo, corpus, tmp_path):
    result = kzoo("check-data", corpus, "--json")
    report = json.loads(result.stdout)
    assert (report["recipe"], report["scheme"]) == ("mine", "iob2")
    assert report["splits"]["train"]["labels"] == {"firm": 1, "person": 1, "place": 1}
    [invalid] = [f for f in report["findings"] if f["kind"] == "invalid"]
    assert invalid["groups"] == [
        [
            {
                "split": "test",
                "file": str(tmp_path / "test.conll"),
                "line": 1,
                "detail": '"Bo" I-person after the beginning, read as B-person',
                "text": "Bo ran",
            }
        ]
    ]


def test_a_tagger_strictly(kzoo, corpus):
    result = kzoo("check-data", corpus, "--strict", "--rows", "0")
    assert result.exit_code == 1
    assert result.stderr.endswith(
        "are faults (invalid, shared, conflict, unseen label).\n"
    )


def test_a_tagger_whose_rows_cannot_be_used(kzoo, corpus, tmp_path):
    tmp_path.joinpath("dev.conll").write_text("Rome B-place\nfell\n")
    result = kzoo("check-data", corpus)
    assert result.exit_code == 2
    assert result.stderr == (
        f"Error: {tmp_path}/dev.conll, line 2: the line has 1 column, and column 2 is "
        "asked for; a word may hold spaces where tabs part the columns.\n"
    )


def test_parts_of_speech(kzoo, corpus, tmp_path):
    tags = "a DET\ndog NOUN\n\nit PRON\n"
    for split in ("train", "dev", "test"):
        tmp_path.joinpath(f"{split}.conll").write_text(tags)
    result = kzoo("check-data", corpus, "--set", "data.scheme=plain", "--rows", "0")
    assert result.exit_code == 0
    assert "entities" not in result.output.split("\n\n")[1]
    assert "  DET" in result.output


def test_keras_stays_out_of_a_taggers_check(corpus):
    code = (
        "import sys; from kzoo_cli.main import main\n"
        f"try: main(['check-data', {corpus!r}])\n"
        "except SystemExit: pass\n"
        "heavy = {'keras', 'jax', 'torch', 'tensorflow'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)
